"""What `scrapersky audit` and `prune` do."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from app.commands.ages import span
from app.commands.asking import confirm, operator
from app.commands.session import connected
from app.commands.tables import show_rows
from app.config import load_settings
from db.people import history


def run_audit(since: datetime | None, name: str | None, *, actions: bool, limit: int, as_json: bool) -> int:
    with connected("audit") as connection:
        found = history.audit(connection, since=since, workflow=name, actions=actions, limit=limit)
    if as_json:
        click.echo(json.dumps(found, default=str, ensure_ascii=False))
    elif found:
        rows = [(_when(one["happened_at"]), one["operator"], _deed(one), one["rows"], _detail(one)) for one in found]
        show_rows(("when (UTC)", "who", "what", "rows", "how"), rows, whole=("when (UTC)", "what", "rows"))
    else:
        click.echo("Nothing is recorded.", err=True)
    return 0


def run_prune(age: timedelta | None, *, dry_run: bool, yes: bool, as_json: bool) -> int:
    age = load_settings().history if age is None else age
    with connected("prune") as connection:
        counts = history.count_old(connection, age)
        if not dry_run and any(counts.values()):
            confirm(f"Delete {_counted(counts)} older than {span(age)}?", yes=yes)
            counts = history.prune(connection, age, operator=operator())
    if as_json:
        click.echo(json.dumps({**counts, "dry_run": dry_run}))
    else:
        verb = "Dry run, nothing is deleted: " if dry_run else "Deleted "
        click.echo(f"{verb}{_counted(counts)} older than {span(age)}.")
    return 0


def _counted(counts: Mapping[str, int]) -> str:
    *first, last = (f"{count:,} {kind}" for kind, count in counts.items())
    return f"{', '.join(first)} and {last}"


def _when(moment: datetime) -> str:
    moment = moment.astimezone(UTC)
    return f"{moment:%m-%d %H:%M}" if moment.year == datetime.now(UTC).year else f"{moment:%Y-%m-%d}"


def _deed(entry: Mapping[str, Any]) -> str:
    return f"{entry['action']} {entry['workflow'] or ''}"


def _detail(entry: Mapping[str, Any]) -> str:
    """What the note says, in a few words; for a submission, the program that made it."""
    told = {name: value for name, value in entry["detail"].items() if value is not None}
    parts = [str(value) if name == "reason" else f"{name} {_shown(value)}" for name, value in told.items()]
    return ", ".join(parts) or entry["application_name"]


def _shown(value: Any) -> str:
    """A changed limit is a pair, from and to; null is the declared one."""
    if isinstance(value, list):
        return " -> ".join("default" if one is None else str(one) for one in value)
    return str(value)
