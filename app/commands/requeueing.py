"""What `scrapersky requeue` and `cancel` do: counted, asked, changed batch by batch, told."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import click
from psycopg import Connection

from actors._workflow import Workflow
from app.commands.asking import confirm, operator, told
from app.commands.session import connected
from app.config import load_settings
from app.workflows import load_workflows
from db.people import steering
from db.people.conditions import ConditionError
from db.people.steering import Chosen, SteeringError


@dataclass(frozen=True, kw_only=True)
class Order:
    name: str
    pks: tuple[str, ...]
    part: str | None
    where: str | None
    limit: int | None
    dry_run: bool
    yes: bool
    as_json: bool

    @property
    def chosen(self) -> Chosen:
        return Chosen(part=self.part, where=self.where, pks=self.pks or None, limit=self.limit)


class Deed(NamedTuple):
    command: str
    act: Callable[..., int]
    which: str
    question: str
    done: str


def run_requeue(order: Order, rate: float | None) -> int:
    workflow = _workflow_named(order.name)
    pace = "" if rate is None else f", {rate:g} per second"

    def act(connection: Connection[Any], **how: Any) -> int:
        return steering.requeue(connection, workflow, order.chosen, operator=operator(), rate=rate, **how)

    question = f"Queue {{}} failed row(s) of {order.name} again{pace}?"
    return _run(order, Deed("requeue", act, "failed", question, "queued again"))


def run_cancel(order: Order, *, waiting: bool) -> int:
    workflow = _workflow_named(order.name)
    which = "waiting" if waiting else "waiting and running"

    def act(connection: Connection[Any], **how: Any) -> int:
        return steering.cancel(connection, workflow, order.chosen, operator=operator(), running=not waiting, **how)

    question = f"Withdraw {{}} {which} row(s) of {order.name}? {_fate(workflow)}"
    return _run(order, Deed("cancel", act, which, question, "withdrawn"))


def _workflow_named(name: str) -> Workflow:
    """As this installation runs it."""
    return next(workflow for workflow in load_workflows(load_settings()) if workflow.name == name)


def _fate(workflow: Workflow) -> str:
    word = steering.cancelled_word(workflow)
    becomes = "null" if word is None else f"'{word}'"
    return f"Their {workflow.source.name}.{workflow.status} becomes {becomes}; the result of what runs is discarded."


def _run(order: Order, deed: Deed) -> int:
    try:
        with connected(deed.command) as connection:
            _steer(connection, order, deed)
    except (ConditionError, SteeringError) as error:
        raise click.UsageError(str(error)) from None
    return 0


def _steer(connection: Connection[Any], order: Order, deed: Deed) -> None:
    expected = deed.act(connection, dry_run=True)
    if order.dry_run or not expected:
        _tell(order, expected, f"{expected:,} {deed.which} row(s) of {order.name} match; nothing is changed.")
        return
    confirm(deed.question.format(f"{expected:,}"), yes=order.yes)
    with told(deed.done) as tell:
        changed = deed.act(connection, dry_run=False, tell=None if order.as_json else tell)
    left = expected - changed
    others = f" {left:,} were changed or held by somebody else meanwhile." if left > 0 else ""
    _tell(order, changed, f"{changed:,} row(s) of {order.name} {deed.done}.{others}")


def _tell(order: Order, rows: int, sentence: str) -> None:
    outcome = {"workflow": order.name, "rows": rows, "dry_run": order.dry_run}
    click.echo(json.dumps(outcome) if order.as_json else sentence)
