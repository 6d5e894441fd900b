import re
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from actors.parse.cards import cards_of
from actors.parse.contacts import find_contacts
from actors.parse.html import Document, collapsed
from actors.parse.mail_addresses import addresses_in
from actors.parse.obfuscation import cloudflare, readable, unshifted, written_by_script

PIECES = (
    "<p>", "</p>", "<div>", "</div>", "<br>", "<b>", "</b>", "<table><tr><td>", "<li>", "<!--", "-->", "<select>",
    "<a href='mailto:", '<a href="tel:', "'>", '">', "</a>", "info@acme.de", "Anna Huber", "Owner", "030 987654", "Fax",
    "Tel.", "[at]", " at ", " dot ", "@", ".de", "+49", "(0)", "&#64;", "&", "<script>", "</script>", "addy1 = '",
    "document.write('", "<h1>", "<span data-cfemail='543d3a32'>", "<script type='application/ld+json'>", '{"email":',
    '"a@b.de"', "}", "[", "]", "\ud800", "\x00", "é", "电话", "\u200b", "IBAN", "Website by ", "<frameset>", "<dl><dt>",
    "<dd>", "<template>", "<svg>", " ", "\n\t", "5" * 9,
)  # fmt: skip

pages = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=60).map("".join)
regions = st.sampled_from([None, "DE", "US", "DK", "JP", "XX", ""])
# A page may be slow to make, and none of these is slow to read.
thorough = settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])


@thorough
@given(pages, regions, st.text(max_size=20) | st.just("https://acme.de/"))
def test_every_text_gives_contacts_and_gives_them_again(html, region, url):
    found = find_contacts(html, url=url, region=region)

    assert find_contacts(html, url=url, region=region) == found
    assert all(re.fullmatch(r"[^@\s]+@[^@\s]+", email.address) for email in found.emails)
    assert all(email.address == email.address.lower() for email in found.emails)
    assert all(re.fullmatch(r"\+[1-9]\d{3,14}", phone.number) for phone in (*found.phones, *found.faxes))
    assert len({email.address for email in found.emails}) == len(found.emails)
    assert all(card.email or card.phone for card in cards_of(found))


@thorough
@given(pages)
def test_every_text_is_a_document(html):
    page = Document(html)

    assert page.text == collapsed(page.text)
    assert all(link.url.startswith("http") for link in page.links("https://acme.de/"))
    assert isinstance(page.json_ld, list)
    assert "\x00" not in f"{page.title}{page.h1}{page.description}{page.text}"


@thorough
@given(st.text(max_size=80) | pages)
def test_what_is_found_is_found_again_in_itself(text):
    found = [address for address, _ in addresses_in(text)]

    assert [address for each in found for address, _ in addresses_in(each)] == found


@thorough
@given(st.text(max_size=80) | pages)
def test_no_decoder_raises(text):
    assert isinstance(readable(text), str)
    assert isinstance(written_by_script(text), str)
    assert cloudflare(text) is None or isinstance(cloudflare(text), str)
    assert unshifted(text) is None or unshifted(text).lower().startswith("mailto:")


PARAGRAPH = (
    "<div class='row'><p>Call us on weekdays: we like to talk about <b>gardens</b>, about trees and hedges, and about "
    "the weather that they stand in.</p><a class='button' href='/services/gardens/trees'>More of this</a></div>\n"
)


def assert_linear(page, length):
    """Eight times the page in less than some thirty times the CPU time: quadratic would be sixty-four."""

    def seconds(size):
        html = page(size)
        started = time.process_time()
        find_contacts(html, url="https://acme.de/", region="DE")
        return time.process_time() - started

    assert seconds(length) < max(0.5, 30 * seconds(length // 8))


@pytest.mark.parametrize(
    "page",
    [
        lambda size: f"{PARAGRAPH * (size // len(PARAGRAPH))}<p>info@acme.de, 030 987654</p>",
        lambda size: f"<p>info@acme.de, 030 987654</p>{'<p>lorem ipsum dolor sit amet elit</p>' * (size // 38)}",
        lambda size: f"<p>info@acme.de {' ' * (size // 15)} 030 987654</p>",
        lambda size: f"{' ' * (size // 15)}<p>info@acme.de 030 987654{chr(10) * (size // 15)}",
        lambda size: f"<p>info@acme.de, 030 987654<script>{'x = 1; ' * (size // 7)}</script>",
        lambda size: f"<p>info@acme.de, 030 987654<img src='data:image/png;base64,{'QUJD' * (size // 4)}'>",
    ],
    ids=["3 MB of blocks", "3 MB of paragraphs", "200,000 blanks", "400,000 blanks", "3 MB of script", "3 MB of image"],
)
def test_the_contacts_of_a_large_page_are_found_in_linear_time(page):
    found = find_contacts(page(3_000_000), url="https://acme.de/", region="DE")

    assert [email.address for email in found.emails] == ["info@acme.de"]
    assert [phone.number for phone in found.phones] == ["+4930987654"]
    assert_linear(page, 3_000_000)


@pytest.mark.parametrize(
    "unit",
    [
        "@",
        "a@",
        "a.",
        "(at)",
        "_",
        "[",
        "a @ b . ",
        "030 987654 ",
        "1-",
        "&",
        "<",
        "<b>",
        "<a href=mailto:",
        " at ",
        "mail a-at-",
        "邮箱\uff1aa@b-c.de\uff0c",
        "<div class=vcard><b class=fn>Anna Huber</b>",
        "-",
        "\t",
    ],
)
def test_time_grows_with_the_page_and_not_faster(unit):
    assert_linear(lambda size: unit * (size // len(unit)), 400_000)
