"""How well the contacts that were found agree with the truth about the world."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from app.demo.world import SITES

GOOD_ENOUGH = 0.95


class Item(NamedTuple):
    """An address or a number, and the domain that it belongs to."""

    domain: str
    value: str


@dataclass(frozen=True, slots=True)
class Score:
    truth: frozenset[Item]
    found: frozenset[Item]

    @property
    def right(self) -> frozenset[Item]:
        return self.truth & self.found

    @property
    def missed(self) -> list[Item]:
        return sorted(self.truth - self.found)

    @property
    def wrong(self) -> list[Item]:
        return sorted(self.found - self.truth)

    @property
    def precision(self) -> float:
        return len(self.right) / len(self.found) if self.found else 0.0

    @property
    def recall(self) -> float:
        return len(self.right) / len(self.truth) if self.truth else 0.0

    @property
    def is_good(self) -> bool:
        return min(self.precision, self.recall) >= GOOD_ENOUGH


class Found(NamedTuple):
    """A row of the contacts table."""

    domain: str
    email: str | None
    phone: str | None


def score(contacts: Iterable[Found]) -> Mapping[str, Score]:
    found = list(contacts)
    return {
        "e-mail addresses": Score(
            frozenset(_items((site.domain, site.emails) for site in SITES)),
            frozenset(Item(contact.domain, contact.email) for contact in found if contact.email),
        ),
        "phone numbers": Score(
            frozenset(_items((site.domain, site.phones) for site in SITES)),
            frozenset(Item(contact.domain, contact.phone) for contact in found if contact.phone),
        ),
    }


def _items(sites: Iterable[tuple[str, frozenset[str]]]) -> Iterator[Item]:
    return (Item(domain, value) for domain, values in sites for value in values)
