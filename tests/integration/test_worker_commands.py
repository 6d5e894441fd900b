"""`scrapersky workers` and `drain`: who works, on what, and who shall claim nothing more."""

import json

import pytest

pytest_plugins = ["tests.command_support"]


@pytest.fixture
def workers(db):
    """Two on one host, one of them at work, and one on another."""
    query = (
        "insert into engine.worker (id, host, pid, version) values "
        "('aaaa1111-0000-4000-8000-000000000001', 'crawler-1', 11, '1.0'), "
        "('bbbb2222-0000-4000-8000-000000000002', 'crawler-1', 12, '1.0'), "
        "('cccc3333-0000-4000-8000-000000000003', 'crawler-2', 21, '1.1')"
    )
    db.execute(query)
    db.execute(
        "insert into engine.job (workflow, pk, token, worker_id, started_at) select 'page_curation', n::text, "
        "gen_random_uuid(), 'aaaa1111-0000-4000-8000-000000000001', now() from generate_series(1, 3) as n"
    )


def drained(db):
    return [pid for (pid,) in db.execute("select pid from engine.worker where drain_wanted order by pid").fetchall()]


def test_the_list_says_what_each_worker_runs_and_its_state(command, workers, db):
    db.execute("update engine.worker set drain_wanted = true where pid in (11, 12)")

    told = json.loads(command("workers", "--json").output)
    shown = command("workers").output

    assert [(one["pid"], one["running"], one["by_workflow"]) for one in told] == [
        (11, 3, {"page_curation": 3}),
        (12, 0, None),
        (21, 0, None),
    ]
    assert [line.split()[-1] for line in shown.splitlines()[2:]] == ["drains", "drained", "on"]
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        (["crawler-1"], [11, 12]),
        (["crawler-1:12"], [12]),
        (["cccc"], [21]),
        (["crawler-2", "aaaa1111-0000-4000-8000-000000000001"], [11, 21]),
        (["--all"], [11, 12, 21]),
    ],
)
def test_workers_are_drained_by_host_by_process_or_by_id_and_taken_back(command, workers, db, names, meant):
    command("drain", *names, "--yes")
    assert drained(db) == meant

    undone = command("drain", *names, "--undo")
    assert undone.output == f"{len(meant)} worker(s) claim again.\n"
    assert drained(db) == []
    noted = db.execute("select action, rows from engine.action order by id").fetchall()
    assert noted == [("drain", len(meant)), ("undrain", len(meant))]


def test_to_wait_is_to_hear_when_nothing_runs_any_more_or_that_it_still_does(command, workers, db):
    idle = command("drain", "crawler-2", "--yes", "--wait")
    busy = command("drain", "crawler-1", "--yes", "--wait", "--timeout", "0s")

    assert idle.stdout == "1 worker(s) are idle and claim nothing more; they can be stopped.\n"
    assert busy.exit_code == 1
    assert "3 row(s) still run after 0.0 s; they go on." in busy.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["crawler-3", "--yes"], "no worker 'crawler-3', did you mean 'crawler-"),
        (["aaa", "--yes"], "no worker 'aaa'; known are crawler-1, crawler-1:11"),
        ([], "name hosts or workers, or say --all"),
        (["--all"], "Drain 3 worker(s), on which 3 row(s) run? There is no terminal to ask at"),
    ],
)
def test_a_mistake_drains_nobody(command, workers, db, arguments, message):
    refused = command("drain", *arguments)

    assert refused.exit_code == 2
    assert message in " ".join(refused.output.split())
    assert drained(db) == []


def test_a_dry_run_shows_who_is_meant(command, workers, db):
    done = command("drain", "crawler-1", "--dry-run")

    assert [line.split()[1] for line in done.output.splitlines()[2:]] == ["crawler-1", "crawler-1"]
    assert drained(db) == []


def test_without_workers_the_list_says_how_to_start_some(command):
    assert "scrapersky up" in command("workers").stderr
