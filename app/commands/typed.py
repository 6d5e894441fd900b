"""Values as people and scripts type them: a filter that is empty and a number that is none are no values."""

import math
from typing import Any

import click


class Filter(click.ParamType[str]):
    """A text to look for. An empty one finds everything: it is a script's variable that was never set."""

    name = "text"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> str:
        if not str(value).strip():
            self.fail("it is empty; say what to look for, or leave the option out", parameter, context)
        return str(value)


class Number(click.FloatRange):
    """`nan` is in every range, as no comparison holds for it."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> float:
        number = float(super().convert(value, parameter, context))
        if not math.isfinite(number):
            self.fail(f"expected a number, got {value!r}", parameter, context)
        return number


FILTER = Filter()
