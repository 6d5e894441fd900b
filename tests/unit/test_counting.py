"""The directories in which processes count together."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from app.counting import DIRECTORY, count_with_siblings, counting_together


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.delenv(DIRECTORY, raising=False)
    return tmp_path


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
    (temporary / f"{prefix()}{os.getppid()}").mkdir()

    with pytest.raises(PermissionError, match="belongs to somebody else"):
        count_with_siblings()

    assert DIRECTORY not in os.environ
