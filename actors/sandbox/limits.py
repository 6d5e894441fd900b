"""What one document may cost."""

from dataclasses import dataclass
from typing import Final

_WALL_PER_CPU: Final = 3
# A sitemap may have 50 MB, ten times as much as a page, and costs its worker nothing while it is waited for.
STREAM_FACTOR: Final = 4


@dataclass(frozen=True, slots=True)
class Limits:
    seconds: float = 5
    """CPU time for a document; a stream may take four times as long."""

    patience: float = 15
    """Seconds of wall time beyond three times the CPU time: 30 s for 5 s. A busy machine must not fail an innocent
    document; this is for a process that has stopped."""

    memory_mb: int = 512
    """Address space of a parser process, the parser itself included."""

    documents: int = 200
    """After so many a parser process is replaced by a fresh one."""

    @property
    def memory_bytes(self) -> int:
        return self.memory_mb * 1024 * 1024

    def cpu(self, *, stream: bool) -> float:
        return self.seconds * (STREAM_FACTOR if stream else 1)

    def wall(self, *, stream: bool) -> float:
        return self.cpu(stream=stream) * _WALL_PER_CPU + self.patience

    @property
    def lifetime(self) -> int:
        """CPU seconds that a parser process can not exceed, whatever it does: RLIMIT_CPU, which nobody can raise."""
        return int(self.documents * self.seconds * STREAM_FACTOR) + 1
