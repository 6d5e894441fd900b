"""What the checker found, in Jepsen's words, and the figures beside it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

VIOLATIONS = ("lost", "duplicated", "overlapping", "unexpected", "intents_violated", "causeless", "users_failed")


class Violation(NamedTuple):
    pk: str | None
    what: str

    def __str__(self) -> str:
        return f"{self.pk}: {self.what}" if self.pk else self.what


@dataclass
class Verdict:
    lost: list[Violation] = field(default_factory=list)
    """Rows that are wanted and never came to an end, and claims that nobody ended."""
    duplicated: list[Violation] = field(default_factory=list)
    """More than one result for one request."""
    overlapping: list[Violation] = field(default_factory=list)
    """Two claims of a row at the same time, or a claim of a row that a living worker still ran."""
    unexpected: list[Violation] = field(default_factory=list)
    """A run or a result that nobody asked for, or that came after a cancel, a delete or another's claim had won."""
    intents_violated: list[Violation] = field(default_factory=list)
    """A user's value that the engine overwrote."""
    causeless: list[Violation] = field(default_factory=list)
    """Dead letters that neither failed nor lost their workers often enough."""
    users_failed: list[Violation] = field(default_factory=list)
    """Statements of users that failed because of the engine."""

    rows: int = 0
    requests: int = 0
    claims: int = 0
    completions: int = 0
    dead_letters: int = 0
    recoveries: int = 0
    refused: int = 0
    kills: int = 0
    freezes: int = 0
    false_deaths: int = 0
    given_back_seconds: list[float] = field(default_factory=list)
    """From a kill until the rows that the process held were in the queue again, or over."""
    rerun_seconds: list[float] = field(default_factory=list)
    """From a kill until those rows were claimed again."""

    @property
    def violations(self) -> dict[str, int]:
        return {name: len(getattr(self, name)) for name in VIOLATIONS}

    @property
    def is_clean(self) -> bool:
        return not any(self.violations.values())

    @property
    def figures(self) -> dict[str, Any]:
        """For people and for JSON: counts of violations, counts of events, and times after a kill in seconds."""
        counts = ("rows", "requests", "claims", "completions", "dead_letters", "recoveries", "refused")
        processes = ("kills", "freezes", "false_deaths")
        return {
            **self.violations,
            **{name: getattr(self, name) for name in (*counts, *processes)},
            "given_back_p50": percentile(self.given_back_seconds, 0.50),
            "given_back_p99": percentile(self.given_back_seconds, 0.99),
            "rerun_p50": percentile(self.rerun_seconds, 0.50),
            "rerun_p99": percentile(self.rerun_seconds, 0.99),
        }

    def examples(self, most: int = 5) -> list[str]:
        """The first violations of each kind, as sentences."""
        return [f"{name}: {one}" for name in VIOLATIONS for one in getattr(self, name)[:most]]


def percentile(values: Sequence[float], part: float) -> float | None:
    """The smallest value that so large a part of all does not exceed."""
    if not values:
        return None
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(part * len(ordered)))], 3)
