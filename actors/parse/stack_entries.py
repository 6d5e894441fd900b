"""What is known of an open element, and of the formatting elements between two barriers."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Entry:
    """An open element, and the place of the last one of each class at or below its own."""

    name: str
    place: int
    html: int
    barrier: int
    button: int
    items: int
    special: int
    hard: int
    table: int
    is_foreign: bool
    """Whether a start tag inside it is read by the rules of SVG or MathML."""

    is_in_foreign: bool
    """Whether an end tag or a CDATA section inside it is read by those rules."""

    places: list[int]
    """Of all open elements of this name."""

    inside: dict[str, "Entry"] = field(default_factory=dict)
    """What has stood in it, by name."""


@dataclass(slots=True)
class Level:
    """Formatting elements opened since a barrier, by name; what a marker hides is forgotten with it.

    `in_force` counts them, and those opened before the barrier that are in force behind it: none behind a marker.
    `links` are the elements `a`, of which the parser keeps one between two barriers. Of each the place is kept that it
    was opened in.
    """

    place: int
    is_marker: bool
    in_force: int
    links: list[int] = field(default_factory=list)
    formatting: dict[str, list[int]] = field(default_factory=dict)
