"""People's way in and out: what is searched for, brought in, picked, corrected and taken out by hand."""

import click

from app.commands.contacts import contacts
from app.commands.export import export
from app.commands.imports import import_
from app.commands.search import search
from app.commands.select import select
from app.commands.suppress import suppress
from app.commands.why import history, why

COMMANDS: tuple[click.Command, ...] = (search, import_, select, contacts, export, suppress, why, history)
