"""What a robots.txt allows us, by RFC 9309."""

import codecs
import re

from protego import Protego

from actors.parse.urls import parse_url

MOST_BYTES = 500 * 1024

_HTML = re.compile(r"\s*<(!doctype|html|head|body|title|meta|script|!--|\?xml)", re.IGNORECASE)
# "User-agent: SomeBot and friends" means SomeBot; the library would look for the whole of it.
_WORDS_AFTER_AGENT = re.compile(
    r"^([ \t]*user-?agent[ \t]*:[ \t]*[^\s#]+)[ \t]+[^#\r\n]*", re.IGNORECASE | re.MULTILINE
)

# The library keeps every rule once for each agent of its group: half a megabyte of agents, then of rules, would take
# gigabytes. Whatever may name an agent is counted; only what does so for certain, after a certain rule, begins a group.
_MAY_NAME_AGENT = re.compile(r"user[-\s]*agent", re.IGNORECASE)
_NAMES_AGENT = re.compile(r"user-agent\s*:", re.IGNORECASE)
_IS_RULE = re.compile(r"(?:allow|disallow|crawl-delay)\s*:", re.IGNORECASE)
_IS_SITEMAP = re.compile(r"sitemap\s*:", re.IGNORECASE)
MOST_AGENTS = 5_000
MOST_RULES = 100_000
_FORBIDS_ALL = "User-agent: *\nDisallow: /"


class Robots:
    def __init__(self, text: str, *, url: str, agent: str) -> None:
        """`url` is where the file was asked for, `agent` our product token."""
        self._rules = Protego.parse(_FORBIDS_ALL if _is_overgrown(text) else text)
        self._agent = agent
        self.crawl_delay: float | None = self._rules.crawl_delay(agent)
        found = (parse_url(sitemap, url) for sitemap in self._rules.sitemaps)
        self.sitemaps = tuple(dict.fromkeys(sitemap.href for sitemap in found if sitemap and _is_web(sitemap.scheme)))

    def allows(self, url: str) -> bool:
        return self._rules.can_fetch(url, self._agent)


def _is_overgrown(text: str) -> bool:
    """Whether a file has more agents in a group, or more rules for all its agents together, than any honest one."""
    agents, rules, after_rule = 0, 0, False
    for line in text.splitlines():
        words = line.partition("#")[0].strip()
        if _MAY_NAME_AGENT.match(words):
            agents = 1 if after_rule and _NAMES_AGENT.match(words) else agents + 1
            after_rule = False
        elif words and not _IS_SITEMAP.match(words):
            rules += agents
            after_rule = after_rule or _IS_RULE.match(words) is not None
        if agents > MOST_AGENTS or rules > MOST_RULES:
            return True
    return False


def _is_web(scheme: str) -> bool:
    return scheme in {"http", "https"}


def robots_text(body: bytes) -> str:
    """The rules in a body: at most 500 KiB, nothing if it is a page for people."""
    body = body[:MOST_BYTES]
    wide = body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    # Postgres keeps no NUL, and no rule has one.
    text = body.decode("utf-16" if wide else "utf-8-sig", errors="replace").replace("\0", "")
    return "" if _HTML.match(text) else _WORDS_AFTER_AGENT.sub(r"\1", text)


def robots_allows(body: bytes, agent: str, url: str) -> bool:
    """Whether a robots.txt lets an agent fetch a URL."""
    return Robots(robots_text(body), url=url, agent=agent).allows(url)
