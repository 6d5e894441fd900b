"""What a workflow is made of: a declaration and a function, row in, rows out."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, get_type_hints

from db.declaration import Backoff, Declaration, DeclarationError, Politeness, Words
from db.outcomes import Found

__all__ = ["Backoff", "Found", "Politeness", "Words", "Workflow"]

Function = TypeVar("Function", bound=Callable[[Any], Found])


@dataclass(kw_only=True, eq=False)
class Workflow(Declaration):
    """A declaration and its function.

    The function's parameter is a NamedTuple whose fields are the columns that the workflow reads. The workflow is
    called after the file that the function stands in.
    """

    function: Callable[[Any], Found] = field(init=False)
    reads: type[tuple[Any, ...]] = field(init=False)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.reads.__annotations__)

    def run(self, function: Function) -> Function:
        """Bind the function; a wrong declaration fails here, at import."""
        self.name = self.name or function.__module__.rpartition(".")[2]
        self.check()
        self.function = function
        self.reads = self._row_type(function)
        for column in self.columns:
            self.check_column(column)
        return function

    def _row_type(self, function: Callable[[Any], Found]) -> type[tuple[Any, ...]]:
        hints = get_type_hints(function)
        row_types = [hints.get(parameter) for parameter in inspect.signature(function).parameters]
        row_type = row_types[0] if len(row_types) == 1 else None
        if not (isinstance(row_type, type) and issubclass(row_type, tuple) and hasattr(row_type, "_fields")):
            raise DeclarationError(
                f"{self.name}: {function.__name__} must take one NamedTuple whose fields are the columns it reads"
            )
        return row_type
