"""What a workflow is made of: a declaration and a function, row in, rows out."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, get_type_hints

from db.declaration import Alike, Backoff, Budget, Declaration, DeclarationError, Politeness, Words
from db.outcomes import Found

__all__ = ["Alike", "Backoff", "Budget", "Found", "Politeness", "Words", "Workflow"]

Function = TypeVar("Function", bound=Callable[..., Found])


@dataclass(kw_only=True, eq=False)
class Workflow(Declaration):
    """A declaration and its function.

    The function's first parameter is a NamedTuple whose fields are the columns that the workflow reads. Whatever else
    it takes are tools (`web: Web`), found by their type. The workflow is called after the file of its function.
    """

    function: Callable[..., Found] = field(init=False)
    reads: type[tuple[Any, ...]] = field(init=False)
    tools: Mapping[str, type] = field(init=False)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.reads.__annotations__)

    def run(self, function: Function) -> Function:
        """Bind the function; a wrong declaration fails here, at import."""
        self.name = self.name or function.__module__.rpartition(".")[2]
        self.check()
        self.function = function
        hints = get_type_hints(function)
        row, *tools = inspect.signature(function).parameters or [""]
        self.reads = self._row_type(function, hints.get(row))
        for column in self.columns:
            if column not in self.borrowed and column not in self.counted:
                self.check_column(column)
        self.tools = {tool: self._tool_type(function, tool, hints.get(tool)) for tool in tools}
        return function

    def _row_type(self, function: Callable[..., Found], kind: object) -> type[tuple[Any, ...]]:
        if not (isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")):
            raise DeclarationError(
                f"{self.name}: {function.__name__} must take a NamedTuple first, whose fields are the columns it reads"
            )
        return kind

    def _tool_type(self, function: Callable[..., Found], tool: str, kind: object) -> type:
        if not isinstance(kind, type):
            raise DeclarationError(f"{self.name}: {function.__name__} must say of what type its {tool!r} is")
        return kind
