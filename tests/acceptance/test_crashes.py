"""Processes die without a farewell. Rows come back quickly, never run twice at once, and poison is isolated."""

import os
import signal
import time
from collections import Counter

from tests.process_support import registered, stays, wait_for_workers, wait_until

LESSONS = 20


def teach(rows, ledger, processes):
    """Rows to learn from, until every process has had many: then each of them claims batches.

    They do nothing: on a busy machine even a short sleep ends late, and slow rows are claimed one by one.
    """
    wait_until(lambda: len(registered(rows.connection)) == processes)
    taught: list[str] = []
    had = Counter[int]()
    while len(had) < processes or min(had.values()) < LESSONS:
        names = rows.add_many(f"lesson-{len(taught)}", 30)
        rows.queue(*names)
        rows.wait_for("Done", *names)
        taught += names
        had += Counter(pid for name in names for what, pid in ledger.lines(name) if what == "ended")
    return taught


def hold_a_batch(rows, gate):
    """A gated row and, claimed with it, rows that have not started yet."""
    rows.pause(paused=True)
    rows.add("gated", f"gate {gate}", status="Queued")
    waiting = rows.add_many("waiting", 5)
    rows.queue(*waiting)
    rows.pause(paused=False)
    rows.wait_for("Processing", "gated", *waiting)
    return ["gated", *waiting]


def worker_of(rows, name):
    """The process id of the registered worker that runs the row, if there is one."""
    query = "select pid from engine.running where pk = (select id::text from samples where name = %s)"
    found = rows.connection.execute(query, [name]).fetchone()
    return found and found[0]


def test_a_killed_workers_batch_is_recovered_by_its_parent_long_before_the_lease_ends(rows, gate, ledger, run):
    # A lease of a minute: only the parent can be this quick.
    run("tests.sample_up", SCRAPERSKY_PROCESSES="2", SCRAPERSKY_LEASE_SECONDS="60")
    taught = teach(rows, ledger, processes=2)
    batch = hold_a_batch(rows, gate)
    victim = worker_of(rows, "gated")

    os.kill(victim, signal.SIGKILL)
    killed_at = time.monotonic()
    wait_until(lambda: worker_of(rows, "gated") not in {None, victim})
    recovered_after = time.monotonic() - killed_at
    gate.touch()
    rows.wait_for("Done", *batch)

    assert recovered_after < 30
    assert ledger.overlapping(killed={victim}) == set()
    assert [what for what, _ in ledger.lines("gated")] == ["began", "began", "ended"]
    assert all([what for what, _ in ledger.lines(name)] == ["began", "ended"] for name in (*taught, *batch[1:]))
    assert all(rows.findings(name) == 1 for name in batch)


def test_a_worker_that_slept_past_its_lease_has_its_late_result_refused_and_works_again(user, rows, gate, ledger, run):
    sleeper = run("tests.sample_worker")
    wait_for_workers(user, sleeper)
    rows.add("a", f"gate {gate}", status="Queued")
    rows.wait_for("Processing", "a")
    wait_until(lambda: ledger.lines("a"))  # it has begun: claimed is not yet running

    sleeper.send(signal.SIGSTOP)
    run("tests.sample_sweeper")
    wait_until(lambda: registered(user) == [])
    heir = run("tests.sample_worker")
    wait_for_workers(user, heir)
    gate.touch()
    rows.wait_for("Done", "a")
    sleeper.send(signal.SIGCONT)
    wait_until(lambda: "row.stale" in sleeper.output())
    wait_for_workers(user, sleeper)

    assert [what for what, _ in ledger.lines("a")] == ["began", "began", "ended", "ended"]
    assert rows.row("a").note == f"found by {heir.pid}"
    assert rows.findings("a") == 1

    heir.send(signal.SIGTERM)
    assert heir.exit_code() == 0
    rows.add("b", status="Queued")
    rows.wait_for("Done", "b")

    assert rows.row("b").note == f"found by {sleeper.pid}"


