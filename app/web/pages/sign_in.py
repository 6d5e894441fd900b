"""Sign in with the token, and with the name that stands beside your actions."""

import secrets

from flask import Blueprint, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from app.web.gate import gate
from app.web.sessions import end

sign_in = Blueprint("sign_in", __name__)

LONGEST_NAME = 60


@sign_in.get("/sign-in")
def show() -> str | Response:
    return redirect(url_for("pipeline.show")) if gate().is_read_only else _form()


@sign_in.post("/sign-in")
def enter() -> Response | tuple[str, int]:
    if not gate().admits(request.form.get("token", "")):
        return _form("That is not the token. It is the value of SCRAPERSKY_WEB_TOKEN."), 401
    session.clear()
    session.permanent = True
    name = " ".join(request.form.get("name", "").split())
    session["operator"] = "".join(filter(str.isprintable, name))[:LONGEST_NAME] or "dashboard"
    session["id"] = secrets.token_urlsafe(16)
    session["form_token"] = secrets.token_urlsafe(32)
    return redirect(_inside(request.form.get("to", "")))


@sign_in.post("/sign-out")
def leave() -> Response:
    end()
    return redirect(url_for("sign_in.show"))


def _form(mistake: str = "") -> str:
    name = request.form.get("name", "")[:LONGEST_NAME]
    return render_template("sign_in.html", to=_inside(request.values.get("to", "")), name=name, mistake=mistake)


def _inside(path: str) -> str:
    """Only to pages of our own: two slashes at the start would lead elsewhere."""
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if is_ours else url_for("pipeline.show")
