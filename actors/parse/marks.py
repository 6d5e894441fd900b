"""Elements that carry an address or a number in their attributes: links, forms, microdata, disguises."""

import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import parse_qsl, unquote

from selectolax.lexbor import LexborNode

from actors.parse.obfuscation import base64_text, cloudflare, rot13, typo3, unshifted

_TARGETS: Final = (
    "mailto:",
    "tel:",
    "callto:",
    "sms:",
    "phone:",
    "whatsapp",
    "wa.me/",
    "viber",
    "@",
    "email-protection#",
    "mail.google.com/mail/",
    "outlook.live.com/",
    "outlook.office.com/",
    "uncryptmailto",
)
ITEM_NAMES: Final = {"email": "email", "telephone": "phone", "phone": "phone", "faxnumber": "fax"}
_PROTECTED: Final = "/cdn-cgi/l/email-protection#"
_MAIL = re.compile(r"\s{0,9}mail(?:to)?:/{0,2}", re.IGNORECASE)
# A mail service's own page for writing: its query is that of a mailto: link.
_COMPOSE = re.compile(
    r"\s{0,9}(?:https?:)?//(?:mail\.google\.com/mail/|outlook\.(?:live|office)\.com/)[^?#]{0,60}\?", re.IGNORECASE
)
_PHONE = re.compile(r"\s{0,9}(?:tel|callto|phone|telephone|sms|whatsapp):/{0,2}", re.IGNORECASE)
_CHAT = re.compile(
    r"(?:https?:)?//(?:www\.)?(?:wa\.me/|api\.whatsapp\.com/send|web\.whatsapp\.com/send|viber\.click/)|"
    r"(?:whatsapp|viber)://",
    re.IGNORECASE,
)
_BARE_MAIL = re.compile(r"\s{0,9}(?:https?://)?([\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})/?\s{0,9}$")
_CHAT_NUMBER = re.compile(r"(?:wa\.me/|phone=|number=|/)\+?(\d{8,15})(?!\d)")
# A link whose script opens the mail program.
_CALLED = re.compile(r"['\"](mailto:[^'\"]{1,400})['\"]|uncryptmailto", re.IGNORECASE)
_DATA_NAMES: Final = ("data-mailto-token", "data-email", "onclick")
_LONGEST: Final = 2_000
# Where scripts of many authors keep the two halves of an address.
NAME_PARTS: Final = ("data-user", "data-name", "data-local", "data-mail", "data-address", "data-username")
DOMAIN_PARTS: Final = ("data-domain", "data-website")
_JOIN = re.compile(r"(['\"]) ?\+ ?\1")


def is_telling(node: LexborNode) -> bool:
    """Whether a link, a form or an item says something besides its text."""
    attributes = node.attributes
    if (attributes.get("itemprop") or "").lower() in ITEM_NAMES:
        return True
    if not _may_tell(node, attributes):
        return False
    if any(attributes.get(name) for name in _DATA_NAMES):
        return True
    target = (attributes.get("href") or attributes.get("action") or "")[:_LONGEST]
    return (
        _MAIL.match(target) is not None
        or _COMPOSE.match(target) is not None
        or _PHONE.match(target) is not None
        or _CHAT.match(target) is not None
        or _BARE_MAIL.match(target) is not None
        or _PROTECTED in target
        or _CALLED.search(target) is not None
    )


def _may_tell(node: LexborNode, attributes: Mapping[str, str | None]) -> bool:
    """The cheap look: most elements that are asked about are links to other pages."""
    return (
        any(map((attributes.get("href") or "").lower().__contains__, _TARGETS))
        or "data-mailto-token" in attributes
        or "@" in (attributes.get("data-email") or "")
        or "mailto:" in (attributes.get("onclick") or "").lower()
        or ((attributes.get("action") or "").lower().startswith("mailto:") and node.tag == "form")
    )


def is_disguised(node: LexborNode) -> bool:
    """Whether an element has an address that its script shows, or both halves of one."""
    attributes = node.attributes
    is_whole = "data-cfemail" in attributes or "data-enc-email" in attributes or node.tag == "joomla-hidden-mail"
    return is_whole or any(name in attributes for name in NAME_PARTS)


def undisguised(attributes: Mapping[str, str | None]) -> str | None:
    """The address that an element shows once its script has run."""
    if attributes.get("data-cfemail"):
        return cloudflare(attributes["data-cfemail"] or "")
    if attributes.get("data-enc-email"):
        return rot13((attributes["data-enc-email"] or "").replace("[at]", "@"))
    if attributes.get("first") and attributes.get("last"):
        # Joomla's own element.
        first, last = base64_text(attributes["first"] or ""), base64_text(attributes["last"] or "")
        return f"{first}@{last}" if first and last else None
    name = next(filter(None, (attributes.get(each) for each in NAME_PARTS)), None)
    domain = next(filter(None, (attributes.get(each) for each in DOMAIN_PARTS)), None)
    if name and domain and "@" not in name:
        ending = attributes.get("data-tld")
        return f"{name}@{domain}.{ending}" if ending else f"{name}@{domain}"
    return None


def icon_label(attributes: Mapping[str, str | None]) -> str:
    """What a picture of a telephone or of a fax machine says in front of a number, or that of an @ in an address."""
    named = (attributes.get("alt") or attributes.get("class") or "").lower()
    if "fa-at" in named.split() or named.strip("([{}]) ") in {"@", "at", "ät"}:
        return "@"
    return "Fax" if "fax" in named else "Tel."


def mail_targets(attributes: Mapping[str, str | None]) -> tuple[str, list[str]]:
    """How an element hides addresses, and the texts they stand in."""
    target = (attributes.get("href") or attributes.get("action") or "")[:_LONGEST]
    if attributes.get("data-mailto-token"):
        return "script", list(_recipients(unshifted(attributes["data-mailto-token"] or "") or ""))
    if _PROTECTED in target:
        return "cloudflare", list(_recipients(cloudflare(target.partition(_PROTECTED)[2]) or ""))
    if attributes.get("data-email"):
        return "mailto", list(_recipients(attributes["data-email"] or ""))
    code = target if _CALLED.search(target) else attributes.get("onclick") or ""
    if called := _CALLED.search(_JOIN.sub("", code[:_LONGEST])):
        return "script", list(_recipients(called[1] or typo3(code) or ""))
    if _MAIL.match(target) or _COMPOSE.match(target):
        return "mailto", list(_recipients(target))
    bare = _BARE_MAIL.match(target)
    return "mailto", [bare[1]] if bare else []


def phone_target(attributes: Mapping[str, str | None]) -> tuple[str, str] | None:
    """How an element gives a number, and the number: "tel" as written, "whatsapp" with its country."""
    target = (attributes.get("href") or "")[:_LONGEST]
    if _CHAT.match(target) or target.lower().startswith("whatsapp:"):
        number = _CHAT_NUMBER.search(unquote(target).replace(" ", ""))
        return ("whatsapp", f"+{number[1]}") if number else None
    scheme = _PHONE.match(target)
    return ("tel", unquote(target[scheme.end() :]).partition("?")[0].partition(";")[0]) if scheme else None


def _recipients(target: str) -> Iterator[str]:
    """The addressees of a mailto: link, those in its cc and bcc too; subject and body are left unread."""
    to, _, query = _MAIL.sub("", target, count=1).partition("?")
    yield unquote(to)
    for key, value in parse_qsl(query.replace("&amp;", "&"), max_num_fields=None)[:20]:
        if key.lower() in {"to", "cc", "bcc"}:
            yield value
