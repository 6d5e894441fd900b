"""`scrapersky doctor`: is everything as it should be, and if not, what to type."""

import sys

import click

from app.commands.doctoring import run_doctor


@click.command(epilog="Example: scrapersky doctor --json | jq '.findings[] | select(.verdict != \"ok\")'")
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
@click.option("--fix", "fixing", is_flag=True, help="Do the safe repairs, ask before the others, then look again.")
@click.option("--yes", is_flag=True, help="With --fix: do not ask. What may cost something is still only shown.")
def doctor(*, as_json: bool, fixing: bool, yes: bool) -> None:
    """Look at the whole path from a status to its work: settings, server, tables, triggers, workers, and a canary row.

    Without --fix it changes nothing but its canary row, which it deletes again.
    The exit code is 1 when something fails; warnings alone leave it 0.
    """
    if yes and not fixing:
        raise click.UsageError("--yes answers what --fix asks; say both")
    sys.exit(run_doctor(as_json=as_json, fixing=fixing, yes=yes))
