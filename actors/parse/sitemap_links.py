"""Where a site's sitemaps may be: the usual paths, and what its home page links to."""

from actors.parse.html import Document
from actors.parse.urls import LONGEST_URL, parse_url

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
_NAME = "sitemap"
_ENDINGS = (".xml", ".xml.gz", ".txt")


def linked_sitemaps(document: Document, url: str) -> list[str]:
    """What the page calls its sitemap: <link rel=sitemap>, then links that are named like one."""
    declared = (node.attributes.get("href") for node in document.select("link[rel~='sitemap' i]"))
    references = (reference.strip() for reference in declared if reference)
    links = [parse_url(reference, url) for reference in references if len(reference) <= LONGEST_URL]
    named = (link.target for link in document.links(url) if _NAME in link.url.lower())
    links += [target for target in named if _is_named_like_one(target.path)]
    found = (link.href.partition("#")[0] for link in links if link is not None and link.scheme in ("http", "https"))
    return list(dict.fromkeys(found))[:_MOST_LINKS]


def _is_named_like_one(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return _NAME in name and name.endswith(_ENDINGS)
