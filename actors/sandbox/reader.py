"""The boundary: bytes from the web go in, an answer of a declared type comes out, whatever the bytes do in between.

What comes back is JSON, checked against the type that the reader declares, and never larger than a limit: a parser
process that was taken over can lie about its document. It can also read, and lie about, the documents that it is given
after that one, of other sites too, until it is replaced; it can do nothing else.
"""

import json
import os
import signal
import socket
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from datetime import timedelta
from time import monotonic
from typing import Any, Concatenate, Final, NoReturn, ParamSpec, TypeVar

from pydantic import TypeAdapter, ValidationError

from actors.errors import RetryLater, Unusable, WorkflowError
from actors.parse.readers import ANSWERS, BATCHES, NAMES
from actors.parse.wire_body import TooLarge, WireBody, WireHead, WireStream
from actors.sandbox import frames
from actors.sandbox.child import OUT_OF_MEMORY
from actors.sandbox.fork_server import Parser, SandboxError, described
from actors.sandbox.pool import ParserPool

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
Batch = TypeVar("Batch")

_UNTIL_THERE_ARE_PARSERS: Final = timedelta(seconds=10)
_FAILURE: Final = TypeAdapter(tuple[str, str])
_LONGEST_ERROR: Final = 600
_OUT_OF_TIME: Final = (signal.SIGPROF, signal.SIGXCPU)
_CRASHES: Final = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE, signal.SIGSYS)


class ParserLost(WorkflowError):
    """Somebody outside ended the parser process: the document is not to blame, and the row is tried again."""


class ParserFailed(WorkflowError):
    """A parser raised what it should not: a mistake of ours. The row is tried again as after any other error."""


class _Call:
    """One question about one document, or a few that belong together."""

    def __init__(self, reader: str, heads: Sequence[WireHead], arguments: dict[str, Any], *, wall: float) -> None:
        self.reader = reader
        self.heads = heads
        self.arguments = arguments
        self.wall = wall
        self.until = 0.0

    @property
    def url(self) -> str:
        return self.heads[0].url

    def opening(self, bodies: Sequence[bytes] = ()) -> bytes:
        call = {
            "reader": self.reader,
            "heads": self.heads,
            "sizes": [len(body) for body in bodies],
            "arguments": self.arguments,
        }
        return b"".join((frames.framed(frames.CALL, json.dumps(call).encode()), *bodies))

    def begin(self) -> None:
        self.until = monotonic() + self.wall

    def next_piece(self, chunks: Iterator[bytes]) -> bytes:
        """The time that it takes to arrive is the network's, and is added."""
        began = monotonic()
        piece = _next_piece(chunks)
        self.until += monotonic() - began
        return piece

    def send(self, connection: socket.socket, content: bytes) -> None:
        frames.send(connection, content, self.until)

    def receive(self, connection: socket.socket) -> tuple[bytes, bytearray]:
        return frames.receive(connection, frames.MOST_ANSWERED, self.until)


