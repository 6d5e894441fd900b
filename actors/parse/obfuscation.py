"""Addresses written so that harvesters miss them, put back into the form that a reader sees or is meant to see.

Every pattern works on text whose white space is collapsed, and is bounded: none takes more than linear time.
"""

import base64
import codecs
import html
import re
import string
from collections.abc import Iterable
from typing import Final
from urllib.parse import unquote

AT_WORDS: Final = (
    r"@|at|ät|aet|et|ad|a|arroba|arobase|arrobase|chiocciola|apenstaartje|apestaart|kukac|małpa|malpa|zavináč|zavinac|"
    r"snabel-?a|собака|собачка|at sign|klammeraffe|アット|アットマーク|골뱅이"
)
DOT_WORDS: Final = r"\.|dot|punkt|punto|point|ponto|prick|kropka|tečka|tecka|bodka|piste|pont|точка|nokta"
_OPEN, _CLOSE = r"[\[({<«*_|~]{1,2}", r"[\])}>»*_|~]{1,2}"

_AT = re.compile(rf" ?{_OPEN} ?(?:{AT_WORDS}) ?{_CLOSE} ?", re.IGNORECASE)
_DOT = re.compile(rf" ?{_OPEN} ?(?:{DOT_WORDS}) ?{_CLOSE} ?", re.IGNORECASE)
_NAME: Final = r"(?<![\w.+-])[a-z0-9][a-z0-9._+-]{0,62}"
_LABEL: Final = r"[a-z0-9][a-z0-9-]{0,61}"
_HOST: Final = rf"({_LABEL}(?:\.{_LABEL}){{1,4}})(?=$|[\s,;|)]|\.(?:\s|$))"
# "Follow us @ acme.de": nobody's mailbox is called so.
_NOBODY: Final = "us|me|here|home|online|now|uns|nous|noi|nos|live|find|visit"
# "Shop at acme.de": a mailbox may be called so, after a colon.
_IN_A_SENTENCE: Final = (
    "are|available|back|book|buy|check|directly|follow|found|hosted|is|it|join|learn|look|meet|more|only|order|out|page|"
    "read|register|search|see|shop|shopping|site|sold|stay|store|that|them|there|this|tickets|today|up|watch|website|you"
)
_MAILBOX: Final = rf"((?!(?:{_NOBODY}) )(?:(?<=: )|(?!(?:{_IN_A_SENTENCE}) )){_NAME})"
_SPOKEN = re.compile(
    rf"({_NAME}) (?:at|arroba|chiocciola) ({_LABEL}(?: (?:dot|punkt|punto|ponto) {_LABEL}){{1,4}})\b", re.IGNORECASE
)
_SPOKEN_DOT = re.compile(r" (?:dot|punkt|punto|ponto) ", re.IGNORECASE)
# After a label, or alone in its line, "info at acme.de" is an address; in a sentence it is not.
_HALF_SPOKEN = re.compile(rf"(^|mail(?: us)?(?: (?:to|an|at))? ?[:.]? ?){_MAILBOX} at {_HOST}", re.IGNORECASE)
# With hyphens it may be the name of a site as well: look-at-acme.de.
_HYPHENED = re.compile(rf"(mail ?[:.] ?)(?!www\.)({_NAME})[-_]at[-_]{_HOST}", re.IGNORECASE)
# In capitals after a small letter, or between hyphens set apart, it stands out of any sentence.
_STANDING_OUT = re.compile(rf"(){_MAILBOX} (?:AT|-at-|-AT-) {_HOST}")
# "Write to info @ acme.de" has an address, surely so at the site's own domain.
_SPACED_BODY: Final = (
    rf"((?!(?:{_NOBODY}) ){_NAME})(?: @ ?|@ )"
    rf"({_LABEL}(?: ?\. ?{_LABEL}){{1,4}})(?![\w@])"
)
_SPACED = re.compile(
    r"(?:^|(?<=[:,;|/(\t])|(?<=[:,;|/(] )|(?<=mail )|(?<=mail\. )|(?<= an )|(?<= to )|(?<= at )|(?<= à )|(?<= unter ))"
    + _SPACED_BODY,
    re.IGNORECASE,
)
_SPACED_ANYWHERE = re.compile(_SPACED_BODY, re.IGNORECASE)
_OTHER_SIGNS: Final = {
    "\uff20": "@", "\ufe6b": "@", "\uff0e": ".", "\\u0040": "@", "%40": "@", "&#64;": "@", "&commat;": "@"
}  # fmt: skip

