import pytest

from actors.parse.html import Document

PAGE = """<!doctype html><html lang="de-AT"><head><title> Café
 Huber </title><meta name="Description" content="Kuchen  und Kaffee"><meta property="og:title" content="Huber">
<meta name="robots" content="noindex"><link rel="canonical" href="/start"></head>
<body><h1>Willkommen <em>bei</em> uns</h1></body></html>"""


def test_a_page_says_who_it_is():
    page = Document(PAGE)

    assert page.title == "Café Huber"
    assert page.description == "Kuchen und Kaffee"
    assert page.language == "de-AT"
    assert page.h1 == "Willkommen bei uns"
    assert page.canonical == "/start"
    assert page.meta_robots == "noindex"
    assert page.meta("OG:Title") == "Huber"


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800", "<", "<!--", "<html", "</p></div>", "plain text"])
def test_what_is_hardly_a_page_says_nothing_and_raises_nothing(text):
    page = Document(text)

    assert (page.title, page.description, page.h1, page.canonical, page.language) == (None, None, None, None, None)
    assert page.links("https://acme.com/") == []
    assert page.json_ld == []


def test_the_text_is_what_a_reader_sees():
    page = Document(
        "<p>one</p><script>two</script><style>three</style><!-- four --><template>five</template>"
        "<noscript>six</noscript><textarea>seven</textarea><select><option>eight</select><p>nine\n\u00a0 ten</p>"
    )

    assert page.text == "one nine ten"


def test_links_are_absolute_and_lead_to_the_web():
    page = Document(
        '<a href="/a">A <b>b</b></a><a href="x?q=1#f" rel="NoFollow">x</a><a href="mailto:a@b.de">m</a>'
        '<a href="javascript:void(0)">j</a><a href="//other.com">o</a><a href="http://[">broken</a><a>none</a>'
    )

    assert [(link.url, link.text, link.rel) for link in page.links("https://acme.com/de/")] == [
        ("https://acme.com/a", "A b", ""),
        ("https://acme.com/de/x?q=1#f", "x", "nofollow"),
        ("https://other.com/", "o", ""),
    ]


def test_a_base_element_moves_the_links():
    page = Document('<base href="/shop/"><a href="cart">Cart</a>')

    assert [link.url for link in page.links("https://acme.com/de/")] == ["https://acme.com/shop/cart"]


def test_structured_data_is_laid_out_flat():
    page = Document(
        '<script type="application/ld+json">{"@graph": [{"@type": "Dentist", "employee": {"name": "Ann"}}]}</script>'
        '<script type="application/LD+JSON"><!-- {"@type": "Place", "note": "line\nbreak"} --></script>'
        '<script type="application/ld+json">{broken</script><script type="application/ld+json">[[7]]</script>'
    )

    names = [item.get("@type") or item.get("name") for item in page.json_ld]

    assert names == [None, "Dentist", "Ann", "Place"]


def test_a_comma_too_many_does_not_spoil_structured_data():
    page = Document('<script type="application/ld+json">{"@type": "Dentist", "tags": ["a", ], \n}</script>')

    assert page.json_ld == [{"@type": "Dentist", "tags": ["a"]}]


def test_a_selector_that_is_none_is_refused_with_its_text():
    with pytest.raises(ValueError, match=r"not a CSS selector: 'a\[\['"):
        Document("<p>").select("a[[")
