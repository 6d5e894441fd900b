"""Every page. A new one is a module beside this file, a line in PAGES, and one in MENU if people go there first."""

from typing import NamedTuple

from flask import Blueprint

from app.web.pages.health import health
from app.web.pages.pipeline import pipeline
from app.web.pages.sign_in import sign_in

PAGES: tuple[Blueprint, ...] = (pipeline, sign_in, health)


class Item(NamedTuple):
    title: str
    endpoint: str


MENU: tuple[Item, ...] = (Item("Pipeline", "pipeline.show"),)
