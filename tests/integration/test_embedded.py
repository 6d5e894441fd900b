"""The bundled Postgres as its users meet it: real servers, real commands, real kills."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from db.embedded import EmbeddedPostgres, bin_directory

REPOSITORY = Path(__file__).parents[2]

COMMAND = """
import signal, sys
from pathlib import Path
from db.embedded import EmbeddedPostgres

signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs in the background inherits it as ignored
with EmbeddedPostgres(Path(sys.argv[1])).use():
    print("ready", flush=True)
    sys.stdin.read()
"""

COMMAND_WITH_A_FORKED_CHILD = """
import os, sys
from pathlib import Path
from db.embedded import EmbeddedPostgres

with EmbeddedPostgres(Path(sys.argv[1])).use():
    if os.fork() == 0:
        sys.stdin.read()
        os._exit(0)
    print("ready", flush=True)
"""


@contextmanager
def a_place():
    # Not tmp_path: that is closed to the user which runs Postgres when root runs the tests.
    directory = Path(tempfile.mkdtemp(prefix="embedded-"))
    directory.chmod(0o711)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def place():
    with a_place() as directory:
        yield directory


@pytest.fixture(scope="module")
def made_home():
    with a_place() as directory:
        with EmbeddedPostgres(directory / "home").use():
            pass
        yield directory / "home"


@pytest.fixture
def new_postgres(place):
    yield (server := EmbeddedPostgres(place / "home"))
    server.stop()


@pytest.fixture
def postgres(made_home, new_postgres):
    # A copy takes a tenth of the time of initdb.
    subprocess.run(["cp", "-a", made_home, new_postgres.home], check=True)
    return new_postgres


@contextmanager
def another_command(postgres, script=COMMAND):
    """A process that uses the server until the block ends."""
    with subprocess.Popen(
        [sys.executable, "-c", script, postgres.home],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


def is_ready(command):
    return command.stdout.readline() == "ready\n"


def server_process(postgres):
    return int((postgres.data / "postmaster.pid").read_text().splitlines()[0])


def query(url, statement):
    with psycopg.connect(url) as connection:
        return connection.execute(statement).fetchall()


def execute(url, statement):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)


def psql(url, **options):
    command = [bin_directory() / "psql", "--no-psqlrc", "--tuples-only", "--no-align", "-c", "select 40 + 2", url]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def child_process(command, name):
    children = Path(f"/proc/{command.pid}/task/{command.pid}/children").read_text().split()
    return next(int(child) for child in children if Path(f"/proc/{child}/comm").read_text() == f"{name}\n")


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    return found


def test_psql_and_psycopg_accept_the_url_whatever_the_environment_says(postgres):
    with postgres.use() as url:
        answer = psql(url, env={"PGPORT": "1", "PGHOST": "nowhere.invalid", "PGUSER": "nobody"})
        rows = query(url, "select current_user, current_database()")

    assert (answer.stdout, answer.stderr) == ("42\n", "")
    assert rows == [("scrapersky", "scrapersky")]


def test_a_new_server_keeps_data_safe_and_does_not_depend_on_the_machine(postgres):
    with postgres.use() as url:
        settings = dict(query(url, "select name, setting from pg_settings"))
        locale = query(url, "select datlocprovider::text, datlocale from pg_database where datname = 'scrapersky'")

    assert settings["fsync"] == "on"
    assert settings["full_page_writes"] == "on"
    assert settings["data_checksums"] == "on"
    assert settings["server_encoding"] == "UTF8"
    assert locale == [("b", "C.UTF-8")]


def test_the_only_way_in_is_a_socket_for_its_owner(postgres):
    with postgres.use() as url:
        rules = query(url, "select type, database, user_name, auth_method, options from pg_hba_file_rules")
        listening = query(url, "show listen_addresses")
        mode = postgres.sockets.stat().st_mode & 0o777

    assert rules == [("local", ["all"], ["all"], "peer", ["map=scrapersky"])]
    assert listening == [("",)]
    assert mode == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can try it as another user")
def test_another_user_is_refused_even_with_every_directory_open(postgres):
    nobody = {"user": "nobody", "group": "nogroup", "extra_groups": [], "cwd": "/"}

    with postgres.use() as url:
        at_the_directory = psql(url, **nobody)
        for path in (postgres.directory, postgres.sockets, postgres.sockets / ".s.PGSQL.5432"):
            path.chmod(0o777)
        at_the_server = psql(url, **nobody)

    assert at_the_directory.returncode != 0
    assert "Permission denied" in at_the_directory.stderr
    assert at_the_server.returncode != 0
    assert "Peer authentication failed" in at_the_server.stderr


def test_the_server_stays_while_a_second_command_uses_it(postgres):
    with another_command(postgres) as command:
        assert is_ready(command)

        with postgres.use():
            pass

        assert postgres.is_running()
    assert not postgres.is_running()


def test_a_server_whose_command_was_killed_is_found_and_stopped_by_the_next_one(postgres):
    with another_command(postgres) as command:
        assert is_ready(command)
        started = server_process(postgres)
        command.kill()
    assert postgres.is_running()

    with postgres.use() as url:
        answer = query(url, "select 1")
        found = server_process(postgres)

    assert answer == [(1,)]
    assert found == started
    assert not postgres.is_running()


def test_ctrl_c_in_the_terminal_of_one_command_leaves_the_server_to_the_others(postgres):
    with another_command(postgres) as command:
        assert is_ready(command)
        with postgres.use() as url, psycopg.connect(url) as connection:
            os.killpg(command.pid, signal.SIGINT)
            command.wait()

            answer = connection.execute("select 1").fetchall()

    assert answer == [(1,)]


def test_a_forked_child_holds_no_lock_after_its_parent(postgres):
    with another_command(postgres, COMMAND_WITH_A_FORKED_CHILD) as command:
        assert is_ready(command)
        command.wait()

        with another_command(postgres) as next_command:
            assert is_ready(next_command)

    assert not postgres.is_running()


def test_two_commands_that_start_at_once_share_one_server(new_postgres):
    with another_command(new_postgres) as first, another_command(new_postgres) as second:
        assert is_ready(first)
        assert is_ready(second)
        answer = query(new_postgres.url, "select 1")

    assert answer == [(1,)]
    assert (first.returncode, second.returncode) == (0, 0)
    assert not new_postgres.is_running()


def test_committed_rows_outlive_a_killed_server(postgres):
    with postgres.use() as url:
        execute(url, "create table kept as select 7 as number")
        os.kill(server_process(postgres), signal.SIGKILL)

        postgres.start()

        assert query(url, "select number from kept") == [(7,)]


def test_a_session_that_outlives_its_killed_server_is_waited_for(postgres):
    with postgres.use() as url, closing(psycopg.connect(url)) as busy:
        busy.pgconn.send_query(b"do $$ begin for i in 1..100000000 loop end loop; end $$")
        wait_until(lambda: query(url, "select from pg_stat_activity where query like 'do %' and state = 'active'"))
        os.kill(server_process(postgres), signal.SIGKILL)

        postgres.start()

        assert query(url, "select 1") == [(1,)]


def test_a_recorded_process_number_that_now_belongs_to_another_server_is_not_ours(postgres, made_home):
    another = EmbeddedPostgres(made_home)
    with postgres.use():
        record = (postgres.data / "postmaster.pid").read_text()
        recorded = str(server_process(postgres))

    with another.use():
        stale = record.replace(recorded, str(server_process(another)), 1)
        (postgres.data / "postmaster.pid").write_text(stale)
        assert not postgres.is_running()
        with postgres.use() as url:
            answer = query(url, "select 1")

    assert answer == [(1,)]


def test_a_data_directory_that_was_not_finished_is_never_used(new_postgres):
    with another_command(new_postgres) as command:
        wait_until(lambda: list(new_postgres.directory.glob("data.unfinished-*/PG_VERSION")))
        os.kill(child_process(command, "initdb"), signal.SIGKILL)
    assert command.returncode != 0
    assert not new_postgres.data.exists()

    with new_postgres.use() as url:
        answer = query(url, "select 1")

    assert answer == [(1,)]
    assert list(new_postgres.directory.glob("data.unfinished-*")) == []
