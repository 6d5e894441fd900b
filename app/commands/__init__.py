"""People's way in and out: what is searched for, brought in, picked, corrected and taken out by hand, and steered."""

import click

from app.commands.archive import after_restore, backup, restore
from app.commands.completion import completion
from app.commands.contacts import contacts
from app.commands.control import limit, pause, resume, workflows
from app.commands.doctor import doctor
from app.commands.export import export
from app.commands.failed import cancel, errors, requeue
from app.commands.imports import import_
from app.commands.records import audit, prune
from app.commands.search import search
from app.commands.select import select
from app.commands.suppress import suppress
from app.commands.web import web
from app.commands.why import history, why
from app.commands.workers import drain, workers

COMMANDS: tuple[click.Command, ...] = (
    *(search, import_, select, contacts, export, suppress),
    *(why, history, doctor, web, workflows, pause, resume, limit, errors, requeue, cancel, workers, drain),
    *(backup, restore, after_restore, prune, audit, completion),
)
