"""What is sent to harm, or came to harm on its way."""

import gzip
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.parse.sitemaps import Entry, Sitemap, SitemapError

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


@pytest.mark.parametrize("size", [1, 7, 65_536])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "windows-1252"])
@pytest.mark.parametrize("reference", ["&#xD83D;&#xDE00;", "&#55357;&#56832;", "&#x00dfff;", "&#0;", "&#x110000;"])
def test_a_reference_to_no_character_is_skipped_and_everything_else_is_read(reference, encoding, size):
    body = f"""<?xml version="1.0" encoding="{encoding}"?>
        <urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url title="{reference}">
        <loc>/cont{reference}act</loc><lastmod>2026{reference}-03-01</lastmod><changefreq>{reference}</changefreq>
        <image:image><image:title>{reference}</image:title></image:image></url><url><loc>/b</loc></url></urlset>"""

    sitemap, entries = read(body.encode(encoding), size=size)

    assert entries == [
        Entry("https://clinic.example/contact", "2026-03-01T00:00:00+00:00"),
        Entry("https://clinic.example/b", None),
    ]
    assert sitemap.problem is None


@pytest.mark.parametrize("reference", ["&#xD83D;&#xDE00;", "&#55357;&#56832;", "&#0;", "&#x110000;", "&#99999999999;"])
@pytest.mark.parametrize("trick", ["{}", "&{}#xD83D;", "&#5{}5357;", "<b>{}"])
def test_a_feed_with_a_reference_to_no_character_is_read(reference, trick):
    title = f"<title>{trick.format(reference)}</title>"
    body = f"<rss><channel>{title}<item>{title}<link>/a</link></item><item><link>/b</link></item></channel></rss>"

    _, entries = read(body)

    assert [entry.url for entry in entries] == ["https://clinic.example/a", "https://clinic.example/b"]


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
# Of every number, those of surrogates often: an emoji that somebody escaped in halves.
numbers = st.one_of(st.integers(0xD7FE, 0xE001), st.integers(0, 0x110001), st.integers(0, 10**12))
references = st.builds(str.format, st.sampled_from(["&#{};", "&#x{:X};", "&#X{:x};", "&#x{:08x};", "&#{}"]), numbers)
texts = st.lists(st.one_of(fragments, references, st.text(max_size=5)), max_size=30).map("".join)
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


FRAMES = {
    "urlset": "<urlset><url><loc>/1</loc><a b='{0}'>{0}</a></url><url><loc>/2</loc></url></urlset>",
    "index": "<sitemapindex><sitemap><loc>/1</loc>{0}</sitemap><sitemap><loc>/2</loc></sitemap></sitemapindex>",
    "rss": "<rss><channel><item><title>{0}</title><link>/1</link></item><item><link>/2</link></item></channel></rss>",
    "atom": "<feed><entry><title>{0}</title><link href='/1'/></entry><entry><link href='/2'/></entry></feed>",
}


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(sorted(FRAMES)), st.lists(st.one_of(references, st.just("&")), max_size=4).map("".join))
def test_no_reference_keeps_what_stands_around_it_from_being_read(kind, written):
    sitemap, entries = read(FRAMES[kind].format(written), size=7)

    assert (sitemap.kind, sitemap.problem) == (kind, None)
    assert [entry.url for entry in entries] == ["https://clinic.example/1", "https://clinic.example/2"]
