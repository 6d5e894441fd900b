"""Which address, number and name belong together: one card for each contact of a page."""

from collections import Counter, defaultdict
from itertools import pairwise
from typing import NamedTuple

from actors.parse.contacts import Contacts
from actors.parse.emails import Email


class Card(NamedTuple):
    email: str | None
    email_type: str | None
    name: str | None
    role: str | None
    phone: str | None
    fax: str | None
    method: str
    context: str | None


def cards_of(contacts: Contacts) -> list[Card]:
    """A number joins an address only where the page leaves no doubt; what is left stands for itself."""
    pairs = _pairs(contacts)
    paired = set(pairs.values())
    cards = [_card(email, pairs.get(email.address)) for email in contacts.emails]
    cards += [
        Card(None, None, None, None, phone.number, None, phone.method, phone.context)
        for phone in contacts.phones
        if phone.number not in paired
    ]
    return _with_faxes(cards, contacts)


def _card(email: Email, phone: str | None) -> Card:
    return Card(email.address, email.type, email.name, email.role, phone, None, email.method, email.context)


def _pairs(contacts: Contacts) -> dict[str, str]:
    if len(contacts.emails) == 1 and len(contacts.phones) == 1:
        return {contacts.emails[0].address: contacts.phones[0].number}
    numbers: dict[int, list[str]] = defaultdict(list)
    for phone in contacts.phones:
        for block in phone.blocks:
            numbers[block].append(phone.number)
    shared = Counter(block for email in contacts.emails for block in email.blocks)
    pairs = {}
    for email in contacts.emails:
        # From the inside out, as long as the block is this address's alone.
        inside = next((numbers[each] for each in email.blocks if shared[each] == 1 and each in numbers), [])
        if len(inside) == 1:
            pairs[email.address] = inside[0]
    return pairs or _alternating(contacts)


def _alternating(contacts: Contacts) -> dict[str, str]:
    """A flat list in which each address has its number before it, or each has it after."""
    emails = [email for email in contacts.emails if email.blocks]
    phones = [phone for phone in contacts.phones if phone.blocks]
    if len(emails) != len(phones) or len(emails) != len(contacts.emails) or len(phones) != len(contacts.phones):
        return {}
    of_emails, of_phones = [email.line for email in emails], [phone.line for phone in phones]
    if _in_turn(of_emails, of_phones) or _in_turn(of_phones, of_emails):
        return {email.address: phone.number for email, phone in zip(emails, phones, strict=True)}
    return {}


def _in_turn(first: list[int], second: list[int]) -> bool:
    lines = [line for pair in zip(first, second, strict=True) for line in pair]
    return all(one <= other for one, other in pairwise(lines)) and len(set(first)) == len(first)


def _with_faxes(cards: list[Card], contacts: Contacts) -> list[Card]:
    """One fax goes with the first contact; of several, each with the contact of the same block, or in their order."""
    faxes = contacts.faxes
    if not faxes or not cards:
        return cards
    if len(faxes) == len(cards):
        return [card._replace(fax=fax.number) for card, fax in zip(cards, faxes, strict=True)]
    return [cards[0]._replace(fax=faxes[0].number), *cards[1:]]
