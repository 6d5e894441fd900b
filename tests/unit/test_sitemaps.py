import gzip

import pytest

from actors.parse.sitemap_dates import http_date
from actors.parse.sitemaps import Entry, Sitemap, count_urls

URL = "https://clinic.example/deep/sitemap.xml"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
IMAGES = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'


def read(body, *, size=65_536):
    """The sitemap and its entries, from bytes that arrive in pieces of a size."""
    data = body.encode() if isinstance(body, str) else body
    sitemap = Sitemap([data[start : start + size] for start in range(0, len(data), size)], url=URL)
    return sitemap, list(sitemap)


def urls(body, **options):
    return [entry.url for entry in read(body, **options)[1]]


def urlset(*locs):
    return f"<urlset {NAMESPACE}>{''.join(f'<url><loc>{loc}</loc></url>' for loc in locs)}</urlset>"


NUMBERED = [f"https://clinic.example/{number}" for number in range(100)]


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_an_urlset_is_read_however_its_bytes_arrive(size):
    assert urls(urlset(*NUMBERED), size=size) == NUMBERED


def test_an_entry_has_its_address_and_its_date():
    body = "<urlset><url><lastmod> 2026-03-01 </lastmod><loc>\n https://clinic.example/a \n</loc></url></urlset>"

    sitemap, entries = read(body)

    assert entries == [Entry("https://clinic.example/a", "2026-03-01T00:00:00+00:00")]
    assert (sitemap.kind, sitemap.type, sitemap.count, sitemap.size, sitemap.problem) == (
        "urlset",
        "urlset",
        1,
        len(body),
        None,
    )


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("2026", "2026-01-01T00:00:00+00:00"),
        ("2026-05", "2026-05-01T00:00:00+00:00"),
        ("2026-05-17T10:30:00Z", "2026-05-17T10:30:00+00:00"),
        ("2026-05-17T10:30:00+02:00", "2026-05-17T08:30:00+00:00"),
        ("2026-05-17T10:30:00+23:59", "2026-05-16T10:31:00+00:00"),
        ("2026-05-17T10:30:00-16:00", "2026-05-18T02:30:00+00:00"),
        ("2026-05-17 10:30:00", "2026-05-17T10:30:00+00:00"),
        ("yesterday", None),
        ("0001-01-01", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("1991-01-01T00:00:00+01:00", None),
        ("9999-12-31T23:59:59-12:00", None),
        ("9999-12-31", None),
        ("2026-13-45", None),
        ("2026-05-17" + "0" * 5000, None),
    ],
)
def test_a_date_is_kept_when_it_is_one(written, stored):
    body = f"<urlset><url><loc>https://clinic.example/</loc><lastmod>{written}</lastmod></url></urlset>"

    assert read(body)[1] == [Entry("https://clinic.example/", stored)]


@pytest.mark.parametrize(
    ("header", "stored"),
    [
        ("Tue, 03 Mar 2026 10:00:00 GMT", "2026-03-03T10:00:00+00:00"),
        ("Tue, 03 Mar 2026 10:00:00 -0000", "2026-03-03T10:00:00+00:00"),
        ("Tue, 03 Mar 2026 10:00:00 +2300", "2026-03-02T11:00:00+00:00"),
        ("Fri, 31 Dec 9999 23:59:59 -0100", None),
        ("soon", None),
        (None, None),
    ],
)
def test_the_date_of_a_header_is_kept_when_it_is_one(header, stored):
    assert http_date(header) == stored


def test_a_sitemap_tells_which_tags_it_uses():
    body = "<urlset><url><loc>/a</loc><lastmod>2026</lastmod><priority>0.5</priority></url></urlset>"

    sitemap, _ = read(body)

    assert (sitemap.has_lastmod, sitemap.has_priority, sitemap.has_changefreq) == (True, True, False)


def test_an_index_lists_its_sitemaps_and_resolves_relative_ones():
    body = "<sitemapindex><sitemap><loc>/a.xml</loc></sitemap><sitemap><loc>b.xml</loc></sitemap></sitemapindex>"

    sitemap, entries = read(body)

    assert sitemap.kind == "index"
    assert [entry.url for entry in entries] == ["https://clinic.example/a.xml", "https://clinic.example/deep/b.xml"]


def test_a_prefix_on_every_tag_changes_nothing():
    body = (
        '<ns0:urlset xmlns:ns0="http://www.sitemaps.org/schemas/sitemap/0.9">'
        "<ns0:url><ns0:loc>/a</ns0:loc></ns0:url></ns0:urlset>"
    )

    assert urls(body) == ["https://clinic.example/a"]


@pytest.mark.parametrize("declaration", [IMAGES, ""])
def test_the_address_of_an_image_is_no_page(declaration):
    body = (
        f"<urlset {NAMESPACE} {declaration}><url><image:image><image:loc>/a.jpg</image:loc></image:image>"
        "<loc>/a</loc></url><url><loc>/b</loc></url></urlset>"
    )

    assert urls(body) == ["https://clinic.example/a", "https://clinic.example/b"]


def test_a_sitemap_is_of_images_when_every_entry_has_one():
    entry = "<url><loc>/a</loc><image:image><image:loc>/a.jpg</image:loc></image:image></url>"
    plain = "<url><loc>/b</loc></url>"

    every, some = (read(f"<urlset {NAMESPACE} {IMAGES}>{body}</urlset>")[0] for body in (entry * 2, entry + plain))

    assert (every.type, some.type) == ("image", "urlset")
    assert every.kind == "urlset"


