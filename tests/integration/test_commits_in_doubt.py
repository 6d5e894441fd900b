"""A connection is lost at the COMMIT of a heartbeat, a sweep, a migration or a pause: done again, it does no harm."""

from contextlib import suppress
from datetime import timedelta

import psycopg
import pytest

from actors.fetch.web import Web, WebClient, WebOptions
from actors.registry import WORKFLOWS
from app.config import Settings
from app.heart import Heart
from app.sweeper import Sweeper
from db.connections import open_pool
from db.declaration import Politeness
from db.migrate import migrate
from db.outcomes import Found
from tests.chaos.commit_proxy import BEAT, FAILURE, SWEEP, WAYS, CommitProxy
from tests.lifecycle_support import wait_until
from tests.samples import SampleRow
from tests.web_support import MemoryRobots

pytest_plugins = ["tests.stage_support", "tests.runner_support"]

TENANT = Settings().default_tenant_id
OTHER_SESSIONS = """
select count(*) from pg_stat_activity
where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
"""
WORKERS = "select count(*) from engine.worker"
REGISTER, UNREGISTER = "insert into engine.worker", "delete from engine.worker"


@pytest.fixture
def proxy(server):
    with CommitProxy(server.sockets / ".s.PGSQL.5432") as proxy:
        yield proxy
        assert not proxy.wanted, "the commit never came"


@pytest.fixture
def heart():
    return Heart(timedelta(seconds=0.05))


@pytest.mark.parametrize("way", WAYS)
def test_a_process_whose_registration_is_in_doubt_is_one_worker(stage_with, proxy, heart, way):
    stage = stage_with()
    stage.bury(stage.worker)
    proxy.doubt(way, REGISTER)

    heart.start(proxy.url(stage.url))

    assert stage.value("select array_agg(id) from engine.worker") == [heart.id]
    heart.stop()
    assert stage.value(WORKERS) == 0


@pytest.mark.parametrize("way", WAYS)
def test_a_worker_that_was_declared_dead_comes_back_as_one_worker(stage_with, proxy, heart, way):
    stage = stage_with()
    stage.bury(stage.worker)
    heart.start(proxy.url(stage.url))
    first = heart.id
    proxy.doubt(way, REGISTER)

    stage.bury(first)
    wait_until(lambda: heart.id != first)

    assert stage.value("select array_agg(id) from engine.worker") == [heart.id]
    heart.stop()
    assert stage.value(WORKERS) == 0


@pytest.mark.parametrize("way", WAYS)
def test_a_beat_in_doubt_is_followed_by_others(stage_with, proxy, heart, way):
    stage = stage_with()
    heart.start(proxy.url(stage.url))
    proxy.doubt(way, BEAT)
    wait_until(lambda: not proxy.wanted)

    seen = stage.value("select beats from engine.worker where id = %s", heart.id)

    wait_until(lambda: stage.value("select beats from engine.worker where id = %s", heart.id) > seen + 1)
    heart.stop()


@pytest.mark.parametrize("way", WAYS)
def test_a_farewell_in_doubt_is_said_again(stage_with, proxy, heart, way):
    stage = stage_with()
    stage.bury(stage.worker)
    heart.start(proxy.url(stage.url))
    proxy.doubt(way, UNREGISTER)

    heart.stop()

    assert stage.value(WORKERS) == 0


# Pieces of the statements by which a transaction of the sweep is known.
REPAIRS = {
    "lost claims": FAILURE,
    "missed rows": "where job.dead\n",
    "orphaned rows": "where job.token is null\nreturning",
    "idle jobs": "delete from engine.job",
    "position": SWEEP,
}


@pytest.fixture
def pool(proxy, stage_with):
    """Connections to a stage, through the proxy."""
    stage = stage_with()
    pool = open_pool(proxy.url(stage.url), size=2, name="test")
    yield pool, stage
    pool.close()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("repair", REPAIRS)
def test_a_sweep_in_doubt_is_done_again(proxy, pool, way, repair):
    connections, stage = pool
    doomed = stage.register_worker()
    lost, orphans = stage.add(5), stage.add(5, status="Processing")
    stage.claim(worker=doomed)
    stage.bury(doomed)
    missed, idle = stage.add(5), stage.add(5)
    stage.user.execute("delete from engine.job where pk = any(%s)", [missed])
    stage.user.execute("alter table samples disable trigger user")
    stage.set(idle, status="Skipped")
    sweeper = Sweeper(connections, [stage.workflow], Settings(database_url=stage.url))
    proxy.doubt(way, REPAIRS[repair])

    wanted = sorted((pk, int(pk in lost), None) for pk in lost + orphans + missed)
    with pytest.raises(psycopg.OperationalError):
        sweeper.sweep("sampling")

    def is_repaired():
        with suppress(psycopg.OperationalError):  # the server may still be about to commit
            sweeper.sweep("sampling")
        return sorted(stage.user.execute("select pk, lost, token from engine.job").fetchall()) == wanted

    wait_until(is_repaired)
    assert set(stage.statuses([pk for pk, _, _ in wanted])) == {"Queued"}


@pytest.mark.parametrize("way", WAYS)
def test_a_burial_in_doubt_gives_the_rows_back_with_the_next_sweep(proxy, pool, way):
    connections, stage = pool
    (row,) = stage.add(1)
    doomed = stage.register_worker()
    stage.claim(worker=doomed)
    sweeper = Sweeper(connections, [stage.workflow], Settings(database_url=stage.url, beat="0.2", lease="0.6"))
    proxy.doubt(way, "delete from engine.worker")

    def is_given_back():
        with suppress(psycopg.OperationalError):
            sweeper.watch()
            sweeper.sweep("sampling")
        return stage.row(row).status == "Queued"

    wait_until(is_given_back)
    assert stage.job(row).lost == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_migration_in_doubt_is_done_again(empty_database, proxy, way):
    for piece in ("create schema if not exists engine", "insert into engine.workflow", "create or replace trigger"):
        proxy.doubt(way, piece)
        with pytest.raises(psycopg.OperationalError):
            migrate(proxy.url(empty_database), WORKFLOWS, TENANT)
        with psycopg.connect(empty_database, autocommit=True) as connection:
            wait_until(lambda: connection.execute(OTHER_SESSIONS).fetchone() == (0,))

    migrate(empty_database, WORKFLOWS, TENANT)

    with psycopg.connect(empty_database) as connection:
        names = {name for (name,) in connection.execute("select name from engine.workflow").fetchall()}
    assert {workflow.name for workflow in WORKFLOWS} <= names


def visit(row: SampleRow, web: Web) -> Found:
    """A visit that fetches nothing: its host is to be left alone for the pause of the settings."""
    del row, web
    return Found()


@pytest.mark.parametrize("way", WAYS)
def test_a_pause_of_a_host_in_doubt_is_told_again(proxy, stage_with, run_once, way):
    stage = stage_with(politeness=Politeness(column="host", group="web"))
    stage.workflow.run(visit)
    (row,) = stage.add(host="a.example")
    client = WebClient(WebOptions(user_agent="Test/1.0", pause=timedelta(seconds=60)), MemoryRobots())
    proxy.doubt(way, "as ended (key, seconds)")

    run_once(proxy.url(stage.url), stage.workflow, client=client)

    assert stage.row(row).status == "Done"
    wait_until(lambda: stage.value("select next_start > now() + interval '50 seconds' from engine.pace"))
