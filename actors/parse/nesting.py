"""Markup that would keep an HTML5 parser busy for minutes, made harmless before it is parsed.

The standard's algorithm is quadratic in open elements, in attributes of one tag, and multiplies formatting elements
that nobody closes. Browsers stop at a depth of 512; so do we. Honest pages pass unchanged.
"""

import operator
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import accumulate
from typing import Final

_DEEPEST: Final = 512
_MOST_FORMATTING: Final = 4
_LONGEST_TAG: Final = 20_000
_MOST_GAPS: Final = 1_000

_LONG_PIECE = re.compile(rf"<[^<]{{{_LONGEST_TAG}}}")
_TAG = re.compile(r"</?[a-zA-Z][a-zA-Z0-9-]{0,20}")

# These close themselves, or one closes the other: any number of them stays flat.
_FLAT_NAMES: Final = (
    "area base br col embed hr img input link meta param source track wbr html head body "
    "p li dd dt tr td th tbody thead tfoot option optgroup colgroup a script style title textarea"
)
_FLAT: Final = frozenset(_FLAT_NAMES.split())
_FORMATTING_NAMES: Final = "b big code em font i nobr s small strike strong tt u"
_FORMATTING: Final = frozenset(_FORMATTING_NAMES.split())


def harmless(text: str) -> str:
    """The same page, its surplus tags replaced by ones that hold nothing."""
    return _without_endless_tags(_shallow(text) if _may_be_deep(text) else text)


def _may_be_deep(text: str) -> bool:
    """Cheap and never wrong when it says no: every name is closed about as often as opened, and never far behind."""
    tags = _TAG.findall(text)
    names = {tag: tag.strip("</").lower() for tag in set(tags)}
    steps = {tag: _step(tag, name) for tag, name in names.items()}
    formatting = {tag: step * (names[tag] in _FORMATTING) for tag, step in steps.items()}
    balance: Counter[str] = Counter()
    for tag, times in Counter(tags).items():
        balance[names[tag]] += steps[tag] * times
    if any(abs(surplus) > (_MOST_FORMATTING if name in _FORMATTING else _DEEPEST) for name, surplus in balance.items()):
        return True
    return _climbs(map(steps.__getitem__, tags), _DEEPEST) or _climbs(
        filter(None, map(formatting.__getitem__, tags)), _MOST_FORMATTING
    )


def _climbs(steps: Iterable[int], limit: int) -> bool:
    """Whether there is anywhere, above a low before it, a rise of more than the limit."""
    depths: list[int] = list(accumulate(steps, initial=0))
    rise: int = max(depths) - min(depths)
    if rise > limit:
        rise = max(map(operator.sub, depths, accumulate(depths, min)))
    return rise > limit


def _step(tag: str, name: str) -> int:
    if name in _FLAT:
        return 0
    return -1 if tag.startswith("</") else 1


def _shallow(text: str) -> str:
    open_elements: dict[str, int] = defaultdict(int)
    depth = {True: 0, False: 0}

    def replaced(match: re.Match[str]) -> str:
        tag = match[0]
        name = tag.strip("</").lower()
        formats = name in _FORMATTING
        if name in _FLAT:
            return tag
        if tag[1] == "/":
            if open_elements[name]:
                open_elements[name] -= 1
                depth[formats] -= 1
            return tag
        if depth[formats] >= (_MOST_FORMATTING if formats else _DEEPEST):
            return "<wbr"
        open_elements[name] += 1
        depth[formats] += 1
        return tag

    return _TAG.sub(replaced, text)


def _without_endless_tags(text: str) -> str:
    if _LONG_PIECE.search(text) is None:
        return text
    return "<".join(piece for piece in text.split("<") if not _is_endless_tag(piece))


def _is_endless_tag(piece: str) -> bool:
    if len(piece) <= _LONGEST_TAG or not piece[:1].isalpha():
        return False
    tag = piece.partition(">")[0]
    return len(tag) > _LONGEST_TAG and len(tag.split(maxsplit=_MOST_GAPS)) > _MOST_GAPS
