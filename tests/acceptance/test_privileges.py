"""Whatever root starts, nothing that fetches, parses or answers visitors stays root, or is a superuser in Postgres."""

import os
import pwd
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from app.demo.run import running_world
from app.demo.visits import Visits
from db.embedded import EmbeddedPostgres
from tests.process_support import REPOSITORY, clean_environment, free_port, registered, wait_until

DRAMATIQ = str(Path(sys.executable).with_name("dramatiq"))
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has privileges to drop")
SESSIONS = """
select distinct usename from pg_stat_activity
where application_name like 'scrapersky %' and application_name !~ '^scrapersky (demo|migrate)$'
"""


def status(pid):
    lines = (line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return {name: value.split() for name, value in lines}


def holds(pid):
    """What a process may do: its user and group ids, its other groups, its capabilities, whether it may gain any."""
    told = status(pid)
    capabilities = {name: int(told[name][0], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")}
    return {*told["Uid"], *told["Gid"]}, told["Groups"], capabilities, told["NoNewPrivs"]


def is_ordinary(pid):
    user = pwd.getpwnam("scrapersky")
    nothing = dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapAmb"), 0)
    return holds(pid) == ({str(user.pw_uid), str(user.pw_gid)}, [], nothing, ["1"])


@as_root
@pytest.mark.timeout(200)
def test_every_child_of_up_is_an_ordinary_user_while_it_crawls(home):
    port = str(free_port())
    with running_world(home / "demo", Visits(), {"SCRAPERSKY_WEB_PORT": port}) as world:
        supervisor = world.stack.pid
        children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
        for child in children:
            wait_until(lambda pid=child: is_ordinary(pid))
        world.queue.ask()
        deadline = time.monotonic() + 120
        while not world.queue.contacts():
            world.stack.check()
            assert time.monotonic() < deadline, world.stack.log.read_text()
            time.sleep(0.1)

        assert len(children) == 4  # two workers, the sweeper, the dashboard
        assert all(is_ordinary(child) for child in children)
        said = world.stack.log.read_text()
        with psycopg.connect(world.url) as connection:
            assert connection.execute(SESSIONS).fetchall() == [("scrapersky_worker",)]

    assert "Traceback" not in said
    assert "Permission denied" not in said


@as_root
def test_dramatiqs_own_workers_are_ordinary_users_too(database, db, processes):
    command = (DRAMATIQ, "app.worker", "--processes", "1", "--threads", "1")
    processes.run_program(*command, DATABASE_URL=database)

    wait_until(lambda: registered(db))
    (worker,) = registered(db)

    wait_until(lambda: is_ordinary(worker))


@as_root
@pytest.mark.parametrize("command", ["sweeper", "web"])
def test_a_service_that_is_started_alone_is_one_too(database, processes, command):
    service = processes.start("app.cli", command, DATABASE_URL=database, SCRAPERSKY_WEB_PORT=str(free_port()))

    wait_until(lambda: f"{command}.started" in service.output())

    assert is_ordinary(service.pid)


@as_root
def test_a_secret_that_only_root_can_read_is_read_before(database, db, processes, tmp_path):
    secret = tmp_path / "url"
    secret.write_text(database)
    secret.chmod(0o600)

    processes.start("app.worker", DATABASE_URL_FILE=str(secret))

    wait_until(lambda: registered(db))


@as_root
def test_an_installation_that_the_user_can_not_read_is_refused_in_one_line(database, tmp_path):
    for package in ("app", "actors", "db", "sql"):
        shutil.copytree(REPOSITORY / package, tmp_path / package)
    tmp_path.chmod(0o700)
    environment = clean_environment(DATABASE_URL=database, PYTHONPATH=str(tmp_path))

    command = [sys.executable, "-m", "app.cli", "up"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False, cwd="/")

    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert f"{tmp_path}/app is closed to the user 'scrapersky'" in done.stderr


def test_the_workers_role_owns_nothing_and_can_not_change_tables(home, processes):
    processes.start("app.cli", "up", SCRAPERSKY_HOME=str(home), SCRAPERSKY_PROCESSES="1")
    server = EmbeddedPostgres(home)
    wait_until(lambda: server.sockets.exists() and server.is_running())
    wait_until(lambda: is_migrated(server))

    with psycopg.connect(server.worker_url, autocommit=True) as connection:
        rights = "select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls from pg_roles where rolname = current_user"
        assert connection.execute(rights).fetchone() == (False, False, False, False)
        owned = "select count(*) from pg_class where relowner = (select oid from pg_roles where rolname = current_user)"
        assert connection.execute(owned).fetchone() == (0,)
        for statement in (
            "drop table domains",
            "create table loot (id int)",
            "alter table domains disable trigger user",
            "truncate domains",
            "update schema_version set version_num = 'x'",
            "copy domains to program 'cat'",
            "create role mine",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)


def is_migrated(server):
    try:
        with psycopg.connect(server.url) as connection:
            return registered(connection)
    except psycopg.Error:
        return False
