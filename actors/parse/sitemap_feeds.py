"""RSS and Atom feeds that serve as sitemaps, read as they arrive, as urlsets are."""

from typing import Final

from actors.parse.sitemap_xml import LONGEST_TEXT, Location, Reader

_ITEMS: Final = ("item", "entry")
# The feed that an entry was taken from, with a link and a date of its own.
_SOURCE: Final = "source"
_NAMESPACES: Final = ("http://www.w3.org/2005/Atom", "http://purl.org/rss/1.0/", "http://purl.org/atom/ns#")
# What changed a page last comes before what published it.
_DATES: Final = ("updated", "modified", "date", "pubdate", "published", "issued")


class FeedReader(Reader):
    """Collects the link and the date of each item."""

    def __init__(self) -> None:
        super().__init__()
        self._is_in_item = False
        self._is_in_source = False

    def _open(self, namespace: str, name: str, attributes: dict[str, str]) -> None:
        if name in _ITEMS:
            self.flush()
            self._is_in_item = True
        elif name == _SOURCE:
            self._is_in_source = True
        elif self._is_in_item and not self._is_in_source:
            self._begin(namespace, name, attributes)

    def _begin(self, namespace: str, name: str, attributes: dict[str, str]) -> None:
        if name in _DATES:
            self._collect(name)
        elif namespace not in ("", self._namespace, *_NAMESPACES):
            return
        elif name == "link" and attributes.get("href"):
            if attributes.get("rel", "alternate") == "alternate":
                self._found.setdefault("link", attributes["href"][:LONGEST_TEXT].strip())
        elif name == "link" or (name == "guid" and attributes.get("isPermaLink", "true").lower() == "true"):
            self._collect(name)

    def _keep(self, name: str, text: str) -> None:
        if text:
            self._found.setdefault(name, text)

    def _close(self, name: str) -> None:
        if name in _ITEMS:
            self.flush()
        elif name == _SOURCE:
            self._is_in_source = False

    def flush(self) -> None:
        """Let go of an item; one without a link names no page."""
        link = self._found.get("link") or self._found.get("guid")
        if link:
            date = next((self._found[name] for name in _DATES if name in self._found), "")
            self.locations.append(Location(link, date))
        self._found.clear()
        self._is_in_item = self._is_in_source = False
