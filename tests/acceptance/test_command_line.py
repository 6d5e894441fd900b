"""The command line as a person meets it: help with examples, guesses, and one clear line where something is wrong."""

import json

import pytest

from app import commands
from tests.process_support import free_port

COMMANDS = sorted(commands.COMMANDS)
ASKING_THE_DATABASE = ["migrate", "status", "sweep", "up"]


def nobody():
    return f"postgresql://127.0.0.1:{free_port()}/nobody"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_shows_an_example(scrapersky, command):
    done = scrapersky(command, "--help")

    assert done.returncode == 0
    assert "Example:" in done.stdout
    assert f"scrapersky {command}" in done.stdout.partition("Example:")[2]


def test_the_general_help_names_every_command(scrapersky):
    done = scrapersky("--help")

    assert done.returncode == 0
    assert all(command in done.stdout for command in COMMANDS)


def test_a_misspelt_command_gets_a_guess(scrapersky):
    done = scrapersky("stauts")

    assert done.returncode == 2
    assert "unknown command 'stauts', did you mean 'status'?" in done.stderr


def test_a_command_that_resembles_none_gets_the_list(scrapersky):
    done = scrapersky("xyzzy")

    assert done.returncode == 2
    assert f"known are {', '.join(COMMANDS)}" in done.stderr


def test_a_misspelt_setting_gets_a_guess(scrapersky):
    done = scrapersky("status", SCRAPERSKY_PROCESES="3")

    assert done.returncode == 2
    assert done.stderr.splitlines() == ["SCRAPERSKY_PROCESES: unknown setting, did you mean SCRAPERSKY_PROCESSES?"]


@pytest.mark.parametrize("command", ["up", "work", "sweep", "database-url"])
def test_a_database_url_that_is_none_is_told_in_one_line(scrapersky, command):
    done = scrapersky(command, DATABASE_URL="localhost:5432")

    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "DATABASE_URL: expected postgresql://…, got something else, which is not shown; see .env.example"
    ]


@pytest.mark.parametrize("command", ASKING_THE_DATABASE)
def test_a_database_that_does_not_answer_is_told_in_one_line(scrapersky, command):
    done = scrapersky(command, DATABASE_URL=nobody())

    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("The database does not answer: ")


def test_a_server_without_that_database_is_told_in_one_line(scrapersky, database):
    done = scrapersky("status", DATABASE_URL=database.replace("/test_", "/nobody_"))

    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "does not exist" in done.stderr


@pytest.mark.parametrize("command", ["status", "sweep"])
def test_a_database_without_an_engine_gets_the_advice_to_migrate(scrapersky, empty_database, command):
    done = scrapersky(command, DATABASE_URL=empty_database)

    assert done.returncode == 1
    assert "this database has no engine yet" in done.stderr
    assert "Traceback" not in done.stderr


def test_migrate_can_be_repeated(scrapersky, empty_database):
    first = scrapersky("migrate", DATABASE_URL=empty_database)
    second = scrapersky("migrate", DATABASE_URL=empty_database)

    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert first.stdout == second.stdout
    assert first.stdout.startswith("The database is up to date: ")


def test_the_database_url_is_printed_for_psql(scrapersky, database):
    done = scrapersky("database-url", DATABASE_URL=database)

    assert (done.returncode, done.stdout, done.stderr) == (0, f"{database}\n", "")


def test_the_url_of_an_embedded_database_that_does_not_run_comes_with_advice(scrapersky, home):
    done = scrapersky("database-url", SCRAPERSKY_HOME=str(home))

    assert done.returncode == 0
    assert done.stdout.startswith("postgresql://")
    assert done.stderr == "The embedded database is not running; start it with: scrapersky up\n"


def test_psql_is_connected(scrapersky, database):
    done = scrapersky("psql", "-At", "-c", "select current_database()", DATABASE_URL=database)

    assert (done.returncode, done.stdout) == (0, database.partition("?")[0].rpartition("/")[2] + "\n")


def test_listen_without_a_broker_says_that_there_is_nothing_to_run(scrapersky):
    done = scrapersky("listen")

    assert done.returncode == 2
    assert "BROKER_URL is empty" in done.stderr


def test_status_shows_what_waits_and_what_failed(scrapersky, database, db):
    db.execute("insert into local_businesses (domain_extraction_status) values ('Queued'), ('Queued'), ('Queued')")
    db.execute("update engine.job set dead = true where pk = (select min(pk) from engine.job)")

    table = scrapersky("status", DATABASE_URL=database)
    machine = scrapersky("status", "--json", DATABASE_URL=database)

    assert (table.returncode, machine.returncode) == (0, 0)
    assert "0 worker process(es)" in table.stdout
    (line,) = [line for line in table.stdout.splitlines() if "domain_extraction" in line]
    assert line.split()[1:5] == ["2", "-", "-", "1"]
    overview = json.loads(machine.stdout)
    assert overview["workers"] == 0
    (workflow,) = [one for one in overview["workflows"] if one["workflow"] == "domain_extraction"]
    assert {state: workflow[state] for state in ("ready", "delayed", "running", "failed", "paused")} == {
        "ready": 2,
        "delayed": 0,
        "running": 0,
        "failed": 1,
        "paused": False,
    }
    assert 0 <= workflow["oldest_ready"] < 60


def test_status_says_that_a_workflow_is_paused_and_why(scrapersky, database, db):
    db.execute("update engine.workflow set paused = true, paused_reason = 'moving house'")

    done = scrapersky("status", DATABASE_URL=database, COLUMNS="200")

    assert "is paused: moving house" in done.stdout


def test_a_reason_as_long_as_a_book_is_cut(scrapersky, database, db):
    db.execute("update engine.workflow set paused = true, paused_reason = repeat('moving ', 20000)")

    shown = [scrapersky(command, DATABASE_URL=database).stdout for command in ("status", "workflows")]

    assert max(map(len, shown)) < 5000
    assert all("moving moving" in text for text in shown)
