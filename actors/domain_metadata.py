"""Domain -> what its home page says of itself.

in    domains.domain
out   the metadata columns of the row, sitemap discovery queued; pages, for the home page and its contact-like links;
      domains, when the home page belongs to another one
"""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from actors._workflow import Found, Politeness, Words, Workflow
from actors.fetch.home_page import HomePage, LedElsewhere, read_home_page
from actors.fetch.web import Web
from actors.parse.domains import owner_of, website_domain
from actors.parse.home_page import HomeReading, read_home
from actors.parse.links import PageLink
from actors.parse.technologies import Stack
from actors.parse.wire_body import WireBody, WireHead
from actors.sandbox.reader import Reader
from actors.selection import AutoSelect
from db.models import Domain, Page

_COLUMNS_FOR_PROFILES = ("facebook", "twitter", "linkedin", "instagram", "youtube")

domain_metadata = Workflow(
    table=Domain,
    status="status",
    error="status_error",
    result="status_result",
    words=Words("pending", "processing", "completed", "error"),
    feeds="sitemap_discovery",
    politeness=Politeness(column="id", group="host"),
    time_limit=timedelta(minutes=3),
)


class Site(NamedTuple):
    id: UUID
    domain: str
    region: str | None


@domain_metadata.run
def read_site(site: Site, web: Web, reader: Reader, auto: AutoSelect) -> Found:
    """A parked domain, or one that belongs to another site, is done with a reason and goes no further."""
    home = read_home_page(web, reader, site.domain, site.region)
    if isinstance(home, LedElsewhere):
        unseen = _unseen(reader, home)
        return _parked(home, unseen.parked) if unseen.parked else _alias(site, home, home.problem)
    if home.reading.parked:
        return _parked(home, home.reading.parked)
    if owner_of(home.url) != owner_of(f"https://{site.domain}/"):
        return _alias(site, home, None)
    return _described(site, home, auto)


def _unseen(reader: Reader, home: LedElsewhere) -> HomeReading:
    """Of a page that could not be read the address alone may tell that the domain is parked."""
    nothing = WireBody(WireHead(home.hops[-1], None, None, 0), b"")
    return reader.read(read_home, [nothing], hops=home.hops, headers={}, region=None)


def _described(site: Site, home: HomePage, auto: AutoSelect) -> Found:
    reading = home.reading
    return Found(
        rows=[_page(site, link, auto) for link in reading.links],
        values={
            "home_url": home.url,
            "alias_of": None,
            "is_parked": False,
            **_self_description(home),
            **_made_with(reading.stack),
            "email_addresses": list(reading.emails),
            "phone_numbers": list(reading.phones),
            "last_scan": datetime.now(UTC),
            "sitemap_analysis_status": "queued",
        },
        reason=f"home page read at {home.url}{_in_brackets(reading.stack)}",
    )


def _self_description(home: HomePage) -> dict[str, Any]:
    said, profiles = home.reading.metadata, home.reading.profiles
    further = {
        "open_graph": said.open_graph,
        "organisation": said.organisation,
        "social": {name: url for name, url in profiles.items() if name not in _COLUMNS_FOR_PROFILES},
    }
    return {
        "title": said.title,
        "description": said.description,
        "language": said.language,
        "favicon_url": said.favicon_url,
        "logo_url": said.logo_url,
        **{f"{network}_url": profiles.get(network) for network in _COLUMNS_FOR_PROFILES},
        "meta_json": {**{name: value for name, value in further.items() if value}, **_journey(home)},
    }


def _made_with(stack: Stack) -> dict[str, Any]:
    return {
        "cms": stack.cms.name if stack.cms else None,
        "is_wordpress": "WordPress" in stack,
        "wordpress_version": stack.version("WordPress"),
        "wordpress_theme": stack.wordpress_theme,
        "has_elementor": "Elementor" in stack,
        "has_divi": "Divi" in stack,
        "has_woocommerce": "WooCommerce" in stack,
        "tech_stack": {name: {"category": kind, "version": version} for name, kind, version in stack.technologies},
    }


def _page(site: Site, link: PageLink, auto: AutoSelect) -> Page:
    return Page(
        domain_id=site.id,
        url=link.url,
        lead_source="home_page",
        page_type=link.page_type,
        honeybee_json=link.judgement,
        priority_level=link.priority,
        path_depth=link.depth,
        page_curation_status=auto.curation("pages"),
    )


def _parked(home: HomePage | LedElsewhere, reason: str) -> Found:
    values = {"home_url": home.hops[-1], "alias_of": None, "is_parked": True, "meta_json": _journey(home)}
    return Found(values=values, reason=reason)


def _alias(site: Site, home: HomePage | LedElsewhere, problem: str | None) -> Found:
    """The other domain is noted, not queued: whether it is the same business is for a person to say."""
    url = home.hops[-1]
    other = owner_of(url)
    website = website_domain(url)
    why = website.reason if website.domain is None else "which is another domain"
    reason = f"redirects to {other}, {why}" + (f" ({problem})" if problem else "")
    rows = [Domain(domain=website.domain, region=site.region)] if website.domain else []
    values = {"home_url": url, "alias_of": other, "is_parked": False, "meta_json": _journey(home)}
    return Found(rows=rows, values=values, reason=reason)


def _journey(home: HomePage | LedElsewhere) -> dict[str, Any]:
    found: dict[str, Any] = {"redirects": list(home.hops)} if len(home.hops) > 1 else {}
    if isinstance(home, HomePage) and home.tls_problem:
        found["tls_problem"] = home.tls_problem
    return found


def _in_brackets(stack: Stack) -> str:
    if stack.cms is None:
        return ""
    return f" ({' '.join(filter(None, (stack.cms.name, stack.cms.version)))})"
