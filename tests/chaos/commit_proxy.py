"""A proxy in front of Postgres that puts commits in doubt: the client never hears what became of them.

It follows the client's side of the wire protocol far enough to know which transaction a COMMIT ends, or which statement
commits by itself. Then the connection to the client is cut

    committed   after the server has committed,
    lost        before the server has heard of it, so that the transaction is rolled back,
    late        at once, while the server commits a moment later.
"""

import asyncio
import contextlib
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from tests.chaos.proxy import CHUNK, Passage, Proxy

Way = Literal["committed", "lost", "late"]
WAYS: tuple[Way, ...] = get_args(Way)
LATE_SECONDS = 0.3
# Pieces of SQL by which transactions of the engine are known.
CLAIM, RECORD, FAILURE, BEAT = "select due.ctid", "select held.ctid", "ending.given_back", "set beats = beats + 1"
CLAIM_BY_KEY, SWEEP = "select head.ctid", "insert into engine.sweep_position"
HEAD = struct.Struct("!cI")


@dataclass(eq=False)
class Doubt:
    way: Way
    pieces: tuple[bytes, ...]


class Messages:
    """Cuts a client's bytes into messages. The first, which begins a session, has no type."""

    def __init__(self) -> None:
        self._buffer = b""
        self._begun = False

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        self._buffer += data
        while len(self._buffer) >= HEAD.size:
            start = 1 if self._begun else 0
            (length,) = struct.unpack_from("!I", self._buffer, start)
            if len(self._buffer) < start + length:
                return
            message, self._buffer = self._buffer[: start + length], self._buffer[start + length :]
            yield (message[:1] if self._begun else b""), message
            self._begun = True


@dataclass
class Session:
    """What a client has sent since its last commit."""

    prepared: dict[bytes, bytes] = field(default_factory=dict)
    statements: list[bytes] = field(default_factory=list)
    in_transaction: bool = False

    def commits(self, kind: bytes, message: bytes) -> bool:
        """Whether this message makes the server commit what `statements` holds."""
        if kind == b"Q":
            return self._ran(message[5:-1])
        if kind == b"P":
            name, query, _ = message[5:].split(b"\0", 2)
            self.prepared[name] = query
        elif kind == b"B":
            name = message[5:].split(b"\0", 2)[1]
            self._ran(self.prepared.get(name, b""))
        return kind == b"S" and not self.in_transaction

    def _ran(self, query: bytes) -> bool:
        word = query.strip().split(b" ")[0].rstrip(b";").upper()
        if word == b"BEGIN":
            self.in_transaction = True
        elif word == b"COMMIT":
            self.in_transaction = False
            return True
        elif word == b"ROLLBACK" and b" TO " not in query.upper():
            self.in_transaction = False
            self.statements.clear()
        else:
            self.statements.append(query)
        return not self.in_transaction


@dataclass(eq=False)
class CutPassage(Passage):
    answered: asyncio.Event = field(default_factory=asyncio.Event)


class CommitProxy(Proxy):
    """`doubt` names a commit to come by pieces of its SQL."""

    def __init__(self, target: Path) -> None:
        super().__init__(target)
        self.wanted: list[Doubt] = []
        self.done: Counter[Way] = Counter()

    def url(self, direct: str) -> str:
        """The same database, reached through here."""
        user, _, path = direct.removeprefix("postgresql://").partition("/")
        name = path.partition("?")[0]
        return f"postgresql://{user.partition('@')[0]}@127.0.0.1:{self.port}/{name}?sslmode=disable&gssencmode=disable"

    def doubt(self, way: Way, *pieces: str) -> Doubt:
        """Put one commit in doubt, of the next transaction with all of these pieces in it."""
        self.wanted.append(Doubt(way, tuple(piece.encode() for piece in pieces)))
        return self.wanted[-1]

    def withdraw(self, doubt: Doubt) -> bool:
        """Whether it had not come about yet."""
        with contextlib.suppress(ValueError):
            self.wanted.remove(doubt)
            return True
        return False

    def _passage(self, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> Passage:
        return CutPassage(client, server)

    def _way_of(self, session: Session) -> Way | None:
        for doubt in list(self.wanted):
            if all(any(piece in one for one in session.statements) for piece in doubt.pieces) and self.withdraw(doubt):
                return doubt.way
        return None

    async def _pump(self, passage: Passage, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert isinstance(passage, CutPassage)
        try:
            if writer is passage.server:
                await self._forward(passage, reader, writer)
            else:
                await self._answer(passage, reader, writer)
        except OSError:
            pass
        finally:
            passage.answered.set()  # or there will be no answer
            writer.close()

    async def _answer(self, passage: CutPassage, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(CHUNK):
            if passage.is_severed:
                passage.answered.set()
                continue
            writer.write(data)
            await writer.drain()

    async def _forward(self, passage: CutPassage, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        messages, session = Messages(), Session()
        while data := await reader.read(CHUNK):
            for kind, message in messages.feed(data):
                way = None
                if session.commits(kind, message):
                    way = self._way_of(session)
                    session.statements.clear()
                if way is not None:
                    await self._cut(passage, message, way)
                    return
                writer.write(message)
            await writer.drain()

    async def _cut(self, passage: CutPassage, commit: bytes, way: Way) -> None:
        self.done[way] += 1
        passage.is_severed = True
        if way == "late":
            passage.client.transport.abort()
            await asyncio.sleep(LATE_SECONDS)
        if way != "lost":
            passage.server.write(commit)
            await passage.server.drain()
            await passage.answered.wait()
        passage.reset()
