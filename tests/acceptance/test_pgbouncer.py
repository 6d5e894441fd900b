"""Behind PgBouncer in transaction mode: everything works over it, if the listener gets a direct connection."""

import contextlib
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict

from actors.registry import WORKFLOWS
from app.config import Settings
from db.embedded import EmbeddedPostgres
from db.migrate import migrate
from db.migrations import newest
from tests.broker_support import DOORBELL_ONLY, System, system_of
from tests.dashboard_support import Visitor, site_on
from tests.pgbouncer_support import PgBouncer
from tests.samples import create_sample_tables, sample_workflow
from tests.server_support import wait_until

# PgBouncer itself keeps these as its clients want them.
KEPT_BY_PGBOUNCER = {"application_name", "client_encoding", "DateStyle", "IntervalStyle", "TimeZone"}
PAGES = ("/", "/workflows/deep_scan", "/curate/places", "/contacts")
HINT = "a pooler in transaction mode? Set LISTEN_DATABASE_URL"
LEFT_BEHIND = """
select 'prepared statement ' || statement from pg_prepared_statements
union all select 'setting ' || name from pg_settings where source = 'session' and name <> all(%s)
union all select 'channel ' || channel from pg_listening_channels() as channel
union all select 'lock ' || objid from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
"""


@pytest.fixture(scope="module")
def pgbouncer(server: EmbeddedPostgres) -> Iterator[PgBouncer]:
    with PgBouncer(server) as bouncer:
        yield bouncer


def through(pgbouncer: PgBouncer, database: str) -> str:
    return pgbouncer.url_of(str(conninfo_to_dict(database)["dbname"]))


@pytest.fixture
def system(pgbouncer: PgBouncer, db: Connection[Any], database: str, tmp_path: Path) -> Iterator[System]:
    """All connections through PgBouncer, that of the listener direct; no process runs yet."""
    with system_of(db, through(pgbouncer, database), None, tmp_path) as system:
        system.settings["LISTEN_DATABASE_URL"] = database
        yield system


def left_behind(pgbouncer: PgBouncer, database: str) -> set[str]:
    """What clients left on PgBouncer's connections to the server; open transactions make it show all of them."""
    with contextlib.ExitStack() as stack:
        url = through(pgbouncer, database)
        clients = [stack.enter_context(psycopg.connect(url)) for _ in range(pgbouncer.pool_size)]
        servers = {client.execute("select pg_backend_pid()").fetchone() for client in clients}
        assert len(servers) == pgbouncer.pool_size
        return {row[0] for client in clients for row in client.execute(LEFT_BEHIND, [list(KEPT_BY_PGBOUNCER)])}


def test_the_doorbell_is_heard_over_the_direct_connection(system: System) -> None:
    system.settings["SCRAPERSKY_POLL_SECONDS"] = DOORBELL_ONLY
    system.ready()

    system.submit(1)

    system.wait_for_completed(1, timeout=60)


def test_two_processes_share_five_connections_and_leave_nothing_on_them(
    system: System, pgbouncer: PgBouncer, database: str
) -> None:
    system.ready(workers=2)

    for _ in range(10):
        system.submit(300)

    system.wait_for_completed(3000, timeout=60)
    system.assert_each_ran_once(3000)
    assert left_behind(pgbouncer, database) == set()
    lines = [line for one in system.running for line in one.log.splitlines()]
    assert [line for line in lines if re.search(" (warning|error) ", line)] == []


def test_a_pgbouncer_that_is_killed_under_load_costs_no_row(system: System, pgbouncer: PgBouncer) -> None:
    workers = system.ready(workers=2)
    system.add(3000)

    system.queue(1500)
    pgbouncer.kill()
    system.queue(1500)
    pgbouncer.start()

    system.wait_for_completed(3000, timeout=60)
    assert system.one("select count(*) from domains") == 3000
    assert all(worker.lives for worker in workers)


def test_all_of_the_product_runs_over_it(system: System) -> None:
    """Migration, supervisor, sweeper and a worker that dies; then the two commands that look."""
    system.start("app.cli", "up", "--processes", "1")
    system.wait_for_workers(1)
    first = system.one("select pid from engine.worker")
    system.kill_process(first)
    wait_until(lambda: system.one("select pid from engine.worker") not in {None, first}, 60, "another worker")

    system.submit(100)

    system.wait_for_completed(100, timeout=60)
    status = system.start("app.cli", "status", "--json")
    assert status.process.wait(60) == 0
    assert json.loads(status.log)["workers"] == 1
    sweep = system.start("app.cli", "sweep", "--json")
    assert sweep.process.wait(60) == 0
    assert set(json.loads(sweep.log)["domain_extraction"].values()) == {0}


def test_the_dashboard_asks_within_the_limits_of_the_engine_and_leaves_nothing(
    pgbouncer: PgBouncer, database: str
) -> None:
    asked = "select current_setting('statement_timeout') as longest, current_setting('lock_timeout') as patience"

    with site_on(through(pgbouncer, database)) as site:
        visitor, reader = Visitor(site.test_client()), site.extensions["reader"]
        statuses = {visitor.get(path).status_code for path in PAGES}
        limits = reader.row(asked.encode())
        with reader.patient() as connection:
            patience = connection.execute("show lock_timeout").fetchone()

    assert statuses == {200}
    assert limits == {"longest": "30s", "patience": "200ms"}
    assert patience == ("5s",)
    assert left_behind(pgbouncer, database) == set()


def test_migrate_leaves_nothing_on_its_connections(pgbouncer: PgBouncer, empty_database: str) -> None:
    create_sample_tables(empty_database)
    many = [sample_workflow(f"sampling_{number}") for number in range(8)]

    for _ in range(2):
        migrate(through(pgbouncer, empty_database), [*WORKFLOWS, *many], Settings().default_tenant_id)

    assert left_behind(pgbouncer, empty_database) == set()


def test_migrates_that_start_together_take_turns_behind_it_too(pgbouncer: PgBouncer, empty_database: str) -> None:
    url = through(pgbouncer, empty_database)
    tenant = Settings().default_tenant_id

    with ThreadPoolExecutor(2) as deployments:
        list(deployments.map(lambda _number: migrate(url, WORKFLOWS, tenant), range(2)))

    with psycopg.connect(empty_database) as connection:
        assert connection.execute("select version_num from schema_version").fetchall() == [(newest(),)]
    assert left_behind(pgbouncer, empty_database) == set()


def test_a_listener_behind_pgbouncer_says_that_it_is_deaf_and_polls(system: System) -> None:
    del system.settings["LISTEN_DATABASE_URL"]
    worker = system.worker()
    system.wait_for_workers(1)

    wait_until(lambda: "listener.lost" in worker.log, 60, "the listener notices")
    system.submit(100)

    system.wait_for_completed(100, timeout=60)
    assert HINT in worker.log


def test_a_listener_that_shares_its_connection_with_nobody_notices_too(
    system: System, pgbouncer: PgBouncer, database: str
) -> None:
    """Its statements then all run in one session, where even a deaf listener would hear its own voice."""
    system.settings |= {"DATABASE_URL": database, "LISTEN_DATABASE_URL": through(pgbouncer, database)}

    worker = system.worker()

    wait_until(
        lambda: "a pooler in transaction mode? Set LISTEN_DATABASE_URL" in worker.log, 60, "the listener notices"
    )
