"""Rows as CSV, JSON, JSON lines or a spreadsheet, one at a time.

A cell that begins like a formula could run in the reader's spreadsheet. In CSV such a text gets an apostrophe in front,
as spreadsheets themselves do to mark a text; a telephone number, a plus and digits only, can do no harm and stays as it
is. Some spreadsheets split a line of CSV at a semicolon or a tab, and some end it at any newline, whatever the quotes
say: after those a formula is defused too. A text that is copied out of a sheet is split in the same way, so xlsx, where
every text is stored as text, gets the same apostrophes inside a text. In JSON nothing is a formula.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import IO, Any, Final
from uuid import UUID

Row = Sequence[Any]

LONGEST_CELL: Final = 32_767
MOST_ROWS_OF_A_SHEET: Final = 1_048_575  # and the header
FIRST_YEAR_OF_A_SHEET: Final = 1901  # its own begins in 1900
SHEET_DATE: Final = "yyyy-mm-dd hh:mm:ss"

# At the beginning, or where a spreadsheet may begin another cell; what stands between is not shown, or is a quote.
_BLANK: Final = r" \u00a0\u200b-\u200f\u2060\ufeff"
_FORMULA = re.compile(rf"(^|[;\t\r\n\u2028\u2029])([{_BLANK}\"]*)([=+\-@\uff1d\uff0b\uff0d\uff20])")
_TELEPHONE = re.compile(r"\+[0-9]+(?:; \+[0-9]+)*")
# No text needs them; a terminal would obey them, and a spreadsheet can not store them.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")


class TooManyRowsError(ValueError):
    """More than the format holds."""


def write_csv(names: Row, rows: Iterable[Row], target: IO[bytes], *, mark: bool) -> None:
    """RFC 4180 in UTF-8; with the byte order mark Excel knows that it is."""
    text = io.TextIOWrapper(target, encoding="utf-8-sig" if mark else "utf-8", errors="replace", newline="")
    try:
        writer = csv.writer(text)
        writer.writerow(names)
        writer.writerows([defused(_text(value)) for value in row] for row in rows)
        text.flush()
    finally:
        text.detach()


def write_json(names: Row, rows: Iterable[Row], target: IO[bytes]) -> None:
    """One array, a row on each line."""
    before = b"[\n"
    for line in _objects(names, rows):
        target.write(before + line)
        before = b",\n"
    target.write(b"[]\n" if before == b"[\n" else b"\n]\n")


def write_json_lines(names: Row, rows: Iterable[Row], target: IO[bytes]) -> None:
    for line in _objects(names, rows):
        target.write(line + b"\n")


def write_xlsx(names: Sequence[str], rows: Iterable[Row], path: Path, title: str) -> None:
    import xlsxwriter  # noqa: PLC0415 - large, for one of four formats

    with xlsxwriter.Workbook(path, {"constant_memory": True}) as book:
        sheet = book.add_worksheet(title)
        bold, moment = book.add_format({"bold": True}), book.add_format({"num_format": SHEET_DATE})
        sheet.freeze_panes(1, 0)
        for place, name in enumerate(names):
            sheet.write_string(0, place, name, bold)
        for number, row in enumerate(rows, start=1):
            if number > MOST_ROWS_OF_A_SHEET:
                raise TooManyRowsError(
                    f"a sheet holds {MOST_ROWS_OF_A_SHEET:,} rows and there are more; "
                    "narrow it with --since or --where, or take --format csv"
                )
            for place, value in enumerate(row):
                _write_cell(sheet, number, place, value, moment)


def _write_cell(sheet: Any, number: int, place: int, value: Any, moment: Any) -> None:
    if isinstance(value, bool):
        sheet.write_boolean(number, place, value)
    elif isinstance(value, int | float | Decimal):
        sheet.write_number(number, place, value)
    elif isinstance(value, datetime) and value.year >= FIRST_YEAR_OF_A_SHEET:
        sheet.write_datetime(number, place, _utc(value).replace(tzinfo=None), moment)
    elif value is not None and (text := _text(value)):
        sheet.write_string(number, place, defused(text, at_start=False)[:LONGEST_CELL])


def _utc(moment: datetime) -> datetime:
    """The first and the last day of the calendar may have none in UTC; they stay as they are."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return moment


def defused(text: str, *, at_start: bool = True) -> str:
    """The text without controls, and an apostrophe before whatever a spreadsheet would take for a formula."""
    text = _CONTROLS.sub("", text)
    if _TELEPHONE.fullmatch(text):
        return text
    text = _FORMULA.sub(lambda found: _apostrophe(found, at_start=at_start), text)
    return f"'{text}" if at_start and text[:1] in {"\t", "\r", "\n"} else text


def _apostrophe(found: re.Match[str], *, at_start: bool) -> str:
    before, blank, sign = found.groups()
    if before:
        return f"{before}{blank}'{sign}"
    return f"'{found[0]}" if at_start else found[0]


def _text(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case datetime():
            return _utc(value).isoformat(timespec="seconds").replace("+00:00", "Z")
        case list():
            return "; ".join(map(str, value))
        case dict():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return str(value)


def _objects(names: Row, rows: Iterable[Row]) -> Iterator[bytes]:
    for row in rows:
        line = json.dumps(dict(zip(names, row, strict=True)), default=_plain, ensure_ascii=False)
        yield line.encode(errors="replace")


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return _text(value)
        case date() | UUID():
            return str(value)
        case Decimal():
            return float(value)
        case _:
            raise TypeError(f"{type(value).__name__} has no form in JSON")
