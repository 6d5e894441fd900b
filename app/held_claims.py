"""Which claims the threads of this process answer for.

A token is held from before the transaction that claims with it, until its rows are recorded. So whatever the database
shows as claimed by this process under another token is in doubt: its commit had no answer, and no thread knows of it.
"""

import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection

from db.lifecycle import Ended, Recorder


class HeldClaims:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[UUID, list[Ended]] = {}
        self._holders: Counter[UUID] = Counter()

    def __contains__(self, token: UUID) -> bool:
        with self._lock:
            return token in self._held

    def hold(self) -> UUID:
        """A new token, to be held before the transaction begins."""
        token = uuid4()
        with self._lock:
            self._held[token] = []
            self._holders[token] = 1
        return token

    def share(self, token: UUID) -> None:
        """One more holder answers for some of its rows, and lets go by itself."""
        with self._lock:
            self._holders[token] += 1

    def let_go(self, token: UUID) -> None:
        """Its rows are recorded, there were none, or nobody knows whether it was committed."""
        with self._lock:
            self._holders[token] -= 1
            if self._holders[token] <= 0:
                self._held.pop(token, None)
                del self._holders[token]

    def doubt(self, ended: Sequence[Ended]) -> None:
        """These endings may be recorded: the transaction had no answer."""
        with self._lock:
            for one in ended:
                if one.ending.token is not None:
                    self._held[one.ending.token].append(one)

    def settle(self, connection: Connection[Any], recorder: Recorder, ended: list[Ended]) -> list[Ended]:
        """What is stale now because an earlier try of ours was committed unheard is what that try made of it."""
        stale = [one for one in ended if one.verdict == "stale"]
        with self._lock:
            earlier = [known for one in stale if one.ending.token for known in self._held[one.ending.token]]
        if not earlier:
            return ended
        committed = recorder.committed(connection, sorted({one.xid for one in earlier if one.xid}))
        known = {(one.ending.token, one.ending.pk): one for one in earlier if one.xid in committed}
        return [known.get((one.ending.token, one.ending.pk), one) if one in stale else one for one in ended]