_TYPO3_CALL = re.compile(r"linkTo_UnCryptMailto\(\s?(?:%27|['\"])(.{1,400}?)(?:%27|['\"])", re.IGNORECASE)
_TYPO3_RANGES: Final = ((0x2B, 0x3A), (0x40, 0x5A), (0x61, 0x7A))
_JOIN = re.compile(r"(['\"]) ?\+ ?\1")
_COMMENT = re.compile(r"<!--[^'\"<>]{0,20}-->")
_CLOAK = re.compile(r"var (addy\w{0,40}) ?= ?([^;]{1,300});(?: ?\1 ?= ?\1 ?\+ ?([^;]{1,300});)?")
_WRITTEN = re.compile(r"(?:document\.write(?:ln)?|innerHTML|location\.href|window\.location) ?[=(] ?([^;]{1,600})")
_LITERAL = re.compile(r"'([^']{0,300})'|\"([^\"]{0,300})\"|([A-Za-z_$][\w$]{0,40})")
_NAMED = re.compile(r"\b([A-Za-z_$][\w$]{0,40}) ?= ?(?:'([^']{1,100})'|\"([^\"]{1,100})\")")
_CODES = re.compile(r"String\.fromCharCode\( ?(\d[\d, ]{0,800})\)")
_ESCAPED = re.compile(r"(?:unescape|decodeURI(?:Component)?)\( ?(['\"])([^'\"]{1,900})\1 ?\)")
_LAST_CHARACTER: Final = 0x10FFFF
_MOST_NAMES: Final = 200
_LONGEST_SCRIPT: Final = 20_000
_LONGEST_LINE: Final = 20_000
_SAID: Final = (" at ", "-at-", "_at_", " arroba ", " chiocciola ")
_SIGNS = re.compile(r"[@\uff20\ufe6b%\\&\[({<«*_|~]")
_STAND_IN = re.compile(r"([^\w\s@\uff20「」『』()\uff08\uff09\[\]])[」』]?を[「『]?(?:半角)?[@\uff20]")
# In capitals between the letters of an address it asks to be taken out: infoNOSPAM@…, info@REMOVETHIS.acme.de.
_TAKE_OUT = re.compile(r"[._-]?(?:NO[._-]?SPAM|REMOVE[._-]?(?:THIS|ME)|DELETE[._-]?(?:THIS|ME))(?:[._-](?=[^@]|$))?")


def stand_in(lines: Iterable[str]) -> str | None:
    """The sign that a Japanese page asks its readers to replace: "★を@に変えてください"."""
    found = (_STAND_IN.search(line) for line in lines if "を" in line)
    return next((match[1] for match in found if match), None)


def readable(text: str, own_domain: str | None = None) -> str:
    """A line with its disguised addresses made plain; nobody hides one in a line as long as a chapter."""
    if len(text) > _LONGEST_LINE or not (_SIGNS.search(text) or _is_said(text)):
        return text
    for written, meant in _OTHER_SIGNS.items():
        text = text.replace(written, meant)
    if "@" in text:
        text = _TAKE_OUT.sub("", text)
    if any(bracket in text for bracket in "[({<«*_|~"):
        text = _DOT.sub(".", _AT.sub("@", text))
    if _is_said(text):
        text = _SPOKEN.sub(lambda match: f"{match[1]}@{_SPOKEN_DOT.sub('.', match[2])}", text)
        for pattern in (_HALF_SPOKEN, _HYPHENED, _STANDING_OUT):
            text = pattern.sub(lambda match: f"{match[1]}{match[2]}@{match[3]}", text)
    if " @" in text or "@ " in text:
        text = _SPACED.sub(_closed_up, text)
        if own_domain is not None:
            text = _SPACED_ANYWHERE.sub(
                lambda match: _closed_up(match) if _closed_up(match).lower().endswith(f"@{own_domain}") else match[0],
                text,
            )
    return text


