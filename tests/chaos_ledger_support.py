"""Ledgers made by hand: each call adds what the triggers would have written, in a transaction of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Self
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

from tests.chaos.ledger import Entry

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
STEP = timedelta(milliseconds=10)
WORKER, SWEEPER, USER = "scrapersky worker", "scrapersky sweeper", "chaos user"


def named(name: str) -> UUID:
    return uuid5(NAMESPACE_OID, name)


def connection_of(worker: UUID) -> UUID:
    return named(f"connection of {worker}")


class Script:
    """One row's history. Time goes on by itself; `wait` lets more of it pass."""

    def __init__(self, pk: str = "row", action: str = "find") -> None:
        self.pk = pk
        self.action = action
        self.now = NOON
        self.tokens: dict[UUID, UUID] = {}
        self.generation = 1
        self._ids, self._xids = count(1), count(1000)
        self._xid: int | None = None
        self._entries: list[Entry] = []

    @property
    def entries(self) -> list[Entry]:
        """As the ledger gives them: what belongs to no row first."""
        return sorted(self._entries, key=lambda entry: (entry.pk or "", entry.id))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._xid = self._xid or next(self._xids)
        try:
            yield
        finally:
            self._xid = None

    def wait(self, seconds: float) -> Self:
        self.now += timedelta(seconds=seconds)
        return self

    def add(self, kind: str, who: str, **fields: Any) -> Self:
        self.now += STEP
        xid = self._xid or next(self._xids)
        self._entries.append(Entry(next(self._ids), self.now, xid, kind, who, **{"pk": self.pk, **fields}))
        return self

    def note(self, kind: str, pid: int | None = None, text: str | None = None) -> Self:
        return self.add(kind, "chaos harness", pk=None, detail={"pid": pid, "text": text})

    def registered(self, worker: UUID, pid: int) -> Self:
        return self.add("registered", "scrapersky heart", pk=None, worker=worker, detail={"pid": pid})

    def connected(self, worker: UUID) -> Self:
        """The worker has claimed through a connection of its own."""
        return self.add("session", WORKER, pk=None, worker=worker, session=connection_of(worker))

    def unregistered(self, worker: UUID, who: str = SWEEPER) -> Self:
        return self.add("unregistered", who, pk=None, worker=worker)

    def inserted(self, status: str | None) -> Self:
        return self._by_user("inserted", None, status)

    def set(self, before: str | None, after: str | None) -> Self:
        return self._by_user("status", before, after)

    def deleted(self, before: str | None) -> Self:
        return self._by_user("deleted", before, None)

    def _by_user(self, kind: str, before: str | None, after: str | None) -> Self:
        what = "delete" if kind == "deleted" else "queue" if after == "Queued" else "cancel"
        with self.transaction():
            if before != after or kind == "deleted":
                self.add("intent", USER, after=what)
            return self.add(kind, USER, before=before, after=after, detail={"action": self.action})

    def engine(self, before: str | None, after: str | None, *, kind: str = "status", who: str = WORKER) -> Self:
        return self.add(kind, who, before=before, after=after, detail={"action": self.action})

    def claimed(self, worker: UUID, before: str = "Queued", *, times: int = 1) -> Self:
        """Several times: given back in between, in the same transaction."""
        self.tokens[worker] = uuid4()
        with self.transaction():
            for number in range(times):
                if number:
                    self.ended(worker, after="waiting")
                self.add("claimed", WORKER, token=self.tokens[worker], worker=worker, generation=self.generation)
            return self.engine(before, "Processing")

    def touched(self, worker: UUID) -> Self:
        """Claimed and given back in one transaction."""
        token = uuid4()
        with self.transaction():
            self.add("claimed", WORKER, token=token, worker=worker)
            return self.add("ended", WORKER, token=token, worker=worker, after="waiting")

    def ended(self, worker: UUID, who: str = WORKER, after: str = "gone", by: UUID | None = None) -> Self:
        """The claim is over, and the job is gone, waiting or dead."""
        session = connection_of(by or worker)
        return self.add("ended", who, token=self.tokens[worker], worker=worker, after=after, session=session)

    def retried(self, worker: UUID, who: str = WORKER) -> Self:
        with self.transaction():
            return self.ended(worker, who, "waiting").engine("Processing", "Queued", who=who)

    def recovered(self, worker: UUID) -> Self:
        return self.retried(worker, SWEEPER)

    def died(self, worker: UUID, who: str = WORKER) -> Self:
        with self.transaction():
            return self.ended(worker, who, "dead").engine("Processing", "Failed", who=who)

    def effect(self, change: str = "insert", **detail: Any) -> Self:
        return self.add("effect", WORKER, token=uuid4(), after=change, detail=detail)

    def completed(self, worker: UUID, **detail: Any) -> Self:
        with self.transaction():
            return self.ended(worker).effect(**detail).engine("Processing", "Done")
