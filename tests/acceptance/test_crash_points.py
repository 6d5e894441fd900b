"""A process is killed at every point where it speaks to the database: a healthy one then ends all rows, each once."""

import pytest

from actors.registry import WORKFLOWS
from app.config import Settings
from db.migrate import migrate
from tests.crash_points import names_of_statements
from tests.crash_points_rows import KILLS, add_rows, crash_workflow, fates, fates_of
from tests.crash_points_site import crash_site
from tests.samples import create_sample_tables
from tests.shared_database import shared_database

pytestmark = pytest.mark.slow

# Where a worker is killed, and the kind of rows that leads it there.
WORKER = {
    "process.block": "ordinary",
    "liveness.register": "disowned",
    "liveness.beat": "ordinary",
    "liveness.claims_of_worker": "ordinary",
    "listener.listen": "deafening",
    "listener.due": "ordinary",
    "lease.take_over": "ordinary",
    "liveness.echo": "ordinary",
    "claim.take_batch": "ordinary",
    "claim.not_begun": "misleading",
    "claim.drop_withdrawn": "misleading",
    "claim.take_jobs": "misleading",
    "claim.look": "misleading",
    "claim.survey": "misleading",
    "claim.take_chosen": "misleading",
    "commit of claim.take_batch": "ordinary",
    "after commit of claim.take_batch": "ordinary",
    "run.begun": "ordinary",
    "run.ended": "ordinary",
    "results.upsert": "ordinary",
    "record.end_batch": "edited",
    "record.lock_rows": "hopeless",
    "record.lock_jobs": "spoilt",
    "record.still_there": "deleted",
    "record.still_claimed": "stolen",
    "record.delete_jobs": "cancelled",
    "record.free_jobs": "requeued",
    "record.set_rows": "patient",
    "results.set_values": "cancelled",
    "record.add_attempts": "failing",
    "record.block": "blocking",
    "commit of results.upsert": "ordinary",
    "after commit of results.upsert": "ordinary",
    "commit of record.lock_rows": "failing",
    "after commit of record.lock_rows": "failing",
}
# Where rows are claimed key by key, and claims take turns because of a budget.
POLITE = {
    "claim.serialise": "ordinary",
    "claim.room": "ordinary",
    "claim.heads": "ordinary",
    "claim.add_pace": "ordinary",
    "claim.lock_pace": "ordinary",
    "claim.busy_keys": "ordinary",
    "claim.take_heads": "ordinary",
    "claim.take_rows": "ordinary",
    "claim.drop_withdrawn_of_keys": "misleading",
    "claim.start_pace": "ordinary",
    "claim.spend": "ordinary",
    "commit of claim.serialise": "failing",
    "after commit of claim.serialise": "failing",
    "record.rest": "ordinary",
    "commit of record.rest": "ordinary",
    "after commit of record.rest": "ordinary",
}
SWEEPER = [
    "liveness.beats",
    "liveness.bury",
    "liveness.bury_child",
    "sweep.claims_of_the_dead",
    "record.lock_rows",
    "record.free_jobs",
    "record.set_rows",
    "record.add_attempts",
    "record.ring",
    "sweep.claims_of_the_living",
    "sweep.table_blocks",
    "sweep.missed_rows",
    "sweep.adopt_rows",
    "sweep.orphan_rows",
    "sweep.adopt_orphans",
    "sweep.requeue_orphans",
    "sweep.job_blocks",
    "sweep.idle_jobs",
    "sweep.drop_idle_jobs",
    "upkeep.position",
    "upkeep.save_position",
    "upkeep.forget_blocks",
    "commit of sweep.claims_of_the_dead",
    "after commit of sweep.claims_of_the_dead",
    "commit of sweep.missed_rows",
    "after commit of sweep.missed_rows",
    "commit of sweep.idle_jobs",
    "after commit of sweep.idle_jobs",
]
# At the beginning and at the end of a process, and for a host that is visited for the first time.
ONCE = {"process.block", "liveness.unregister", "claim.add_pace"}
# In transactions whose beginning and end are points here, and only after other faults: test_commits_in_doubt.py,
# test_unwritable_rows.py and test_overdue_claims.py bring them about.
AFTER_OTHER_FAULTS = {
    "claim.give_back",
    "claim.push_back",
    "record.rows_of_claim",
    "record.refund",
    "record.committed",
    "sweep.overdue_claims",
    "sweep.refuse_orphan",
}
# Only where many submit at once: test_awake.py kills a listener there, test_lease_schedules.py stops one at any step.
WHILE_AWAKE = {f"lease.{name}" for name in ("take", "renew", "release", "abandon", "look", "ring")}
NOT_ABOUT_ROWS = {
    "claim.held_back",
    "liveness.listener_says",
    "liveness.listener_leaves",
    "liveness.add_rates",
    "upkeep.old_attempts",
    "upkeep.old_submissions",
    "upkeep.old_actions",
    "upkeep.prune_listeners",
    "upkeep.prune_rates",
    "upkeep.save_sweep",
    "upkeep.prune_attempts",
    "upkeep.prune_submissions",
    "upkeep.prune_actions",
    "upkeep.cut_off_listeners",
    "upkeep.prune_robots",
    "upkeep.prune_paces",
    "upkeep.blocks",
    "upkeep.clear_places",
    "upkeep.clear_businesses",
    # Single statements that say the same when repeated.
    "liveness.say_late",
    "upkeep.prune_sessions",
    "upkeep.forget_contacts",
    "upkeep.forget_numbers",
    "upkeep.forget_home_pages",
    "upkeep.forget_telephones",
}


