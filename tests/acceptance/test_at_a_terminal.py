"""Commands with a person at a terminal: a question before anything changes, a reason asked for, names completed."""

import fcntl
import os
import pty
import subprocess
import sys
import termios

import pytest

from tests.process_support import clean_environment

COMMAND = [sys.executable, "-m", "app.cli"]


@pytest.fixture
def at_terminal(database, tmp_path):
    """Run a command on a terminal of its own and type a line when something is shown; exit code and what was shown."""

    def run(*arguments, typed, after=""):
        leader, follower = pty.openpty()
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            env=clean_environment(DATABASE_URL=database, TERM="xterm"),
            cwd=tmp_path,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            preexec_fn=_own_the_terminal,  # noqa: PLW1509 - no threads here
        )
        os.close(follower)
        shown = b""
        while after.encode() not in shown:
            shown += _read(leader)
        os.write(leader, f"{typed}\n".encode())
        while part := _read(leader):
            shown += part
        os.close(leader)
        return process.wait(30), shown.decode()

    return run


def _own_the_terminal():
    """So that Ctrl-C typed there becomes a signal."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # on Linux, the end of a terminal is an error
        return b""


def test_the_question_names_the_number_and_no_is_respected(at_terminal, db):
    db.execute("insert into local_businesses (domain_extraction_status) values ('Error'), ('Error')")

    code, shown = at_terminal("requeue", "domain_extraction", "--all", typed="n")

    assert code == 130
    assert "Queue 2 failed row(s) of domain_extraction again? [y/N]" in shown
    assert db.execute("select count(*) from engine.job").fetchone() == (0,)


def test_yes_is_done(at_terminal, db):
    db.execute("insert into local_businesses (domain_extraction_status) values ('Error'), ('Error')")

    code, shown = at_terminal("requeue", "domain_extraction", "--all", typed="y")

    assert code == 0
    assert "2 row(s) of domain_extraction queued again." in shown
    assert db.execute("select count(*) from engine.job").fetchone() == (2,)


@pytest.mark.parametrize(
    ("command", "question"),
    [(["contacts", "delete"], "1 contact(s)? [y/N]"), (["suppress", "add"], "1 contact(s) deleted. [y/N]")],
)
def test_contacts_are_not_lost_without_a_yes(at_terminal, db, command, question):
    db.execute("insert into domains (domain) values ('smile.com')")
    db.execute("insert into contacts (domain_id, email) select id, 'ann@smile.com' from domains")

    refused, shown = at_terminal(*command, "ann@smile.com", typed="n", after="[y/N]")
    (kept,) = db.execute("select count(*) from contacts").fetchone()
    done, _ = at_terminal(*command, "ann@smile.com", typed="y", after="[y/N]")

    assert (refused, kept, done) == (130, 1, 0)
    assert question in shown
    assert db.execute("select count(*) from contacts").fetchone() == (0,)


def test_a_pause_asks_for_its_reason(at_terminal, db):
    code, shown = at_terminal("pause", "deep_scan", typed="the bill")

    assert code == 0
    assert "Reason: " in shown
    assert db.execute("select paused_reason from engine.workflow where paused").fetchall() == [("the bill",)]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("scrapersky pau", ["pause"]),
        ("scrapersky pause sitemap_", ["sitemap_discovery", "sitemap_import"]),
        ("scrapersky requeue page", ["page_curation"]),
        ("scrapersky why sit", ["sitemap_files"]),
        ("scrapersky limit deep_scan --max", ["--max-in-flight", "--max-attempts", "--max-downstream"]),
        ("scrapersky completion f", ["fish"]),
    ],
)
def test_the_shell_completes_commands_options_and_workflows(tmp_path, words, names):
    environment = {"_SCRAPERSKY_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = subprocess.run(
        COMMAND, env=clean_environment(**environment), cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert [line.partition(",")[2] for line in done.stdout.splitlines()] == names


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_the_shell_calls_us_back(scrapersky, shell):
    done = scrapersky("completion", shell)

    assert done.returncode == 0
    assert f"_SCRAPERSKY_COMPLETE={shell}_complete" in done.stdout


def test_the_watched_queue_moves_and_ends_with_control_c(at_terminal, db):
    db.execute("insert into local_businesses (domain_extraction_status) values ('Queued'), ('Queued')")

    code, shown = at_terminal("status", "--watch", typed="\x03", after="page_curation")

    assert code == 0
    assert "0 worker process(es)" in shown
    assert "domain_extraction" in shown
