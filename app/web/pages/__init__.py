"""Every page. A new one is a module beside this file, a line in PAGES, and one in MENU if people go there first."""

from typing import NamedTuple

from flask import Blueprint

from app.web.pages.contacts import contacts
from app.web.pages.curate import curate
from app.web.pages.exports import exports
from app.web.pages.health import health
from app.web.pages.people import people
from app.web.pages.pipeline import pipeline
from app.web.pages.row import row
from app.web.pages.search import search
from app.web.pages.sign_in import sign_in
from app.web.pages.steering import steering
from app.web.pages.suppressed import suppressed
from app.web.pages.workflow import workflow

PAGES: tuple[Blueprint, ...] = (
    pipeline,
    workflow,
    steering,
    row,
    search,
    curate,
    exports,
    contacts,
    suppressed,
    people,
    sign_in,
    health,
)


class Item(NamedTuple):
    title: str
    endpoint: str


MENU: tuple[Item, ...] = (
    Item("Pipeline", "pipeline.show"),
    Item("Curate", "curate.show"),
    Item("Contacts", "contacts.show"),
    Item("Workers", "people.workers"),
    Item("Submissions", "people.submissions"),
    Item("Actions", "people.actions"),
)
