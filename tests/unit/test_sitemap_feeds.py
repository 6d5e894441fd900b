"""RSS and Atom in a sitemap's place."""

from actors.parse.sitemaps import Entry, Sitemap


def read(body):
    sitemap = Sitemap([body.encode()], url="https://clinic.example/deep/sitemap.xml")
    return sitemap, list(sitemap)


def test_rss_items_are_pages():
    body = (
        "<?xml version='1.0'?><rss version='2.0'><channel><link>https://clinic.example/</link>"
        "<item><link>https://clinic.example/news</link><pubDate>Tue, 03 Mar 2026 10:00:00 GMT</pubDate></item>"
        "<item><title>no link</title></item></channel></rss>"
    )

    sitemap, entries = read(body)

    assert sitemap.kind == "rss"
    assert entries == [Entry("https://clinic.example/news", "2026-03-03T10:00:00+00:00")]


def test_atom_entries_are_pages():
    body = (
        "<feed xmlns='http://www.w3.org/2005/Atom'><link href='https://clinic.example/'/>"
        "<entry><link rel='alternate' href='/news'/><updated>2026-03-03T10:00:00Z</updated></entry></feed>"
    )

    sitemap, entries = read(body)

    assert sitemap.kind == "atom"
    assert entries == [Entry("https://clinic.example/news", "2026-03-03T10:00:00+00:00")]


def test_of_several_links_of_an_entry_the_page_is_taken_and_not_the_feed_it_came_from():
    body = (
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><source><link href='/elsewhere'/><updated>2020</updated>"
        "</source><link rel='self' href='/api'/><link href='/news'/><published>2026-03-03</published></entry></feed>"
    )

    _, entries = read(body)

    assert entries == [Entry("https://clinic.example/news", "2026-03-03T00:00:00+00:00")]


def test_an_item_without_a_link_is_found_by_its_guid_unless_that_is_no_address():
    body = (
        "<rss><channel><item><guid>https://clinic.example/a</guid></item>"
        "<item><guid isPermaLink='false'>tag:1</guid></item></channel></rss>"
    )

    _, entries = read(body)

    assert [entry.url for entry in entries] == ["https://clinic.example/a"]


def test_a_feed_that_breaks_off_is_partial():
    sitemap, entries = read("<rss><channel><item><link>/a</link></item><item><link>/b</link></item>")

    assert [entry.url for entry in entries] == ["https://clinic.example/a", "https://clinic.example/b"]
    assert sitemap.problem == "cut off or broken before its end"
