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
    """What is known of a key, in seconds from now: its next start, and the last slot given to a row that waits."""

    name: str
    running: int
    pause: float
    last_slot: float
    slot_priority: int | None


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
        """The next place in the line of a key, so that a row steps aside once, however many wait with it.

        A row that is more urgent than the last in the line begins a line of its own: whoever is due with it yields.
        """
        key = self.keys[name]
        first = key.pause if key.pause > 0 else self.step / 2
        is_urgent = key.slot_priority is not None and priority < key.slot_priority
        slot = first if is_urgent else max(first, key.last_slot + self.step)
        line = max(SHORTEST_LINE_SECONDS, LONGEST_LINE * self.step)
        if slot - first > line:
            return first + line * random.uniform(1, 2)  # noqa: S311 - spread, not a secret
        key.last_slot, key.slot_priority = slot, priority
        self.crowded.add(name)
        return slot
