"""A page, or only the part of it that changes when the page asks for itself again."""

from typing import Any

from flask import render_template, request


def page(name: str, **context: Any) -> str:
    """Render `<name>.html`; for a page that is open already, only `<name>_live.html`."""
    is_open = request.headers.get("HX-Request") == "true"
    return render_template(f"{name}_live.html" if is_open else f"{name}.html", **context)
