"""Who may knock: requests for our own names only, and answers that a browser keeps within bounds."""

import ipaddress
from collections.abc import Sequence
from urllib.parse import urlsplit

from flask import abort, request
from werkzeug.wrappers import Response

from app.config import Settings
from app.host_names import is_address, is_ours, name_in
from app.setting_types import Network

HEALTH = ("/livez", "/readyz")
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def check_host(settings: Settings) -> None:
    """Only those who call us by a name of ours; /livez and /readyz tell nothing that is worth a trick."""
    name = name_in(request.host)
    if request.path in HEALTH or is_ours(name, settings.web_host, settings.web_names):
        return
    abort(
        421,
        f"The dashboard does not answer to the name '{name}'. "
        "If it should, add the name to SCRAPERSKY_WEB_NAMES and start again.",
    )


def address_of_visitor(proxies: Sequence[Network]) -> str | None:
    """Of the next one before our own proxies: what stands further ahead in the header, anybody may have written."""
    address = request.remote_addr
    said = request.headers.get("X-Forwarded-For", "").split(",")
    while said and _is_among(address, proxies):
        before = said.pop().strip()
        if not is_address(before):
            break
        address = before
    return address


def is_by_tls(proxies: Sequence[Network]) -> bool:
    """Whether the browser speaks TLS with the proxy before us, as that one says in X-Forwarded-Proto."""
    said = request.headers.get("X-Forwarded-Proto", "").rpartition(",")[2].strip().lower()
    return said == "https" and _is_among(request.remote_addr, proxies)


def _is_among(address: str | None, networks: Sequence[Network]) -> bool:
    if address is None or not is_address(address):
        return False
    found = ipaddress.ip_address(address)
    plain = getattr(found, "ipv4_mapped", None) or found
    return any(plain in network for network in networks)


def is_by_another_site() -> bool:
    """Whether a page elsewhere made the browser ask. What is typed or bookmarked comes by nobody.

    Over plain HTTP browsers send no Sec-Fetch-Site. Then Origin and Referer must name our host, if they are there.
    """
    if site := request.headers.get("Sec-Fetch-Site"):
        return site not in {"same-origin", "none"}
    named = [request.headers[name] for name in ("Origin", "Referer") if name in request.headers]
    return any(name_in(_host_in(address)) != name_in(request.host) for address in named)


def _host_in(address: str) -> str:
    """Nothing for the origin `null`, which is a page's that hides where it is from."""
    try:
        return urlsplit(address).netloc.rpartition("@")[2]
    except ValueError:
        return ""


def check_text() -> None:
    """Postgres keeps no NUL in a text, and nobody types one."""
    if any("\0" in value for value in request.values.values()):
        abort(400, "A NUL character stands in what was sent; nothing is called so.")


def decorate(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if not request.path.startswith("/static/"):
        response.headers["Cache-Control"] = "no-store"
        response.headers.add("Vary", "HX-Request")
    return response
