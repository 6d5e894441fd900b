"""A database with work in hand is backed up, lost, and brought back: everything that was owed is done."""

import psycopg
import pytest

from actors.domain_extraction import domain_extraction
from db.connections import open_pool, transaction
from db.lifecycle import Claimer
from tests.process_support import wait_for_workers, wait_until

WORKER = "aaaa1111-0000-4000-8000-000000000001"
STATUSES = "select domain_extraction_status, count(*) from local_businesses group by 1 order by 1"


@pytest.fixture
def busy(database, db):
    """Two hundred rows, thirty of them in the hands of a worker at the moment of the backup."""
    db.execute("insert into local_businesses (domain_extraction_status) select 'Queued' from generate_series(1, 200)")
    db.execute("insert into engine.worker (id, host, pid, version) values (%s, 'lost', 1, '1')", [WORKER])
    pool = open_pool(database, size=1, name="test")
    with transaction(pool) as connection:
        batch = Claimer(domain_extraction, domain_extraction.columns).claim(connection, WORKER, 30)
    pool.close()
    assert len(batch.rows) == 30
    return database


def test_a_backup_of_a_busy_database_is_restored_swept_and_worked_off(
    busy, empty_database, scrapersky, tmp_path, processes
):
    file = str(tmp_path / "busy.dump")

    backup = scrapersky("backup", file, DATABASE_URL=busy)
    restore = scrapersky("restore", file, DATABASE_URL=empty_database)
    assert (backup.returncode, restore.returncode) == (0, 0), backup.stderr + restore.stderr
    with psycopg.connect(empty_database, autocommit=True) as connection:
        assert connection.execute(STATUSES).fetchall() == [("Processing", 30), ("Queued", 170)]
        connection.execute("update engine.worker set last_beat = now() - interval '1 hour'")
        after = scrapersky("after-restore", "--yes", DATABASE_URL=empty_database)
        assert after.returncode == 0, after.stderr
        assert "30 row(s) of theirs queued again" in after.stdout
        assert connection.execute("select max(attempt), max(lost) from engine.job").fetchone() == (0, 0)

        wait_for_workers(connection, processes.start("app.worker", DATABASE_URL=empty_database))
        wait_until(lambda: connection.execute(STATUSES).fetchall() == [("Completed", 200)])
        assert connection.execute("select count(*) from engine.attempt").fetchone() == (0,)
        assert connection.execute("select count(*) from engine.job").fetchone() == (0,)


def test_after_restore_is_refused_while_a_worker_lives(database, db, scrapersky, processes):
    worker = processes.start("app.worker", DATABASE_URL=database)
    wait_for_workers(db, worker)

    refused = scrapersky("after-restore", "--yes", DATABASE_URL=database)

    assert refused.returncode == 1
    assert "1 worker(s) are alive: stop them first" in refused.stderr
    assert db.execute("select pid from engine.worker").fetchall() == [(worker.pid,)]
