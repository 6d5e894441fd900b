"""A new version is rolled out while users write and rows run: nothing is lost, nothing burnt, nobody sees an error."""

import itertools
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from actors.registry import WORKFLOWS
from app.config import Settings
from db.migrate import migrate
from tests.broker_support import System, over_a_broker_outside
from tests.process_support import REPOSITORY, wait_for_workers, wait_until
from tests.samples import create_sample_tables, sample_workflow

pytestmark = pytest.mark.slow

pytest_plugins = ["tests.broker_fixtures"]

TENANT = Settings().default_tenant_id
BEFORE = "4006795"  # the engine before it knew curation, budgets and rests
CLIENTS = 50
ATTEMPTS = "select count(*), max(attempt), string_agg(distinct outcome, ' ') from engine.attempt"


def test_workers_that_are_replaced_one_by_one_under_load_lose_nothing_and_burn_no_attempt(user, rows, ledger, run):
    keep = {"SCRAPERSKY_KEEP_SUCCESSES": "true", "SCRAPERSKY_THREADS": "2"}
    workers = [run("tests.sample_worker", **keep) for _ in range(3)]
    wait_for_workers(user, *workers)
    names = []

    for number, old in enumerate(workers):
        names += rows.add_many(f"round-{number}", 300, "sleep 0.02")
        rows.queue(*names[-300:])
        wait_until(lambda: rows.count("Processing"))
        old.send(signal.SIGTERM)
        wait_for_workers(user, run("tests.sample_worker", **keep))
        assert old.exit_code() == 0
    rows.wait_for("Done", *names, timeout=60)

    assert user.execute(ATTEMPTS).fetchone() == (len(names), 1, "completed")
    assert all([what for what, _ in ledger.lines(name)] == ["began", "ended"] for name in names)


@over_a_broker_outside
def test_listeners_and_workers_that_are_replaced_one_by_one_under_load_lose_nothing(system: System) -> None:
    listener = system.listener()
    workers = [system.worker() for _ in range(2)]
    system.wait_for_workers(2)
    system.wait_for_listeners(1)
    system.add(6000)
    queued = itertools.repeat(500, 12)

    for old in (listener, *workers, None):
        for count in itertools.islice(queued, 3):
            system.queue(count)
        if old is None:
            continue
        assert old.stop() == 0
        if old is listener:
            system.listener()
            system.wait_for_listeners(1)
        else:
            system.worker()
            system.wait_for_workers(2)

    system.wait_for_completed(6000, 60)
    system.assert_each_ran_once(6000)


@pytest.fixture
def old_code(tmp_path_factory):
    """The repository as it was, in a directory of its own."""
    directory = tmp_path_factory.mktemp("old")
    archive = subprocess.run(["git", "archive", BEFORE], cwd=REPOSITORY, capture_output=True, check=False)
    if archive.returncode:
        pytest.skip(f"no old version to run beside the new one: commit {BEFORE} is not in this clone")
    subprocess.run(["tar", "x"], cwd=directory, input=archive.stdout, check=True)
    return directory


MIGRATE_OLD = """
import sys
from actors.registry import WORKFLOWS
from app.config import Settings
from db.migrate import migrate
from tests.samples import create_sample_tables, sample_workflow
create_sample_tables(sys.argv[1])
migrate(sys.argv[1], [*WORKFLOWS, sample_workflow()], Settings().default_tenant_id)
"""


@pytest.fixture
def old_database(old_code, empty_database):
    """A database that the old version has made."""
    subprocess.run([sys.executable, "-c", MIGRATE_OLD, empty_database], cwd=old_code, check=True, timeout=60)
    return empty_database


def test_old_and_new_workers_work_side_by_side_on_a_database_that_is_migrated_under_them(
    old_code, old_database, ledger, processes
):
    settings = {"DATABASE_URL": old_database, "SAMPLE_LEDGER": str(ledger.path), "SCRAPERSKY_THREADS": "2"}
    with psycopg.connect(old_database, autocommit=True) as user:
        user.execute(
            "insert into samples (name, action) select 'row-' || n, 'sleep 0.01' from generate_series(1, 1200) as n"
        )
        without = ("env", "-u", "SCRAPERSKY_WEB_PORT")  # a setting that the old version does not know
        command = (*without, sys.executable, "-m", "tests.sample_worker")
        old = processes.run_program(*command, **{**settings, "PYTHONPATH": str(old_code)})
        wait_for_workers(user, old)
        user.execute("update samples set status = 'Queued' where substr(name, 5)::int <= 600")
        wait_until(lambda: done(user) > 20)

        migrate(old_database, [*WORKFLOWS, sample_workflow()], TENANT)
        new = processes.start("tests.sample_worker", **settings)
        wait_for_workers(user, new)
        # On a busy machine the old worker has done the first rows before the new one is there.
        user.execute("update samples set status = 'Queued' where status is null")
        wait_until(lambda: done(user) == 1200, timeout=60)

        by = dict(user.execute("select note, count(*) from samples group by note").fetchall())
        assert set(by) == {f"found by {old.pid}", f"found by {new.pid}"}
        assert user.execute("select count(*) from engine.attempt").fetchone() == (0,)
        assert user.execute("select count(*) from engine.job").fetchone() == (0,)
    assert "Traceback" not in old.output()
    assert all([what for what, _ in ledger.lines(name)] == ["began", "ended"] for name in ledger.names())
    assert len(ledger.names()) == 1200


def done(user):
    return user.execute("select count(*) from samples where status = 'Done'").fetchone()[0]


def test_fifty_clients_that_write_meanwhile_see_no_error_of_a_first_migrate_or_a_second(server, empty_database):
    create_sample_tables(empty_database)
    with psycopg.connect(empty_database, autocommit=True) as user:
        user.execute("insert into samples (name) select 'row-' || n from generate_series(1, 500) as n")
    over, together = threading.Event(), threading.Barrier(CLIENTS + 1)

    def write(client: int) -> int:
        """One client's life: short transactions over rows of its own, no retries, until the migration is over."""
        writes = 0
        with psycopg.connect(empty_database, autocommit=True) as connection:
            together.wait()
            while not over.is_set():
                mine = f"row-{client * 10 + writes % 10 + 1}"
                with connection.transaction():
                    connection.execute("update samples set status = 'Queued', note = 'mine' where name = %s", [mine])
                    connection.execute("update samples set status = 'Skipped' where name = %s", [mine])
                writes += 1
        return writes

    with ThreadPoolExecutor(CLIENTS) as clients:
        lives = [clients.submit(write, client) for client in range(CLIENTS)]
        together.wait()
        try:
            for _ in range(2):
                migrate(empty_database, [*WORKFLOWS, sample_workflow()], TENANT)
        finally:
            over.set()
        writes = [life.result() for life in lives]

    assert min(writes) > 0
    with psycopg.connect(empty_database, autocommit=True) as user:
        user.execute("update samples set status = 'Queued'")
        assert user.execute("select count(*) from engine.job where workflow = 'sampling'").fetchone() == (500,)
