"""A process that lives and stands still is replaced; one whose supervisor stood still is not."""

import os
import signal
import sys
import time
from pathlib import Path

from tests.process_support import registered, stays, wait_until

DRAMATIQ = str(Path(sys.executable).with_name("dramatiq"))
LEASE_SECONDS = 1.0
SWEEPERS = "select count(*) from pg_stat_activity where application_name = 'scrapersky sweeper'"


def pid_of_the_only_worker(db):
    wait_until(lambda: len(registered(db)) == 1)
    return registered(db)[0]


def test_a_row_that_holds_the_interpreter_costs_its_process_and_nobody_else(user, rows, run):
    up = run("tests.sample_up", SCRAPERSKY_PROCESSES="1")
    rows.add("poison", "freeze", status="Queued")

    rows.wait_for("Failed", "poison", timeout=60)
    rows.add("next", status="Queued")
    rows.wait_for("Done", "next", timeout=60)

    assert rows.row("poison").error.startswith("its worker process died, 3 of 3 times")
    assert up.output().count("process.frozen") == 3
    assert "tests/samples.py" in up.output(), "the stacks of a frozen process go to the log"


def test_a_stopped_worker_is_replaced_although_its_process_lives(user, rows, gate, run):
    # The sweeper gives rows back after a lease as well; only a supervisor starts another process.
    up = run("tests.sample_up", SCRAPERSKY_PROCESSES="1")
    frozen = pid_of_the_only_worker(user)
    rows.add("held", f"gate {gate}", status="Queued")
    rows.wait_for("Processing", "held")

    os.kill(frozen, signal.SIGSTOP)
    wait_until(lambda: registered(user) not in ([], [frozen]))
    gate.touch()
    rows.wait_for("Done", "held")

    assert up.output().count("process.frozen") == 1
    assert not Path(f"/proc/{frozen}").exists()


def test_a_stopped_sweeper_is_replaced_too(user, run):
    up = run("tests.sample_up", SCRAPERSKY_PROCESSES="1")
    sweeper = wait_until(lambda: next((pid for pid in up.children() if "sweeper" in command_of(pid)), None))
    wait_until(lambda: user.execute(SWEEPERS).fetchone() != (0,))  # it has begun, and shows that it lives

    os.kill(sweeper, signal.SIGSTOP)

    wait_until(lambda: not Path(f"/proc/{sweeper}").exists())
    wait_until(lambda: any("sweeper" in command_of(pid) for pid in up.children()))


def test_a_worker_outlives_a_supervisor_that_was_stopped_for_longer_than_the_lease(user, rows, run):
    up = run("tests.sample_up", SCRAPERSKY_PROCESSES="1")
    worker = pid_of_the_only_worker(user)

    up.send(signal.SIGSTOP)
    time.sleep(2 * LEASE_SECONDS)  # nobody tells when the kernel has counted so far
    up.send(signal.SIGCONT)

    assert stays(lambda: registered(user) == [worker], 2 * LEASE_SECONDS)
    assert "process.frozen" not in up.output()


def test_a_frozen_worker_does_not_keep_the_others_from_draining(user, rows, run):
    up = run("tests.sample_up", SCRAPERSKY_PROCESSES="1", SCRAPERSKY_LEASE_SECONDS="2")
    worker = pid_of_the_only_worker(user)

    os.kill(worker, signal.SIGSTOP)
    up.send(signal.SIGTERM)

    assert up.exit_code() == 0
    assert registered(user) == []


def test_under_dramatiqs_own_command_a_frozen_worker_prints_its_stacks_and_ends(user, rows, samples, processes):
    command = (DRAMATIQ, "tests.sample_worker", "--processes", "1", "--threads", "1")
    dramatiq = processes.run_program(*command, DATABASE_URL=samples, SCRAPERSKY_THREADS="1")
    pid_of_the_only_worker(user)

    rows.add("poison", "freeze", status="Queued")

    assert dramatiq.exit_code() != 0, "Dramatiq's master ends with its worker, and the service manager starts it again"
    assert "Timeout (0:00:01)!" in dramatiq.output()
    assert "tests/samples.py" in dramatiq.output()


def command_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except FileNotFoundError:
        return ""
