"""Who may knock: requests for our own names only, and answers that a browser keeps within bounds."""

import ipaddress
import socket
from collections.abc import Sequence

from flask import abort, request
from werkzeug.wrappers import Response

from app.config import Settings
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
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def check_host(settings: Settings) -> None:
    """A page elsewhere can point its name at this machine (DNS rebinding); it can not change the name we are sent."""
    if request.path in HEALTH or _is_ours(_name(request.host), settings):
        return
    abort(
        421,
        f"The dashboard does not answer to the name '{_name(request.host)}'. "
        "If it should, add the name to SCRAPERSKY_WEB_NAMES and start again.",
    )


def address_of_visitor(proxies: Sequence[Network]) -> str | None:
    """Of the next one before our own proxies: what stands further ahead in the header, anybody may have written."""
    address = request.remote_addr
    said = request.headers.get("X-Forwarded-For", "").split(",")
    while said and _is_among(address, proxies):
        before = said.pop().strip()
        if not _is_address(before):
            break
        address = before
    return address


def _is_among(address: str | None, networks: Sequence[Network]) -> bool:
    if address is None or not _is_address(address):
        return False
    found = ipaddress.ip_address(address)
    plain = getattr(found, "ipv4_mapped", None) or found
    return any(plain in network for network in networks)


def check_text() -> None:
    """Postgres keeps no NUL in a text, and nobody types one."""
    if any("\0" in value for value in request.values.values()):
        abort(400, "A NUL character stands in what was sent; nothing is called so.")


def _name(host: str) -> str:
    """Without the port and the brackets around an IPv6 address."""
    name = host.rpartition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return name.strip("[").lower().rstrip(".")


def _is_ours(name: str, settings: Settings) -> bool:
    ours = {"localhost", settings.web_host.lower(), socket.gethostname().lower(), *settings.web_names}
    return name in ours or name.endswith(".localhost") or _is_address(name)


def _is_address(name: str) -> bool:
    """Nobody can point an address elsewhere."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def decorate(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if not request.path.startswith("/static/"):
        response.headers["Cache-Control"] = "no-store"
        response.headers.add("Vary", "HX-Request")
    return response
