"""What a command imports before it does anything: no more than it uses, or people wait for it at the prompt."""

import subprocess
import sys

import click
import pytest

from app.cli import cli
from app.commands import COMMANDS
from tests.process_support import clean_environment, free_port

SMALL = {"actors.names", "app", "app.cli", "app.commands", "app.start"}
OURS = ("actors", "app", "db")
NOT_EVEN_SETTINGS = ("psycopg", "pydantic", "pydantic_core", "pydantic_settings", "rich")
OF_SOME_COMMANDS = ("alembic", "email_validator", "phonenumbers", "sqlalchemy", "xlsxwriter")
OF_PROCESSES = (
    *("apscheduler", "dramatiq", "flask", "httpx2", "lxml", "opentelemetry", "pika", "prometheus_client", "redis"),
    *("selectolax", "waitress"),
)

WITHOUT_A_DATABASE = {"help": ["--help"], "version": ["--version"], "misspelt": ["stauts"]}
READING = {
    "status": ["status"],
    "status --json": ["status", "--json"],
    "workflows": ["workflows"],
    "workers": ["workers"],
    "errors": ["errors"],
    "audit": ["audit"],
    "database-url": ["database-url"],
}
ABOUT_A_ROW = {"why": ["why", "domains", "smile.com"], "history": ["history", "domains", "smile.com"]}


def imported(arguments: list[str], *, program: tuple[str, ...] = ("-m", "app.start"), **environment: str) -> set[str]:
    """Every module that a process has read, by the interpreter's own account."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *program, *arguments],
        env=clean_environment(**environment),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    assert "Traceback" not in done.stderr, done.stderr
    return {line.rpartition("|")[2].strip() for line in lines} - {"imported package"}


def of(packages: tuple[str, ...], modules: set[str]) -> list[str]:
    return sorted({name.partition(".")[0] for name in modules} & set(packages))


@pytest.mark.parametrize("arguments", WITHOUT_A_DATABASE.values(), ids=WITHOUT_A_DATABASE)
def test_the_general_help_imports_no_command(arguments):
    modules = imported(arguments)

    assert of((*NOT_EVEN_SETTINGS, *OF_SOME_COMMANDS, *OF_PROCESSES), modules) == []
    assert {name for name in modules if name.partition(".")[0] in OURS} <= SMALL


def test_the_tab_key_imports_no_command():
    modules = imported([], _SCRAPERSKY_COMPLETE="bash_complete", COMP_WORDS="scrapersky st", COMP_CWORD="1")

    assert "click.shell_completion" in modules
    assert of((*NOT_EVEN_SETTINGS, *OF_SOME_COMMANDS, *OF_PROCESSES), modules) == []


@pytest.mark.parametrize("arguments", READING.values(), ids=READING)
def test_a_command_that_shows_the_queue_imports_neither_models_nor_workflows(arguments, database):
    modules = imported(arguments, DATABASE_URL=database)

    assert "psycopg" in modules
    assert of((*OF_SOME_COMMANDS, *OF_PROCESSES), modules) == []
    assert [name for name in modules if name.startswith(("actors.parse", "actors.fetch", "db.models"))] == []


@pytest.mark.parametrize("arguments", ABOUT_A_ROW.values(), ids=ABOUT_A_ROW)
def test_a_command_about_a_row_reads_what_was_typed_and_no_more(arguments, database, db):
    db.execute("insert into domains (domain) values ('smile.com')")

    modules = imported(arguments, DATABASE_URL=database)

    assert "actors.parse.domains" in modules
    assert "actors.parse.pages" not in modules
    assert of((*set(OF_SOME_COMMANDS) - {"email_validator"}, *OF_PROCESSES), modules) == []


def test_a_refusal_imports_no_more_than_the_command():
    modules = imported(["status"], DATABASE_URL=f"postgresql://127.0.0.1:{free_port()}/nobody")

    assert "app.refusals" in modules
    assert of((*OF_SOME_COMMANDS, *OF_PROCESSES), modules) == []


def test_a_worker_imports_no_client_of_a_broker_that_it_does_not_use(database):
    modules = imported([], program=("-c", "import app.worker"), DATABASE_URL=database)

    assert "dramatiq" in modules
    assert of(("apscheduler", "flask", "opentelemetry", "pika", "redis", "rich", "waitress"), modules) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_the_module_of_every_command_holds_it(name):
    command = cli.get_command(click.Context(cli), name)

    assert command is not None
    assert command.name == name


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_a_command_fits_into_a_terminal(name):
    widest = max(map(len, COMMANDS))

    assert 2 + widest + 2 + len(COMMANDS[name].help) <= 78
    assert COMMANDS[name].help.endswith(".")
