"""Judges a chaos run by its ledger alone. Knows what users were promised, and nothing of the engine's code."""

from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise

from tests.chaos.deaths import Deaths
from tests.chaos.history import History
from tests.chaos.ledger import Entry
from tests.chaos.promises import Promises
from tests.chaos.verdict import Verdict, Violation


def check(entries: Iterable[Entry], promises: Promises | None = None, *, is_quiet: bool = True) -> Verdict:
    """Entries as `read` gives them. Of a run that has not come to rest yet, nothing is called lost."""
    promises = promises or Promises()
    verdict = Verdict()
    groups = groupby(entries, key=lambda entry: entry.pk)
    first = next(groups, None)
    if first is None:
        return verdict
    pk, members = first
    notes = list(members) if pk is None else []
    deaths = Deaths(notes, promises.lease)
    _judge_notes(notes, deaths, verdict)
    if pk is not None:
        History(pk, _in_order(members), promises, deaths, verdict).judge(is_quiet=is_quiet)
    last = pk
    for pk, members in groups:
        if pk is None or (last is not None and pk <= last):
            raise ValueError(f"the ledger is not sorted: {pk!r} comes after {last!r}")
        History(pk, _in_order(members), promises, deaths, verdict).judge(is_quiet=is_quiet)
        last = pk
    return verdict


def _in_order(entries: Iterator[Entry]) -> list[Entry]:
    history = list(entries)
    if any(one.id >= other.id for one, other in pairwise(history)):
        raise ValueError(f"the ledger is not sorted: entries of {history[0].pk!r}")
    return history


def _judge_notes(notes: list[Entry], deaths: Deaths, verdict: Verdict) -> None:
    verdict.false_deaths = deaths.false_deaths
    for note in notes:
        match note.kind:
            case "kill":
                verdict.kills += 1
            case "freeze":
                verdict.freezes += 1
            case "refused":
                verdict.refused += 1
            case "failure":
                verdict.users_failed.append(Violation(None, str(note.detail.get("text"))))
            case _:
                pass
