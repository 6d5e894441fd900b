"""The units of deploy/systemd: systemd understands them, they are closed, and they wait for what runs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from actors.registry import WORKFLOWS
from app.commands import COMMANDS
from app.config import NAMES
from app.secret_files import FILE_NAMES
from tests.compose_support import megabytes, workers_megabytes
from tests.server_support import program

UNITS = Path(__file__).parents[2] / "deploy" / "systemd"
SERVICES = sorted(UNITS.glob("*.service"))
COMMON = UNITS / "scrapersky-.service.d" / "common.conf"
EACH_SERVICE = pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.stem)
AFTER_DRAINING = 15
MOST_EXPOSED = 2.0  # of 10, as systemd counts; the network alone is 0.5


def lines_of(service: Path) -> list[tuple[str, str]]:
    """What systemd reads for it: its own file, then what all of them have in common."""
    text = service.read_text() + COMMON.read_text()
    return re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE)


def analyze(service: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Ask systemd, with our own program in the place where people install it."""
    shutil.copytree(UNITS, folder, dirs_exist_ok=True)
    unit = folder / service.name
    unit.write_text(unit.read_text().replace("/opt/scrapersky/bin/scrapersky", sys.executable))
    return subprocess.run(
        [program("systemd-analyze", "systemd"), *arguments, unit],
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{folder}:", "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )


@EACH_SERVICE
def test_systemd_understands_every_line(service, tmp_path):
    verified = analyze(service, tmp_path, "verify", "--man=no")

    ours = [line for line in verified.stderr.splitlines() if "scrapersky" in line]
    assert ours == []


@EACH_SERVICE
def test_a_unit_is_closed_to_the_rest_of_the_machine(service, tmp_path):
    judged = analyze(service, tmp_path, "security", "--offline=true", "--no-pager")

    level = re.search(r"exposure level for \S+: ([\d.]+)", judged.stdout)
    assert level is not None, judged.stderr
    assert float(level[1]) < MOST_EXPOSED
    assert dict(lines_of(service))["DynamicUser"] == "yes"


@EACH_SERVICE
def test_a_unit_runs_a_command_of_ours_with_settings_that_exist(service):
    given = lines_of(service)
    names = {value.partition("=")[0] for key, value in given if key == "Environment"}

    assert dict(given)["ExecStart"].split()[1] in COMMANDS
    assert names <= {*NAMES, *FILE_NAMES}


@EACH_SERVICE
def test_secrets_are_credentials_that_the_unit_loads(service):
    given = lines_of(service)
    loaded = {value.partition(":")[0] for key, value in given if key == "LoadCredential"}
    read = {value.partition("=%d/")[2] for key, value in given if key == "Environment" and "_FILE=" in value}

    assert "database-url" in read
    assert read == loaded


@EACH_SERVICE
def test_the_memory_has_room_for_the_parsers_and_one_that_is_ended_does_not_end_the_service(service):
    given = dict(lines_of(service))

    assert megabytes(given["MemoryMax"]) >= workers_megabytes()
    assert given["OOMPolicy"] == "continue"


@EACH_SERVICE
def test_a_stop_reaches_the_supervisor_alone_and_waits_for_the_longest_row(service):
    given = lines_of(service)
    drain = float(dict(value.split("=", 1) for key, value in given if key == "Environment")["SCRAPERSKY_DRAIN_SECONDS"])

    minutes = re.fullmatch(r"(\d+)min", dict(given)["TimeoutStopSec"])
    assert minutes is not None
    assert drain >= max(workflow.time_limit.total_seconds() for workflow in WORKFLOWS)
    assert int(minutes[1]) * 60 >= drain + AFTER_DRAINING
    assert dict(given)["KillMode"] == "mixed"
    assert dict(given)["Restart"] == "always"
