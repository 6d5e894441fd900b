"""Where the bundled Postgres lives, whom it runs as, and what it says when it can not."""

import os
import pwd
import shutil
import tempfile
from pathlib import Path

import psycopg
import pytest

from db.embedded import EmbeddedPostgres, EmbeddedPostgresError


@pytest.fixture
def place():
    # Not tmp_path: that is closed to the user which runs Postgres when root runs the tests.
    directory = Path(tempfile.mkdtemp(prefix="embedded-"))
    directory.chmod(0o711)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def postgres(place):
    yield (server := EmbeddedPostgres(place / "home"))
    server.stop()


@pytest.fixture
def deep_postgres(place):
    """One whose home is too deep for the address of a socket."""
    server = EmbeddedPostgres(place / ("deep" * 30))
    yield server
    server.stop()
    if server.sockets.is_symlink():
        server.sockets.unlink()
    else:
        shutil.rmtree(server.sockets)


def answers(url):
    with psycopg.connect(url) as connection:
        return connection.execute("select 1").fetchone() == (1,)


def test_the_data_of_another_major_version_is_left_alone_and_the_remedy_named(postgres):
    postgres.data.mkdir(parents=True)
    (postgres.data / "PG_VERSION").write_text("17\n")

    with pytest.raises(EmbeddedPostgresError, match=r"made by PostgreSQL 17.*brings PostgreSQL 18.*pg_dump"):
        postgres.start()


def test_a_server_that_can_not_start_shows_the_end_of_its_log(postgres):
    with postgres.use():
        pass
    with (postgres.data / "postgresql.conf").open("a") as configuration:
        configuration.write("shared_buffers = 'a lot'\n")

    with pytest.raises(EmbeddedPostgresError, match=r'invalid value for parameter "shared_buffers": "a lot"'):
        postgres.start()


def test_a_database_that_its_owner_dropped_is_made_again(postgres):
    with postgres.use() as url, psycopg.connect(url, dbname="postgres", autocommit=True) as connection:
        connection.execute("drop database scrapersky")

    with postgres.use() as url:
        assert answers(url)


def test_a_home_too_deep_for_a_socket_gets_a_private_directory_elsewhere(deep_postgres):
    with deep_postgres.use() as url:
        assert answers(url)
        mode = deep_postgres.sockets.stat().st_mode & 0o777

    assert mode == 0o700
    assert not deep_postgres.sockets.is_relative_to(deep_postgres.home)


def test_a_socket_directory_that_somebody_else_laid_out_is_refused(deep_postgres, place):
    deep_postgres.sockets.symlink_to(place)

    with pytest.raises(EmbeddedPostgresError, match="is a link or belongs to user id"):
        deep_postgres.start()


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user runs Postgres as itself")
def test_root_is_told_which_directory_is_closed_to_the_server_and_it_stays_closed(place):
    closed = place / "closed"
    closed.mkdir(mode=0o700)

    with pytest.raises(EmbeddedPostgresError, match=rf"^{closed} is closed to the user .*set SCRAPERSKY_HOME"):
        EmbeddedPostgres(closed / "home").start()

    assert closed.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user runs Postgres as itself")
def test_root_runs_the_server_as_the_owner_of_home(postgres):
    nobody = pwd.getpwnam("nobody")
    postgres.home.mkdir(mode=0o700)
    os.chown(postgres.home, nobody.pw_uid, nobody.pw_gid)

    with postgres.use() as url:
        assert answers(url)
        owner = (postgres.data / "postmaster.pid").stat().st_uid

    assert owner == nobody.pw_uid
