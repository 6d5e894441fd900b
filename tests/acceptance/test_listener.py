"""The doorbell makes it quick; without it polling makes it certain."""

from tests.process_support import free_port, wait_for_workers, wait_until

LISTENERS = """
select pid from pg_stat_activity where application_name = 'scrapersky listener' and datname = current_database()
"""
# So rare that within a test only the doorbell can bring a row.
HARDLY_EVER = "3600"


def listeners(user):
    return {pid for (pid,) in user.execute(LISTENERS).fetchall()}


def test_a_doorbell_alone_brings_a_row_to_a_worker(user, rows, run):
    worker = run("tests.sample_worker", SCRAPERSKY_POLL_SECONDS=HARDLY_EVER)
    wait_for_workers(user, worker)
    wait_until(lambda: listeners(user))
    rows.add("first", status="Queued")
    rows.wait_for("Done", "first")

    rows.add("second", status="Queued")

    rows.wait_for("Done", "second")


def test_a_listener_whose_backend_is_terminated_connects_again_and_hears(user, rows, run):
    worker = run("tests.sample_worker", SCRAPERSKY_POLL_SECONDS=HARDLY_EVER)
    wait_for_workers(user, worker)
    before = wait_until(lambda: listeners(user))

    user.execute("select pg_terminate_backend(pid) from unnest(%s::int[]) as pid", [list(before)])
    wait_until(lambda: listeners(user) - before)
    rows.add("a", status="Queued")

    rows.wait_for("Done", "a")
    assert "listener.lost" in worker.output()


def test_rows_that_are_queued_while_the_listener_is_away_are_found_when_it_is_back(user, rows, run):
    worker = run("tests.sample_worker", SCRAPERSKY_POLL_SECONDS=HARDLY_EVER)
    wait_for_workers(user, worker)
    before = wait_until(lambda: listeners(user))

    with user.transaction():
        user.execute("select pg_terminate_backend(pid, 5000) from unnest(%s::int[]) as pid", [list(before)])
        rows.add("a", status="Queued")

    rows.wait_for("Done", "a")


def test_a_worker_whose_listener_can_not_connect_finds_rows_by_polling(user, rows, run):
    nobody = f"postgresql://127.0.0.1:{free_port()}/nobody"
    worker = run("tests.sample_worker", LISTEN_DATABASE_URL=nobody)
    wait_for_workers(user, worker)
    wait_until(lambda: "listener.lost" in worker.output())

    names = rows.add_many("row", 50)
    rows.queue(*names)

    rows.wait_for("Done", *names)
    assert listeners(user) == set()


def test_a_notification_that_is_no_workflow_disturbs_nobody(user, rows, run):
    worker = run("tests.sample_worker", SCRAPERSKY_POLL_SECONDS=HARDLY_EVER)
    wait_for_workers(user, worker)
    before = wait_until(lambda: listeners(user))

    for payload in ("", "no_such_workflow", "echo nobody", "x" * 7999):
        user.execute("select pg_notify('engine', %s)", [payload])
    rows.add("a", status="Queued")

    rows.wait_for("Done", "a")
    assert listeners(user) == before
