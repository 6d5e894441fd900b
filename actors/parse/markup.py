"""How tags, attributes and elements of text are written, as an HTML5 parser cuts them out of a page."""

import re
from typing import Final

_BLANKS: Final = "\t\n\f\r "
_BLANK: Final = r"\t\n\f\r "
_GAP: Final = rf"[{_BLANK}/]++"
_NAME: Final = rf"[^{_BLANK}/>][^{_BLANK}/>=]*+"
_VALUE: Final = (
    rf"(?:[{_BLANK}]*+=[{_BLANK}]*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^{_BLANK}>\"'][^{_BLANK}>]*+)?+)?+"
)
_ATTRIBUTE: Final = _NAME + _VALUE
# Of a tag: its name with the stroke of an end tag before it, and the rest up to its end.
MARKUP: Final = re.compile(
    rf"<(?:(?P<name>/?[a-zA-Z][^{_BLANK}/>]*+)(?P<rest>(?:{_GAP}|{_ATTRIBUTE})*+)"
    r"|!--(?:-?>|.*?(?:--!?>|\Z))|(?P<cdata>!\[CDATA\[)|[!?/][^>]*+)",
    re.DOTALL,
)
ATTRIBUTES: Final = re.compile(_ATTRIBUTE)
_ATTRIBUTE_NAMES = re.compile(f"({_NAME}){_VALUE}")
_TEXT_NAMES: Final = "iframe noembed noframes script style textarea title xmp"
TEXT_TO_PARSER: Final = frozenset((*_TEXT_NAMES.split(), "plaintext"))
_AFTER_NAME: Final = frozenset(f"{_BLANKS}/>")
_SCRIPT = re.compile(rf"<!(?=--)|-->|<(/?)script(?=[{_BLANK}/>])", re.IGNORECASE)


def attribute_names(*rests: str) -> set[str]:
    # Whatever stands in one of them ends at a > outside of its quotes.
    return set(map(str.lower, _ATTRIBUTE_NAMES.findall(">".join(rests))))


def attributes(rest: str) -> dict[str, str]:
    """Of two attributes of one name, the first counts."""
    found: dict[str, str] = {}
    for written in ATTRIBUTES.findall(rest):
        name, _, value = written.partition("=")
        found.setdefault(name.strip(_BLANKS).lower(), value.strip(f"{_BLANKS}\"'"))
    return found


def closes_itself(rest: str) -> bool:
    """Whether the last stroke is one of its own, and not the end of a value."""
    return rest.endswith("/") and not any(each.end() == len(rest) for each in ATTRIBUTES.finditer(rest))


def cdata_end(text: str, position: int, *, is_foreign: bool) -> int:
    """Behind a CDATA section; outside of SVG and MathML it is a comment, and ends as such."""
    mark = "]]>" if is_foreign else ">"
    found = text.find(mark, position)
    return found + len(mark) if found >= 0 else len(text)


def text_end(text: str, name: str, position: int) -> int:
    """Where the end tag begins of an element whose content is text to the parser; plaintext has none."""
    if name == "plaintext":
        return len(text)
    end = _next_end_tag(text, name, position)
    is_commented = name == "script" and text.find("<!--", position, end) >= 0
    return _script_end(text, position) if is_commented else end


def _next_end_tag(text: str, name: str, position: int) -> int:
    place = text.find("</", position)
    while place >= 0:
        after = place + 2 + len(name)
        if text[place + 2 : after].lower() == name and text[after : after + 1] in _AFTER_NAME:
            return place
        place = text.find("</", place + 2)
    return len(text)


def _script_end(text: str, position: int) -> int:
    """A script that is written inside a comment of a script does not end it."""
    is_comment = is_inner = False
    for mark in _SCRIPT.finditer(text, position):
        if mark[0] == "-->":
            is_comment = is_inner = False
        elif mark[0] == "<!":
            is_comment = True
        elif mark[1] and not is_inner:
            return mark.start()
        else:
            is_inner = is_comment and not mark[1]
    return len(text)
