"""Where an export goes: a place that takes nothing more is told in one line, and nothing is left behind."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from app.commands.output import new_file

FULL = Path("/dev/full")  # answers every write with "no space left"

pytestmark = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


def test_a_device_without_space_is_told():
    with pytest.raises(click.ClickException, match="/dev/full: No space left"), new_file(FULL, force=False) as path:
        path.write_bytes(b"ann@smile.com")


def test_a_file_may_have_the_longest_name_there_is(tmp_path):
    longest = tmp_path / ("x" * os.pathconf(tmp_path, "PC_NAME_MAX"))

    with new_file(longest, force=False) as path:
        path.write_bytes(b"ann@smile.com")

    assert [file.name for file in tmp_path.iterdir()] == [longest.name]


def test_a_name_that_is_too_long_is_told(tmp_path):
    longer = tmp_path / ("x" * (os.pathconf(tmp_path, "PC_NAME_MAX") + 1))

    with pytest.raises(click.ClickException, match="too long"), new_file(longer, force=False):
        pass


def test_a_file_that_is_interrupted_at_its_very_beginning_is_not_left_behind(tmp_path, monkeypatch):
    touch = Path.touch

    def interrupted(path):
        touch(path)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "touch", interrupted)
    with pytest.raises(KeyboardInterrupt), new_file(tmp_path / "contacts.csv"):
        pass

    assert list(tmp_path.iterdir()) == []


def test_a_standard_output_without_space_is_told_in_one_line():
    program = (
        "import click\nfrom app.commands.output import standard_output\n"
        "@click.command()\ndef main():\n    with standard_output() as target: target.write(b'x' * 100_000)\nmain()"
    )

    with FULL.open("wb") as full:
        done = subprocess.run([sys.executable, "-c", program], stdout=full, stderr=subprocess.PIPE, check=False)

    assert (done.returncode, done.stderr) == (1, b"Error: standard output: No space left on device\n")
