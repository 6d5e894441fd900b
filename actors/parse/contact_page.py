"""What a page says that may have contacts: whether it is a page, where it sends its readers, whom one can reach."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from actors.parse.cards import Card, cards_of
from actors.parse.contacts import contacts_of
from actors.parse.forwarding import forwarded_to
from actors.parse.html import Document
from actors.parse.missing_page import says_it_is_missing
from actors.parse.urls import parse_url
from actors.parse.wire_body import WireBody, page_text, unreadable_kind


class SelfDescription(NamedTuple):
    title: str | None = None
    description: str | None = None
    h1: str | None = None
    canonical_url: str | None = None
    meta_robots: str | None = None
    word_count: int = 0


_UNDESCRIBED = SelfDescription()


@dataclass(frozen=True, slots=True)
class ContactPage:
    unreadable: str | None = None
    """The content type of what is no page to read; nothing else is known of it then."""

    onward: str | None = None
    """The page that this one shows in a frame, or sends its readers to."""

    is_missing: bool = False
    """Whether the page itself says that it is not there; its contacts are not looked for then."""

    cards: tuple[Card, ...] = ()
    addresses: int = 0
    numbers: int = 0
    description: SelfDescription = _UNDESCRIBED


def read_contact_page(bodies: Sequence[WireBody], *, region: str | None) -> ContactPage:
    """One body: the page."""
    (body,) = bodies
    unreadable = unreadable_kind(body)
    if unreadable is not None:
        return ContactPage(unreadable=unreadable)
    document, url = Document(page_text(body)), body.head.url
    onward = forwarded_to(document, url)
    if says_it_is_missing(document):
        return ContactPage(onward=onward, is_missing=True)
    contacts = contacts_of(document, url=url, region=region)
    return ContactPage(
        onward=onward,
        cards=tuple(cards_of(contacts)),
        addresses=len(contacts.emails),
        numbers=len(contacts.phones),
        description=_self_description(document, url),
    )


def _self_description(document: Document, url: str) -> SelfDescription:
    canonical = parse_url(document.canonical, url) if document.canonical else None
    return SelfDescription(
        title=document.title,
        description=document.description,
        h1=document.h1,
        canonical_url=canonical.href if canonical else None,
        meta_robots=document.meta_robots,
        word_count=len(document.text.split()),
    )
