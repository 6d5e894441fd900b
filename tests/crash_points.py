"""Named points at which a process can be killed: right before a statement, before a commit, after it.

A statement is called after its file and its `-- name:` in sql/. Between two statements of a transaction nothing can be
seen from outside, so that "before the next one" covers "after this one". A commit is called after the first statement
of its transaction.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from psycopg import Connection
from psycopg.pq import TransactionStatus

from actors._workflow import Workflow
from app import lease, process
from app.sweeper import LIVENESS
from db.lifecycle import Claimer, Recorder, Recovery
from db.statements import statements


@dataclass
class Trap:
    """Kills its process when the point is reached for the n-th time."""

    name: str
    left: int
    lock: threading.Lock

    def pass_by(self, name: str) -> None:
        if name != self.name:
            return
        with self.lock:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


TRAPS: list[Trap] = []


def reach(name: str) -> None:
    """The process is at this point now."""
    for trap in TRAPS:
        trap.pass_by(name)


def names_of_statements(workflow: Workflow) -> dict[bytes, str]:
    """Every statement that the engine runs for the workflow, as the driver gets it, and its name."""
    files = {
        "claim": Claimer(workflow, workflow.columns).sql,
        "record": Recorder(workflow).sql,
        "sweep": Recovery(workflow).sql,
        "liveness": LIVENESS,
        "upkeep": statements("upkeep.sql"),
        "lease": lease.SQL,
    }
    named = {text: f"{file}.{name}" for file, named in files.items() for name, text in named.items()}
    return named | {b"listen engine": "listener.listen", lease.DUE.encode(): "listener.due"}


# Statements that are made up from what a workflow found, by how they begin.
BEGINNINGS = {
    b'insert into "findings"': "results.upsert",
    b"with ended as (": "record.end_batch",
    b'update "samples" as item set ("note") = row': "results.set_values",
    process.BLOCK.encode()[:40]: "process.block",
}


def set_trap(workflow: Workflow, name: str, times: int) -> None:
    """From now on this process dies when it comes to the point for the n-th time.

    The driver's own class is changed: the engine is the one that everybody runs.
    """
    TRAPS.append(Trap(name, times, threading.Lock()))
    named = names_of_statements(workflow)
    execute, transaction = Connection.execute, Connection.transaction
    first: dict[int, str] = {}

    def name_of(query: Any) -> str | None:
        text = query.encode() if isinstance(query, str) else query
        known = named.get(text)
        return known or next((name for start, name in BEGINNINGS.items() if text.startswith(start)), None)

    def execute_or_die(self: Connection[Any], query: Any, *arguments: Any, **options: Any) -> Any:
        if statement := name_of(query):
            first.setdefault(id(self), statement)
            reach(statement)
        return execute(self, query, *arguments, **options)

    @contextmanager
    def transaction_or_death(self: Connection[Any], *arguments: Any, **options: Any) -> Iterator[Any]:
        outermost = self.pgconn.transaction_status == TransactionStatus.IDLE
        if outermost:
            first.pop(id(self), None)
        with transaction(self, *arguments, **options) as block:
            yield block
            if outermost:
                reach(f"commit of {first.get(id(self))}")
        if outermost:
            reach(f"after commit of {first.get(id(self))}")

    Connection.execute = execute_or_die  # type: ignore[method-assign]
    Connection.transaction = transaction_or_death  # type: ignore[method-assign]
