"""A file that a person made, as numbered values: CSV of any make, or one value per line.

No line is lost without a word: what can not be read comes out as a broken record with its number.
"""

import csv
import io
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import BinaryIO, Final, NamedTuple, cast

DELIMITERS: Final = ("\t", ";", "|", ",")
SAMPLE: Final = 50
LONGEST_RECORD: Final = 50  # lines: a quote that is still open after so many was never meant to open
LONGEST_LINE: Final = 1_000_000

# Straight, and as word processors of several languages set them.
QUOTES: Final = "\"'`\u00b4\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a"

# What is sent by mistake for a text, by its first bytes.
NO_TEXT: Final = {
    b"PK\x03\x04": "an Excel workbook or another archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\x1f\x8b": "compressed by gzip",
    b"%PDF": "a PDF",
}

_NOT_A_LETTER = re.compile(r"[^a-z0-9]+")
_LIKELY = re.compile(r"(?![^\s@]*+[\s@])[^\s@]+?\.[^\s@]{2,}")


class LinesError(ValueError):
    """The file as a whole can not be read as asked."""


class Value(NamedTuple):
    """What stands in the wanted column, or why the line has no such thing."""

    line: int
    text: str
    broken: str | None = None


class Record(NamedTuple):
    line: int
    fields: Sequence[str]
    broken: str | None = None


def read_values(stream: io.BufferedReader, names: Sequence[str], column: str | None = None) -> Iterator[Value]:
    """Every value of the file's column, found by the names it may have, best first, or by the name or number given."""
    lines = _numbered(_decoded(stream))
    sample = list(islice(lines, SAMPLE))
    delimiter = _delimiter([text for _, text in sample if text.strip()], names, column)
    records = _records(chain(sample, lines), delimiter)
    beginning = list(islice(records, SAMPLE))
    index, has_header = _column(beginning, names, column)
    for record in chain(beginning[has_header:], records):
        if record.broken:
            yield Value(record.line, record.fields[0], record.broken)
        elif len(record.fields) > index:
            if text := _unquoted(record.fields[index]):
                yield Value(record.line, text)
            elif delimiter:
                yield Value(record.line, "", f"nothing in column {index + 1}")
        else:
            yield Value(record.line, (delimiter or "").join(record.fields), f"the line has no column {index + 1}")


def buffered(stream: BinaryIO) -> io.BufferedReader:
    """What a command was given, as something that lets us look ahead."""
    if isinstance(stream, io.BufferedReader):
        return stream
    return io.BufferedReader(cast("io.RawIOBase", stream))


def _decoded(stream: io.BufferedReader) -> Iterator[str]:
    """Lines of text, with their line ends. UTF-8 with or without a mark, UTF-16; what is neither is Windows' own."""
    start = stream.peek(64)[:64]
    for mark, what in NO_TEXT.items():
        if start.startswith(mark):
            raise LinesError(f"the file is {what}, not a text; save it as CSV first")
    encoding = _encoding(start)
    errors = "surrogateescape" if encoding == "utf-8-sig" else "replace"
    text = io.TextIOWrapper(stream, encoding=encoding, errors=errors, newline="")
    try:
        while line := text.readline(LONGEST_LINE):
            # The rest of a line that is too long is read past, so that the numbers of the lines after it stay true.
            rest = line
            while len(rest) == LONGEST_LINE and rest[-1] not in "\r\n":
                rest = text.readline(LONGEST_LINE)
            yield _whole(line)
    finally:
        text.detach()


def _encoding(start: bytes) -> str:
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if len(start) > 1 and not any(start[1::2]):
        return "utf-16-le"
    if len(start) > 1 and not any(start[::2]):
        return "utf-16-be"
    return "utf-8-sig"


def _whole(line: str) -> str:
    try:
        line.encode()
    except UnicodeEncodeError:  # a byte that is no UTF-8, kept apart by surrogateescape
        return line.encode(errors="surrogateescape").decode("cp1252", errors="replace")
    return line


def _numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    return enumerate(lines, start=1)


def _delimiter(sample: Sequence[str], names: Sequence[str], column: str | None) -> str | None:
    """What separates columns, or None: one value per line. A comma in one URL does not make a table."""
    if not sample:
        return None
    for delimiter in DELIMITERS:
        header = _fields(sample[0], delimiter)
        if len(header) > 1 and _known(header, (*names, *([column] if column else []))) is not None:
            return delimiter
    for delimiter in DELIMITERS:
        if all(len(_fields(line, delimiter)) > 1 for line in sample):
            return delimiter
    return None


def _fields(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return [line]


def _records(lines: Iterable[tuple[int, str]], delimiter: str | None) -> Iterator[Record]:
    if delimiter is None:
        for number, line in lines:
            text = line.strip().strip(QUOTES).strip()
            if text and not text.startswith("#"):
                yield Record(number, [text], _too_long(line))
        return
    waiting = iter(lines)
    ahead: deque[tuple[int, str]] = deque()
    while True:
        ahead.extend(islice(waiting, LONGEST_RECORD - len(ahead)))
        if not ahead:
            return
        number, line = ahead[0]
        record, taken = _record(number, line, (text for _, text in ahead), delimiter)
        for _ in range(taken):
            ahead.popleft()
        if record.broken or len(record.fields) > 1 or any(field.strip() for field in record.fields):
            yield record


def _record(number: int, line: str, lines: Iterable[str], delimiter: str) -> tuple[Record, int]:
    """The first record of the lines, and how many of them it takes: more than one only where the quotes are right."""
    if reason := _too_long(line):
        return Record(number, [line.strip()], reason), 1
    try:
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        return Record(number, next(reader)), reader.line_num
    except csv.Error:
        if line.count('"') % 2:
            return Record(number, [line.strip()], "a quote is opened and not closed"), 1
    try:
        return Record(number, next(csv.reader([line], delimiter=delimiter))), 1
    except csv.Error as error:
        return Record(number, [line.strip()], f"not readable as CSV: {error}"), 1


def _unquoted(field: str) -> str:
    """Of a field only what stands within quotes as a whole: in `"Ann" <ann@smile.com>` they belong to the name."""
    text = field.strip()
    return text[1:-1].strip() if len(text) > 1 and text[0] in QUOTES and text[-1] in QUOTES else text


def _too_long(line: str) -> str | None:
    whole = len(line) < LONGEST_LINE or line[-1] in "\r\n"
    return None if whole else f"the line is longer than {LONGEST_LINE:,} characters"


def _column(records: Sequence[Record], names: Sequence[str], column: str | None) -> tuple[int, bool]:
    """Which column holds the values, and whether the first record is a header."""
    if not records:
        return 0, False
    first = records[0].fields
    if column is not None and column.isdecimal():
        if not int(column):
            raise LinesError("columns are counted from 1")
        return int(column) - 1, _known(first, names) is not None
    if column is not None:
        named = _known(first, [column])
        if named is None:
            raise LinesError(f"no column is called {column!r}; the first line has: {', '.join(first)}")
        return named, True
    known = _known(first, names)
    if known is not None:
        return known, True
    for index in range(max(len(record.fields) for record in records)):
        values = [record.fields[index] for record in records if len(record.fields) > index]
        if sum(_LIKELY.fullmatch(value.strip()) is not None for value in values) * 2 > len(values):
            return index, False
    return 0, False


def _known(fields: Sequence[str], names: Iterable[str]) -> int | None:
    plain = [_plain(field) for field in fields]
    return next((plain.index(_plain(name)) for name in names if _plain(name) in plain), None)


def _plain(text: str) -> str:
    return _NOT_A_LETTER.sub(" ", text.lower()).strip() or text.strip().lower()
