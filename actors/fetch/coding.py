"""The content coding of an answer: at most one, of those that were asked for, and true at first sight."""

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from typing import Final

from actors.errors import Unusable
from actors.parse.wire_body import has_zlib_header

_CODINGS: Final = {"gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate"}
# Encodings that we never offer to read; words that are no encoding at all are ignored, as browsers do.
_UNREAD: Final = frozenset(("br", "zstd", "compress", "x-compress", "dcb", "dcz"))
_GZIP_MAGIC: Final = b"\x1f\x8b"
_NEVER_DEFLATED: Final = (_GZIP_MAGIC, BOM_UTF8, BOM_UTF16_LE, BOM_UTF16_BE)
_TEXT: Final = frozenset(b"\t\r\n\f" + bytes(range(0x20, 0x7F)))
_CONTROL: Final = frozenset({*map(chr, range(0x20)), "\x7f"} - {*map(chr, _TEXT)})
_LOOKED_AT: Final = 32
_QUOTED: Final = 100


def coding_of(header: str, url: str) -> str | None:
    """gzip, deflate or None. An answer that is packed twice is a bomb, or made by nobody who wants to be read."""
    names = [name.strip() for name in header.lower().split(",")]
    if _UNREAD.intersection(names):
        raise Unusable(f"{url}: encoded as {header[:_QUOTED]}, which was not asked for", kind="encoding", url=url)
    codings = [_CODINGS[name] for name in names if name in _CODINGS]
    if len(codings) > 1:
        message = f"{url}: encoded {len(codings)} times over ({header[:_QUOTED]}), and one coding is read at most"
        raise Unusable(message, kind="encoding", url=url)
    return codings[0] if codings else None


def refuse_a_lie(coding: str | None, beginning: bytes, url: str) -> None:
    """Servers say gzip and send plain text; a first look shows it, without unpacking anything."""
    if coding == "gzip":
        is_lie = not beginning.startswith(_GZIP_MAGIC[: len(beginning)])
    else:
        is_lie = coding == "deflate" and bool(beginning) and not _may_be_deflated(beginning)
    if is_lie:
        raise Unusable(f"{url}: the answer is not encoded as it says", kind="encoding", url=url)


def _may_be_deflated(beginning: bytes) -> bool:
    looked_at = beginning[:_LOOKED_AT]
    if beginning.startswith(_NEVER_DEFLATED) or _TEXT.issuperset(looked_at):
        return False
    return has_zlib_header(beginning) or not _is_utf8(looked_at)


def _is_utf8(content: bytes) -> bool:
    """Text without control characters; its last character may be cut off."""
    try:
        text = getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return False
    return bool(text) and _CONTROL.isdisjoint(text)
