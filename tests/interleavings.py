"""Hands that act on one row between each other's statements, and what must be true when all have let go."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from psycopg import Connection

from db.lifecycle import Batch, Claimed, Recovery
from db.lifecycle.bad_rows import IN_THE_WAY
from db.outcomes import Found
from tests.lifecycle_support import Stage, guarded, wait_until
from tests.samples import Finding

# A claim may end and another begin; one that replaces another means that two run at once.
NO_OVERLAP = """
create function no_overlap() returns trigger language plpgsql as $$
begin raise 'claimed twice at once: %', new.pk; end $$;
create trigger no_overlap before update on engine.job for each row
when (old.token is not null and new.token is not null and old.token <> new.token) execute function no_overlap();
"""
ENGINE_HANDS = ("claim", "record", "recover", "sweep_rows", "sweep_jobs")
LAST_WORDS = {"cancel": "Skipped", "requeue": "Done", "edit": "Done", "delete": None}


@dataclass
class Scene:
    """Some rows in one state, and all claims that anybody holds on them."""

    stage: Stage
    rows: Sequence[str]
    worker: UUID
    batches: list[Batch] = field(default_factory=list)
    completed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.recovery = Recovery(self.stage.workflow)

    def act(self, hand: str, by: Connection[Any]) -> None:
        """Engine hands give way to whoever is in the way; users never fail because of us."""
        if hand in ENGINE_HANDS:
            with suppress(*IN_THE_WAY):
                getattr(self, hand)(by)
        else:
            getattr(self, hand)(by)

    def claim(self, by: Connection[Any]) -> None:
        batch = self.stage.claim(worker=self.stage.worker, by=by)
        if batch.rows:
            self.batches.append(batch)

    def record(self, by: Connection[Any]) -> bool:
        """Bring every result there is; whether all were taken or refused."""
        verdicts: list[str] = []
        for batch in list(self.batches):
            ended = self.stage.record(batch, lambda row, batch=batch: effect(row, batch), by=by)
            verdicts += [one.verdict for one in ended.values()]
            self.completed += [pk for pk, one in ended.items() if one.verdict == "completed"]
        return "locked" not in verdicts

    def recover(self, by: Connection[Any]) -> None:
        """The worker of the first claim is found dead, whatever it does later."""
        by.execute("delete from engine.worker where id = %s", [self.worker])
        with guarded(by):
            self.recovery.end_lost_claims(by, "", 100)

    def sweep_rows(self, by: Connection[Any]) -> None:
        with guarded(by):
            self.recovery.sweep_rows(by, 0, 10_000)

    def sweep_jobs(self, by: Connection[Any]) -> None:
        with guarded(by):
            self.recovery.sweep_jobs(by, 0, 10_000)

    def cancel(self, by: Connection[Any]) -> None:
        self.stage.set(self.rows, by=by, status="Skipped")

    def requeue(self, by: Connection[Any]) -> None:
        """A new wish, also for a row that waits already."""
        self.stage.set(self.rows, by=by, status="Skipped")
        self.stage.set(self.rows, by=by, status="Queued")

    def edit(self, by: Connection[Any]) -> None:
        self.stage.set(self.rows, by=by, host="edited")

    def delete(self, by: Connection[Any]) -> None:
        by.execute("delete from samples where id = any(%s::uuid[])", [list(self.rows)])

    def calm_down(self) -> None:
        """Healthy hands, one after the other, until nothing is left to do."""
        engine = self.stage.engine
        wait_until(lambda: self.record(engine))
        self.recover(engine)
        self.sweep_rows(engine)

        def settled() -> bool:
            self.batches.clear()
            engine.execute("update engine.job set run_at = now()")
            self.claim(engine)
            return self.record(engine) and not self.batches

        wait_until(settled)
        self.sweep_jobs(engine)

    def effects(self, pk: str) -> int:
        return int(self.stage.value("select count(*) from findings where starts_with(name, %s)", pk))


def effect(row: Claimed, batch: Batch) -> Found:
    """The same for a result that is brought twice, another for another run."""
    return Found(rows=[Finding(name=f"{row.pk} {batch.token}")])


def scene(stage: Stage, state: str, number: int = 1) -> Scene:
    rows = stage.add(number, status=None)
    made = Scene(stage, rows, stage.register_worker())
    STATES[state](made)
    return made


def _queued(made: Scene) -> None:
    made.stage.set(made.rows, status="Queued")


def _running(made: Scene) -> None:
    _queued(made)
    made.batches.append(made.stage.claim(worker=made.worker))


def _lost(made: Scene) -> None:
    _running(made)
    made.stage.bury(made.worker)


def _orphaned(made: Scene) -> None:
    made.stage.set(made.rows, status="Processing")


def _missed(made: Scene) -> None:
    user = made.stage.user
    with user.transaction():
        user.execute("set local session_replication_role = replica")
        made.stage.set(made.rows, status="Queued")


def _withdrawn(made: Scene) -> None:
    _queued(made)
    made.stage.set(made.rows, status="Skipped")


STATES: dict[str, Callable[[Scene], None]] = {
    "queued": _queued,
    "running": _running,
    "lost": _lost,
    "orphaned": _orphaned,
    "missed": _missed,
    "withdrawn": _withdrawn,
}
