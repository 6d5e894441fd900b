"""Rows that lead an engine through all its statements, and what must have become of each in the end."""

import os
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import psycopg
from psycopg import Connection

from actors._workflow import Backoff, Budget, Found, Politeness, Workflow
from actors.errors import GiveUp, PauseWorkflow, RetryLater
from actors.fetch.web import Web
from tests.crash_points import reach
from tests.samples import WORDS, Finding, Sample

KILLS = 3
BATCH = 2
# A row that is cancelled takes an ordinary one of its batch the long way; the first claims are of one row each.
PAIRS = {"cancelled": 2 * KILLS}
LISTENERS = "select pid from pg_stat_activity where application_name = 'scrapersky listener' and datname = %s"


class Fate(NamedTuple):
    status: str | None
    effects: int


DONE, FRUITLESS, FAILED, SKIPPED, GONE = Fate("Done", 1), Fate("Done", 0), Fate("Failed", 0), Fate("Skipped", 0), None

# What a row does is the first word of its name. Most do it once, and are ordinary rows from then on.
FATES: dict[str, Fate | None] = {
    "ordinary": DONE,
    "empty": FRUITLESS,
    "failing": FAILED,
    "hopeless": FAILED,
    "spoilt": FAILED,
    "patient": DONE,
    "blocking": DONE,
    "cancelled": SKIPPED,
    "deleted": GONE,
    "requeued": DONE,
    "edited": DONE,
    "stolen": DONE,
    "disowned": DONE,
    "deafening": DONE,
    "misleading": DONE,
    "crowding": DONE,
    # Left to the sweeper.
    "silent": DONE,
    "child": DONE,
    "orphan": DONE,
    "missed": DONE,
    "forgotten": SKIPPED,
}


class Row(NamedTuple):
    id: UUID
    name: str
    action: str


def crash_workflow(url: str, *, polite: bool) -> Workflow:
    limits: dict[str, Any] = {}
    if polite:
        limits["politeness"] = Politeness(column="host", group="web", spacing=timedelta(milliseconds=30))
        limits["budget"] = Budget(per_day=1_000_000)
    workflow = Workflow(
        name="sampling",
        table=Sample,
        status="status",
        error="error",
        result="result",
        words=WORDS,
        batch=BATCH,
        max_attempts=4,
        backoff=Backoff(base=timedelta(milliseconds=5), cap=timedelta(milliseconds=10)),
        **limits,
    )

    def act(row: Row) -> Found:
        reach("run.begun")
        found = behave(row, url)
        reach("run.ended")
        return found

    def act_politely(row: Row, web: Web) -> Found:
        """With a tool whose use makes its host rest."""
        return act(row)

    workflow.run(act_politely if polite else act)
    return workflow


def behave(row: Row, url: str) -> Found:
    kind = row.name.partition(" ")[0] if row.action == "its own" else "ordinary"
    if kind in MEANWHILE:
        with psycopg.connect(url, autocommit=True) as user:
            MEANWHILE[kind](user, str(row.id))
    match kind:
        case "empty":
            return Found(reason="nothing to find")
        case "failing":
            raise ValueError("it failed")
        case "hopeless":
            raise GiveUp("it is hopeless")
        case "patient":
            raise RetryLater("not now", delay=timedelta(milliseconds=10))
        case "blocking":
            raise PauseWorkflow("no key", until=datetime.now(UTC) + timedelta(milliseconds=20))
    worth = "not a number" if kind == "spoilt" else 1
    return Found(rows=[Finding(name=f"{row.name} {uuid4()}", worth=worth)], values={"note": "found"})


def once(change: str) -> Callable[[Connection[Any], str], None]:
    def write(user: Connection[Any], pk: str) -> None:
        user.execute(f"update samples set {change}, action = 'ordinary' where id = %s".encode(), [pk])

    return write


def delete(user: Connection[Any], pk: str) -> None:
    user.execute("delete from samples where id = %s", [pk])


