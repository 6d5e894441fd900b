"""The worker under Dramatiq's own command line, without any broker."""

import signal
import sys
from pathlib import Path

import pytest

from tests.process_support import registered, wait_until

DRAMATIQ = str(Path(sys.executable).with_name("dramatiq"))
LEFT = "select count(*) from local_businesses where domain_extraction_status is distinct from 'Completed'"


@pytest.fixture
def dramatiq(database, db, processes):
    command = (DRAMATIQ, "app.worker", "--processes", "1", "--threads", "2")
    dramatiq = processes.run_program(*command, DATABASE_URL=database, SCRAPERSKY_THREADS="2")
    wait_until(lambda: len(registered(db)) == 1)
    return dramatiq


def test_dramatiqs_own_command_completes_rows(dramatiq, db):
    db.execute(
        "insert into local_businesses (website_url, domain_extraction_status) "
        "select 'https://site' || n || '.com', 'Queued' from generate_series(1, 50) as n"
    )

    wait_until(lambda: db.execute(LEFT).fetchone() == (0,))

    assert db.execute("select count(*) from domains").fetchone() == (50,)


def test_dramatiqs_own_command_stops_cleanly(dramatiq, db):
    dramatiq.send(signal.SIGTERM)

    assert dramatiq.exit_code() == 0
    assert registered(db) == []
    assert "Traceback" not in dramatiq.output()
