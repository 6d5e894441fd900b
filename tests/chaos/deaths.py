"""Which workers were killed or frozen, which were declared dead while they lived, and whose hand wrote what."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from tests.chaos.ledger import Entry

# A living process notices within a beat that it was struck off, and registers again.
PROMPTLY = timedelta(seconds=10)
ITS_OWN_HAND = "scrapersky heart"


class Deaths:
    def __init__(self, entries: Iterable[Entry], lease: timedelta) -> None:
        self.lease = lease
        self.pids: dict[UUID, int] = {}
        self.sessions: dict[UUID, UUID] = {}
        self.born: dict[UUID, datetime] = {}
        self.registered: dict[int, list[datetime]] = defaultdict(list)
        self.struck_off: dict[UUID, datetime] = {}
        self.killed: dict[int, list[datetime]] = defaultdict(list)
        self.frozen: dict[int, list[tuple[datetime, str]]] = defaultdict(list)
        for entry in sorted(entries, key=lambda entry: entry.at):
            self._note(entry)

    def _note(self, entry: Entry) -> None:
        pid = int(entry.detail.get("pid") or 0)
        match entry.kind:
            case "registered" if entry.worker is not None:
                self.pids[entry.worker], self.born[entry.worker] = pid, entry.at
                self.registered[pid].append(entry.at)
            case "session" if entry.worker is not None and entry.session is not None:
                self.sessions[entry.session] = entry.worker
            case "unregistered" if entry.worker is not None and entry.who != ITS_OWN_HAND:
                self.struck_off[entry.worker] = entry.at
            case "kill":
                self.killed[pid].append(entry.at)
            case "freeze" | "thaw":
                self.frozen[pid].append((entry.at, entry.kind))
            case _:
                pass

    def pid_of(self, worker: UUID | None) -> int | None:
        return self.pids.get(worker) if worker else None

    def is_foreign(self, worker: UUID | None, session: UUID | None) -> bool:
        """Whether a connection is known to be another process's than that of the worker."""
        owner, writer = self.pid_of(worker), self.pid_of(self.sessions.get(session)) if session else None
        return owner is not None and writer is not None and owner != writer

    def kill_between(self, worker: UUID | None, start: datetime, end: datetime) -> datetime | None:
        """When its process was killed, if it was then."""
        pid = self.pid_of(worker)
        return next((at for at in self.killed.get(pid or 0, ()) if start <= at <= end), None)

    def lived_on(self, worker: UUID | None) -> bool:
        """Struck off by somebody else although its process ran on all the time: it came back under a new id."""
        if worker not in self.pids or worker not in self.struck_off:
            return False
        pid, burial = self.pids[worker], self.struck_off[worker]
        back = next((at for at in self.registered[pid] if burial <= at <= burial + PROMPTLY), None)
        if back is None or self._was_frozen(pid, burial):
            return False
        return self.kill_between(worker, self.born[worker], back) is None

    def _was_frozen(self, pid: int, burial: datetime) -> bool:
        """At any time of the lease before the burial."""
        before = [(at, what) for at, what in self.frozen.get(pid, ()) if at <= burial]
        return bool(before) and (before[-1][1] == "freeze" or before[-1][0] >= burial - self.lease)

    @property
    def false_deaths(self) -> int:
        return sum(self.lived_on(worker) for worker in self.struck_off)
