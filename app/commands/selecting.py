"""How many rows get their word: counted, shown, asked, changed, told."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click
from psycopg import Connection

from app.commands.addresses import domain_name
from app.commands.session import connected
from app.commands.tables import show_rows
from db.people.conditions import ConditionError
from db.people.selecting import Changed, Matching, Selection


@dataclass(frozen=True, kw_only=True)
class Order:
    kind: str
    word: str
    filters: Mapping[str, Any]
    where: str | None
    limit: int | None
    everything: bool
    again: bool
    dry_run: bool
    yes: bool
    as_json: bool


def run_select(order: Order) -> int:
    try:
        with connected("select") as connection:
            _select(connection, order)
    except ConditionError as error:
        raise click.UsageError(str(error)) from None
    return 0


def _select(connection: Connection[Any], order: Order) -> None:
    filters = dict(order.filters)
    if "domain" in filters and order.kind != "domains":
        filters["domain"] = domain_name(filters["domain"])
    selection = Selection(order.kind, order.word, filters, order.where, order.limit, order.again)
    selection.check(connection)
    matching = selection.count(connection)
    expected = min(matching.to_change, order.limit or matching.to_change)
    if order.dry_run:
        _show(order, matching, expected, selection.sample(connection))
        return
    if expected > 1 and not order.yes and sys.stdin.isatty():
        click.confirm(f"Set {expected:,} {order.kind} to {order.word}?", abort=True, err=True)
    _tell(order, matching, selection.change(connection))


def _show(order: Order, matching: Matching, expected: int, sample: Sequence[dict[str, Any]]) -> None:
    if order.as_json:
        rows = [{name: value for name, value in row.items() if name != "before"} for row in sample]
        outcome = {"matching": matching.rows, "would_update": expected, "sample": rows, "dry_run": True}
        click.echo(json.dumps(outcome, default=str))
        return
    click.echo(
        f"Dry run, nothing is changed: {expected:,} of {matching.rows:,} {order.kind} would become {order.word}."
    )
    if not sample:
        return
    names = [name for name in sample[0] if name not in {"id", "before"}]
    show_rows([*names, "now"], [[*(row[name] for name in names), row["before"]] for row in sample], whole=("now",))


def _tell(order: Order, matching: Matching, changed: Changed) -> None:
    if order.as_json:
        outcome = {"matching": matching.rows, "updated": changed.updated, "queued": changed.queued, "dry_run": False}
        click.echo(json.dumps(outcome))
        return
    same = matching.rows - matching.to_change
    advice = "; to queue those that have ended: --again" if order.word == "Selected" and not order.again else ""
    already = f"; {same:,} had that status already{advice}" if same and not order.again else ""
    queued = f", {changed.queued:,} queued" if order.word == "Selected" else ""
    click.echo(f"{changed.updated:,} {order.kind} set to {order.word}{queued}{already}.")
