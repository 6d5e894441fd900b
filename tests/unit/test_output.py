"""Where an export goes: a place that takes nothing more is told in one line, and nothing is left behind."""

import os
import re
import stat
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

    def interrupted(path, **options):
        touch(path, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "touch", interrupted)
    with pytest.raises(KeyboardInterrupt), new_file(tmp_path / "contacts.csv"):
        pass

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("force", [False, True])
def test_a_file_is_its_owners_alone_from_its_first_byte(tmp_path, force):
    target = tmp_path / "contacts.csv"
    if force:
        target.write_text("before")
        target.chmod(0o666)

    with new_file(target, force=force) as path:
        path.write_bytes(b"ann@smile.com")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert re.fullmatch(r"\.[0-9a-f]{32}\.partial", path.name)

    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert target.read_bytes() == b"ann@smile.com"


@pytest.mark.parametrize("kind", ["symlink", "dangling", "hard link"])
def test_what_was_planted_at_the_place_of_the_file_is_not_written_through(tmp_path, kind):
    victim, target = tmp_path / "victim", tmp_path / "contacts.csv"
    if kind != "dangling":
        victim.write_text("mine")
    if kind == "hard link":
        os.link(victim, target)
    else:
        target.symlink_to(victim)

    with pytest.raises(click.UsageError, match="exists; say --force"), new_file(target, force=False):
        pass
    with new_file(target, force=True) as path:
        path.write_bytes(b"ann@smile.com")

    assert not target.is_symlink()
    assert target.read_bytes() == b"ann@smile.com"
    assert (victim.read_text() if victim.exists() else "mine") == "mine"


@pytest.mark.parametrize("force", [None, False, True])
@pytest.mark.parametrize("links", ["/dev/fd", "/proc/self/fd"])
def test_a_link_of_the_system_is_not_replaced(tmp_path, links, force):
    """As /dev/stdout is; the descriptor is a file's, as after `> contacts.csv`."""
    target = tmp_path / "contacts.csv"
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT)
    path = Path(links) / str(descriptor)
    try:
        with pytest.raises(click.UsageError, match="- for standard output"), new_file(path, force=force):
            pass
    finally:
        os.close(descriptor)

    assert target.read_bytes() == b""


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path):
    target = tmp_path / "contacts.csv"

    with pytest.raises(click.UsageError, match="exists now"), new_file(target, force=False):
        target.write_text("mine")

    assert [file.name for file in tmp_path.iterdir()] == ["contacts.csv"]
    assert target.read_text() == "mine"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a pipe to another user")
def test_a_pipe_of_another_user_is_refused(tmp_path):
    pipe = tmp_path / "contacts.csv"
    os.mkfifo(pipe)
    os.chown(pipe, 12_345, -1)

    with pytest.raises(click.UsageError, match="of another user"), new_file(pipe, force=True):
        pass


def test_a_standard_output_without_space_is_told_in_one_line():
    program = (
        "import click\nfrom app.commands.output import standard_output\n"
        "@click.command()\ndef main():\n    with standard_output() as target: target.write(b'x' * 100_000)\nmain()"
    )

    with FULL.open("wb") as full:
        done = subprocess.run([sys.executable, "-c", program], stdout=full, stderr=subprocess.PIPE, check=False)

    assert (done.returncode, done.stderr) == (1, b"Error: standard output: No space left on device\n")
