"""Who may start now, and when the others may try: at most so many rows of a key at a time, their starts apart."""

import random
from collections.abc import Iterable
from dataclasses import dataclass

from db.declaration import Politeness

SHORTEST_STEP = 0.1
# The line of a key is so long. Whoever finds no place in it looks again later: rows before it may be gone by then.
LONGEST_LINE = 120
SHORTEST_LINE_SECONDS = 120.0


@dataclass
class Key:
    """What is known of a key, in seconds from now: its next start, and the slots of the first and the last in line."""

    name: str
    running: int
    pause: float
    first_slot: float
    last_slot: float
    last_priority: int | None


class Pace:
    def __init__(self, politeness: Politeness, keys: Iterable[Key]) -> None:
        self.at_once = politeness.at_once
        self.spacing = politeness.spacing.total_seconds()
        self.step = max(self.spacing, SHORTEST_STEP)
        self.keys = {key.name: key for key in keys}
        self.started: set[str] = set()
        self.crowded: set[str] = set()

    def may_start(self, name: str) -> bool:
        key = self.keys[name]
        return key.pause <= 0 and key.running < self.at_once

    def start(self, name: str) -> None:
        key = self.keys[name]
        key.running += 1
        key.pause = self.spacing
        self.started.add(name)

    def slot(self, name: str, priority: int) -> float:
        """When a row may try again: it stands in the line of its key, and moves once, however many wait with it.

        The first in line tries as soon as the key may start. A row that is more urgent than the last in line does so
        too, and those like it come after it: of rows that are due together the most urgent starts.
        """
        key = self.keys[name]
        self.crowded.add(name)
        soon = key.pause if key.pause > 0 else self.step / 2
        if key.first_slot <= 0:
            key.first_slot = soon
            return soon
        if key.last_priority is not None and priority < key.last_priority:
            key.last_slot, key.last_priority = soon, priority
            return soon
        slot = max(soon, key.last_slot) + self.step
        line = max(SHORTEST_LINE_SECONDS, LONGEST_LINE * self.step)
        if slot - soon > line:
            return soon + line * random.uniform(1, 2)  # noqa: S311 - spread, not a secret
        key.last_slot, key.last_priority = slot, priority
        return slot
