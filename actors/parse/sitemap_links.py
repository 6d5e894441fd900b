"""Where a site's sitemaps may be: the usual paths, and what its home page links to."""

import re

from actors.parse.html import Document
from actors.parse.urls import parse_url

# In the order of how many sites use them; few, because every one that is not there costs the site a request.
USUAL_PATHS = (
    "/sitemap.xml",
    "/sitemap_index.xml",
    "/wp-sitemap.xml",
    "/sitemap-index.xml",
    "/sitemap.xml.gz",
    "/sitemap.txt",
    "/sitemap/sitemap.xml",
    "/sitemapindex.xml",
)

_MOST_LINKS = 5
_NAMES_A_SITEMAP = re.compile(r"/[^/]*sitemap[^/]*\.(?:xml|xml\.gz|txt)$", re.IGNORECASE)


def linked_sitemaps(document: Document, url: str) -> list[str]:
    """What the page calls its sitemap: <link rel=sitemap>, then links that are named like one."""
    declared = (node.attributes.get("href") for node in document.select("link[rel~='sitemap' i]"))
    links = [parse_url(reference.strip(), url) for reference in declared if reference]
    links += [
        parsed for link in document.links(url) if (parsed := parse_url(link.url)) and _is_named_like_one(parsed.path)
    ]
    found = (link.href.partition("#")[0] for link in links if link is not None and link.scheme in ("http", "https"))
    return list(dict.fromkeys(found))[:_MOST_LINKS]


def _is_named_like_one(path: str) -> bool:
    return _NAMES_A_SITEMAP.search(path) is not None
