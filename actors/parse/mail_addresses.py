"""E-mail addresses: found in a text, checked, weighed and classed."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from email_validator import SPECIAL_USE_DOMAIN_NAMES, EmailNotValidError, validate_email

from actors.parse.domains import registrable_domain
from actors.parse.public_suffixes import public_suffixes
from actors.parse.urls import parse_url
from actors.parse.words import data, folded, listed

_LONGEST_NAME: Final = 64
_MOST_SIGNS: Final = 2_000
# com, edu, gouv: under these are domains, not mailboxes.
_LONGEST_SECOND_LEVEL: Final = 4
# The standard allows more, but what people print around an address is more often punctuation than a name.
_NAME_CHARACTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.%&'+-_"
_AROUND_A_NAME: Final = ".-'&%"
# After one of these a name would lose its beginning: of "müller@…" only "ller" can be sent to.
_ACCENTED = re.compile(r"[\u00c0-\u024f]$")
_ASCII_DOMAIN = re.compile(r"(?:[a-zA-Z0-9][a-zA-Z0-9-]{0,62}\.){1,8}[a-zA-Z][a-zA-Z0-9-]{1,62}")
_ANY_DOMAIN = re.compile(r"(?:\w[\w-]{0,62}\.){1,8}[^\W\d_][\w-]{1,62}")
# With two hyphens in a row a label may be punycode.
_PLAIN = re.compile(
    r"(?!.*--)[a-zA-Z0-9_%&'+-]+(?:\.[a-zA-Z0-9_%&'+-]+)*+"
    r"@(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.){1,8}[a-zA-Z]{2,63}"
)
_LONGEST_PLAIN: Final = 200
_SPECIAL_USE: Final = tuple(f".{name}" for name in SPECIAL_USE_DOMAIN_NAMES)
_GLUED = re.compile(r"(?<=[a-z])(?=[A-Z])|-")
_LETTERS = re.compile(r"[^a-z]+")
_X_ONLY = re.compile(r"x{2,}$")
_BAD_SIGN = re.compile(r"^[0-9a-f]{16,}$|^\d{9,}$")

_JUNK: Final = data("contact_junk")["email"]
_FILE_ENDINGS: Final = listed(_JUNK["file_endings"])
_PLACEHOLDER_DOMAINS: Final = listed(_JUNK["placeholder_domains"])
_PLACEHOLDER_NAMES: Final = listed(_JUNK["placeholder_names"])
_PLACEHOLDER_NAMES_AT_FREE: Final = listed(_JUNK["placeholder_names_at_free_providers"])
_SERVICE_DOMAINS: Final = listed(_JUNK["service_domains"])
_MACHINE_NAMES: Final = listed(_JUNK["machine_names"])
_KINDS: Final = data("contact_kinds")
_ROLES: Final = listed(_KINDS["roles"])
_FREE: Final = listed(_KINDS["free_providers"])
_SUFFIXES: Final = public_suffixes(accept_unknown=False)


class Site(NamedTuple):
    """Whose page it is: the registrable domain, or None where it is not known."""

    domain: str | None

    @classmethod
    def of(cls, url: str) -> "Site":
        parsed = parse_url(url)
        return cls(registrable_domain(parsed.host) if parsed else None)

    @property
    def label(self) -> str:
        """What its domain is called, in one word: blue-hill.co.uk is bluehill."""
        return (self.domain or "").partition(".")[0].replace("-", "")

    def owns(self, address: str) -> bool:
        return self.domain is not None and registrable_domain(address.rpartition("@")[2]) == self.domain


def addresses_in(text: str) -> Iterator[tuple[str, int]]:
    """Every valid address of a text, in lower case, with its place; junk included."""
    position = text.find("@")
    for _ in range(_MOST_SIGNS):
        if position < 0:
            return
        name = _name_before(text, position)
        address = _checked(name, text, position + 1) if name else None
        if address:
            yield address, position - len(name)
        position = text.find("@", position + 1)


def _name_before(text: str, position: int) -> str:
    window = text[max(0, position - _LONGEST_NAME) : position]
    name = window[len(window.rstrip(_NAME_CHARACTERS)) :]
    if window.endswith(f"//{name}"):
        return ""  # the user of a web address
    if _ACCENTED.search(window[: len(window) - len(name)]):
        return ""
    return name.rpartition("%20")[2].lstrip(_AROUND_A_NAME)


def _checked(name: str, text: str, start: int) -> str | None:
    for domain in _domains_at(text, start):
        suffix = _SUFFIXES.publicsuffix(domain.lower())
        if suffix is not None and (suffix != domain.lower() or _gives_addresses(suffix)):
            return valid(f"{name}@{domain}")
    return None


def _gives_addresses(suffix: str) -> bool:
    """Whether a suffix is itself behind an @: notaries have theirs at notaires.fr, nobody has one at co.uk."""
    first, _, rest = suffix.partition(".")
    return bool(rest) and len(first) > _LONGEST_SECOND_LEVEL


def _domains_at(text: str, start: int) -> Iterator[str]:
    """The longest host that begins here, then what is left of it without a word that sticks to its end."""
    for pattern in (_ANY_DOMAIN, _ASCII_DOMAIN):
        match = pattern.match(text, start)
        if match is None:
            continue
        yield match[0]
        before, _, last = match[0].rpartition(".")
        glued = _GLUED.split(last, maxsplit=1)
        if len(glued) > 1 and len(glued[0]) > 1:
            yield f"{before}.{glued[0]}"


@lru_cache(maxsize=4_096)
def valid(address: str) -> str | None:
    # Of nearly all addresses this shows what the library would say, which looks at each character many times.
    if len(address) <= _LONGEST_PLAIN and _PLAIN.fullmatch(address) and not address.lower().endswith(_SPECIAL_USE):
        return address.lower()
    try:
        checked = validate_email(address, check_deliverability=False, allow_smtputf8=False)
    except EmailNotValidError:
        return None
    return (checked.ascii_email or checked.normalized).lower()


def is_junk(address: str, site: Site) -> bool:
    """Whether an address is a placeholder, a machine's or a service's; never so at the site's own domain."""
    name, _, domain = address.rpartition("@")
    suffix = domain.rpartition(".")[2]
    letters = _LETTERS.sub("", folded(name))
    if suffix in _FILE_ENDINGS or domain.startswith(("2x.", "3x.", "1x.")) or _BAD_SIGN.match(name):
        return True
    if letters in _PLACEHOLDER_NAMES or letters in _MACHINE_NAMES or _X_ONLY.match(name):
        return True
    if site.owns(address):
        return False
    return _is_nobodys_domain(domain) or (is_free(domain) and letters in _PLACEHOLDER_NAMES_AT_FREE)


