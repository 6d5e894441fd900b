"""Started in a directory with modules that are named like ours, ours are run; or the mistake is told in a sentence."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

import psycopg
import pytest

from db.embedded import EmbeddedPostgres
from tests.process_support import QUICK, REPOSITORY, registered, wait_until

DRAMATIQ = str(Path(sys.executable).with_name("dramatiq"))
TRAP = "raise SystemExit('a module of the working directory was imported')\n"
TRAPS = ("app.py", "db/__init__.py", "actors/__init__.py", "sql/__init__.py", "dramatiq.py", "psycopg/__init__.py")


@pytest.fixture
def hostile(tmp_path):
    """The working directory of the processes."""
    for name in TRAPS:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(TRAP)
    return tmp_path


@pytest.fixture
def installed():
    """The `scrapersky` of a wheel in a new environment, which borrows the dependencies of this one."""
    place = Path(tempfile.mkdtemp(prefix="scrapersky-wheel-"))
    place.chmod(0o755)
    uv = Path(sys.executable).with_name("uv")
    build = [uv, "build", "--wheel", "--out-dir", place, REPOSITORY]
    subprocess.run(build, check=True, capture_output=True, env={**os.environ, "UV_CACHE_DIR": str(place / "cache")})
    venv.create(place / "venv", with_pip=False, symlinks=True)
    python = place / "venv/bin/python"
    (wheel,) = place.glob("*.whl")
    subprocess.run([uv, "pip", "install", "--no-deps", "--python", python, wheel], check=True, capture_output=True)
    (site,) = (place / "venv/lib").glob("python*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"])
    yield place / "venv/bin/scrapersky"
    shutil.rmtree(place)


def environment(**given):
    return {"PATH": os.environ["PATH"], **QUICK, "SCRAPERSKY_PROCESSES": "1", "SCRAPERSKY_THREADS": "1", **given}


@pytest.fixture
def up_in(hostile):
    """`scrapersky up`, with no PYTHONPATH that could help."""
    started = []

    def start(command, **given):
        with (hostile / "up.log").open("wb") as log:
            up = subprocess.Popen([command, "up"], cwd=hostile, env=environment(**given), stdout=log, stderr=log)
        started.append(up)
        return up

    yield start
    for process in started:
        process.terminate()
        process.wait(30)


def test_the_installed_command_runs_its_own_modules(hostile, up_in, database, db):
    up_in(Path(sys.executable).with_name("scrapersky"), DATABASE_URL=database)

    wait_until(lambda: registered(db))

    assert "was imported" not in (hostile / "up.log").read_text()


@pytest.mark.slow
def test_up_from_a_wheel_runs_its_own_modules_and_completes_a_row(installed, home, hostile, up_in):
    up_in(installed, SCRAPERSKY_HOME=str(home))
    wait_until(lambda: "Ctrl-C drains" in (hostile / "up.log").read_text())

    with psycopg.connect(EmbeddedPostgres(home).url, autocommit=True) as connection:
        wait_until(lambda: registered(connection))
        connection.execute(
            "insert into local_businesses (website_url, domain_extraction_status) values ('https://a.com', 'Queued')"
        )
        wait_until(lambda: connection.execute("select count(*) from domains").fetchone() == (1,))

    assert "was imported" not in (hostile / "up.log").read_text()


def test_dramatiqs_own_command_says_whose_package_it_found(tmp_path, database):
    (tmp_path / "db").mkdir()
    (tmp_path / "db/__init__.py").write_text(TRAP)

    done = subprocess.run(
        [DRAMATIQ, "app.worker", "--processes", "1"],
        cwd=tmp_path,
        env=environment(DATABASE_URL=database),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode != 0
    assert f"Python would import {tmp_path}/db/__init__.py: start in another directory" in done.stderr
    assert "was imported" not in done.stderr
