"""What a home page says: of itself, of its owner, of what it is made with, and where it leads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from actors.parse.contacts import contacts_of
from actors.parse.forwarding import forwarded_to, frames
from actors.parse.html import Document
from actors.parse.links import PageLink, contact_links, home_link
from actors.parse.metadata import Metadata, read_metadata
from actors.parse.parked import parked_reason
from actors.parse.sitemap_links import linked_sitemaps
from actors.parse.social import social_profiles
from actors.parse.technologies import Stack, find_technologies
from actors.parse.wire_body import BadCoding, TooLarge, WireBody, page_text, unreadable_kind

_MOST_CONTACTS = 20
_NO_METADATA = Metadata(None, None, None, None, None, {}, {})
_NO_STACK = Stack((), None)


@dataclass(frozen=True, slots=True)
class HomeReading:
    unreadable: str | None = None
    """The content type of what is no page to read; nothing else is known of it then."""

    onward: str | None = None
    """The page that this one shows in a frame, or sends its readers to."""

    frames: tuple[str, ...] = ()
    parked: str | None = None
    metadata: Metadata = _NO_METADATA
    profiles: Mapping[str, str] = field(default_factory=dict)
    stack: Stack = _NO_STACK
    emails: tuple[str, ...] = ()
    phones: tuple[str, ...] = ()
    links: tuple[PageLink, ...] = ()
    sitemaps: tuple[str, ...] = ()
    """What the page links to as its sitemaps."""


def read_home(
    bodies: Sequence[WireBody], *, hops: Sequence[str], headers: Mapping[str, str], region: str | None
) -> HomeReading:
    """The page, and after it the menus that stand in frames beside it, which have the links that it lacks."""
    page, *menus = bodies
    unreadable = unreadable_kind(page)
    if unreadable is not None:
        return HomeReading(unreadable=unreadable)
    document, url = Document(page_text(page)), page.head.url
    contacts = contacts_of(document, url=url, region=region)
    beside = [(menu.head.url, Document(text)) for menu in menus if (text := _menu_text(menu)) is not None]
    return HomeReading(
        onward=forwarded_to(document, url),
        frames=tuple(frames(document, url)),
        parked=parked_reason(document, url, hops),
        metadata=read_metadata(document, url, content_language=headers.get("content-language")),
        profiles=social_profiles(document, url),
        stack=find_technologies(document, url=url, headers=headers),
        emails=tuple(email.address for email in contacts.emails)[:_MOST_CONTACTS],
        phones=tuple(phone.number for phone in contacts.phones)[:_MOST_CONTACTS],
        links=(*home_link(url), *contact_links([(url, document), *beside])),
        sitemaps=tuple(linked_sitemaps(document, url)),
    )


def _menu_text(menu: WireBody) -> str | None:
    """A menu that can not be unpacked is done without; the page itself is there."""
    try:
        return page_text(menu)
    except (TooLarge, BadCoding):
        return None


def read_sitemap_links(bodies: Sequence[WireBody], *, url: str) -> tuple[str, ...]:
    """One body, a page: what it links to as its sitemaps, where the page is called by this URL."""
    (body,) = bodies
    return tuple(linked_sitemaps(Document(page_text(body)), url))
