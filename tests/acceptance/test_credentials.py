"""A file that only root can read lets root in, and not the user that root's workers become: told at once, in a line."""

import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from app import credentials
from app.config import ConfigurationError
from tests.process_support import clean_environment, free_port, registered, wait_until

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has privileges to drop")
CLIENT = "credentials_client"
ADVICE = "give that user what it needs to log in, or start ScraperSky as a user that has it"


@pytest.fixture
def address(server, database):
    """A database that asks this role for a password."""
    access = server.data / "pg_hba.conf"
    before = access.read_text()
    access.write_text(f"local all {CLIENT} scram-sha-256\n{before}")
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"create role {CLIENT} superuser login password 'secret'")
        connection.execute("select pg_reload_conf()")
    yield database.replace("//scrapersky@", f"//{CLIENT}@")
    access.write_text(before)
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("select pg_reload_conf()")
        connection.execute(f"drop role {CLIENT}")


@pytest.fixture
def passfile(tmp_path):
    """Readable for root alone."""
    file = tmp_path / "pgpass"
    file.write_text(f"*:*:*:{CLIENT}:secret\n")
    file.chmod(0o600)
    return file


def run(*program, **environment):
    command = [sys.executable, "-m", *program]
    return subprocess.run(
        command, env=clean_environment(**environment), capture_output=True, text=True, timeout=60, check=False
    )


@as_root
def test_a_worker_whose_password_only_root_can_read_does_not_start(address, passfile, db):
    done = run("app.worker", DATABASE_URL=f"{address}&passfile={passfile}")

    assert done.returncode == 2, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "worker.refused" in line]
    assert "DATABASE_URL" in line
    assert f"passfile {passfile}, which only root can read" in line
    assert ADVICE in line
    assert "secret" not in done.stderr
    assert "Traceback" not in done.stderr
    assert registered(db) == []


@as_root
def test_a_sweeper_says_so_in_one_line(address, passfile):
    done = run("app.cli", "sweeper", DATABASE_URL=f"{address}&passfile={passfile}")

    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].startswith("DATABASE_URL: the database does not let in the user 'scrapersky'")
    assert "Traceback" not in done.stderr


@as_root
def test_a_listener_names_the_setting_of_its_own_database(database, address, passfile):
    listening = {
        "LISTEN_DATABASE_URL": f"{address}&passfile={passfile}",
        "BROKER_URL": f"redis://127.0.0.1:{free_port()}",
    }

    done = run("app.cli", "listen", DATABASE_URL=database, **listening)

    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].startswith("LISTEN_DATABASE_URL: ")


@as_root
def test_a_worker_whose_user_can_read_the_password_starts(address, passfile, home, db, processes):
    user = pwd.getpwnam("scrapersky")
    readable = home / "pgpass"
    shutil.copy(passfile, readable)
    os.chown(readable, user.pw_uid, user.pw_gid)
    readable.chmod(0o400)

    worker = processes.start("app.worker", DATABASE_URL=f"{address}&passfile={readable}")

    wait_until(lambda: "worker.started" in worker.output())
    assert registered(db)


def test_a_database_that_is_away_is_not_refused(passfile):
    door = credentials.door("DATABASE_URL", f"postgresql://127.0.0.1:{free_port()}/nobody?passfile={passfile}")
    passfile.unlink()

    credentials.check(door, "somebody")

    assert door.files["passfile"] == passfile


def test_a_database_without_room_for_one_more_is_not_refused(server, address):
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"alter role {CLIENT} nosuperuser connection limit 0")

    credentials.check(credentials.door("DATABASE_URL", address.replace("@", ":secret@")), "somebody")


def test_a_password_that_is_missing_without_any_file_is_told_as_the_database_tells_it(address):
    with pytest.raises(ConfigurationError, match="no password supplied"):
        credentials.check(credentials.door("DATABASE_URL", address), "somebody")


def test_what_a_setting_does_not_name_is_looked_for_where_libpq_looks(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".pgpass").touch()
    (tmp_path / "key").touch()
    monkeypatch.setenv("PGSSLKEY", str(tmp_path / "key"))

    door = credentials.door("DATABASE_URL", "postgresql://127.0.0.1/leads")

    assert door.files == {"passfile": Path(tmp_path, ".pgpass"), "sslkey": Path(tmp_path, "key")}
