"""Names of elements that an HTML5 parser treats alike."""

from typing import Final

from actors.parse.element_kinds import HEADINGS


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


VOID: Final = _names(
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr"
)
FORMATTING: Final = _names("b big code em font i nobr s small strike strong tt u")
TABLE_PARTS: Final = _names("caption colgroup tbody td tfoot th thead tr")
# These are never nested: the parser keeps one of each, or one between two markers.
NEVER_OPEN: Final = VOID | _names("body frameset head html")
# Inside SVG and MathML these leave it; every other name is an element there.
BREAKS_OUT: Final = _names(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta "
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)
# These end a paragraph, and no element stands in them.
HOLDS_NO_ELEMENT: Final = _names("hr xmp")
BLOCKS: Final = _names(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup "
    "listing main menu nav ol pre search section summary ul"
)
CLOSES_P: Final = BLOCKS | HEADINGS | _names("p li dd dt") | HOLDS_NO_ELEMENT
# These end a paragraph in some documents: a form if no other is open, a table outside of quirks mode.
MAY_CLOSE_P: Final = _names("form table")
MARKERS: Final = _names("applet caption marquee object td template th")
HTML_INSIDE: Final = frozenset(("svg:foreignobject", "svg:desc", "svg:title", "math:annotation-xml html"))
TEXT_INSIDE: Final = _names("math:mi math:mo math:mn math:ms math:mtext")
BARRIERS: Final = MARKERS | HTML_INSIDE | TEXT_INSIDE | _names("table select math:annotation-xml")
SPECIAL: Final = BARRIERS | BLOCKS | HEADINGS | TABLE_PARTS | _names("button dd dt form li noscript p template")
ENDED_BY: Final = {"option": _names("option optgroup"), **dict.fromkeys(HEADINGS, HEADINGS)}
ROOTS: Final = ("svg", "math")
# Before these the parser may end what stands last and is one of those.
MAY_END: Final = _names("hr optgroup option rb rp rt rtc")
MAY_BE_ENDED: Final = _names("dd dt li optgroup option p rb rp rt rtc")
CLOSES_MORE: Final = TABLE_PARTS | _names("li dd dt button")
END_BY_SCOPE: Final = BLOCKS | _names("applet button dd dt marquee object select")
ENDS_OTHERS: Final = CLOSES_MORE | CLOSES_P | MAY_CLOSE_P | MAY_END | TABLE_PARTS