def steal(user: Connection[Any], pk: str) -> None:
    """What a sweeper does that takes this process for dead."""
    user.execute("update engine.job set token = null, worker_id = null where pk = %s", [pk])
    once("status = 'Queued'")(user, pk)


def disown(user: Connection[Any], pk: str) -> None:
    """The process is called dead, notices at its next beat and comes back under another name."""
    once("status = status")(user, pk)
    mine = "from engine.worker where pid = %s"
    gone = user.execute(f"delete {mine} returning id".encode(), [os.getpid()]).fetchall()
    _wait(lambda: user.execute(f"select id {mine}".encode(), [os.getpid()]).fetchall() not in ([], gone))


def deafen(user: Connection[Any], pk: str) -> None:
    """Cut the listener off, if there is one, and wait until it listens again."""
    once("status = status")(user, pk)
    before = user.execute(LISTENERS, [user.info.dbname]).fetchall()
    for (listener,) in before:
        user.execute("select pg_terminate_backend(%s)", [listener])
    _wait(lambda: not before or set(user.execute(LISTENERS, [user.info.dbname]).fetchall()) - set(before))


def mislead(user: Connection[Any], pk: str) -> None:
    """The next claim finds at the head twice as many jobs as it takes at most, and no row for any."""
    once("status = status")(user, pk)
    for row in _pass_ahead(user, 2 * BATCH):
        delete(user, row)


def crowd(user: Connection[Any], pk: str) -> None:
    """The next claim finds rows of this host at the head."""
    once("status = status")(user, pk)
    _pass_ahead(user, BATCH)


def _pass_ahead(user: Connection[Any], number: int) -> list[str]:
    """Queue rows that nobody asks about in the end, ahead of all others."""
    query = (
        "insert into samples (name, status, host) select 'passing ' || gen_random_uuid(), 'Queued', 'shared.example' "
        "from generate_series(1, %s) returning id::text"
    )
    rows = [row for (row,) in user.execute(query, [number]).fetchall()]
    user.execute("update engine.job set run_at = '2000-01-01' where pk = any(%s)", [rows])
    return rows


def _wait(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 5
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)


MEANWHILE: dict[str, Callable[[Connection[Any], str], None]] = {
    "patient": once("status = status"),
    "blocking": once("status = status"),
    "cancelled": once("status = 'Skipped'"),
    "deleted": delete,
    "requeued": once("status = 'Queued'"),
    "edited": once("note = 'edited'"),
    "stolen": steal,
    "disowned": disown,
    "deafening": deafen,
    "misleading": mislead,
    "crowding": crowd,
}


def add_rows(user: Connection[Any], kind: str) -> list[str]:
    """Some of the kind and some ordinary ones, taking turns, claimed in this order, all of one host."""
    pairs = PAIRS.get(kind, KILLS)
    names = [name for number in range(pairs) for name in (f"{kind} {number}", f"ordinary {number + pairs}")]
    names += [f"ordinary {number + 2 * pairs}" for number in range(KILLS)]
    user.execute(
        "insert into samples (name, action, status, host) "
        "select unnest(%s::text[]), 'its own', 'Queued', 'shared.example'",
        [names],
    )
    user.execute(
        "update engine.job "
        "set run_at = run_at - (%(rows)s - array_position(%(names)s, samples.name)) * interval '1 ms' "
        "from samples where samples.id::text = job.pk",
        {"names": names, "rows": len(names)},
    )
    return names


def fates(user: Connection[Any]) -> dict[str, Fate]:
    """What became of the rows, by name."""
    query = """
        select samples.name, samples.status, count(findings.name)
        from samples left join findings on starts_with(findings.name, samples.name || ' ')
        where samples.name not like 'passing %'
        group by samples.id
    """
    return {name: Fate(status, effects) for name, status, effects in user.execute(query.encode()).fetchall()}


def fates_of(names: Iterable[str]) -> dict[str, Fate]:
    """What must have become of them."""
    found = {name: FATES[name.partition(" ")[0]] for name in names}
    return {name: fate for name, fate in found.items() if fate is not GONE}
