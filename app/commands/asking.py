"""Before something is changed for many: a question to the person, a name for the record, and word of how far it is."""

import getpass
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

DRY_RUN = click.option("--dry-run", is_flag=True, help="Say what would be done, and change nothing.")
YES = click.option("--yes", is_flag=True, help="Do not ask first.")


def confirm(question: str, *, yes: bool) -> None:
    """A person answers; a script has said --yes. Nothing is taken for granted where nobody can be asked."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError(f"{question} There is no terminal to ask at; say --yes, or look first with --dry-run")
    click.confirm(question, abort=True, err=True)


def operator() -> str:
    """Who is at the keyboard, as far as the system knows; behind sudo the one who typed it."""
    try:
        return os.environ.get("SUDO_USER") or getpass.getuser()
    except (KeyError, OSError):  # a number without a name, as in containers
        return f"uid {os.getuid()}"


@contextmanager
def told(verb: str) -> Iterator[Callable[[int, int], None]]:
    """`tell(done, total)`: one line that is written over on a terminal, a line for each batch elsewhere."""
    on_terminal = sys.stderr.isatty()

    def tell(done: int, total: int) -> None:
        line = f"{done:,} of {total:,} {verb}"
        click.echo(f"\r{line}\x1b[K" if on_terminal else line, nl=not on_terminal, err=True)

    try:
        yield tell
    finally:
        if on_terminal:
            click.echo("\r\x1b[K", nl=False, err=True)
