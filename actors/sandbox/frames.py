"""What worker and parser process say to each other: a kind, a length, and so many bytes.

worker  -> parser   call (JSON: reader, heads of the bodies, arguments), then its bodies; piece, end or cut of a stream
parser  -> worker   hello (JSON: what the kernel does not offer), more (the next piece, please), batch, answer, failure

A stream goes back and forth: a parser that wants the next piece asks for it, and reads nothing else meanwhile. So the
two never write at the same time, and neither holds more than one piece.
"""

import socket
import struct
from time import monotonic
from typing import Final

CALL: Final = b"c"
PIECE: Final = b"p"
END: Final = b"e"
CUT: Final = b"x"
HELLO: Final = b"h"
MORE: Final = b"m"
BATCH: Final = b"b"
ANSWER: Final = b"a"
FAILURE: Final = b"f"

# The largest answer of an honest document is a few hundred kilobytes.
MOST_ANSWERED: Final = 8 * 1024 * 1024
# All batches of a stream together: 50,000 URLs of the longest kind, as JSON.
MOST_STREAMED: Final = 256 * 1024 * 1024

STATUS: Final = struct.Struct("!i")
"""How a parser process ended, as os.wait tells: what the fork server writes to its lifeline."""

_HEADER: Final = struct.Struct("!cI")
# An interrupt reaches a thread only between two calls of the kernel.
_LONGEST_CALL: Final = 1.0


class BrokenFrame(Exception):
    """The other side is gone."""


class OutOfTurn(Exception):
    """The other side does not keep to this protocol: a parser process that was taken over."""


def framed(kind: bytes, content: bytes = b"") -> bytes:
    return _HEADER.pack(kind, len(content)) + content


def send(connection: socket.socket, content: bytes, until: float) -> None:
    """All of it, or TimeoutError when the monotonic clock has come so far."""
    view = memoryview(content)
    sent = 0
    while sent < len(content):
        connection.settimeout(_next_call(until))
        try:
            sent += connection.send(view[sent:])
        except TimeoutError:
            continue


def receive(connection: socket.socket, most: int, until: float | None = None) -> tuple[bytes, bytearray]:
    """A frame; TimeoutError when it has not come in full until then. None waits for ever."""
    kind, size = _HEADER.unpack(receive_exactly(connection, _HEADER.size, until))
    if size > most:
        raise OutOfTurn(f"{size:,} bytes, and {most:,} are allowed")
    return kind, receive_exactly(connection, size, until)


def receive_exactly(connection: socket.socket, size: int, until: float | None = None) -> bytearray:
    content = bytearray(size)
    view = memoryview(content)
    received = 0
    while received < size:
        if until is not None:
            connection.settimeout(_next_call(until))
        try:
            count = connection.recv_into(view[received:])
        except TimeoutError:
            continue
        if count == 0:
            raise BrokenFrame("ended")
        received += count
    return content


def _next_call(until: float) -> float:
    """Seconds that the next call may take."""
    left = until - monotonic()
    if left <= 0:
        raise TimeoutError
    return min(left, _LONGEST_CALL)
