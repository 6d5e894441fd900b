"""Names of workflows and tables as arguments: checked with a guess at what was meant, and completed by the shell."""

from collections.abc import Iterable
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from actors.names import TABLES
from db.people.steering import guess


class KnownName(click.ParamType[str]):
    """One of a few names."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = list(dict.fromkeys(known))

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> str:
        if value not in self.known:
            self.fail(f"unknown {self.name} {value!r}{guess(value, self.known)}", parameter, context)
        return str(value)

    def shell_complete(
        self, _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(name) for name in self.known if name.startswith(incomplete)]


WORKFLOW: Final = KnownName("workflow", TABLES)
TABLE: Final = KnownName("table", TABLES.values())


def in_order(name: str) -> int:
    """The place of a workflow on a lead's way; one that is no longer declared comes last."""
    return WORKFLOW.known.index(name) if name in WORKFLOW.known else len(WORKFLOW.known)
