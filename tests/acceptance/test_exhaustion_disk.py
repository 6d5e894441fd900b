"""The disk under the database is full: nothing can be written, and when there is room again nothing was lost."""

import contextlib
import shutil
import subprocess
import tempfile
from pathlib import Path

import psycopg
import pytest

from tests.acceptance.own_server import sample_server, user_of
from tests.process_support import stays, wait_until

pytestmark = pytest.mark.slow

SIZE = "320m"
# Segments that are kept for later would be room to go on in.
SMALL_LOG = "wal_recycle = off\nwal_init_zero = off\nmin_wal_size = 32MB\nmax_wal_size = 32MB\nshared_buffers = 16MB"


@pytest.fixture
def small_disk():
    """A file system of its own in memory."""
    directory = Path(tempfile.mkdtemp(prefix="scrapersky-disk-"))
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", directory], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        directory.rmdir()
        pytest.skip(f"no disk to fill: mounting a tmpfs needs root ({mounted.stderr.strip()})")
    yield directory
    subprocess.run(["umount", "--lazy", directory], check=True)
    directory.rmdir()


@pytest.fixture
def postgres(small_disk):
    with sample_server(SMALL_LOG, home=small_disk) as server:
        yield server


def fill(disk):
    """Take what is left, to the last block; others take some too meanwhile."""
    ballast = disk / "ballast"
    with ballast.open("wb") as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(64 << 10))
            file.flush()
    return ballast


def is_refused(server):
    """Whether a user's own large write fails: nobody can write any more."""
    try:
        with psycopg.connect(server.url, connect_timeout=2) as connection:
            connection.execute(
                "create table heap as select repeat(md5(n::text), 50) from generate_series(1, 50000) as n"
            )
            connection.rollback()
    except psycopg.Error:
        return True
    return False


def test_a_full_disk_stops_the_work_and_room_on_it_starts_it_again(postgres, small_disk, ledger, processes):
    settings = {"DATABASE_URL": postgres.url, "SAMPLE_LEDGER": str(ledger.path), "SCRAPERSKY_THREADS": "2"}
    processes.start("tests.sample_up", SCRAPERSKY_PROCESSES="2", **settings)
    with user_of(postgres) as rows:
        names = rows.add_many("row", 2000, "sleep 0.01")
        rows.queue(*names)
        wait_until(lambda: rows.count("Done") > 50)

    ballast = fill(small_disk)
    wait_until(lambda: is_refused(postgres))
    still_full = stays(lambda: shutil.disk_usage(small_disk).free < 32 << 20, 3)
    ballast.unlink()
    postgres.start()

    with user_of(postgres) as rows:
        done_when_there_was_room = rows.count("Done")
        rows.wait_for("Done", *names, timeout=90)
        assert rows.connection.execute("select count(*), count(distinct name) from findings").fetchone() == (2000, 2000)
        assert rows.connection.execute("select count(*) from engine.job").fetchone() == (0,)
    assert still_full
    assert done_when_there_was_room < 2000
    assert ledger.overlapping() == set()
