"""The directories in which processes count together."""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from app.counting import DIRECTORY, HELD, count_with_siblings, counting_together, directory_of_siblings
from tests.process_support import REPOSITORY

COUNT = """
import os, sys
from app.counting import DIRECTORY, counting_together

with counting_together():
    print(os.environ[DIRECTORY], flush=True)
    sys.stdin.read()
"""
# What Dramatiq's master does: children that meet in a directory, of which it knows nothing. A line names one to kill.
MASTER = """
import multiprocessing, os, sys
from app.counting import DIRECTORY, count_with_siblings

def count(say):
    count_with_siblings()
    say.send(os.environ[DIRECTORY])
    multiprocessing.parent_process().join()

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    hear, say = multiprocessing.Pipe()
    children = [multiprocessing.Process(target=count, args=[say], daemon=True) for _ in range(2)]
    for child in children:
        child.start()
    print(hear.recv(), hear.recv(), flush=True)
    for line in sys.stdin:
        child = children[int(line)]
        child.kill()
        child.join()
        print("killed", flush=True)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.delenv(DIRECTORY, raising=False)
    return tmp_path


@pytest.fixture
def start(temporary):
    """Runs a script that says where it counts."""
    started = []

    def run(script, *arguments):
        file = temporary.with_name(f"script{len(started)}.py")
        file.write_text(script)
        environment = {"PATH": os.environ["PATH"], "TMPDIR": str(temporary), "PYTHONPATH": str(REPOSITORY)}
        command = [sys.executable, str(file), *arguments]
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        started.append(process)
        return process, [Path(word) for word in process.stdout.readline().split()]

    yield run
    for process in started:
        kill(process)
        process.stdin.close()
        process.stdout.close()


def kill(process) -> None:
    """The whole family, as a container ends."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def prefix() -> str:
    return f"scrapersky-metrics-{os.getuid()}-"


def dead_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_the_directory_lives_as_long_as_its_process(temporary):
    with counting_together():
        directory = Path(os.environ[DIRECTORY])
        assert directory.is_relative_to(temporary)
        assert directory.stat().st_mode & 0o777 == 0o700

    assert list(temporary.iterdir()) == []
    assert DIRECTORY not in os.environ


def test_what_killed_processes_left_is_removed_and_nothing_else(temporary):
    left = [temporary / f"{prefix()}{dead_process()}{end}" for end in ("", "-abc")]
    kept = [temporary / f"{prefix()}{os.getppid()}", temporary / f"{prefix()}mine", temporary / "other"]
    for directory in (*left, *kept):
        directory.mkdir()
        (directory / "counter.db").touch()

    with counting_together():
        found = set(temporary.iterdir()) - {Path(os.environ[DIRECTORY])}

    assert found == set(kept)


def test_a_directory_that_somebody_else_has_made_is_not_counted_in(temporary, monkeypatch):
    other = os.getuid() + 1
    monkeypatch.setattr("multiprocessing.parent_process", object)
    monkeypatch.setattr(os, "getuid", lambda: other)
    directory_of_siblings().mkdir()

    with pytest.raises(PermissionError, match="belongs to somebody else"):
        count_with_siblings()

    assert DIRECTORY not in os.environ


def test_a_directory_goes_when_nobody_counts_in_it_any_more_whatever_process_ids_there_are(temporary, start):
    """In containers that share the temporary directory every process is 1, the dead and the living."""
    _, [living] = start(COUNT)
    killed, [left] = start(COUNT)
    kill(killed)

    with counting_together():
        ours = Path(os.environ[DIRECTORY])
        found = set(temporary.iterdir())

    assert found == {living, ours}
    assert left not in found
    assert all(f"-{HELD}-" in directory.name for directory in found)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_the_children_of_a_master_meet_and_one_that_is_killed_takes_nothing_with_it(temporary, start, method):
    master, [first, second] = start(MASTER, method)
    (first / "counter_1.db").touch()
    print(0, file=master.stdin, flush=True)
    master.stdout.readline()

    with counting_together():
        assert first == second
        assert (first / "counter_1.db").exists()

    kill(master)
    with (first / HELD).open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # the children end a moment later
    with counting_together():
        assert not first.exists()


def test_the_children_of_two_masters_do_not_meet(start):
    _, [one, _] = start(MASTER, "fork")
    _, [other, _] = start(MASTER, "fork")

    assert one != other
