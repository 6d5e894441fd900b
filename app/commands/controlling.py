"""What `scrapersky workflows`, `pause`, `resume` and `limit` do."""

import json
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import click

from app.commands.ages import ago
from app.commands.asking import operator
from app.commands.names import in_order
from app.commands.session import connected
from app.commands.tables import LONGEST, cell, short
from db.people import steering
from db.people.registry import workflows

JOINT = "\u00a0"  # where a line is not broken
LABELS = {
    "max_in_flight": "{} at once",
    "batch": "{} claimed at once",
    "max_attempts": "{} attempts",
    "per_minute": "{} a minute",
    "per_day": "{} a day",
    "max_downstream": "none while {} wait downstream",
}


def run_workflows(name: str | None, *, as_json: bool) -> int:
    with connected("workflows") as connection:
        found = sorted(workflows(connection, name), key=lambda row: in_order(row["name"]))
    if as_json:
        click.echo(json.dumps([_public(row) for row in found], default=str))
        return 0
    width = shutil.get_terminal_size().columns
    for row in found:
        click.echo(click.style(row["name"], bold=True) + "  " + _state(row))
        words = " ".join(row[word] for word in ("queued", "processing", "done", "failed"))
        for line in (f"{_table(row)}.{row['status_column']}: {words}", _limits(row)):
            click.echo(textwrap.fill(line, width, initial_indent="  ", subsequent_indent="    ").replace(JOINT, " "))
    return 0


def run_pause(names: Sequence[str], reason: str | None) -> int:
    if reason is None and sys.stdin.isatty():
        reason = click.prompt("Reason", err=True)
    told = " ".join((reason or "").split())
    if not told:
        raise click.UsageError("say --reason: whoever finds it paused wants to know why")
    if len(told) > LONGEST:
        raise click.UsageError(f"--reason: expected at most {LONGEST} characters, got {len(told):,}")
    with connected("pause") as connection:
        for name in names:
            steering.pause(connection, name, told, operator=operator())
            click.echo(f"{name} is paused: what runs may finish, nothing more starts.")
    return 0


def run_resume(names: Sequence[str]) -> int:
    with connected("resume") as connection:
        for name in names:
            (before,) = workflows(connection, name)
            steering.resume(connection, name, operator=operator())
            click.echo(f"{name} runs again." if before["stopped"] else f"{name} was not paused.")
    return 0


def run_limit(name: str, limits: Mapping[str, int | None], *, as_json: bool) -> int:
    with connected("limit") as connection:
        try:
            steering.set_limits(connection, name, limits, operator=operator())
        except steering.SteeringError as error:
            raise click.UsageError(str(error)) from None
        (row,) = workflows(connection, name)
    if as_json:
        click.echo(json.dumps(_public(row)["limits"]))
    else:
        click.echo(f"{name}: {_limits(row).replace(JOINT, ' ')}")
    return 0


def _public(row: Mapping[str, Any]) -> dict[str, Any]:
    limits = {
        limit: {"declared": row[f"declared_{limit}"], "override": row[limit], "effective": _effective(row, limit)}
        for limit in steering.LIMITS
    }
    plain = ("stopped", "paused", "paused_by", "paused_at", "paused_reason", "blocked_reason", "blocked_until")
    return {
        "workflow": row["name"],
        "table": _table(row),
        "status_column": row["status_column"],
        "words": {word: row[word] for word in ("queued", "processing", "done", "failed")},
        "limits": limits,
        "used_this_minute": row["used_this_minute"],
        "used_today": row["used_today"],
        **{name: row[name] for name in plain},
    }


def _table(row: Mapping[str, Any]) -> str:
    return str(row["table_name"]).replace('"', "")


def _effective(row: Mapping[str, Any], limit: str) -> int | None:
    override, declared = row[limit], row[f"declared_{limit}"]
    return int(override) if override is not None else declared


def _state(row: Mapping[str, Any]) -> str:
    if row["paused"]:
        who = f" by {cell(row['paused_by'])} {ago(row['paused_at'])}" if row["paused_at"] else ""
        return click.style(f"paused{who}: {short(row['paused_reason'] or 'no reason given')}", fg="yellow")
    if row["stopped"]:
        until = f" until {row['blocked_until']:%Y-%m-%d %H:%M %Z}" if row["blocked_until"] else ""
        return click.style(f"stopped itself{until}: {short(row['blocked_reason'])}", fg="yellow")
    return click.style("on", fg="green")


def _limits(row: Mapping[str, Any]) -> str:
    """`4 at once (declared 8), 100 claimed at once, 5 attempts, 17 of 5,000 a day`."""
    parts = []
    used = {"per_minute": row["used_this_minute"], "per_day": row["used_today"]}
    for limit, label in LABELS.items():
        effective, declared = _effective(row, limit), row[f"declared_{limit}"]
        if effective is None and limit != "max_in_flight":
            continue
        number = "any number" if effective is None else f"{effective:,}"
        number = f"{used[limit]:,} of {number}" if limit in used else number
        was = "" if row[limit] is None else f" (declared {'without limit' if declared is None else f'{declared:,}'})"
        parts.append((label.format(number) + was).replace(" ", JOINT))
    return ", ".join(parts)
