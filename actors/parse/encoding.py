"""Bytes to text as a browser would: byte order mark, header, meta or XML declaration, then detection."""

import codecs
import tomllib
from functools import cache
from importlib.resources import files

import cchardet
from w3lib.encoding import (
    html_body_declared_encoding,
    http_content_type_encoding,
    read_bom,
    resolve_encoding,
    to_unicode,
)

# Enough to tell a language from, and no more than detection can afford on a page of megabytes.
_SAMPLE_BYTES = 256 * 1024


@cache
def _read_by_browsers() -> frozenset[str]:
    data = tomllib.loads(files("actors.parse").joinpath("encodings.toml").read_text(encoding="utf-8"))
    return frozenset(codecs.lookup(name).name for name in data["names"])


def decode(body: bytes, content_type: str | None = None) -> str:
    """Never fails: what cannot be read becomes U+FFFD."""
    by_mark, mark = read_bom(body)
    if by_mark is not None and mark is not None:
        return to_unicode(body[len(mark) :], by_mark)
    return to_unicode(body, _said_by_header(content_type) or _said_by_page(body) or _detected(body))


def _said_by_header(content_type: str | None) -> str | None:
    name = http_content_type_encoding(content_type)
    return _readable("utf-16-le" if name == "utf-16" else name)


def _said_by_page(body: bytes) -> str | None:
    name = html_body_declared_encoding(body)
    # Whoever could read these words in ASCII knows better than that the page is in UTF-16.
    return _readable("utf-8" if name is not None and name.startswith(("utf-16", "utf-32")) else name)


def _detected(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        if _is_nearly_utf_8(body):
            return "utf-8"
        start = max(0, error.start - _SAMPLE_BYTES // 2)
        guess = cchardet.detect(body[start : start + _SAMPLE_BYTES])["encoding"]
        return _readable(resolve_encoding(guess) if guess else None) or "cp1252"
    return "utf-8"


def _is_nearly_utf_8(body: bytes) -> bool:
    """One stray byte to twenty letters beyond ASCII is a slip, not another encoding."""
    text = body.decode("utf-8", errors="replace")
    strays = text.count("\ufffd")
    wide = len(text) - len(text.encode("ascii", errors="ignore")) - strays
    return strays * 20 <= wide


def _readable(name: str | None) -> str | None:
    return name if name in _read_by_browsers() else None
