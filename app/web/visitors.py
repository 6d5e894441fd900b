"""Who may knock: requests for our own names only, and answers that a browser keeps within bounds."""

import ipaddress
import socket

from flask import abort, request
from werkzeug.wrappers import Response

from app.config import Settings

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
