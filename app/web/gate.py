"""Without a token everybody who gets here may look, and nobody may change anything. With one, sign in first."""

import secrets
import threading
import time
from collections import deque
from collections.abc import Sequence

from flask import abort, current_app, redirect, request, session, url_for
from werkzeug.wrappers import Response

from app.setting_types import Network
from app.web.sessions import is_ended
from app.web.visitors import address_of_visitor, is_by_another_site

OPEN = ("static", "sign_in.show", "sign_in.enter", "health.livez", "health.readyz")
WRONG_A_MINUTE = 5
WRONG_FROM_ALL = 300
MINUTE = 60.0


class Gate:
    def __init__(self, token: str, proxies: Sequence[Network] = ()) -> None:
        self._token = token
        self._proxies = proxies
        self._wrong: deque[tuple[float, str | None]] = deque()  # of the last minute: when, and from which address
        self._counting = threading.Lock()

    @property
    def is_read_only(self) -> bool:
        return not self._token

    @property
    def operator(self) -> str | None:
        """Who is signed in."""
        name: str | None = session.get("operator")
        return name

    @property
    def form_token(self) -> str:
        """Goes into every form; a page elsewhere can not know it."""
        token: str = session.get("form_token", "")
        return token

    def check(self) -> Response | None:
        """Before every request: is it allowed to see this, and to change that?"""
        if request.endpoint not in OPEN and self.operator and is_ended():
            session.clear()
        if request.method not in {"GET", "HEAD"}:
            self._check_change()
        if self.is_read_only or request.endpoint in OPEN or self.operator:
            return None
        if request.method != "GET" or request.headers.get("HX-Request"):
            abort(401, "Sign in first.")
        return redirect(url_for("sign_in.show", to=request.full_path.rstrip("?")))

    def _check_change(self) -> None:
        if self.is_read_only:
            abort(403, "The dashboard is read-only, because SCRAPERSKY_WEB_TOKEN is not set.")
        if is_by_another_site():
            abort(403, "This form was sent by another site. Open the dashboard itself and try again.")
        if request.endpoint in OPEN:
            return
        given = request.form.get("form_token", "")
        if not self.form_token or not secrets.compare_digest(given.encode(), self.form_token.encode()):
            abort(403, "This form is from an older session. Open the page again and repeat what you did.")

    def admits(self, token: str) -> bool:
        """Whether it is the token. Who guesses is told to wait, whatever the next guess is; others are let in.

        Behind a proxy that the settings do not name, everybody is one: who guesses there closes the door to all.
        """
        visitor = address_of_visitor(self._proxies)
        with self._counting:
            now = time.monotonic()
            while self._wrong and now - self._wrong[0][0] >= MINUTE:
                self._wrong.popleft()
            from_here = sum(address == visitor for _, address in self._wrong)
            if from_here >= WRONG_A_MINUTE or len(self._wrong) >= WRONG_FROM_ALL:
                abort(429, "Too many wrong tokens within a minute. Wait a minute, then try again.")
            if secrets.compare_digest(token.encode(), self._token.encode()):
                return True
            self._wrong.append((now, visitor))
            return False


def gate() -> Gate:
    found: Gate = current_app.extensions["gate"]
    return found
