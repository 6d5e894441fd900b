"""Where the home page of a domain may answer."""

from actors.parse.public_suffixes import public_suffixes

_REGISTRIES = public_suffixes(only_icann=True)

# Sold like a country's domains, though no registry of ICANN's: their customers have a www like everybody.
_SOLD_AS_DOMAINS = """
ae.org br.com cn.com co.com co.nl co.no com.de com.se de.com eu.com gb.net gr.com hu.net in.net jp.net jpn.com kr.com
mex.com no.com qc.com ru.com sa.com se.net uk.com uk.net us.com us.org za.bz za.com
"""


def home_addresses(domain: str) -> tuple[str, ...]:
    """In the order to try: https before http, the domain as given before its www (or, for a www, without it)."""
    hosts = (domain, *_other_host(domain))
    return tuple(f"{scheme}://{host}/" for scheme in ("https", "http") for host in hosts)


def _other_host(domain: str) -> tuple[str, ...]:
    if domain.startswith("www."):
        return (domain.removeprefix("www."),)
    # acme.wixsite.com is itself a subdomain: what answers at www.acme.wixsite.com, if anything, is the builder.
    registered = _REGISTRIES.privatesuffix(domain)
    return (f"www.{domain}",) if registered == domain or registered in _SOLD_AS_DOMAINS.split() else ()
