"""`scrapersky sweep`: one pass on demand, which says what it repaired. `scrapersky sweeper`: for ever."""

import json
import signal
from uuid import uuid4

import pytest

from tests.process_support import wait_until

NOTHING = {"lost_claims": 0, "overdue_claims": 0, "missed_rows": 0, "orphaned_rows": 0, "idle_jobs": 0}
STATUS = "select domain_extraction_status from local_businesses"
JOBS = "select count(*) from engine.job where token is null"


@pytest.fixture
def missed_row(db):
    """Queued behind the trigger's back, as a restore or replication does it."""
    with db.transaction():
        db.execute("set local session_replication_role = replica")
        db.execute(
            "insert into local_businesses (website_url, domain_extraction_status) "
            "values ('https://missed.com', 'Queued')"
        )


def claim_for(db, worker):
    """A row in progress on that worker."""
    db.execute("insert into local_businesses (website_url, domain_extraction_status) values (null, 'Queued')")
    db.execute("update engine.job set token = gen_random_uuid(), worker_id = %s, attempt = 1", [worker])
    db.execute("update local_businesses set domain_extraction_status = 'Processing'")


def swept(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["domain_extraction"]


def test_a_healthy_database_needs_no_repair(scrapersky, database):
    assert swept(scrapersky("sweep", "--json", DATABASE_URL=database)) == NOTHING


def test_a_missed_row_is_adopted_and_counted(scrapersky, database, db, missed_row):
    first = scrapersky("sweep", "--json", DATABASE_URL=database)
    second = scrapersky("sweep", "--json", DATABASE_URL=database)

    assert swept(first) == {**NOTHING, "missed_rows": 1}
    assert swept(second) == NOTHING
    assert db.execute(JOBS).fetchone() == (1,)


def test_a_dry_run_counts_the_same_and_changes_nothing(scrapersky, database, db, missed_row):
    told = scrapersky("sweep", "--dry-run", DATABASE_URL=database)
    counted = scrapersky("sweep", "--dry-run", "--json", DATABASE_URL=database)

    assert told.returncode == 0
    assert "domain_extraction: would repair 0 lost claims, 0 overdue claims, 1 missed rows" in told.stdout
    assert swept(counted) == {**NOTHING, "missed_rows": 1}
    assert db.execute(JOBS).fetchone() == (0,)


def test_the_claims_of_workers_that_nobody_knows_are_given_back(scrapersky, database, db):
    claim_for(db, uuid4())

    counts = swept(scrapersky("sweep", "--json", DATABASE_URL=database))

    assert counts == {**NOTHING, "lost_claims": 1}
    assert db.execute(STATUS).fetchone() == ("Queued",)


def test_a_silent_worker_is_watched_for_a_lease_and_then_buried(scrapersky, database, db):
    worker = uuid4()
    db.execute(
        "insert into engine.worker (id, host, pid, version, last_beat) "
        "values (%s, 'gone', 1, '0', now() - interval '1 hour')",
        [worker],
    )
    claim_for(db, worker)

    done = scrapersky("sweep", "--json", DATABASE_URL=database)

    assert "1 worker(s) look silent; watching them for 1 s" in done.stderr
    assert db.execute("select count(*) from engine.worker").fetchone() == (0,)
    assert db.execute(STATUS).fetchone() == ("Queued",)


def test_only_the_chosen_workflow_is_swept(scrapersky, database, missed_row):
    done = scrapersky("sweep", "--workflow", "domain_extraction", "--json", DATABASE_URL=database)

    assert json.loads(done.stdout) == {"domain_extraction": {**NOTHING, "missed_rows": 1}}


def test_an_unknown_workflow_gets_a_guess(scrapersky, database):
    done = scrapersky("sweep", "--workflow", "domain_extracton", DATABASE_URL=database)

    assert done.returncode == 2
    assert "unknown workflow 'domain_extracton', did you mean 'domain_extraction'?" in done.stderr


def test_the_sweeper_repairs_by_itself_until_it_is_stopped(database, db, missed_row, processes):
    sweeper = processes.start("app.cli", "sweeper", DATABASE_URL=database)

    wait_until(lambda: db.execute(JOBS).fetchone() == (1,))
    sweeper.send(signal.SIGTERM)

    assert sweeper.exit_code() == 0
