"""From the bytes of a sitemap to its text: gzip by its magic bytes, encodings by byte order mark and declaration."""

import codecs
import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain

# The protocol allows 50 MB per file, unpacked.
MOST_BYTES = 50 * 1024 * 1024

_MAGIC = b"\x1f\x8b"
_GZIP = 16 + zlib.MAX_WBITS
_PIECE = 64 * 1024
_LARGEST_RATIO = 200
_BOMBS_ARE_LARGER = 4 * 1024 * 1024

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WITHOUT_A_MARK = ((b"<\x00", "utf-16-le"), (b"\x00<", "utf-16-be"))
_DECLARATION = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})""")
# What a sitemap may call its encoding; Python knows more codecs than there are ways to write text.
_TEXT_ENCODING = re.compile(r"(?:iso|windows|cp|latin|koi8|gb|big5|shift|sjis|euc|mac|tis)[\w-]*", re.IGNORECASE)
_LONGEST_DECLARATION = 400


class SitemapError(ValueError):
    """What was sent is an attack, not a sitemap; the message is for the person who looks at the row."""


class Unpacked:
    """The bytes of a sitemap, unzipped as they are iterated over; damage and excess end it, and `problem` says so."""

    def __init__(self, chunks: Iterable[bytes], *, most: int = MOST_BYTES) -> None:
        self.size = 0
        self.problem: str | None = None
        self._chunks = chunks
        self._most = most
        self._received = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces():
            room = self._most - self.size
            self.size += min(len(piece), room)
            yield piece[:room]
            if len(piece) > room:
                self.problem = f"cut off after {self._most:,} bytes"
                return

    def _pieces(self) -> Iterator[bytes]:
        head, rest = at_least(len(_MAGIC), self._counted())
        packed = chain([head], rest)
        return self._unzipped(packed) if head.startswith(_MAGIC) else packed

    def _counted(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self._received += len(chunk)
            yield chunk

    def _unzipped(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        member, is_complete = zlib.decompressobj(_GZIP), False
        for chunk in chunks:
            packed = b"" if is_complete and not chunk.startswith(_MAGIC) else chunk
            while packed:
                try:
                    piece = member.decompress(packed, _PIECE)
                except zlib.error:
                    self.problem = f"gzip damaged after {self.size:,} bytes"
                    return
                self._refuse_a_bomb(len(piece))
                yield piece
                packed, is_complete = member.unconsumed_tail, member.eof
                if is_complete:
                    # What follows the end is another member, or filling that nobody reads.
                    packed = member.unused_data if member.unused_data.startswith(_MAGIC) else b""
                    member = zlib.decompressobj(_GZIP)
        if not is_complete:
            self.problem = f"gzip cut off after {self.size:,} bytes"

    def _refuse_a_bomb(self, more: int) -> None:
        size = self.size + more
        if size > _BOMBS_ARE_LARGER and size > self._received * _LARGEST_RATIO:
            raise SitemapError(f"a gzip bomb: {self._received:,} bytes unpack to more than {size:,}")


def decoded(chunks: Iterable[bytes]) -> Iterator[str]:
    """The text in pieces; a byte that the encoding does not know becomes U+FFFD."""
    head, rest = at_least(_LONGEST_DECLARATION, chunks)
    mark, encoding = _encoding(head)
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for chunk in chain([head[len(mark) :]], rest):
        yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True)


def at_least(size: int, chunks: Iterable[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The beginning, of that size where there is so much, and an iterator over what follows."""
    iterator = iter(chunks)
    head = b""
    for chunk in iterator:
        head += chunk
        if len(head) >= size:
            break
    return head, iterator


def _encoding(head: bytes) -> tuple[bytes, str]:
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return mark, encoding
    for beginning, encoding in _WITHOUT_A_MARK:
        if head.startswith(beginning):
            return b"", encoding
    declaration = _DECLARATION.match(head)
    return b"", _known(declaration[1].decode("ascii", "replace")) if declaration else "utf-8"


def _known(name: str) -> str:
    """The codec for a declared encoding; utf-8 for a name that means nothing, or that the bytes belie."""
    try:
        return codecs.lookup(name).name if _TEXT_ENCODING.fullmatch(name) else "utf-8"
    except LookupError:
        return "utf-8"
