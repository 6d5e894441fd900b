"""Names of workflows and tables as arguments: checked with a guess at what was meant, and completed by the shell."""

from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from actors._workflow import Workflow


class RegistryName(click.ParamType[str]):
    """A name out of the registry. It is read only when it is needed, so that --help stays quick."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> str:
        from db.people.steering import guess

        known = self.known()
        if value not in known:
            self.fail(f"unknown {self.name} {value!r}{guess(value, known)}", parameter, context)
        return str(value)

    def shell_complete(
        self, _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(name) for name in self.known() if name.startswith(incomplete)]

    def known(self) -> list[str]:
        from actors.registry import WORKFLOWS

        if self.name == "workflow":
            return [workflow.name for workflow in WORKFLOWS]
        return list(dict.fromkeys(workflow.source.name for workflow in WORKFLOWS))


WORKFLOW: Final = RegistryName("workflow")
TABLE: Final = RegistryName("table")


def in_order(name: str) -> int:
    """The place of a workflow on a lead's way; one that is no longer declared comes last."""
    known = WORKFLOW.known()
    return known.index(name) if name in known else len(known)


def workflow_named(name: str) -> "Workflow":
    """As this installation runs it."""
    from app.config import load_settings
    from app.workflows import load_workflows

    return next(workflow for workflow in load_workflows(load_settings()) if workflow.name == name)
