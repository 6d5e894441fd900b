"""The contacts of a page: what a person would note down for this organisation after reading it."""

from collections.abc import Iterator
from typing import NamedTuple

from actors.parse.emails import Email, find_emails
from actors.parse.html import Document
from actors.parse.lines import Line
from actors.parse.mail_addresses import Site
from actors.parse.people import Person, person_beside, stated_people
from actors.parse.phones import Phone, find_phones
from actors.parse.regions import likely_region
from actors.parse.surroundings import Surroundings


class Contacts(NamedTuple):
    emails: tuple[Email, ...]
    phones: tuple[Phone, ...]
    faxes: tuple[Phone, ...]
    people: tuple[Person, ...]


def find_contacts(html: str, *, url: str, region: str | None) -> Contacts:
    """Without a region, the page's own country is guessed; failing that, only international numbers are read."""
    return contacts_of(Document(html), url=url, region=region)


def contacts_of(document: Document, *, url: str, region: str | None) -> Contacts:
    surroundings = Surroundings(document)
    site = Site.of(url or document.canonical or "")
    emails = find_emails(document, site, surroundings)
    phones, faxes = find_phones(document, region or likely_region(document, url), surroundings)
    stated = stated_people(document)
    blocks = document.blocks_around([*(email.line for email in emails), *(each.line for each in (*phones, *faxes))])
    owners = _owners(emails, stated, document.lines, site)
    named = [
        _named(email, owner)._replace(blocks=blocks.get(email.line, ()))
        for email, owner in zip(emails, owners, strict=True)
    ]
    beside = [Person(email.name, email.role, email.address) for email in named if email.name]
    return Contacts(
        emails=tuple(named),
        phones=tuple(phone._replace(blocks=blocks.get(phone.line, ())) for phone in phones),
        faxes=tuple(fax._replace(blocks=blocks.get(fax.line, ())) for fax in faxes),
        people=tuple({person.name: person for person in (*stated, *beside)}.values()),
    )


def _owners(emails: list[Email], stated: list[Person], lines: list[Line], site: Site) -> Iterator[Person | None]:
    """For each address the person whom the page gives it to, by its structured data or by its text."""
    known = {person.email: person for person in reversed(stated) if person.email}
    taken = frozenset(email.line for email in emails)
    for email in emails:
        is_in_text = email.address not in known and email.line < len(lines)
        beside = person_beside(lines, email.line, email.address, taken, site.label) if is_in_text else None
        yield known.get(email.address, beside)


def _named(email: Email, person: Person | None) -> Email:
    if person is None or (email.name and email.name != person.name):
        return email
    return email._replace(name=person.name, role=person.role)
