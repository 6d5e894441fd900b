"""Commands that are cut short, as real processes: no half file, no noise, and what was asked for goes on."""

import os
import signal
import subprocess
import sys
import tomllib

import pytest

from tests.process_support import REPOSITORY, clean_environment, wait_until

SLOWLY = "(select true from pg_sleep(0.002) where email is not null)"


@pytest.fixture
def start(database, tmp_path):
    """`start("export", "contacts")`: a process that is ended at the end of the test."""
    started = []

    def run(*arguments):
        command = [sys.executable, "-m", "app.cli", *map(str, arguments)]
        settings = clean_environment(DATABASE_URL=database)
        process = subprocess.Popen(
            command, env=settings, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def many_contacts(db):
    db.execute("insert into domains (domain) values ('smile.com')")
    db.execute(
        "insert into contacts (domain_id, email) "
        "select id, 'info' || number || '@smile.com' from domains, generate_series(1, 20000) as number"
    )


def test_an_interrupt_while_the_program_is_still_read_is_as_quiet_as_any(tmp_path):
    (tmp_path / "click.py").write_text("print('reading', flush=True)\nimport time\ntime.sleep(60)\n")
    settings = clean_environment(PYTHONPATH=f"{tmp_path}:{REPOSITORY}")
    command = [sys.executable, "-m", "app.start", "status"]
    with subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as status:
        status.stdout.readline()

        status.send_signal(signal.SIGINT)
        shown = status.communicate(timeout=120)

    assert (status.returncode, shown) == (130, ("", ""))


def test_the_installed_program_begins_there():
    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))

    assert declared["project"]["scripts"] == {"scrapersky": "app.start:main"}


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_an_export_that_is_stopped_leaves_no_file(start, many_contacts, tmp_path, asked, suffix):
    exporting = start("export", "contacts", "--where", SLOWLY, "--output", f"contacts.{suffix}")
    wait_until(lambda: list(tmp_path.glob(".*.partial")) or exporting.poll())

    exporting.send_signal(asked)
    _, errors = exporting.communicate(timeout=120)

    assert exporting.returncode == 128 + asked
    assert "Traceback" not in errors
    assert list(tmp_path.iterdir()) == []


def test_a_reader_who_has_seen_enough_is_no_error(start, many_contacts):
    exporting = start("export", "contacts")

    first = exporting.stdout.readline()
    exporting.stdout.close()
    errors = exporting.stderr.read()

    assert first.startswith("email,")
    assert (exporting.wait(30), errors) == (0, "")


def test_a_search_that_is_no_longer_watched_goes_on(start, db):
    searching = start("search", "dentist", "--near", "Austin, TX", "--wait")
    key = searching.stdout.readline().strip()

    os.kill(searching.pid, signal.SIGINT)
    _, errors = searching.communicate(timeout=120)

    assert searching.returncode == 130
    assert "the search goes on" in errors
    assert "Traceback" not in errors
    assert db.execute("select status from place_searches where id = %s", [key]).fetchone() == ("pending",)


@pytest.mark.parametrize(
    ("closed", "code", "told"),
    [
        (">&-", 1, "Error: standard output is closed; name a file: --output contacts.csv\n"),
        ("<&-", 0, ""),
        ("2>&-", 0, ""),
    ],
)
def test_a_stream_that_is_closed_leaves_no_trace(database, tmp_path, closed, code, told):
    export = f"exec {sys.executable} -m app.cli export contacts --where 'false' {closed}"

    done = subprocess.run(
        ["sh", "-c", export],
        env=clean_environment(DATABASE_URL=database),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (code, told)
