"""What any role that may connect can lock does not stop the engine, and what stops it nobody else can lock."""

import threading

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege, LockNotAvailable, ObjectNotInPrerequisiteState

from actors._workflow import Politeness
from actors.registry import WORKFLOWS
from app.config import Settings
from db.migrate import migrate
from db.patience import in_turn

pytest_plugins = ["tests.stage_support"]

TENANT = Settings().default_tenant_id
POLITE = Politeness(column="host", group="web")
NAMES = [
    *(f"engine.{what}" for what in ("migrate", "canary", "workflow", "pace", "lock", "claim", "sweep")),
    *(f"engine.{what} {name}" for what in ("workflow", "pace", "group") for name in ("sampling", "web", "host")),
    *(f"{what} {name}" for what in ("workflow", "group") for name in ("sampling", "web", "host", "canary")),
]
LOCK_EVERYTHING = """
select pg_advisory_lock(hashtextextended(name, 0)), pg_advisory_lock(hashtext(name)),
       pg_advisory_lock(0, hashtext(name))
from unnest(%s::text[]) as name
"""


@pytest.fixture
def polite(stage_with):
    """Claims of this workflow take turns because of its limit, and lock the pace of hosts because of its politeness."""
    return stage_with(max_in_flight=10, politeness=POLITE)


@pytest.fixture(params=["a stranger", "an analyst"])
def other(request, polite):
    """A role that may connect, and one that has what analysts are granted."""
    role = f"test_{request.param.rpartition(' ')[2]}_of_locks"
    polite.user.execute(f"create role {role} login")
    if request.param == "an analyst":
        polite.user.execute(f"grant scrapersky_analyst to {role}")
    with psycopg.connect(polite.url, user=role, autocommit=True) as connection:
        yield connection
    polite.user.execute(f"drop owned by {role}")
    polite.user.execute(f"drop role {role}")


def test_advisory_locks_of_others_stop_neither_claims_nor_migrate(polite, other):
    polite.add(2, host="smile.com")
    polite.engine.execute("set lock_timeout = '200ms'")
    other.execute(LOCK_EVERYTHING, [NAMES])

    assert len(polite.claim().rows) == 1
    migrate(polite.url, [*WORKFLOWS, polite.workflow], TENANT)


@pytest.mark.parametrize("strength", ["for update", "for no key update", "for share", "for key share"])
@pytest.mark.parametrize("table", ["lock", "workflow", "pace", "job"])
def test_others_can_not_lock_rows_that_claims_wait_for(other, table, strength):
    with pytest.raises(InsufficientPrivilege):
        other.execute(f"select from engine.{table} {strength}")


@pytest.mark.parametrize("table", ["lock", "migration", "workflow", "job"])
def test_others_can_not_lock_tables_of_the_engine(other, table):
    with pytest.raises(InsufficientPrivilege):
        other.execute(f"begin; lock table engine.{table} in access share mode")


def test_a_claim_waits_while_another_has_its_turn(polite):
    polite.add()
    polite.user.execute("begin")
    polite.user.execute("select from engine.lock where name = 'workflow sampling' for no key update")
    claims = []
    claiming = threading.Thread(target=lambda: claims.append(polite.claim()))
    claiming.start()
    while not polite.is_waiting(polite.engine):
        assert claiming.is_alive()

    polite.user.execute("commit")
    claiming.join()

    assert len(claims[0].rows) == 1


def test_a_claim_that_finds_nothing_due_writes_nothing(polite):
    polite.add()
    polite.user.execute("update engine.job set run_at = now() + interval '1 hour'")

    with polite.engine.transaction():
        batch = polite.claimer.claim(polite.engine, polite.worker, 10)
        number = polite.engine.execute("select pg_current_xact_id_if_assigned()").fetchone()

    assert (len(batch.rows), batch.in_turns, number) == (0, True, (None,))


def test_a_claim_whose_row_to_lock_is_missing_says_so_and_takes_nothing(polite):
    polite.add()
    polite.user.execute("delete from engine.lock where name = 'workflow sampling'")

    with pytest.raises(ObjectNotInPrerequisiteState, match="claims of sampling lock; run scrapersky migrate"):
        polite.claim()

    assert polite.value("select count(*) from engine.job where token is not null") == 0
    migrate(polite.url, [*WORKFLOWS, polite.workflow], TENANT)
    assert len(polite.claim().rows) == 1


def test_migrate_adds_and_removes_rows_to_lock(polite):
    migrate(polite.url, WORKFLOWS, TENANT)

    names = {name for (name,) in polite.user.execute("select name from engine.lock").fetchall()}
    assert names == {*(f"workflow {flow.name}" for flow in WORKFLOWS), "workflow canary"}


def test_a_migrate_that_waits_for_its_turn_holds_nothing_back(empty_database):
    with in_turn(empty_database), psycopg.connect(empty_database) as other:
        with pytest.raises(LockNotAvailable):
            other.execute("lock table engine.migration in share update exclusive mode nowait")
        other.rollback()
        held = "select count(*) from pg_stat_activity where application_name = 'scrapersky migrate' and {} is not null"
        assert other.execute(held.format("backend_xid")).fetchone() == (0,)
        assert other.execute(held.format("backend_xmin")).fetchone() == (0,)


def test_workers_can_not_take_the_lock_by_which_migrates_take_turns(polite):
    polite.user.execute("set role scrapersky_worker")

    polite.user.execute("select from engine.migration")
    for mode in ("share update exclusive", "row exclusive", "access exclusive"):
        with pytest.raises(InsufficientPrivilege):
            polite.user.execute(f"begin; lock table engine.migration in {mode} mode")
        polite.user.execute("rollback")
    polite.user.execute("reset role")