def test_a_row_that_kills_its_process_fails_for_good_and_says_why(rows, run):
    run("tests.sample_up", SCRAPERSKY_PROCESSES="1")
    rows.add("poison", "kill", status="Queued")

    rows.wait_for("Failed", "poison", timeout=60)

    assert rows.row("poison").error.startswith("its worker process died, 3 of 3 times")
    assert rows.job("poison").dead
    rows.add("next", status="Queued")
    rows.wait_for("Done", "next")


def test_the_innocent_rows_of_a_poisoned_batch_all_complete(rows, ledger, run):
    run("tests.sample_up", SCRAPERSKY_PROCESSES="1")
    teach(rows, ledger, processes=1)
    rows.pause(paused=True)
    innocent = rows.add_many("innocent", 10)
    rows.queue(*innocent)
    rows.add("poison", "kill", status="Queued")
    innocent += rows.add_many("behind", 10)
    rows.queue(*innocent[10:])

    rows.pause(paused=False)
    rows.wait_for("Failed", "poison", timeout=60)
    rows.wait_for("Done", *innocent)

    assert all(rows.findings(name) == 1 for name in innocent)


def test_slow_innocent_rows_in_other_threads_of_a_poisoned_process_all_complete(rows, run):
    """They die with the poison wherever they run beside it, and must not be taken for it."""
    innocent = rows.add_many("innocent", 6, "sleep 1.5")
    rows.queue(*innocent)
    rows.add("poison", "kill", status="Queued")

    run("tests.sample_up", SCRAPERSKY_PROCESSES="1", SCRAPERSKY_THREADS="4")
    rows.wait_for("Failed", "poison", timeout=60)
    rows.wait_for("Done", *innocent, timeout=60)


def test_the_children_of_a_killed_supervisor_leave_and_the_next_one_completes_everything(user, rows, ledger, run):
    names = rows.add_many("slow", 40, "sleep 0.2")
    first = run("tests.sample_up", SCRAPERSKY_PROCESSES="2")
    wait_until(lambda: len(registered(user)) == 2)
    rows.queue(*names)
    wait_until(lambda: rows.count("Done") > 2)
    children = first.children()

    first.kill()
    wait_until(lambda: not any(is_alive(child) for child in children))
    left_running, left_registered, done = rows.count("Processing"), registered(user), rows.count("Done")
    run("tests.sample_up", SCRAPERSKY_PROCESSES="2")
    rows.wait_for("Done", *names, timeout=60)

    assert len(children) == 3
    assert (left_running, left_registered) == (0, [])
    assert done < len(names)
    assert all([what for what, _ in ledger.lines(name)] == ["began", "ended"] for name in names)


def is_alive(pid):
    """Orphans that ended may wait for a parent that collects them: the dead have no command line."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as command:  # noqa: PTH123 - one read of a file of the kernel
            return command.read() != b""
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_row_whose_worker_dies_on_its_last_attempt_fails_and_says_why(user, rows, gate, run):
    """Attempts are counted at the claim, so that a row which kills its process counts without its help."""
    user.execute("update engine.workflow set max_attempts = 1 where name = 'sampling'")
    run("tests.sample_up", SCRAPERSKY_PROCESSES="1")
    rows.add("a", f"gate {gate}", status="Queued")
    rows.wait_for("Processing", "a")

    os.kill(worker_of(rows, "a"), signal.SIGKILL)
    rows.wait_for("Failed", "a")

    assert user.execute("select error from samples where name = 'a'").fetchone() == (
        "its worker process died, 1 of 3 times (attempt 1 of 1)",
    )
    assert rows.findings("a") == 0


def test_a_worker_that_dies_does_not_keep_other_rows_waiting(user, rows, gate, run):
    run("tests.sample_up", SCRAPERSKY_PROCESSES="2")
    wait_until(lambda: len(registered(user)) == 2)
    rows.add("gated", f"gate {gate}", status="Queued")
    rows.wait_for("Processing", "gated")

    rows.add("poison", "kill", status="Queued")
    others = rows.add_many("other", 20)
    rows.queue(*others)
    rows.wait_for("Done", *others)
    gate.touch()

    rows.wait_for("Failed", "poison", timeout=60)
    rows.wait_for("Done", "gated")
    assert stays(lambda: len(registered(user)) <= 2, 0.5)
