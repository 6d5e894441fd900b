"""Which claims the threads of this process answer for.

A token is held from before the transaction that claims with it, until its rows are recorded. So whatever the database
shows as claimed by this process under another token is in doubt: its commit had no answer, and no thread knows of it.
"""

import threading
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection

from db.lifecycle import Ended, Recorder


class HeldClaims:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[UUID, list[Ended]] = {}

    def __contains__(self, token: UUID) -> bool:
        with self._lock:
            return token in self._held

    def hold(self) -> UUID:
        """A new token, to be held before the transaction begins."""
        token = uuid4()
        with self._lock:
            self._held[token] = []
        return token

    def let_go(self, token: UUID) -> None:
        """Its rows are recorded, there were none, or nobody knows whether it was committed."""
        with self._lock:
            self._held.pop(token, None)

    def doubt(self, token: UUID, ended: Sequence[Ended]) -> None:
        """These endings may be recorded: the transaction had no answer."""
        with self._lock:
            self._held[token] += ended

    def settle(self, connection: Connection[Any], recorder: Recorder, token: UUID, ended: list[Ended]) -> list[Ended]:
        """What is stale now because an earlier try of ours was committed unheard is what that try made of it."""
        with self._lock:
            earlier = list(self._held[token])
        if not earlier or all(one.verdict != "stale" for one in ended):
            return ended
        committed = recorder.committed(connection, sorted({one.xid for one in earlier if one.xid}))
        known = {one.ending.pk: one for one in earlier if one.xid in committed}
        return [known.get(one.ending.pk, one) if one.verdict == "stale" else one for one in ended]
