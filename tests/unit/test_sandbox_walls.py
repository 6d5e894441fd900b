"""A parser process can do nothing but answer: every way out is tried, with the walls up and, as a control, without."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.process_support import REPOSITORY

PROBE = Path(__file__).parents[1] / "sandbox_probe.py"
ORDINARY_USER = 54321

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp and landlock are Linux's")


def probe(walls: str, user: int) -> dict:
    command = [sys.executable, "-I", str(PROBE), str(REPOSITORY), walls, str(user)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"SECRET": "x"})
    return json.loads(done.stdout)


def users() -> list[int]:
    """Who starts a worker: an ordinary user, and root where the tests run as root."""
    return [0, ORDINARY_USER] if os.getuid() == 0 else [os.getuid()]


@pytest.mark.parametrize("user", users())
def test_no_way_leads_out_of_a_parser_process(user):
    found = probe("locked", user)

    assert found["missing"] == []
    assert [way for way, said in found["ways"].items() if not said.startswith("shut")] == []
    assert found["user"] == (65534 if user == 0 else user)


@pytest.mark.parametrize("user", users())
def test_without_the_walls_the_ways_are_open(user):
    found = probe("open", user)

    of_root_alone = {"become_root"} if user else set()
    assert {way for way, said in found["ways"].items() if said != "open"} <= of_root_alone


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_a_worker_that_gives_up_root_still_has_parsers_which_are_neither_root_nor_itself():
    command = [sys.executable, "-I", str(PROBE.with_name("sandbox_drop.py")), str(REPOSITORY)]

    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == {"user": ORDINARY_USER, "server": 65534, "addresses": 1}
