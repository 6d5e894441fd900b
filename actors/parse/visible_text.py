"""The text inside an element, cut while it is read: elements may stand inside each other, each with all the text."""

from typing import Final

from selectolax.lexbor import LexborNode

from actors.parse.lines import INVISIBLE

# What one page may cost: each node counts, and long texts count by their length. Elements that hold each other
# are the only way to need more than a page has nodes.
_MOST_STEPS: Final = 400_000
_CHARACTERS_PER_STEP: Final = 64
_SHORT: Final = 8


def collapsed(text: str) -> str:
    """Runs of white space made one blank, in linear time."""
    return " ".join((text if text.isascii() else INVISIBLE.sub("", text)).replace("\x00", "").split())


class TextReader:
    """One per page; when its steps are used up, further elements have no text."""

    def __init__(self) -> None:
        self._left = _MOST_STEPS

    def text(self, node: LexborNode, longest: int) -> str:
        """The first characters of an element's text, its parts with a blank between them."""
        parts: list[str] = []
        length = 0
        for each in node.traverse(include_text=True):
            self._left -= 1
            if self._left < 0 or length > longest:
                break
            if each.is_text_node:
                text = each.text_content or ""
                self._left -= len(text) // _CHARACTERS_PER_STEP
                part = collapsed(text.lstrip()[: longest * _SHORT])
                parts.append(part)
                length += len(part) + bool(part)
        return collapsed(" ".join(parts))[:longest]

    def is_empty(self, node: LexborNode, most: int) -> bool:
        """Whether no text stands in the first nodes of an element."""
        for number, each in enumerate(node.traverse(include_text=True)):
            self._left -= 1
            if number > most or self._left < 0:
                break
            if each.is_text_node and (each.text_content or "").strip():
                return False
        return True