class Reader:
    """One per run of a row, and no more than one question at a time; `close` it in the end."""

    def __init__(self, pool: ParserPool) -> None:
        self._pool = pool
        self.waited = 0.0
        """For how many seconds its questions waited for a parser process."""

    def read(
        self,
        reader: Callable[Concatenate[Sequence[WireBody], Arguments], Answer],
        bodies: Sequence[WireBody],
        *_: Arguments.args,
        **arguments: Arguments.kwargs,
    ) -> Answer:
        """Let a reader of actors.parse.readers read some bodies in a parser process."""
        heads, contents = [body.head for body in bodies], [body.content for body in bodies]

        def ask() -> Answer:
            call = _Call(NAMES[reader], heads, arguments, wall=self._pool.limits.wall(stream=False))
            answer: Answer = self._asked(call, contents)
            return answer

        try:
            return ask()
        except ParserLost:
            # The OOM killer, or an operator: once more, in a fresh process.
            return ask()

    def stream(
        self,
        reader: Callable[Concatenate[WireStream, Arguments], Generator[Batch, None, Answer]],
        stream: WireStream,
        take: Callable[[Batch], object],
        *_: Arguments.args,
        **arguments: Arguments.kwargs,
    ) -> Answer:
        """Let a stream reader read a body as it arrives; what it finds on the way is given to `take`."""
        name = NAMES[reader]
        call = _Call(name, [stream.head], arguments, wall=self._pool.limits.wall(stream=True))
        answer: Answer = self._asked(call, (), stream.chunks, take)
        return answer

    def close(self) -> None:
        self._pool.leave(self)

    def _asked(
        self, call: _Call, bodies: Sequence[bytes], chunks: Iterable[bytes] = (), take: Callable[[Any], object] = bool
    ) -> Any:
        asked = monotonic()
        try:
            is_stream = call.reader in BATCHES
            parser = self._pool.borrow_for_stream(self) if is_stream else self._pool.borrow(self)
        except SandboxError as error:
            self._pool.leave(self)
            raise RetryLater(f"{call.url}: not read, because {error}", delay=_UNTIL_THERE_ARE_PARSERS) from error
        began = monotonic()
        self.waited += began - asked
        try:
            kind, said = self._exchange(parser, call, bodies, iter(chunks), take)
        except TimeoutError:
            self._pool.discard(self)
            self._refuse(call, "time", f"needs more than {call.wall:g} s to read")
        except frames.OutOfTurn as error:
            self._pool.discard(self)
            self._refuse(call, "answer", f"its parser does not answer as it should: {error}", error)
        except (frames.BrokenFrame, OSError) as error:
            self._died(call, self._pool.discard(self), error)
        except BaseException:
            self._pool.discard(self)
            raise
        parser.documents += 1
        self._pool.watch.read(call.reader, monotonic() - began)
        if kind == frames.FAILURE:
            self._failed(call, said)
        answer = self._checked(call, ANSWERS[call.reader], said)
        self._pool.give_back(self)
        return answer

    def _exchange(
        self,
        parser: Parser,
        call: _Call,
        bodies: Sequence[bytes],
        chunks: Iterator[bytes],
        take: Callable[[Any], object],
    ) -> tuple[bytes, bytearray]:
        """Until the answer or the failure."""
        connection, streamed, is_over = parser.connection, 0, False
        call.begin()
        call.send(connection, call.opening(bodies))
        while True:
            kind, said = call.receive(connection)
            streamed += len(said)
            if streamed > frames.MOST_STREAMED:
                raise frames.OutOfTurn("no end of it")
            if kind == frames.MORE and not is_over:
                piece = call.next_piece(chunks)
                is_over = not piece.startswith(frames.PIECE)
                call.send(connection, piece)
            elif kind == frames.BATCH and call.reader in BATCHES:
                take(self._checked(call, BATCHES[call.reader], said))
            elif kind in (frames.ANSWER, frames.FAILURE):
                return kind, said
            else:
                raise frames.OutOfTurn(f"{kind!r} is not what was asked for")

    def _checked(self, call: _Call, kind: TypeAdapter[Any], said: bytearray) -> Any:
        try:
            return kind.validate_json(bytes(said))
        except ValidationError as error:
            self._pool.discard(self)
            self._refuse(call, "answer", "its parser gave an answer of the wrong shape", error)

    def _died(self, call: _Call, status: int | None, error: Exception) -> NoReturn:
        limits = self._pool.limits
        number = os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None
        if number in _OUT_OF_TIME:
            seconds = limits.cpu(stream=call.reader in BATCHES)
            self._refuse(call, "time", f"needs more than {seconds:g} s to read", error)
        if status is not None and number is None and os.waitstatus_to_exitcode(status) == OUT_OF_MEMORY:
            self._refuse(call, "memory", f"needs more than {limits.memory_mb:,} MB to read", error)
        if number in _CRASHES or (status is not None and number is None):
            self._refuse(call, "crash", f"its parser crashed ({described(status)})", error)
        self._pool.watch.failed(call.reader, "killed", call.url, described(status))
        raise ParserLost(f"{call.url}: its parser was killed from outside ({described(status)})") from error

    def _failed(self, call: _Call, said: bytearray) -> NoReturn:
        kind, words = self._checked(call, _FAILURE, said)
        self._pool.give_back(self)
        if kind == "too_large":
            most = call.heads[0].most
            self._pool.watch.failed(call.reader, "size", call.url, f"more than {most:,} bytes")
            raise Unusable(f"{call.url}: more than {most:,} bytes", kind="too_large", url=call.url)
        if kind == "encoding":
            self._pool.watch.failed(call.reader, "coding", call.url, "not encoded as it says")
            raise Unusable(f"{call.url}: the answer is not encoded as it says", kind="encoding", url=call.url)
        if kind == "answer":
            self._refuse(call, "answer", f"what is found in it is more than {frames.MOST_ANSWERED:,} bytes")
        self._pool.watch.failed(call.reader, "error", call.url, words[:_LONGEST_ERROR])
        raise ParserFailed(f"{call.url}: {words[:_LONGEST_ERROR]}")

    def _refuse(self, call: _Call, limit: str, words: str, cause: Exception | None = None) -> NoReturn:
        self._pool.watch.failed(call.reader, limit, call.url, words)
        raise Unusable(f"{call.url}: {words}", kind=f"parser_{limit}", url=call.url) from cause


def _next_piece(chunks: Iterator[bytes]) -> bytes:
    try:
        chunk = next(chunks, None)
    except TooLarge:
        return frames.framed(frames.CUT)
    return frames.framed(frames.END) if chunk is None else frames.framed(frames.PIECE, chunk)
