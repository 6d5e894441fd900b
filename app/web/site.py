"""The Flask application: the pages, the rules around them, and what every template knows."""

import hashlib
import logging
import secrets
from collections.abc import Sequence
from datetime import timedelta

import psycopg
from flask import Flask, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from actors._workflow import Workflow
from app import VERSION
from app.config import Settings
from app.logs import event
from app.web import figures
from app.web.counts import Counts
from app.web.errands import Errands
from app.web.gate import Gate
from app.web.pages import MENU, PAGES
from app.web.reader import Reader
from app.web.sessions import Sessions
from app.web.visitors import check_host, check_text, decorate
from db.connections import Pool
from db.people.steering import SteeringError

log = logging.getLogger(__name__)

SESSION = timedelta(hours=12)
LARGEST_FORM = 64 * 1024


def create_site(settings: Settings, pool: Pool, workflows: Sequence[Workflow]) -> Flask:
    site = Flask(__name__)
    site.config.update(
        SECRET_KEY=_session_key(settings),
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        PERMANENT_SESSION_LIFETIME=SESSION,
        SESSION_REFRESH_EACH_REQUEST=False,
        MAX_CONTENT_LENGTH=LARGEST_FORM,
        MAX_FORM_MEMORY_SIZE=LARGEST_FORM,
    )
    site.session_interface = Sessions(settings)
    gate = Gate(settings.web_token.get_secret_value(), settings.web_proxies)
    site.extensions["reader"] = Reader(pool, workflows, Counts(pool, workflows))
    site.extensions["errands"] = Errands()
    site.extensions["gate"] = gate
    site.before_request(lambda: check_host(settings))
    site.before_request(check_text)
    site.before_request(gate.check)
    site.after_request(decorate)
    figures.register(site)
    site.jinja_env.globals.update(version=VERSION, gate=gate, menu=MENU)
    for page in PAGES:
        site.register_blueprint(page)
    site.register_error_handler(HTTPException, _refused)
    site.register_error_handler(SteeringError, _impossible)
    site.register_error_handler(psycopg.Error, _database_failed)
    site.register_error_handler(Exception, _broken)
    return site


def _session_key(settings: Settings) -> bytes:
    """From the token: sessions outlive a restart and end with the token. Slow to guess for whoever has a cookie."""
    token = settings.web_token.get_secret_value()
    if not token:
        return secrets.token_bytes(32)
    return hashlib.scrypt(token.encode(), salt=b"scrapersky session", n=2**14, r=8, p=1, dklen=32)


def _refused(error: HTTPException) -> Response | tuple[str, int]:
    if error.code is None or error.code < 400:  # noqa: PLR2004 - a redirect
        return error.get_response()
    return _explained(error.code, error.name, error.description or "")


def _impossible(error: SteeringError) -> tuple[str, int]:
    return _explained(400, "That can not be done", str(error))


def _database_failed(error: psycopg.Error) -> tuple[str, int]:
    event(log, logging.WARNING, "page.failed", path=request.path, error=str(error))
    if isinstance(error, psycopg.errors.QueryCanceled | psycopg.errors.LockNotAvailable):
        return _explained(503, "The database took too long", "Somebody else is busy there. Try again in a moment.")
    if isinstance(error, psycopg.OperationalError):
        return _explained(
            503, "The database does not answer", "Nothing is lost: rows wait there. Try again in a moment."
        )
    return _explained(500, "The database refused a question of this page", "The log of scrapersky web says which.")


def _broken(error: Exception) -> tuple[str, int]:
    log.error("page.broken", exc_info=error, extra={"fields": {"path": request.path}})
    return _explained(500, "This page is broken", "The log of scrapersky web says why.")


def _explained(code: int, title: str, text: str) -> tuple[str, int]:
    return render_template("refused.html", code=code, title=title, text=text), code
