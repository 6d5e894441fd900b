"""The cookie of a session: signed, for this site alone, and by TLS only where browsers come by TLS.

A session is ended on the server too: a copy of its cookie opens nothing any more.
"""

from collections.abc import Sequence

from flask import Flask, session
from flask.sessions import SecureCookieSessionInterface

from app.config import Settings
from app.setting_types import Network
from app.web.reader import reader
from app.web.visitors import is_by_tls
from db.statements import statements

NAME = "scrapersky"
SQL = statements("dashboard/sessions.sql")


class Sessions(SecureCookieSessionInterface):
    def __init__(self, settings: Settings) -> None:
        self._always: bool = settings.web_tls
        self._proxies: Sequence[Network] = settings.web_proxies

    def get_cookie_secure(self, app: Flask) -> bool:  # noqa: ARG002 - Flask's own signature
        return self._always or is_by_tls(self._proxies)

    def get_cookie_name(self, app: Flask) -> str:
        """With this prefix a browser takes the cookie by TLS from this host, and from no other one of its domain."""
        return f"__Host-{NAME}" if self.get_cookie_secure(app) else NAME


def is_ended() -> bool:
    """Whether the user signed out of this session; one without an id is of an earlier version."""
    return reader().row(SQL["is_running"], id=session.get("id")) != {"is_running": True}


def end() -> None:
    with reader().connection() as connection:
        connection.execute(SQL["end"], {"id": session.get("id")})
    session.clear()
