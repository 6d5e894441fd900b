"""Page -> contacts.

in    pages.url
out   contacts, one row per address, and per number that goes with none; what the page says of itself
"""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from actors._workflow import Found, Politeness, Words, Workflow
from actors.errors import Denied, NotThere, Unusable
from actors.fetch.answer import Answer
from actors.fetch.encoding import text_of
from actors.fetch.web import Web
from actors.parse.cards import Card, cards_of
from actors.parse.contacts import Contacts, contacts_of
from actors.parse.domains import owner_of
from actors.parse.forwarding import forwarded_to
from actors.parse.html import Document
from actors.parse.missing_page import says_it_is_missing
from actors.parse.urls import parse_url
from db.models import Contact, Page

_NOT_MODIFIED = 304

page_curation = Workflow(
    table=Page,
    status="page_processing_status",
    error="page_processing_error",
    result="page_processing_result",
    words=Words("Queued", "Processing", "Complete", "Error"),
    curation="page_curation_status",
    priority="priority_level",
    politeness=Politeness(column="domain_id", group="host"),
    borrowed={"domain": "domain_id", "region": "domain_id"},
    time_limit=timedelta(minutes=4),  # a crawl-delay of 30 seconds stands before each of its requests,
)


class Source(NamedTuple):
    id: UUID
    domain_id: UUID
    url: str
    etag: str | None
    http_last_modified: str | None
    domain: str
    region: str | None


@page_curation.run
def extract_contacts(source: Source, web: Web) -> Found:
    """What is no page to read, or another site's, is done with a reason."""
    first = web.get(source.url, etag=source.etag, last_modified=source.http_last_modified)
    if first.status == _NOT_MODIFIED:
        return Found(reason="not changed since the last visit")
    if refusal := _refusal(source, first):
        return _nothing(first, refusal)
    answer, document = _followed(source, web, first)
    # What stands behind a frame or a refresh may change while the page itself does not.
    validators = _validators(first if answer is first else None)
    if says_it_is_missing(document):
        return _nothing(None, "the page itself says that it is not there")
    contacts = contacts_of(document, url=answer.url, region=source.region)
    cards = cards_of(contacts)
    return Found(
        rows=[_contact(source, answer.url, card) for card in cards],
        values={**_self_description(answer, document), **_outcome(found=bool(cards)), **validators},
        reason=_reason(contacts, len(cards)),
    )


def _refusal(source: Source, answer: Answer) -> str | None:
    if answer.unreadable_kind is not None:
        return f"is {answer.unreadable_kind}, not read"
    owner = owner_of(answer.url)
    if owner != source.domain:
        return f"leads to {owner}, which is another site: its contacts are not {source.domain}'s"
    return None


def _followed(source: Source, web: Web, answer: Answer) -> tuple[Answer, Document]:
    """The page, or the one that it shows in a frame or sends its readers to; no further than that."""
    document = Document(text_of(answer))
    onward = forwarded_to(document, answer.url)
    if onward is None or owner_of(onward) != source.domain:
        return answer, document
    try:
        further = web.get(onward)
    except (Denied, NotThere, Unusable):
        return answer, document
    return (answer, document) if _refusal(source, further) else (further, Document(text_of(further)))


def _contact(source: Source, url: str, card: Card) -> Contact:
    return Contact(
        domain_id=source.domain_id,
        page_id=source.id,
        email=card.email,
        email_type=card.email_type,
        name=card.name,
        role=card.role,
        phone_number=card.phone,
        fax_number=card.fax,
        source_url=url,
        method=card.method,
        context=card.context,
    )


def _self_description(answer: Answer, document: Document) -> dict[str, Any]:
    canonical = parse_url(document.canonical, answer.url) if document.canonical else None
    return {
        "title": document.title,
        "description": document.description,
        "h1": document.h1,
        "canonical_url": canonical.href if canonical else None,
        "meta_robots": document.meta_robots,
        "word_count": len(document.text.split()),
    }


def _validators(answer: Answer | None) -> dict[str, Any]:
    headers = answer.headers if answer else {}
    return {"etag": headers.get("etag"), "http_last_modified": headers.get("last-modified")}


def _outcome(*, found: bool) -> dict[str, Any]:
    return {
        "contact_scrape_status": "ContactFound" if found else "NoContactFound",
        "last_scan": datetime.now(UTC),
    }


def _nothing(answer: Answer | None, reason: str) -> Found:
    return Found(values={**_outcome(found=False), **_validators(answer)}, reason=reason)


def _reason(contacts: Contacts, cards: int) -> str:
    if not cards:
        return "no contact on the page"
    addresses, numbers = len(contacts.emails), len(contacts.phones)
    return f"{_counted(cards, 'contact')}: {_counted(addresses, 'address')}, {_counted(numbers, 'number')}"


def _counted(number: int, noun: str) -> str:
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"
