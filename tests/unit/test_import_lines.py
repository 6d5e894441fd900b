"""Files as people make them: every value comes out with the number of its line, and no line is lost without a word."""

import io

import pytest

from app.commands.candidates import NAMES
from app.commands.lines import LinesError, buffered, read_values

NAMES_OF_DOMAINS = NAMES["domains"]


def values(data, column=None, names=NAMES_OF_DOMAINS):
    content = data if isinstance(data, bytes) else data.encode()
    return [tuple(value[:2]) for value in read_values(buffered(io.BytesIO(content)), names, column) if not value.broken]


def broken(data):
    stream = buffered(io.BytesIO(data.encode()))
    return [(value.line, value.broken) for value in read_values(stream, NAMES_OF_DOMAINS) if value.broken]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_one_value_per_line_comes_with_the_number_of_its_line(end):
    text = end.join(["smile.com", "", "  # a remark", '"bite.com"', "gum.com"])

    assert values(text) == [(1, "smile.com"), (4, "bite.com"), (5, "gum.com")]


@pytest.mark.parametrize(
    "quotes",
    [
        *('""', "''", "``", "\u2018\u2019", "\u2019\u2019", "\u201c\u201d", "\u201e\u201c"),
        *("\u00ab\u00bb", "\u00bb\u00ab", "\u2039\u203a", "\u00b4\u00b4"),
    ],
)
def test_quotes_of_any_make_are_no_part_of_a_value(quotes):
    opening, closing = quotes
    quoted = f"{opening}smile.com{closing}"

    assert values(f"{quoted}\nbite.com\n") == [(1, "smile.com"), (2, "bite.com")]
    assert values(f"name;domain\nSmile;{quoted}\n") == [(2, "smile.com")]


def test_quotes_around_a_name_beside_an_address_stay():
    text = 'name,e-mail\nAnn,"""Ann Lee"" <ann@smile.com>"\n'

    assert values(text, names=("e mail",)) == [(2, '"Ann Lee" <ann@smile.com>')]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_table_with_any_separator_is_read_by_its_header(delimiter):
    rows = [["Name", "Web-Site", "City"], ["Smile", "smile.com", "Austin"], ["Bite", "bite.com", "Waco"]]

    text = "\n".join(delimiter.join(row) for row in rows)

    assert values(text) == [(2, "smile.com"), (3, "bite.com")]


def test_a_header_above_single_values_is_no_value():
    assert values("Domain\nsmile.com\n") == [(2, "smile.com")]


def test_of_several_known_columns_the_best_one_is_taken():
    assert values("url,domain\nhttps://smile.com/a,smile.com\n") == [(2, "smile.com")]


def test_without_a_header_the_column_that_looks_like_addresses_is_taken():
    assert values("Smile,smile.com\nBite,www.bite.com/home\n") == [(1, "smile.com"), (2, "www.bite.com/home")]


def test_a_comma_in_some_urls_does_not_make_a_table():
    text = "https://smile.com/a,b\nhttps://smile.com/c\n"

    assert values(text, names=NAMES["pages"]) == [(1, "https://smile.com/a,b"), (2, "https://smile.com/c")]


def test_a_quoted_field_may_hold_separators_quotes_and_line_ends_and_the_numbers_stay_true():
    text = 'name,domain\n"Smile, ""the""\ndentist",smile.com\nBite,bite.com\n'

    assert values(text) == [(2, "smile.com"), (4, "bite.com")]


def test_a_quote_that_is_never_closed_costs_one_line():
    text = 'name,domain\n"Smile,smile.com\nBite,bite.com\nGum,gum.com\n'

    assert values(text) == [(3, "bite.com"), (4, "gum.com")]
    assert broken(text) == [(2, "a quote is opened and not closed")]


def test_a_short_line_of_a_table_is_told():
    text = "name,domain\nSmile\nBite,\nGum,gum.com\n"

    assert broken(text) == [(2, "the line has no column 2"), (3, "nothing in column 2")]
    assert values(text) == [(4, "gum.com")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_every_encoding_that_spreadsheets_write_is_read(encoding):
    assert values("domain\nmüller.de\n".encode(encoding)) == [(2, "müller.de")]


def test_one_line_in_another_encoding_does_not_spoil_the_rest():
    data = "größe.de\n".encode() + "müller.de\n".encode("cp1252")

    assert values(data) == [(1, "größe.de"), (2, "müller.de")]


def test_a_column_can_be_named_or_counted():
    text = "one,two\na.com,b.com\n"

    assert values(text, column="Two") == [(2, "b.com")]
    assert values(text, column="1") == [(1, "one"), (2, "a.com")]


def test_a_column_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(LinesError, match="no column is called 'three'; the first line has: one, two"):
        values("one,two\na.com,b.com\n", column="three")


@pytest.mark.parametrize("text", ["", "\n\n", "   \n", "\ufeff"])
def test_a_file_without_values_has_none(text):
    assert values(text) == []


def test_a_monstrous_field_costs_one_line():
    text = f"name,domain\n{'x' * 200_000},smile.com\nBite,bite.com\n"

    assert values(text) == [(3, "bite.com")]
    assert [line for line, _ in broken(text)] == [2]


def test_inches_that_are_written_as_a_quote_join_no_lines():
    text = 'domain,note\nsmile.com,5" pipe\nbite.com,6" pipe\ngum.com,"ok"\n'

    assert values(text) == [(2, "smile.com"), (3, "bite.com"), (4, "gum.com")]


def test_a_quote_that_only_another_line_s_quote_would_close_is_told_for_each():
    text = 'domain,note\nsmile.com,"5 inch\nbite.com,"6 inch\ngum.com,ok\n'

    assert values(text) == [(4, "gum.com")]
    assert broken(text) == [(2, "a quote is opened and not closed"), (3, "a quote is opened and not closed")]


def test_a_field_that_goes_on_after_its_quote_is_read_as_spreadsheets_read_it():
    assert values('name,domain\n"Smile" Dental,smile.com\n') == [(2, "smile.com")]


@pytest.mark.parametrize("beginning", ["", "domain,note\n"])
def test_a_line_without_an_end_is_one_line_and_those_after_it_keep_their_numbers(beginning):
    text = f"{beginning}{'x' * 2_500_000}\nsmile.com\n"
    number = 1 + beginning.count("\n")

    assert values(text) == [(number + 1, "smile.com")]
    assert broken(text) == [(number, "the line is longer than 1,000,000 characters")]


@pytest.mark.parametrize("start", [b"PK\x03\x04\x14\x00", b"\x1f\x8b\x08\x00", b"%PDF-1.7"])
def test_a_workbook_and_other_files_that_are_no_text_are_refused_as_a_whole(start):
    with pytest.raises(LinesError, match="save it as CSV first"):
        values(start + b"\x00\xff\n" * 20)


def test_there_is_no_column_before_the_first():
    with pytest.raises(LinesError, match="counted from 1"):
        values("name,domain\nSmile,smile.com\n", column="0")
