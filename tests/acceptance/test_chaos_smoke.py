"""Half a minute of the chaos run, with a fixed seed and without a broker outside: what `make chaos` does for longer."""

import json
import subprocess
import sys

import pytest

from tests.process_support import REPOSITORY, clean_environment

SECONDS = 30
SEED = 20


@pytest.mark.timeout(300)
def test_half_a_minute_of_kills_freezes_crashes_and_users_loses_nothing_and_does_nothing_twice(tmp_path):
    figures = tmp_path / "figures.json"
    options = ["--minutes", str(SECONDS / 60), "--seed", str(SEED), "--broker", "in-process", "--json", str(figures)]

    run = subprocess.run(
        [sys.executable, "-m", "tests.chaos", *options],
        env=clean_environment(),
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    told = json.loads(figures.read_text()) if figures.exists() else {}

    assert run.returncode == 0, f"{run.stdout[-6000:]}\n{run.stderr[-2000:]}"
    assert told["is_quiet"]
    assert told["completions"] > 200
    assert told["kill -9"] >= 30
    assert told["SIGSTOP"] >= 5
    assert told["Postgres crashes"] >= 1
