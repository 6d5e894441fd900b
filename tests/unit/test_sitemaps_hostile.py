"""What is sent to harm, or came to harm on its way."""

import gzip
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.parse.sitemaps import Sitemap, SitemapError

URL = "https://clinic.example/sitemap.xml"
NUMBERED = [f"https://clinic.example/{number}" for number in range(100)]


def read(body, *, size=65_536, **limits):
    """The sitemap and its entries, from bytes that arrive in pieces of a size."""
    data = body.encode() if isinstance(body, str) else body
    sitemap = Sitemap([data[start : start + size] for start in range(0, len(data), size)], url=URL, **limits)
    return sitemap, list(sitemap)


def urlset(*locs):
    return f"<urlset>{''.join(f'<url><loc>{loc}</loc></url>' for loc in locs)}</urlset>"


@pytest.mark.parametrize(
    ("damage", "problem"), [(lambda data: data[:-60], "cut off"), (lambda data: data[:-8] + bytes(8), "damaged")]
)
def test_of_damaged_gzip_the_beginning_is_kept_and_the_damage_told(damage, problem):
    packed = gzip.compress("".join([urlset(*NUMBERED), *map(str, range(2000))]).encode())

    sitemap, entries = read(damage(packed), size=50)

    assert entries
    assert problem in sitemap.problem


def test_a_cut_off_file_gives_no_half_address():
    sitemap, entries = read("<urlset><url><loc>/a</loc></url><url><loc>/b</loc><url><loc>/contac")

    assert [entry.url for entry in entries] == ["https://clinic.example/a", "https://clinic.example/b"]
    assert sitemap.problem == "cut off or broken before its end"


@pytest.mark.parametrize("filling", [b" ", b"<url></url>"])
def test_a_gzip_bomb_is_refused(filling):
    bomb = gzip.compress(b"<urlset>" + filling * (20_000_000 // len(filling)))

    with pytest.raises(SitemapError, match="a gzip bomb: "):
        read(bomb)


@pytest.mark.parametrize("trick", ["", "<!-- ] -->", "<!ATTLIST a b CDATA ']'>"])
def test_an_xml_bomb_is_refused(trick):
    body = f"<?xml version='1.0'?><!DOCTYPE a [{trick}<!ENTITY b 'x'><!ENTITY c '&b;&b;'>]>{urlset('&c;')}"

    with pytest.raises(SitemapError, match="an XML bomb"):
        read(body)


def test_a_file_on_the_machine_is_not_drawn_in(tmp_path):
    secret = tmp_path / "secret.dtd"
    secret.write_text("<!ENTITY b 'secret'>")

    _, entries = read(f"<!DOCTYPE urlset SYSTEM '{secret}'>{urlset('/&b;')}")

    assert [entry.url for entry in entries] == ["https://clinic.example/&b;"]


def test_more_urls_than_allowed_are_left_out_and_told():
    sitemap, entries = read(urlset(*NUMBERED), most_urls=30)

    assert len(entries) == 30
    assert sitemap.problem == "more than 30 URLs"


def test_exactly_as_many_urls_as_allowed_are_no_problem():
    sitemap, entries = read(urlset(*NUMBERED), most_urls=100)

    assert (len(entries), sitemap.problem) == (100, None)


def test_more_bytes_than_allowed_are_left_out_and_told():
    sitemap, entries = read(urlset(*NUMBERED), most=1000)

    assert 0 < len(entries) < 100
    assert (sitemap.size, sitemap.problem) == (1000, "cut off after 1,000 bytes")


@pytest.mark.parametrize(
    "filling", ["<", "&", "<a>", "<!--", "<?xml ", "<!DOCTYPE ", "<url><loc>", "]]>", "<a b='", "\n"]
)
def test_hostile_repetition_takes_linear_time(filling):
    body = "<urlset>" + filling * (300_000 // len(filling))

    sitemap, entries = read(body)

    assert entries == []
    assert sitemap.kind == "urlset"


FRAGMENTS = """
    <urlset> </urlset> <sitemapindex> <url> </url> <loc> </loc> <lastmod> <rss> <feed> <item> <link> <html> <!-- ]]> ]>
    <?xml~version='1.0'~encoding='windows-1251'?> <!DOCTYPE~a~[ <![CDATA[ & &amp; &#0; < {{ é https://clinic.example/ ~
    2026-01-01 \ufeff \ud7ff \0
"""
fragments = st.sampled_from(FRAGMENTS.split()).map(lambda fragment: fragment.replace("~", " "))
texts = st.lists(st.one_of(fragments, st.text(max_size=5)), max_size=30).map("".join)
bodies = st.one_of(
    st.binary(max_size=200),
    texts.map(lambda text: text.encode("utf-8", "replace")),
    texts.map(lambda text: text.encode("utf-16", "replace")),
    texts.map(lambda text: zlib.compress(text.encode("utf-8", "replace"), wbits=31)),
)


@settings(max_examples=400, deadline=None)
@given(bodies, st.integers(1, 50))
def test_nothing_that_arrives_makes_it_raise_and_the_pieces_do_not_matter(body, size):
    try:
        whole, at_once = read(body)
    except SitemapError:
        with pytest.raises(SitemapError):
            read(body, size=size)
        return

    pieces, one_by_one = read(body, size=size)

    assert one_by_one == at_once
    assert (pieces.kind, pieces.problem, pieces.size) == (whole.kind, whole.problem, whole.size)
    assert all(entry.url.startswith(("http://", "https://")) for entry in at_once)