def _is_said(text: str) -> bool:
    return any(map(text.lower().__contains__, _SAID))


def _closed_up(match: re.Match[str]) -> str:
    return f"{match[1]}@{match[2].replace(' ', '')}"


def cloudflare(code: str) -> str | None:
    """What Cloudflare hides in data-cfemail and behind /cdn-cgi/l/email-protection#."""
    try:
        key, *hidden = bytes.fromhex(code.strip()[:1000])
    except ValueError:
        return None
    return bytes(byte ^ key for byte in hidden).decode("utf-8", "replace")


def base64_text(code: str) -> str | None:
    try:
        return base64.b64decode(code[:1000], validate=True).decode("utf-8", "replace")
    except ValueError:
        return None


def rot13(text: str) -> str:
    return codecs.encode(text, "rot13")


def typo3(href: str) -> str | None:
    """The mailto: link behind linkTo_UnCryptMailto('…'), whatever the site's shift."""
    call = _TYPO3_CALL.search(href)
    return unshifted(unquote(call[1])) if call else None


def unshifted(code: str) -> str | None:
    """TYPO3 moves each letter round within its range; only the right shift gives a mailto: link."""
    for shift in range(1, 26):
        for signed in (shift, -shift):
            plain = "".join(_moved(character, signed) for character in code[:400])
            if plain.lower().startswith("mailto:"):
                return plain
    return None


def _moved(character: str, shift: int) -> str:
    code = ord(character)
    for first, last in _TYPO3_RANGES:
        if first <= code <= last:
            return chr(first + (code - first + shift) % (last - first + 1))
    return character


def written_by_script(script: str) -> str:
    """The text that a small script puts into the page: Joomla's cloak and document.write, literals joined."""
    if len(script) > _LONGEST_SCRIPT or not any(word in script for word in ("addy", "document.write", "mailto")):
        return ""
    code = _spelled_out(_COMMENT.sub("", " ".join(html.unescape(script).split())))
    named = {
        match[1]: match[2] or match[3] for match, _ in zip(_NAMED.finditer(code), range(_MOST_NAMES), strict=False)
    }
    pieces = [_literals(f"{match[2]} {match[3] or ''}", {}) for match in _CLOAK.finditer(code)]
    pieces += [_literals(match[1], named) for match in _WRITTEN.finditer(_JOIN.sub("", code))]
    return " ".join(filter(None, pieces))


def _spelled_out(code: str) -> str:
    """Text given as character codes or as percent signs, written as a literal."""
    code = _CODES.sub(lambda match: f"'{_from_codes(match[1])}'", code)
    return _ESCAPED.sub(lambda match: f"'{_unquoted(unquote(match[2]))}'", code)


def _from_codes(listed: str) -> str:
    codes = [int(number) for number in listed.replace(",", " ").split() if len(number) <= len(str(_LAST_CHARACTER))]
    return _unquoted("".join(chr(code) for code in codes if code <= _LAST_CHARACTER))


def _unquoted(text: str) -> str:
    return text.replace("'", " ").replace('"', " ")


def _literals(expression: str, named: dict[str, str]) -> str:
    """What an expression puts together: its literals, and the variables whose text is known."""
    joined = "".join(single or double or named.get(name, "") for single, double, name in _LITERAL.findall(expression))
    return "".join(character for character in joined if character in string.printable or character.isalpha())
