"""Where the dashboard listens, and where it refuses to."""

import ipaddress
import socket

from app.config import ConfigurationError, Settings
from app.counting import PortTakenError


def address(settings: Settings) -> str:
    host = f"[{settings.web_host}]" if ":" in settings.web_host else settings.web_host
    return f"http://{host}:{settings.web_port}/"


def check_exposure(settings: Settings) -> None:
    """Leads are about people: beyond this host they are shown to nobody without a token."""
    if settings.web_port and not settings.web_token.get_secret_value() and not _is_loopback(settings.web_host):
        raise ConfigurationError(
            f"SCRAPERSKY_WEB_HOST: {settings.web_host} can be reached from other hosts, and everybody there could read "
            "all leads; set SCRAPERSKY_WEB_TOKEN to a long secret, or leave the host at 127.0.0.1"
        )


def check_port(settings: Settings) -> None:
    """Tell at once, and not by a child that dies again and again."""
    if settings.web_port:
        listen(settings).close()


def listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.web_host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.web_host, settings.web_port))
    except OSError as error:
        listening.close()
        raise PortTakenError(
            f"dashboard: {settings.web_host}:{settings.web_port}: {error.strerror}. "
            "Perhaps ScraperSky runs already; or set SCRAPERSKY_WEB_PORT to another port, or to 0 for no dashboard"
        ) from error
    return listening


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
