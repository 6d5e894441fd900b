"""Every command: the module that holds it, and its line in `scrapersky --help`.

A module is imported when its command is called and not before. So it imports at its top what it uses, and `--help`,
a misspelt command and the Tab key stay quick.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

PROGRAM: Final = "scrapersky"


class Entry(NamedTuple):
    module: str
    help: str


COMMANDS: Final[Mapping[str, Entry]] = {
    "after-restore": Entry("archive", "Queue again what workers held when the backup was made."),
    "audit": Entry("records", "Show who did what, newest first."),
    "backup": Entry("archive", "Write the whole database to a file."),
    "cancel": Entry("failed", "Withdraw rows that wait or run."),
    "completion": Entry("completion", "Print the script that completes commands in a shell."),
    "contacts": Entry("contacts", "Look at contacts, correct them, delete them."),
    "database-url": Entry("database", "Print the URL of the database, for psql."),
    "demo": Entry("demo", "Run the whole pipeline on a small web of its own."),
    "doctor": Entry("doctor", "Examine everything, and say what to repair."),
    "drain": Entry("workers", "Tell workers to claim nothing more."),
    "errors": Entry("errors", "Show what failed for good, grouped by error."),
    "export": Entry("export", "Take out contacts, domains or pages as a file."),
    "history": Entry("why", "Show what happened to a row."),
    "import": Entry("imports", "Bring in domains, sitemaps or pages from a file."),
    "limit": Entry("control", "Show or override the limits of a workflow."),
    "listen": Entry("processes", "Hear doorbells and nudge workers through Redis or RabbitMQ."),
    "migrate": Entry("migrate", "Create or update tables, engine schema, triggers and roles."),
    "pause": Entry("control", "Start nothing more of a workflow."),
    "prune": Entry("records", "Delete old history."),
    "psql": Entry("database", "Type SQL."),
    "requeue": Entry("failed", "Queue failed rows again."),
    "restore": Entry("archive", "Put a backup into an empty database."),
    "resume": Entry("control", "Start a workflow again."),
    "search": Entry("search", "Search for businesses near a place."),
    "select": Entry("select", "Decide about many rows at once."),
    "status": Entry("status", "Show the queue, per workflow."),
    "suppress": Entry("suppress", "Keep the list of those who must not be contacted."),
    "sweep": Entry("processes", "Repair once what was left behind, and say what was found."),
    "sweeper": Entry("processes", "Sweep on an interval, until stopped."),
    "up": Entry("processes", "Run everything: database, workers, sweeper, dashboard."),
    "web": Entry("web", "Serve the dashboard."),
    "why": Entry("why", "Say why a row does not move, and what to do about it."),
    "work": Entry("processes", "Run worker processes and restart those that die."),
    "workers": Entry("workers", "Show the worker processes."),
    "workflows": Entry("control", "Show the workflows, their limits, and which are paused."),
}
