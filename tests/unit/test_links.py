from hypothesis import given
from hypothesis import strategies as st

from actors.parse.html import Document
from actors.parse.links import contact_links, home_link
from db.models.page import PAGE_TYPES

HOME = "https://acme.example/"


def found(html, url=HOME):
    return [link.url for link in contact_links([(url, Document(html))])]


def test_contact_like_links_come_best_first_and_once():
    html = """<a href="/team">Team</a> <a href="/contact?utm_source=x">Contact</a> <a href="/contact#map">Map</a>
        <a href="https://www.acme.example/impressum">Impressum</a> <a href="/blog/hello">Hello</a>"""

    assert found(html)[0] == "https://acme.example/contact"
    assert sorted(found(html)) == [
        "https://acme.example/contact",
        "https://acme.example/team",
        "https://www.acme.example/impressum",
    ]


def test_links_of_others_and_links_that_are_too_long_are_left_out():
    html = f'<a href="https://other.example/contact">Contact</a> <a href="/contact?{"x" * 2100}">Contact</a>'

    assert found(html) == []


def test_the_home_page_is_the_home_page_wherever_it_stands():
    (link,) = home_link("https://acme.example/cms/start.php?site=1#top")

    assert (link.url, link.page_type, link.priority) == ("https://acme.example/cms/start.php?site=1", "home_root", 2)
    assert home_link("https://acme.example/" + "x" * 2100) == []


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_link_is_too_odd(href, text):
    html = f'<a href="{href}">{text}</a><a href="/contact/{href}">{text}</a>'

    links = contact_links([(HOME, Document(html))])

    assert {link.page_type for link in links} <= set(PAGE_TYPES)
    assert home_link(href) is not None
