"""What kind of page a URL leads to, judged before anything is fetched; every judgement names its rule.

categorise, judge the page type, how sure we are, and whether the page is worth reading
is_contact_like   whether contacts are to be expected there
honeybee          the judgement as it is stored
"""

import re
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from actors.parse.page_exclusions import Exclusion, exclusion
from actors.parse.page_words import Match, is_editorial, is_language, is_page_parameter, match_words
from actors.parse.urls import Url, parse_url

_CONTACT_LIKE = frozenset({"contact_root", "legal_root", "about_root", "team_root", "career_contact"})
_LEAST_CONFIDENCE = 0.6
_DEEPEST = 3

_LONGEST = 2048
_LONGEST_LABEL = 63
_UNKNOWN_CONFIDENCE = 0.2
_LEAST_IMPORTANT = 5
_EXTENSION = re.compile(r"\.(?:[psx]?html?|php\d?|aspx?|jspx?|cfm|do|action|pl|cgi)$", re.IGNORECASE)
_INDEX = re.compile(r"(?:index|default|home|main|start|accueil|startseite|inicio)", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_WORDPRESS_ID = re.compile(r"(?:^|&)(?:p|page_id)=\d+(?:&|$)")


class Category(NamedTuple):
    page_type: str
    confidence: float
    depth: int
    matched: str
    """The rule that decided, in words."""
    decision: str
    """include or skip"""
    priority: int
    """1 is read first, 5 last."""


def categorise(url: str, text: str = "") -> Category:
    """Judge by the URL alone; the text of a link to it helps where the URL says nothing."""
    if len(url) > _LONGEST:
        return _skipped(Exclusion("too long"), 0)
    parsed = parse_url(url)
    return _skipped(Exclusion("no web address"), 0) if parsed is None else judge(parsed, text)


def judge(url: Url, text: str = "") -> Category:
    """The same for a URL that is parsed already."""
    if url.scheme not in ("http", "https"):
        return _skipped(Exclusion("no web address"), 0)
    segments = [_decoded(segment) for segment in url.path.split("/") if segment]
    parameters = [pair.partition("=") for pair in url.query.split("&") if pair]
    excluded = exclusion(segments, [name for name, _, _ in parameters])
    if excluded is not None:
        return _skipped(excluded, len(segments))
    names = [_EXTENSION.sub("", segment) for segment in segments]
    pages = [_decoded(value) for name, _, value in parameters if is_page_parameter(name)]
    return _by_words(url, _without_language(names), len(segments), pages, text)


def is_contact_like(category: Category) -> bool:
    return (
        category.decision == "include"
        and category.page_type in _CONTACT_LIKE
        and category.confidence >= _LEAST_CONFIDENCE
        and category.depth <= _DEEPEST
    )


def honeybee(category: Category) -> dict[str, Any]:
    skipped = category.decision == "skip"
    decision = {"category": category.page_type, "confidence": category.confidence, "matched": category.matched}
    return {"v": 2, "decision": decision, "exclusions": [category.matched] if skipped else []}


def _by_words(url: Url, names: list[str], depth: int, pages: list[str], text: str) -> Category:
    leaf, above = (names[-1], names[:-1]) if names else ("", [])
    if not names and not url.query:
        return Category("home_root", 0.95 if depth == 0 else 0.7, depth, "home page", "include", 2)
    editorial = any(is_editorial(name) or _YEAR.fullmatch(name) for name in above)
    match = match_words(leaf)
    if match is not None and not (editorial and match.is_beginning):
        return _matched(match, depth, 0.5 if editorial else 1.0)
    for page in pages:
        match = match_words(_EXTENSION.sub("", page.rpartition("/")[2]))
        if match is not None:
            return _matched(match, depth, 0.8)
    match = match_words(" ".join(text.split())) if text and not editorial else None
    if match is not None:
        return _matched(match, depth, 0.9)
    if _WORDPRESS_ID.search(url.query):
        return Category("wp_prospect", 0.5, depth, "WordPress page number", "include", 4)
    return _below(above, depth, editorial=editorial)


def _below(above: list[str], depth: int, *, editorial: bool) -> Category:
    """A page is something of what stands above it: /team/jane-doe."""
    for name in [] if editorial else reversed(above):
        match = match_words(name)
        if match is not None and match.is_whole:
            group = match.group
            return Category(group.page_type, group.below, depth, f"below {match.why}", "include", group.priority + 1)
    return Category("unknown", _UNKNOWN_CONFIDENCE, depth, "no rule", "include", 4)


def _matched(match: Match, depth: int, factor: float) -> Category:
    confidence = round(match.confidence * factor, 2)
    sure = confidence >= _LEAST_CONFIDENCE
    priority = match.group.priority if sure else min(match.group.priority + 2, _LEAST_IMPORTANT)
    return Category(match.group.page_type, confidence, depth, match.why, "include", priority)


def _skipped(excluded: Exclusion, depth: int) -> Category:
    return Category(excluded.page_type, 0.0, depth, excluded.name, "skip", _LEAST_IMPORTANT)


def _without_language(names: list[str]) -> list[str]:
    """/en/contact is a contact page, /de/ and /index.html are home pages."""
    if names and is_language(names[0]):
        names = names[1:]
    return [name for name in names if not _INDEX.fullmatch(name)]


def _decoded(segment: str) -> str:
    """A segment as people read it; percent signs hide UTF-8, on old sites Windows' letters, elsewhere punycode."""
    if segment.startswith("xn--") and len(segment) <= _LONGEST_LABEL:
        return _from_punycode(segment)
    if "%" not in segment:
        return segment.replace("+", " ")
    raw = unquote_to_bytes(segment)
    try:
        return raw.decode("utf-8").replace("+", " ")
    except UnicodeDecodeError:
        foreign = sum(byte > 127 for byte in raw) * 2 > len(raw)  # noqa: PLR2004 - ASCII ends there; most letters
        return raw.decode("cp1251" if foreign else "cp1252", "replace")


def _from_punycode(label: str) -> str:
    try:
        return label.removeprefix("xn--").encode("ascii").decode("punycode")
    except (UnicodeError, ValueError, OverflowError):
        return label
