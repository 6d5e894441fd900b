"""Claims of polite workflows: key after key, one row each, so that a key with a million rows holds up no other."""

from collections.abc import Callable
from typing import Any, NamedTuple

from psycopg import Cursor

from db.declaration import Politeness

# Looks into the index by one claim; what lies behind them is for the next one.
LOOKS = 2_000
ANY_PRIORITY = 2**31

Execute = Callable[..., Cursor[Any]]


class Position(NamedTuple):
    """The next look goes behind this priority and key."""

    priority: int
    key: str


START = Position(-(2**31), "")


class Head(NamedTuple):
    """The first waiting row of a key."""

    priority: int
    key: str
    tid: str
    has_pace: bool
    may_start: bool


class KeyCursor:
    """Where the claims of one process stand in the circle of keys. One per workflow."""

    def __init__(self, politeness: Politeness) -> None:
        self.politeness = politeness
        self._position = START

    def heads(self, execute: Execute, room: int) -> list[Head]:
        """Rows of keys that may start, one per key; their keys are locked until the transaction ends."""
        found = self._more_urgent(execute, room)
        if len(found) < room:
            began = self._position
            found += self._behind(execute, room - len(found))
            if not found and began != START:
                found = self._behind(execute, room)
        first_of_key = {head.key: head for head in reversed(found)}
        return self._locked(execute, list(first_of_key.values()))

    def _more_urgent(self, execute: Execute, room: int) -> list[Head]:
        """A row that is more urgent than those of this round is claimed before them."""
        if self._position == START:
            return []
        found = self._look(execute, START, room, below=self._position.priority)
        return [head for head in found if head.may_start]

    def _behind(self, execute: Execute, room: int) -> list[Head]:
        found = self._look(execute, self._position, room)
        is_at_the_end = len(found) < room and not (found and not found[-1].may_start)
        self._position = START if is_at_the_end else Position(found[-1].priority, found[-1].key)
        return [head for head in found if head.may_start]

    def _look(self, execute: Execute, behind: Position, room: int, *, below: int = ANY_PRIORITY) -> list[Head]:
        found = execute(
            "heads",
            priority=behind.priority,
            key=behind.key,
            below=below,
            room=room,
            looks=LOOKS,
            at_once=self.politeness.at_once,
        )
        return [Head(*head) for head in found.fetchall()]

    def _locked(self, execute: Execute, heads: list[Head]) -> list[Head]:
        """Without those that another claim has locked, or started a row of, since the look."""
        if not heads:
            return []
        unknown = sorted(head.key for head in heads if not head.has_pace)
        if unknown:
            execute("add_pace", keys=unknown)
        keys = [key for (key,) in execute("lock_pace", keys=[head.key for head in heads]).fetchall()]
        busy = {key for (key,) in execute("busy_keys", keys=keys, at_once=self.politeness.at_once).fetchall()}
        free = set(keys) - busy
        return [head for head in heads if head.key in free]