def _is_nobodys_domain(domain: str) -> bool:
    registrable = registrable_domain(domain) or domain
    second_level = registrable.partition(".")[0]
    return (
        registrable in _SERVICE_DOMAINS
        or domain in _SERVICE_DOMAINS
        or second_level in _PLACEHOLDER_DOMAINS
        or _X_ONLY.match(second_level) is not None
        or "sentry" in domain.split(".")
    )


def is_free(domain: str) -> bool:
    return domain in _FREE or f"{domain.partition('.')[0]}.*" in _FREE


def kind_of(address: str, site: Site) -> str:
    """SERVICE for a post, FREE for a provider's customer, CORPORATE for a person at the site's domain."""
    name, _, domain = address.rpartition("@")
    parts = re.split(r"[._+-]", folded(name))
    if _LETTERS.sub("", folded(name)) in _ROLES or (parts[0].rstrip("0123456789") in _ROLES):
        return "SERVICE"
    if is_free(domain):
        return "FREE"
    return "CORPORATE" if _is_related(domain, site) else "UNKNOWN"


def _is_related(domain: str, site: Site) -> bool:
    if site.domain is None:
        return False
    theirs, ours = (registrable_domain(domain) or domain), site.domain
    names = theirs.partition(".")[0].replace("-", ""), ours.partition(".")[0].replace("-", "")
    return theirs == ours or (min(map(len, names)) > 3 and (names[0] in names[1] or names[1] in names[0]))  # noqa: PLR2004 - short names are in everything
