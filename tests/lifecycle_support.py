"""The sample workflow on a real database, and the hands that work on it: users, workers, a sweeper."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection
from psycopg.rows import namedtuple_row

from actors._workflow import Workflow
from app.config import Settings
from app.sweeper import Sweeper
from db.connections import GUARD, open_pool
from db.lifecycle import Batch, Claimed, Claimer, Ended, Ending, Recorder
from db.outcomes import Found, Outcome

NUMBERS = count(1)
DONE = Found()

Outcomes = Outcome | Callable[[Claimed], Outcome]


class InterruptedConnection(Connection[Any]):
    """Lets somebody else act right before its n-th statement: races without luck."""

    statements_left = 0
    act: Callable[[], object]

    def execute(self, query: Any, *arguments: Any, **options: Any) -> Any:
        if query != GUARD:
            self.statements_left -= 1
            if self.statements_left == 0:
                self.act()
        return super().execute(query, *arguments, **options)


class Bystander:
    """A user who acts on cue, and may have to wait for a lock that the engine holds."""

    def __init__(self, stage: "Stage", act: Callable[[Connection[Any]], object], hands: ThreadPoolExecutor) -> None:
        self.stage = stage
        self.act = act
        self.hands = hands
        self.connection = stage.connect()
        self.acting: Future[object] | None = None

    def __call__(self) -> None:
        acting = self.acting = self.hands.submit(self.act, self.connection)
        wait_until(lambda: acting.done() or self.stage.is_waiting(self.connection))

    def finish(self) -> None:
        """Act now, if there was no cue."""
        if self.acting is None:
            self()
        assert self.acting is not None
        self.acting.result(timeout=60)


class Stage:
    """One database with the sample table. What a test does to it reads as what people and workers do."""

    def __init__(self, url: str, workflow: Workflow, closing: ExitStack) -> None:
        self.url = url
        self.workflow = workflow
        self.claimer = Claimer(workflow, workflow.columns)
        self.recorder = Recorder(workflow)
        self._closing = closing
        self.user = self.connect()
        self.engine = self.connect()
        self.worker = self.register_worker()

    def connect(self, kind: type[Connection[Any]] = Connection) -> Connection[Any]:
        """One more connection; outside of `transaction()` each statement commits."""
        return self._closing.enter_context(kind.connect(self.url, autocommit=True))

    def interrupted(self, moment: int, act: Callable[[], object]) -> Connection[Any]:
        """A connection whose n-th statement after the guard comes right after somebody else's act."""
        connection = self.connect(InterruptedConnection)
        assert isinstance(connection, InterruptedConnection)
        connection.statements_left, connection.act = moment, act
        return connection

    def bystander(self, act: Callable[[Connection[Any]], object]) -> Bystander:
        return Bystander(self, act, self._closing.enter_context(ThreadPoolExecutor(1)))

    def is_waiting(self, connection: Connection[Any]) -> bool:
        query = "select count(*) > 0 from pg_locks where pid = %s and not granted"
        return bool(self.value(query, connection.info.backend_pid))

    def register_worker(self) -> UUID:
        worker = uuid4()
        self.user.execute(
            "insert into engine.worker (id, supervisor, host, pid, version) values (%s, %s, 'here', 1, 'test')",
            [worker, uuid4()],
        )
        return worker

    def bury(self, worker: UUID) -> None:
        self.user.execute("delete from engine.worker where id = %s", [worker])

    def add(self, number: int = 1, **columns: Any) -> list[str]:
        """Rows by one INSERT of a user, Queued unless told otherwise; their keys in the order of their names."""
        columns = {"status": "Queued", **columns}
        names = [f"row {next(NUMBERS):06}" for _ in range(number)]
        values = ", ".join(f"%({column})s" for column in columns)
        query = f"insert into samples (name, {', '.join(columns)}) select unnest(%(names)s::text[]), {values}"
        inserted = self.user.execute(f"{query} returning name, id".encode(), {"names": names, **columns}).fetchall()
        return [str(pk) for _, pk in sorted(inserted)]

    def set(self, pks: Sequence[str] | str, *, by: Connection[Any] | None = None, **columns: Any) -> None:
        """A user's UPDATE."""
        changes = ", ".join(f"{column} = %({column})s" for column in columns)
        query = f"update samples set {changes} where id = any(%(pks)s::uuid[])".encode()
        (by or self.user).execute(query, {**columns, "pks": _listed(pks)})

    def set_job(self, pks: Sequence[str] | str, change: str) -> None:
        self.user.execute(f"update engine.job set {change} where pk = any(%s)".encode(), [_listed(pks)])

    def delete(self, pk: str, *, by: Connection[Any] | None = None) -> None:
        (by or self.user).execute("delete from samples where id = %s", [pk])

    def claim(self, size: int = 100, *, worker: UUID | None = None, by: Connection[Any] | None = None) -> Batch:
        connection = by or self.engine
        with guarded(connection):
            return self.claimer.claim(connection, worker or self.worker, size)

    def record(
        self,
        batch: Batch,
        outcome: Outcomes = DONE,
        *,
        worker: UUID | None = None,
        by: Connection[Any] | None = None,
        check_at_once: bool = False,
    ) -> dict[str, Ended]:
        """End every row of the batch; what was made of each."""
        connection = by or self.engine
        endings = [ending(row, outcome(row) if callable(outcome) else outcome) for row in batch.rows]
        with guarded(connection):
            ended = self.recorder.record(
                connection, worker or self.worker, batch.token, endings, check_at_once=check_at_once
            )
        return {one.ending.pk: one for one in ended}

    def run(self, outcome: Outcomes = DONE) -> dict[str, str]:
        """Claim and record what is due, or will be soon; the verdicts."""
        self.user.execute("update engine.job set run_at = now() where run_at < now() + interval '1 minute'")
        return {pk: ended.verdict for pk, ended in self.record(self.claim(), outcome).items()}

    def row(self, pk: str) -> Any:
        return self._one("select *, ctid::text as place from samples where id::text = %s", [pk])

    def job(self, pk: str) -> Any:
        return self._one("select * from engine.job where pk = %s", [pk])

    def value(self, query: str, *arguments: Any) -> Any:
        row = self.user.execute(query.encode(), arguments).fetchone()
        return row[0] if row else None

    def statuses(self, pks: Sequence[str]) -> list[str]:
        return [self.row(pk).status for pk in pks]

    def sweeper(self, *, dry_run: bool = False, **settings: Any) -> Sweeper:
        pool = open_pool(self.url, size=2, name="test")
        self._closing.callback(pool.close)
        return Sweeper(pool, [self.workflow], Settings(database_url=self.url, **settings), dry_run=dry_run)

    def _one(self, query: str, arguments: Sequence[Any]) -> Any:
        with self.user.cursor(row_factory=namedtuple_row) as cursor:
            return cursor.execute(query.encode(), arguments).fetchone()


def _listed(pks: Sequence[str] | str) -> list[str]:
    return [pks] if isinstance(pks, str) else list(pks)


def ending(row: Claimed, outcome: Outcome) -> Ending:
    return Ending(row.pk, row.generation, row.attempt, row.max_attempts, outcome, 0.01)


def keys(batch: Batch) -> list[str]:
    return [row.pk for row in batch.rows]


@contextmanager
def guarded(connection: Connection[Any]) -> Iterator[None]:
    """The transaction of a worker, on a connection of our choice."""
    with connection.transaction():
        connection.execute(GUARD)
        yield


def wait_until(condition: Callable[[], object], timeout: float = 60.0) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"not within {timeout:g} s"
        time.sleep(0.02)
