"""The dashboard: what `scrapersky web` serves.

A page is a module in `pages/` with a Flask blueprint, a line in `pages/__init__.py`, a template of its own, and a file
of statements in `sql/dashboard/`. A page that keeps itself up to date has its changing part in `<name>_live.html`.
"""