@pytest.fixture(scope="module")
def site(server, template):
    """A database, processes that can be killed at a point, and healthy hands."""
    with shared_database(server, template, "crash_points") as url:
        yield from site_at(url, polite=False)


@pytest.fixture(scope="module")
def polite_site(server, template):
    with shared_database(server, template, "polite_crash_points") as url:
        yield from site_at(url, polite=True)


def site_at(url, *, polite):
    create_sample_tables(url)
    workflow = crash_workflow(url, polite=polite)
    migrate(url, [*WORKFLOWS, workflow], Settings().default_tenant_id)
    with crash_site(url, workflow, polite=polite) as opened:
        yield opened


def numbers(point):
    return range(1, 2 if point in ONCE else KILLS + 1)


@pytest.mark.parametrize(("point", "kind"), WORKER.items())
def test_a_worker_that_is_killed_leaves_every_row_to_its_fate(site, point, kind):
    for number in numbers(point):
        site.clean_up()
        names = add_rows(site.user, kind)

        site.crash("worker", point, number)
        site.heal()

        assert fates(site.user) == fates_of(names)


@pytest.mark.parametrize(("point", "kind"), POLITE.items())
def test_a_polite_worker_that_is_killed_leaves_every_row_to_its_fate(polite_site, point, kind):
    for number in numbers(point):
        polite_site.clean_up()
        names = add_rows(polite_site.user, kind)

        polite_site.crash("worker", point, number)
        polite_site.heal()

        assert fates(polite_site.user) == fates_of(names)


@pytest.mark.parametrize("point", SWEEPER)
def test_a_sweeper_that_is_killed_leaves_every_row_to_its_fate(site, point):
    for number in numbers(point):
        site.clean_up()

        site.crash("sweeper", point, number)
        site.heal()

        found = fates(site.user)
        assert found
        assert found == fates_of(found)


def test_a_worker_that_is_killed_while_it_says_farewell_leaves_every_row_to_its_fate(site):
    site.clean_up()
    names = add_rows(site.user, "failing")

    site.crash("worker", "liveness.unregister", 1, stopped=True)
    site.heal()

    assert fates(site.user) == fates_of(names)


def test_every_statement_about_rows_is_a_crash_point(polite_site):
    covered = {*WORKER, *POLITE, *SWEEPER, *ONCE, *AFTER_OTHER_FAULTS, *WHILE_AWAKE}

    forgotten = set(names_of_statements(polite_site.workflow).values()) - covered - NOT_ABOUT_ROWS

    assert not forgotten, f"name them in this file: {sorted(forgotten)}"
