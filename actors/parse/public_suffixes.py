"""The public suffix list, as its library takes it: read once, and quick to take in."""

import re
from functools import cache
from importlib.resources import files
from typing import Final

from publicsuffixlist import PublicSuffixList

_END_OF_ICANN: Final = "// ===END ICANN DOMAINS==="
_SUFFIX: Final = re.compile(r"^(?!//)\S+", re.MULTILINE)


def public_suffixes(*more: str, only_icann: bool = False, accept_unknown: bool = True) -> PublicSuffixList:
    """The list, or ICANN's part of it, and `more` suffixes. What it says of unknown ones is as in the library."""
    icann, private = _parts()
    suffixes = [*icann, *more] if only_icann else [*icann, *private, *more]
    # Left to itself the library turns all ten thousand into punycode, one by one, though few are not ASCII.
    return PublicSuffixList(suffixes, accept_encoded_idn=False, accept_unknown=accept_unknown)


@cache
def _parts() -> tuple[list[str], list[str]]:
    text = (files("publicsuffixlist") / "public_suffix_list.dat").read_text(encoding="utf-8")
    icann, _, private = text.partition(_END_OF_ICANN)
    return _both_spellings(icann), _both_spellings(private)


def _both_spellings(part: str) -> list[str]:
    found = _SUFFIX.findall(part)
    return [*found, *(_punycode(suffix) for suffix in found if not suffix.isascii())]


def _punycode(suffix: str) -> str:
    name = suffix.removeprefix("!")  # an exception to a wildcard
    return suffix[: len(suffix) - len(name)] + name.encode("idna").decode("ascii")
