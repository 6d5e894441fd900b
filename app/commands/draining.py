"""What `scrapersky workers` and `drain` do."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import click
from psycopg import Connection

from app.commands.ages import ago, span
from app.commands.asking import confirm, operator, told
from app.commands.session import connected
from app.commands.tables import show_rows
from db.people import workers as people
from db.people.steering import guess

LOOK_SECONDS = 0.5


@dataclass(frozen=True, kw_only=True)
class Draining:
    undo: bool
    wait: bool
    timeout: timedelta | None
    dry_run: bool
    yes: bool


def run_workers(*, as_json: bool) -> int:
    with connected("workers") as connection:
        found = people.workers(connection)
    if as_json:
        click.echo(json.dumps(found, default=_plain))
    elif found:
        _show(found)
    else:
        click.echo("No worker is registered; start some with: scrapersky up, or scrapersky work", err=True)
    return 0


def run_drain(names: Sequence[str], how: Draining) -> int:
    with connected("drain") as connection:
        meant = _meant(people.workers(connection), names)
        if how.dry_run:
            _show(meant)
            return 0
        ids = [worker["id"] for worker in meant]
        if not how.undo:
            rows = sum(one["running"] for one in meant)
            confirm(f"Drain {len(meant)} worker(s), on which {rows} row(s) run?", yes=how.yes)
        people.drain(connection, ids, wanted=not how.undo, operator=operator())
        if how.undo:
            click.echo(f"{len(meant)} worker(s) claim again.")
        elif how.wait:
            return _wait(connection, ids, how.timeout)
        else:
            click.echo(f"{len(meant)} worker(s) claim nothing more; they finish what they run: scrapersky workers")
    return 0


def _meant(found: Sequence[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """All, or those on a host, with a pid on a host, or with an id that begins so; each name must be somebody's."""
    if not found:
        raise click.ClickException("no worker is registered")
    called = [{str(one["id"]), one["host"], f"{one['host']}:{one['pid']}"} for one in found]
    chosen = set(range(len(found))) if not names else set()
    for name in names:
        same = {place for place, own in enumerate(called) if name in own or _begins(found[place]["id"], name)}
        if not same:
            known = dict.fromkeys(text for one in found for text in (one["host"], f"{one['host']}:{one['pid']}"))
            raise click.UsageError(f"no worker {name!r}{guess(name, known)}")
        chosen |= same
    return [found[place] for place in sorted(chosen)]


def _begins(identity: UUID, name: str) -> bool:
    return len(name) >= 4 and str(identity).startswith(name.lower())  # noqa: PLR2004 - less may be an accident


def _wait(connection: Connection[Any], ids: Sequence[UUID], timeout: timedelta | None) -> int:
    deadline = None if timeout is None else time.monotonic() + timeout.total_seconds()
    with told("rows are still running") as tell:
        first = left = people.still_running(connection, ids)
        while left:
            tell(left, max(first, left))
            if deadline is not None and time.monotonic() > deadline:
                click.echo(f"{left} row(s) still run after {span(timeout or timedelta())}; they go on.", err=True)
                return 1
            time.sleep(LOOK_SECONDS)
            left = people.still_running(connection, ids)
    click.echo(f"{len(ids)} worker(s) are idle and claim nothing more; they can be stopped.")
    return 0


def _show(found: Sequence[dict[str, Any]]) -> None:
    names = ("id", "host", "pid", "version", "up", "heard", "running", "state")
    rows = [
        (
            str(one["id"])[:8],
            one["host"],
            one["pid"],
            one["version"],
            ago(one["started_at"]).removesuffix(" ago"),
            span(one["silent_for"]),
            _running(one),
            _state(one),
        )
        for one in found
    ]
    show_rows(names, rows, whole=("id", "pid", "up", "heard", "state"))


def _running(worker: dict[str, Any]) -> str:
    by_workflow = worker["by_workflow"] or {}
    return ", ".join(f"{rows} {name}" for name, rows in by_workflow.items()) or "nothing"


def _state(worker: dict[str, Any]) -> str:
    if worker["drain_wanted"]:
        return "drains" if worker["running"] else "drained"
    return "stopping" if worker["draining"] else "on"


def _plain(value: Any) -> float | str:
    return value.total_seconds() if isinstance(value, timedelta) else str(value)