@pytest.mark.parametrize(
    "loc",
    [
        "https://clinic.example/?a=1&amp;b=2",
        "https://clinic.example/?a=1&b=2",
        "https://clinic.example/?a=1&amp;amp;b=2",
        "<![CDATA[https://clinic.example/?a=1&b=2]]>",
        "<![CDATA[https://clinic.example/?a=1&amp;b=2]]>",
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_an_ampersand_is_one_however_it_is_written(loc, size):
    assert urls(urlset(loc, "/after"), size=size) == ["https://clinic.example/?a=1&b=2", "https://clinic.example/after"]


@pytest.mark.parametrize(
    "body",
    [
        "\n\n<?xml version='1.0'?>" + urlset("/a", "/b"),
        "---\nlayout: null\n---\n<?xml version='1.0'?>" + urlset("/a", "/b"),
        "<br />\n<b>Warning</b>: mysql in <b>/x.php</b><?xml version='1.0'?>" + urlset("/a", "/b"),
        "<!DOCTYPE urlset><!-- made by hand -->" + urlset("/a", "/b"),
        "<?xml version='1.0' encoding='utf-16'?>" + urlset("/a", "/b"),
        "<?xml version='1.0' encoding='rot13'?>" + urlset("/a", "/b"),
        "<?xml version='1.0' encoding='no such thing'?>" + urlset("/a", "/b"),
        urlset("/a", "/b") + urlset("/c") + "junk < & <",
        urlset("/a\x1c", "/b"),
        urlset("/a", "/b").upper().replace("/A", "/a").replace("/B", "/b"),
        "<urlset><url><loc>/a</loc><br></url><url><loc>/b</loc></url></urlset>",
        "<urlset><url><loc>/a</loc><loc>/b</loc></url></urlset>",
        f"<urlset {NAMESPACE}><url xmlns=''><loc>/a</loc></url><url><loc>/b</loc><c>1 < 2 & 3</c></url></urlset>",
    ],
)
def test_what_a_person_could_read_is_read(body):
    assert urls(body) == ["https://clinic.example/a", "https://clinic.example/b"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_unicode_is_recognised_by_its_bytes(encoding):
    assert urls(urlset("/über-uns").encode(encoding), size=5) == ["https://clinic.example/%C3%BCber-uns"]


def test_a_declared_encoding_is_believed():
    body = f"<?xml version='1.0' encoding='windows-1251'?>{urlset('/контакты')}"

    assert urls(body.encode("cp1251")) == ["https://clinic.example/%D0%BA%D0%BE%D0%BD%D1%82%D0%B0%D0%BA%D1%82%D1%8B"]


def test_gzip_is_recognised_by_its_magic_bytes_also_in_several_members():
    whole = urlset(*NUMBERED).encode()
    packed = gzip.compress(whole[:1000]) + gzip.compress(whole[1000:]) + b"\0" * 512

    sitemap, entries = read(packed, size=11)

    assert len(entries) == 100
    assert (sitemap.size, sitemap.problem) == (len(whole), None)


@pytest.mark.parametrize(
    "loc", ["{{ page.url }}/a", "{% url %}", "<%= root_url %>", "${base}/a", "<?php echo $base ?>/a"]
)
def test_a_template_that_nobody_filled_in_names_no_page(loc):
    sitemap, entries = read(urlset(loc, "/b"))

    assert [entry.url for entry in entries] == ["https://clinic.example/b"]
    assert sitemap.unrendered == 1


def test_what_is_no_web_address_is_skipped_and_counted():
    sitemap, entries = read(urlset("mailto:a@clinic.example", "https://", "javascript:alert(1)", "/b", ""))

    assert [entry.url for entry in entries] == ["https://clinic.example/b"]
    assert sitemap.skipped == 3


def test_a_text_sitemap_has_an_address_on_each_line():
    sitemap, entries = read("\ufeffhttps://clinic.example/a\r\n\r\n# old\nnonsense\nhttps://clinic.example/b", size=4)

    assert sitemap.kind == "text"
    assert [entry.url for entry in entries] == ["https://clinic.example/a", "https://clinic.example/b"]
    assert sitemap.skipped == 1


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("", "empty"),
        (" \n\n ", "empty"),
        ("<!DOCTYPE html><html><body><urlset></urlset></body></html>", "html"),
        ("<?xml version='1.0'?><!DOCTYPE html PUBLIC 'a' 'b'><html><body/></html>", "html"),
        ("<div>Page not found</div>", "html"),
        ('{"error": 404}', "unknown"),
        ("Not found", "unknown"),
        ("https://clinic.example is our site", "unknown"),
        ("<?xml version='1.0'?><error/>", "unknown"),
        (b"\x00" * 1000, "unknown"),
        (b"\x89PNG\r\n\x1a\n", "unknown"),
    ],
)
def test_what_is_no_sitemap_is_called_what_it_is(body, kind):
    sitemap, entries = read(body)

    assert (sitemap.kind, sitemap.is_sitemap, entries) == (kind, False, [])


@pytest.mark.parametrize("body", ["<urlset/>", "<urlset></urlset>", "<sitemapindex />"])
def test_an_empty_sitemap_is_one(body):
    sitemap, entries = read(body)

    assert (sitemap.is_sitemap, entries, sitemap.problem) == (True, [], None)


def test_the_count_is_of_addresses_as_written():
    assert count_urls(urlset("/a", "/a", "https://", "{{ a }}").encode(), URL) == 3
