"""A parser process: answers one question after the other about documents from the web, and can do nothing else."""

import json
import os
import resource
import signal
import socket
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError
from selectolax.lexbor import SelectolaxError

from actors.parse.readers import ANSWERS, BATCHES, READERS, STREAM_READERS
from actors.parse.wire_body import BadCoding, TooLarge, WireBody, WireHead, WireStream
from actors.sandbox import frames
from actors.sandbox.limits import Limits
from actors.sandbox.lockdown import DOCUMENTS, lock_down_parser

OUT_OF_MEMORY: Final = 77
_MOST_CALLED: Final = 64 * 1024 * 1024
_LONGEST_ERROR: Final = 500


def run(documents: socket.socket, limits: Limits, missing: list[str]) -> NoReturn:
    """In the fork that becomes a parser process. Never returns."""
    code = 1
    try:
        missing = missing + lock_down_parser(documents.detach(), limits)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=DOCUMENTS)
        connection.sendall(frames.framed(frames.HELLO, json.dumps(missing).encode()))
        while True:
            _answer(connection, limits)
    except (frames.BrokenFrame, frames.OutOfTurn):
        code = 0  # the worker has closed: there is nothing left to do
    except MemoryError:
        code = OUT_OF_MEMORY
    finally:
        os._exit(code)


def _answer(connection: socket.socket, limits: Limits) -> None:
    _, said = frames.receive(connection, _MOST_CALLED)
    call = json.loads(said)
    name, arguments = call["reader"], call["arguments"]
    heads = [WireHead(*head) for head in call["heads"]]
    # The kernel ends a process that uses up its time: SIGPROF is not handled by anybody.
    signal.setitimer(signal.ITIMER_PROF, limits.cpu(stream=name in STREAM_READERS))
    try:
        if name in STREAM_READERS:
            answer = _streamed(connection, name, WireStream(heads[0], _pieces(connection)), arguments)
        else:
            sizes = call["sizes"]
            bodies = [
                WireBody(head, bytes(frames.receive_exactly(connection, size)))
                for head, size in zip(heads, sizes, strict=True)
            ]
            answer = _written(ANSWERS[name], READERS[name](bodies, **arguments))
        kind = frames.ANSWER
    except (frames.BrokenFrame, frames.OutOfTurn, MemoryError):
        raise
    except Exception as error:
        if _is_out_of_memory(error, limits):
            raise MemoryError from error
        kind, answer = frames.FAILURE, _failure(error)
    if len(answer) > frames.MOST_ANSWERED:
        kind, answer = frames.FAILURE, json.dumps(["answer", ""]).encode()
    # Before the answer: a timer that rings after it would be held against the next document.
    signal.setitimer(signal.ITIMER_PROF, 0)
    connection.sendall(frames.framed(kind, answer))


def _streamed(connection: socket.socket, name: str, stream: WireStream, arguments: dict[str, Any]) -> bytes:
    reading = STREAM_READERS[name](stream, **arguments)
    while True:
        try:
            batch = next(reading)
        except StopIteration as end:
            return _written(ANSWERS[name], end.value)
        connection.sendall(frames.framed(frames.BATCH, _written(BATCHES[name], batch)))


def _pieces(connection: socket.socket) -> Iterator[bytes]:
    while True:
        connection.sendall(frames.framed(frames.MORE))
        kind, piece = frames.receive(connection, _MOST_CALLED)
        if kind == frames.CUT:
            raise TooLarge("cut off by the worker")
        if kind == frames.END:
            return
        yield bytes(piece)


def _written(kind: TypeAdapter[Any], value: object) -> bytes:
    try:
        return kind.dump_json(value)
    except PydanticSerializationError:  # half of a surrogate pair, as JSON-LD may write it, is no character
        return json.dumps(kind.dump_python(value), ensure_ascii=False).encode("utf-8", "replace")


def _is_out_of_memory(error: Exception, limits: Limits) -> bool:
    """The HTML parser says only that it can not parse, which it can unless there is no memory left."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return isinstance(error, SelectolaxError) and used > limits.memory_bytes / 2


def _failure(error: Exception) -> bytes:
    if isinstance(error, TooLarge | BadCoding):
        return json.dumps(["too_large" if isinstance(error, TooLarge) else "encoding", ""]).encode()
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else "?"  # noqa: PTH119 - a name, no file
    words = f"{type(error).__name__}: {error}"[:_LONGEST_ERROR]
    return json.dumps(["error", f"{words} ({where})"]).encode()
