"""What an element does to the line of text that it stands in, by its name."""

from enum import Enum, auto
from typing import Final

_UNREAD_NAMES: Final = (
    "script style template noscript head title select textarea datalist iframe object embed svg math canvas audio "
    "video noframes input meta link"
)
_UNREAD: Final = frozenset(_UNREAD_NAMES.split())
_BLOCKS_NAMES: Final = (
    "address article aside blockquote body caption center details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table "
    "tbody thead tfoot tr ul"
)
_BLOCKS: Final = frozenset(_BLOCKS_NAMES.split())
HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
# Between these and their neighbours a reader sees a gap, even where the markup has none.
_APART: Final = frozenset(("a", "button", "label", "img", "i"))


class Kind(Enum):
    """What an element does to the line that it stands in."""

    TEXT = auto()
    UNREAD = auto()
    BLOCK = auto()
    CELL = auto()
    BREAK = auto()
    APART = auto()
    INLINE = auto()


_ONE_OF_A_KIND: Final = {
    "-text": Kind.TEXT,
    "br": Kind.BREAK,
    "td": Kind.CELL,
    "th": Kind.CELL,
    "dd": Kind.CELL,
}


def kind_of(tag: str) -> Kind:
    if tag in _ONE_OF_A_KIND:
        return _ONE_OF_A_KIND[tag]
    if tag in _UNREAD or tag.startswith(("-", "!")):
        return Kind.UNREAD
    if tag in _BLOCKS:
        return Kind.BLOCK
    return Kind.APART if tag in _APART else Kind.INLINE
