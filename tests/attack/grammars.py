"""Documents by grammar, as Hypothesis draws them: tags around text, structured data, XML, robots.txt."""

import json

from hypothesis import strategies as st

_ELEMENTS = (
    "a b body button caption dd desc div dl dt em font foreignObject form frame frameset g h1 h2 head html i iframe "
    "img input li math mi mtext nobr noscript object ol optgroup option p plaintext rt ruby script select span style "
    "svg table tbody td template textarea th title tr ul x-y"
)
_NAMES = _ELEMENTS.split()
_ATTRIBUTES = (
    "href='mailto:a@b.de'", "href=/contact", "href='tel:+49 30 987654'", "class=vcard", "class=fn", "itemprop=email",
    "style='display:none'", "style='unicode-bidi:bidi-override'", "data-cfemail=543d3a32", "src=/a.js", "hidden", "a=1",
    "rel=sitemap", "type=application/ld+json", "http-equiv=refresh content='0;url=/a'", "x=\"'\"", "y='>'", "/", "z=",
)  # fmt: skip
_WORDS = (
    "info@acme.de", "info (at) acme.de", "Tel. 030 987654", "Fax", "Anna Huber", "Owner", "Impressum", "<", "&amp;",
    "&",
    "<!--", "-->", "<![CDATA[", "]]>", "\x00", "\u200b", "é", "中", " ", "\n", "+49 (0) 30 987654/5", "Website by",
)  # fmt: skip

texts = st.sampled_from(_WORDS) | st.text(max_size=8)
start_tags = st.builds(
    lambda name, attributes: f"<{' '.join([name, *attributes])}>",
    st.sampled_from(_NAMES),
    st.lists(st.sampled_from(_ATTRIBUTES), max_size=4),
)
end_tags = st.sampled_from(_NAMES).map("</{}>".format)
_pieces = st.lists(start_tags | end_tags | texts, min_size=1, max_size=8).map("".join)
# A part that stands once shows nothing of growth: some stand a hundred times.
pages = st.lists(st.tuples(_pieces, st.sampled_from((1, 1, 3, 100))), max_size=8).map(
    lambda parts: "".join(piece * times for piece, times in parts).encode("utf-8", "replace")
)

_PROPERTIES = "@type @graph name email telephone faxNumber logo sameAs address addressCountry jobTitle"
_keys = st.sampled_from(_PROPERTIES.split())
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(_WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_keys, inner, max_size=5),
    max_leaves=30,
)
structured = _values.map(lambda value: f"<script type=application/ld+json>{json.dumps(value)}</script>".encode())

_XML = (
    "<urlset>", "</urlset>", "<sitemapindex>", "<sitemap>", "<url>", "</url>", "<loc>", "</loc>", "<lastmod>2026-01-01",
    "</lastmod>", "<rss>", "<channel>", "<item>", "</item>", "<link>", "</link>", "<link href='/a'/>", "<guid>/b",
    "<pubDate>Mon, 06 Jan 2025 10:00:00 GMT</pubDate>", "<feed>", "<entry>", "</entry>", "<updated>x</updated>", "&#0;",
    "<?xml version='1.0'?>", "<!DOCTYPE a [", "]>", "<!ENTITY a 'b'>", "&a;", "https://clinic.example/\n", "{{ url }}",
)  # fmt: skip
sitemaps = st.lists(st.tuples(st.sampled_from(_XML) | texts, st.sampled_from((1, 1, 50))), max_size=20).map(
    lambda parts: "".join(piece * times for piece, times in parts).encode("utf-8", "replace")
)

_LINES = (
    "User-agent: *", "User-agent: ScraperSky", "Disallow: /", "Disallow: /*a*b$", "Allow: /a", "Crawl-delay: 5", "#",
    "Sitemap: /s.xml", "Sitemap: https://[", "Crawl-delay: nan", "Request-rate: 1/5s", "Disallow:", "user agent x", ":",
)  # fmt: skip
robots = st.lists(st.tuples(st.sampled_from(_LINES) | texts, st.sampled_from((1, 1, 50))), max_size=20).map(
    lambda parts: "".join(f"{line}\n" * times for line, times in parts).encode("utf-8", "replace")
)
