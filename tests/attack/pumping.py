"""Tries every regular expression with its pumps and prints, one JSON list a line, where its time grows too fast."""

import json
import os
import re
import resource
import sys
import time
from collections import deque
from math import log
from typing import Any, Final

from tests.attack.growth import STEEPEST
from tests.attack.patterns import Expression, expressions
from tests.attack.pumps import Pump, pumps

_CPU_SECONDS: Final = 10
# A linear search needs less for each of its characters; what needs more is measured against a smaller text.
_SECONDS_PER_CHARACTER: Final = 300e-9
_FLOOR: Final = 0.002
_LONG: Final = 1.0
_TIMES_SMALLER: Final = 10
_TRIES: Final = 3
CONTROLS: Final = {
    "quadratic": r"\s+x",
    "quadratic behind a prefix": r"<(?:\w|<)+>",
    "two parts": r"a*a*b",
    "exponential": r"(?:a|aa)+$",
}


def problem_of(expression: Expression, size: int) -> str | None:
    """The first pump for which the expression takes more than its share of time."""
    for pump in pumps(expression.pattern):
        for method in expression.methods:
            grown = _exponent(expression.pattern, method, pump, size)
            if grown > STEEPEST:  # once more: a busy machine may have slowed down the larger text alone
                grown = min(grown, _exponent(expression.pattern, method, pump, size))
            if grown > STEEPEST:
                return f"{method} grows with an exponent of {grown:.2f} on {pump!r:.200}"
    return None


def _exponent(pattern: re.Pattern[Any], method: str, pump: Pump, size: int) -> float:
    """Between a text and one ten times as large; 0 where the larger one is read at once."""
    whole = _seconds(pattern, method, pump.text(size))
    if whole <= _SECONDS_PER_CHARACTER * size:
        return 0.0
    tenth = min(_seconds(pattern, method, pump.text(size // _TIMES_SMALLER)) for _ in range(_TRIES))
    if whole < _LONG:
        whole = min(whole, *(_seconds(pattern, method, pump.text(size)) for _ in range(_TRIES)))
    return log(max(whole, _FLOOR) / max(tenth, _FLOOR)) / log(_TIMES_SMALLER)


def _seconds(pattern: re.Pattern[Any], method: str, text: str) -> float:
    subject = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
    started = time.process_time()
    if method == "search":
        deque(pattern.finditer(subject), maxlen=0)
    else:
        getattr(pattern, method)(subject)
    return time.process_time() - started


def _tried(expression: Expression, size: int) -> str | None:
    """In a child process, for an expression may never come back."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
        os.write(theirs, json.dumps(problem_of(expression, size)).encode())
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else f"needs more than {_CPU_SECONDS} s"


def main() -> None:
    size, tried = int(sys.argv[1]), expressions()
    if "--controls" in sys.argv:
        tried = [Expression(name, re.compile(each), frozenset(("search",))) for name, each in CONTROLS.items()]
    for expression in tried:
        sys.stdout.write(json.dumps([expression.where, _tried(expression, size)]) + "\n")


if __name__ == "__main__":
    main()
