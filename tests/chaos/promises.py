"""What users were promised, as numbers and words of the workload."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class Promises:
    queued: str = "Queued"
    processing: str = "Processing"
    done: str = "Done"
    failed: str = "Failed"
    max_attempts: int = 3
    max_lost: int = 3
    lease: timedelta = timedelta(seconds=10)
    hopeless: frozenset[str] = frozenset({"give-up"})
    """Actions that fail for good at once."""
    innocent: frozenset[str] = frozenset({"find", "nothing", "slow", "sleep", "gate", "later"})
    """Actions that never fail by themselves: only the deaths of their workers are a cause."""
    silent: frozenset[str] = frozenset({"nothing"})
    """Actions that complete without leaving an effect."""
