"""`scrapersky workflows`, `pause`, `resume` and `limit`: what may run, and how much of it at once."""

import sys
from typing import Any

import click

from app.commands.controlling import run_limit, run_pause, run_resume, run_workflows
from app.commands.names import WORKFLOW

NAMES = click.argument("names", metavar="WORKFLOW…", nargs=-1, type=WORKFLOW)
EVERY = click.option("--all", "everything", is_flag=True, help="Every workflow.")


class LimitValue(click.ParamType[int | None]):
    """A number, or `default` for the declared value."""

    name = "N|default"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> int | None:
        if value == "default":
            return None
        try:
            return int(value)
        except ValueError:
            self.fail(f"expected a number, or default for what is declared, got {value!r}", parameter, context)


@click.command(epilog="Example: scrapersky workflows deep_scan")
@click.argument("name", metavar="[WORKFLOW]", required=False, type=WORKFLOW)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def workflows(name: str | None, *, as_json: bool) -> None:
    """Show the workflows: table and words, limits (declared and overridden), budgets, and who paused what and why."""
    sys.exit(run_workflows(name, as_json=as_json))


@click.command(epilog="Example: scrapersky pause deep_scan --reason 'the bill of November'")
@NAMES
@EVERY
@click.option("--reason", help="Why; asked for when it is left out.")
def pause(names: tuple[str, ...], reason: str | None, *, everything: bool) -> None:
    """Start nothing more of a workflow. What runs may finish, what is queued waits."""
    sys.exit(run_pause(_chosen(names, everything=everything), reason))


@click.command(epilog="Example: scrapersky resume deep_scan")
@NAMES
@EVERY
def resume(names: tuple[str, ...], *, everything: bool) -> None:
    """Start a workflow again, whoever stopped it: somebody, or the workflow itself for a wrong key or used-up quota."""
    sys.exit(run_resume(_chosen(names, everything=everything)))


@click.command(epilog="Example: scrapersky limit deep_scan --max-in-flight 4 --per-day 5000")
@click.argument("name", metavar="WORKFLOW", type=WORKFLOW)
@click.option("--max-in-flight", type=LimitValue(), help="Rows that run at the same time, over all processes.")
@click.option("--batch", type=LimitValue(), help="Rows that a process claims at once, at most.")
@click.option("--max-attempts", type=LimitValue(), help="Attempts until a row has failed for good.")
@click.option("--per-minute", type=LimitValue(), help="Rows begun in a minute.")
@click.option("--per-day", type=LimitValue(), help="Rows begun in a day.")
@click.option("--max-downstream", type=LimitValue(), help="Begin none while as many wait for the next workflow.")
@click.option("--default", "all_default", is_flag=True, help="All limits go back to what is declared.")
@click.option("--json", "as_json", is_flag=True, help="The limits as JSON.")
@click.pass_context
def limit(context: click.Context, /, name: str, *, all_default: bool, as_json: bool, **limits: int | None) -> None:
    """Show the limits of a workflow, or override them for all processes at once. A deploy does not undo it."""
    given = {one: value for one, value in limits.items() if context.get_parameter_source(one) is not DEFAULT}
    if all_default and given:
        raise click.UsageError("--default takes all limits back; say `default` as the value of one to take that back")
    sys.exit(run_limit(name, dict.fromkeys(limits) if all_default else given, as_json=as_json))


DEFAULT = click.core.ParameterSource.DEFAULT


def _chosen(names: tuple[str, ...], *, everything: bool) -> tuple[str, ...]:
    if bool(names) == everything:
        known = ", ".join(WORKFLOW.known)
        raise click.UsageError(f"name the workflows, or say --all; known are {known}")
    return tuple(WORKFLOW.known) if everything else names
