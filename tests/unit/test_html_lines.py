import pytest

from actors.parse.html import Document
from actors.parse.nesting import harmless


def texts(html):
    return [line.text for line in Document(html).lines]


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<p>one</p>two<div>three</div>", ["one", "two", "three"]),
        ("one<br>two<br/><br>three", ["one", "two", "three"]),
        ("<ul><li>one<li>two</ul>", ["one", "two"]),
        ("in<b>f</b>o<span>@</span>acme.de", ["info@acme.de"]),
        ("call<a href='tel:1'>us</a>now", ["call us now"]),
        ("on<!-- hidden -->e", ["one"]),
        ("a&shy;b&#8203;c", ["abc"]),
    ],
)
def test_a_line_ends_where_a_block_does(html, lines):
    assert texts(html) == lines


def test_a_label_stays_beside_what_it_labels():
    assert texts("<table><tr><td>Tel</td><td>1</td></tr><tr><td>Fax<td>2</tr></table>") == ["Tel\t1", "Fax\t2"]
    assert texts("<dl><dt>Tel</dt><dd>1</dd><dt>Fax</dt><dd>2</dd></dl>") == ["Tel\t1", "Fax\t2"]


def test_markup_between_words_shows_in_the_spaced_form():
    (line,) = Document("<p>E-Mail<b>info</b>@acme.de</p>").lines

    assert (line.text, line.spaced) == ("E-Mailinfo@acme.de", "E-Mail info @acme.de")


def test_filling_that_only_harvesters_see_is_left_out_but_a_hidden_block_is_read():
    html = "<p>in<span style='color:red;display:none'>null</span>fo</p><div style='display:none'>window</div>"

    assert texts(html) == ["info", "window"]


def test_a_line_knows_its_block():
    tags = [line.tag for line in Document("<h2>one</h2><p>two<br>three</p>four").lines]

    assert tags == ["h2", "p", "p", "body"]


@pytest.mark.parametrize("html", ["<p>Hello</p>" * 2_000, "<ul>" + "<li>x" * 5_000 + "</ul>", "<b><i>x</i></b>" * 900])
def test_an_honest_page_is_parsed_as_it_is(html):
    assert harmless(html) == html


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 100_000,
        "<ul><li>" * 50_000,
        "<div></x>" * 50_000 + "</div>" * 50_000 + "<x>" * 50_000,
        "<p>" + "".join(f"<b a={number}>" for number in range(500)) + "</p>" + "<p>x</p>" * 10_000,
        "<p " + " ".join(f"a{number}" for number in range(100_000)) + ">",
    ],
    ids=["deep", "lists", "stray", "formatting", "attributes"],
)
def test_markup_that_keeps_a_parser_busy_for_minutes_is_read_all_the_same(html):
    page = Document(f"<p>before</p>{html}<p>after")

    assert page.lines[0].text == "before"
