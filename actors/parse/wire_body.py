"""A body as it came over the wire: in its content coding, which is taken off in pieces and within a limit."""

import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from actors.parse.encoding import decode
from actors.parse.sitemap_bytes import at_least

_PIECE = 64 * 1024
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS
_ZLIB_METHOD, _ZLIB_CHECK = 8, 31
_READABLE = frozenset(("", "text/html", "application/xhtml+xml", "application/xml", "text/xml", "text/plain"))


class TooLarge(ValueError):
    """The decoded body is larger than its limit."""


class BadCoding(ValueError):
    """The body is not encoded as its header says."""


class WireHead(NamedTuple):
    """What is known of a body before it is decoded."""

    url: str
    coding: str | None
    """gzip, deflate, or None where the bytes are plain. There is at most one: whoever fetches refuses the rest."""

    content_type: str | None
    most: int
    """Bytes, decoded, that the body may have."""


class WireBody(NamedTuple):
    head: WireHead
    content: bytes


class WireStream(NamedTuple):
    head: WireHead
    chunks: Iterable[bytes]


def unpacked(chunks: Iterable[bytes], coding: str | None, most: int) -> Iterator[bytes]:
    """The plain bytes, in pieces of 64 KiB where they were packed; raises at the piece that goes beyond the limit."""
    size = 0
    for piece in _pieces(chunks, coding):
        size += len(piece)
        if size > most:
            raise TooLarge(f"more than {most:,} bytes")
        yield piece


def _pieces(chunks: Iterable[bytes], coding: str | None) -> Iterable[bytes]:
    if coding == "gzip":
        return _inflated(chunks, _GZIP)
    if coding == "deflate":
        # Half of the servers send what the standard says, the others leave out its first two bytes.
        head, rest = at_least(2, chunks)
        return _inflated(chain([head], rest), _ZLIB if has_zlib_header(head) else _RAW)
    return chunks


def has_zlib_header(head: bytes) -> bool:
    return head[:1] != b"" and head[0] & 0x0F == _ZLIB_METHOD and int.from_bytes(head[:2]) % _ZLIB_CHECK == 0


def _inflated(chunks: Iterable[bytes], window: int) -> Iterator[bytes]:
    """What follows the end is ignored, as browsers do; what is cut off is given as far as it goes."""
    packer = zlib.decompressobj(window)
    for chunk in chunks:
        packed, piece = chunk, b""
        # A full piece may be followed by more that needs no further input.
        while (packed or len(piece) == _PIECE) and not packer.eof:
            try:
                piece = packer.decompress(packed, _PIECE)
            except zlib.error as error:
                raise BadCoding(str(error)) from error
            yield piece
            packed = packer.unconsumed_tail


def plain_bytes(body: WireBody) -> bytes:
    return b"".join(unpacked([body.content], body.head.coding, body.head.most))


def page_text(body: WireBody) -> str:
    """The text of a page, decoded as a browser would."""
    return decode(plain_bytes(body), body.head.content_type)


def unreadable_kind(body: WireBody) -> str | None:
    """The content type of what is no page to read, such as a PDF."""
    kind = (body.head.content_type or "").partition(";")[0].strip().lower()
    if kind not in _READABLE:
        return kind
    beginning, _ = at_least(5, unpacked([body.content], body.head.coding, body.head.most))
    return "application/pdf" if beginning.startswith(b"%PDF-") else None
