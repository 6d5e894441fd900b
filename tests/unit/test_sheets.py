"""Exported files: whole values for machines and people, and nothing that a spreadsheet would run."""

import csv
import io
import json
from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

import openpyxl
import pytest

from app.commands.sheets import defused, write_csv, write_json, write_json_lines, write_xlsx

HOSTILE = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "  =1", "\u00a0=1", "\uff1d1", "\ta", "\u200b=1"]
SPLIT = {
    "a;=1+1": "a;'=1+1",
    "a; =1;+2": "a; '=1;'+2",
    "a\t@SUM(A1)": "a\t'@SUM(A1)",
    "a\n=1": "a\n'=1",
    "a\r\n-1": "a\r\n'-1",
    'a;"=1': "a;\"'=1",
    "a\u2028=1": "a\u2028'=1",
}
HARMLESS = ["", "smile", "a=b", "a@smile.com", "1-2", "'quoted'", "\u2014"]


def as_csv(names, rows, *, mark=False):
    target = io.BytesIO()
    write_csv(names, rows, target, mark=mark)
    return target.getvalue()


@pytest.mark.parametrize("text", HOSTILE)
def test_what_looks_like_a_formula_gets_an_apostrophe(text):
    assert defused(text) == f"'{text}"


@pytest.mark.parametrize(("text", "written"), SPLIT.items())
def test_a_formula_after_what_a_spreadsheet_may_split_at_gets_an_apostrophe_too(text, written, tmp_path):
    assert defused(text) == written
    write_xlsx(["title"], [[text]], tmp_path / "a.xlsx", "pages")
    cell = openpyxl.load_workbook(tmp_path / "a.xlsx").active["A2"].value
    assert cell.replace("_x000D_", "\r").replace("\r", "") == written.replace("\r", "")


@pytest.mark.parametrize("text", ["\t=1", "\r=1", "\n=1"])
def test_a_formula_after_a_leading_separator_is_defused_on_both_sides(text):
    assert defused(text) == f"'{text[0]}'=1"


@pytest.mark.parametrize("text", [*HARMLESS, "a; b", "a;b=c", "+4930123456", "+15125550123; +15125550124"])
def test_other_texts_and_telephone_numbers_stay_as_they_are(text):
    assert defused(text) == text


@pytest.mark.parametrize("text", ["+49 30 123456", "+1-512", "+49123=1", "+", "+4930123456\n"])
def test_what_only_begins_like_a_telephone_number_is_defused(text):
    assert defused(text) == f"'{text}"


def test_a_formula_behind_a_control_character_is_defused_and_the_character_is_gone():
    assert defused("\x00=1+1") == "'=1+1"
    assert defused("a\x1b[31mb\x9bc") == "a[31mbc"


def test_csv_comes_back_as_it_went_in():
    rows = [['Smile, "the" dentist', "two\nlines"], ["müller", None], [True, Decimal("4.5")]]

    data = as_csv(["name", "note"], rows)

    assert b"\r\n" in data
    assert list(csv.reader(io.StringIO(data.decode(), newline=""))) == [
        ["name", "note"],
        ['Smile, "the" dentist', "two\nlines"],
        ["müller", ""],
        ["true", "4.5"],
    ]


def test_csv_begins_with_a_mark_only_if_asked_to():
    assert as_csv(["a"], [], mark=True).startswith(b"\xef\xbb\xbfa")
    assert as_csv(["a"], []).startswith(b"a")


@pytest.mark.parametrize("rows", [[], [[1, None]], [[1, "ü"], [2, ["a", "b"]]]])
def test_json_is_one_array(rows):
    target = io.BytesIO()

    write_json(["id", "value"], rows, target)

    assert json.loads(target.getvalue()) == [{"id": key, "value": value} for key, value in rows]


def test_json_lines_are_one_object_each():
    target = io.BytesIO()
    row = [UUID(int=1), datetime(2026, 11, 1, 12, tzinfo=UTC), Decimal("0.5"), "=1+1"]

    write_json_lines(["id", "at", "rating", "text"], [row], target)

    assert [json.loads(line) for line in target.getvalue().splitlines()] == [
        {"id": str(UUID(int=1)), "at": "2026-11-01T12:00:00Z", "rating": 0.5, "text": "=1+1"}
    ]


def test_a_spreadsheet_holds_texts_as_texts_and_numbers_as_numbers(tmp_path):
    file = tmp_path / "contacts.xlsx"
    moment = datetime(2026, 11, 1, 12, tzinfo=UTC)
    row = ["=1+1", "+4930123456", 3, Decimal("4.5"), True, moment, ["a", "b"], None, "bad\x00\x0bchar", "https://a.de/"]

    write_xlsx(list("abcdefghij"), [row], file, "contacts")

    header, cells = openpyxl.load_workbook(file)["contacts"].rows
    assert [cell.value for cell in header] == list("abcdefghij")
    assert [cell.value for cell in cells] == [
        *("=1+1", "+4930123456", 3, 4.5, True, datetime(2026, 11, 1, 12), "a; b", None, "badchar", "https://a.de/"),  # noqa: DTZ001 - sheets know no zones
    ]
    assert cells[0].data_type == "s"
    assert cells[9].hyperlink is None


def test_a_text_that_is_too_long_for_a_cell_is_cut_and_not_dropped(tmp_path):
    file = tmp_path / "pages.xlsx"

    write_xlsx(["text"], [["x" * 40_000]], file, "pages")

    assert len(openpyxl.load_workbook(file)["pages"]["A2"].value) == 32_767
