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
from actors.fetch.web import Web
from actors.parse.cards import Card
from actors.parse.contact_page import ContactPage, read_contact_page
from actors.parse.domains import owner_of
from actors.sandbox.reader import Reader
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
def extract_contacts(source: Source, web: Web, reader: Reader) -> Found:
    """What is no page to read, or another site's, is done with a reason."""
    first = web.get(source.url, etag=source.etag, last_modified=source.http_last_modified)
    if first.status == _NOT_MODIFIED:
        return Found(reason="not changed since the last visit")
    if elsewhere := _elsewhere(source, first):
        return _nothing(first, elsewhere)
    page = reader.read(read_contact_page, [first.wire], region=source.region)
    if page.unreadable is not None:
        return _nothing(first, f"is {page.unreadable}, not read")
    answer, page = _followed(source, web, reader, first, page)
    # What stands behind a frame or a refresh may change while the page itself does not.
    validators = _validators(first if answer is first else None)
    if page.is_missing:
        return _nothing(None, "the page itself says that it is not there")
    return Found(
        rows=[_contact(source, answer.url, card) for card in page.cards],
        values={**page.description._asdict(), **_outcome(found=bool(page.cards)), **validators},
        reason=_reason(page),
    )


def _elsewhere(source: Source, answer: Answer) -> str | None:
    """Why a page is not parsed at all: it is another site's."""
    owner = owner_of(answer.url)
    if owner != source.domain:
        return f"leads to {owner}, which is another site: its contacts are not {source.domain}'s"
    return None


def _followed(
    source: Source, web: Web, reader: Reader, answer: Answer, page: ContactPage
) -> tuple[Answer, ContactPage]:
    """The page, or the one that it shows in a frame or sends its readers to; no further than that."""
    if page.onward is None or owner_of(page.onward) != source.domain:
        return answer, page
    try:
        further = web.get(page.onward)
        if _elsewhere(source, further):
            return answer, page
        shown = reader.read(read_contact_page, [further.wire], region=source.region)
    except (Denied, NotThere, Unusable):
        return answer, page
    return (answer, page) if shown.unreadable is not None else (further, shown)


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


def _reason(page: ContactPage) -> str:
    if not page.cards:
        return "no contact on the page"
    found = _counted(len(page.cards), "contact")
    return f"{found}: {_counted(page.addresses, 'address')}, {_counted(page.numbers, 'number')}"


def _counted(number: int, noun: str) -> str:
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"
