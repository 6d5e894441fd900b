"""`scrapersky errors`, `requeue` and `cancel`: counted first, asked for, and told."""

import json

import pytest

pytest_plugins = ["tests.command_support"]


@pytest.fixture
def failed(db):
    """Five businesses whose domain extraction failed in two ways, as a worker leaves them."""
    errors = ["https://a.example/: 503 Service Unavailable (attempt 5 of 5)"] * 3 + ["took 31 s (attempt 5 of 5)"] * 2
    query = (
        "insert into local_businesses (business_name, domain_extraction_status, domain_extraction_error) "
        "values (%s, 'Error', %s) returning id::text"
    )
    rows = [(db.execute(query, [f"b{n}", error]).fetchone()[0], error) for n, error in enumerate(errors)]
    for pk, error in rows:
        db.execute(
            "insert into engine.job (workflow, pk, dead, last_error, started_at) "
            "values ('domain_extraction', %s, true, %s, now())",
            [pk, error],
        )
    return [pk for pk, _ in rows]


def statuses(db):
    query = "select domain_extraction_status from local_businesses order by business_name"
    return [status for (status,) in db.execute(query).fetchall()]


def test_errors_are_grouped_with_their_numbers(command, failed):
    groups = json.loads(command("errors", "domain_extraction", "--json").output)
    shown = command("errors").output

    assert [(one["workflow"], one["error"], one["rows"]) for one in groups] == [
        ("domain_extraction", "<url>: 503 Service Unavailable", 3),
        ("domain_extraction", "took # s", 2),
    ]
    assert groups[1]["example_pk"] in failed
    assert "<url>: 503 Service Unavailable" in shown
    assert command("errors", "deep_scan").stderr == "Nothing has failed.\n"


def test_a_dry_run_counts_and_changes_nothing(command, failed, db):
    done = command("requeue", "domain_extraction", "--error", "503", "--dry-run")

    assert done.output == "3 failed row(s) of domain_extraction match; nothing is changed.\n"
    assert statuses(db) == ["Error"] * 5


def test_without_a_filter_or_a_terminal_nothing_happens(command, failed, db):
    no_filter = command("requeue", "domain_extraction", "--yes")
    nobody = command("requeue", "domain_extraction", "--all")

    assert (no_filter.exit_code, nobody.exit_code) == (2, 2)
    assert "say --all if you mean it" in no_filter.output
    assert "Queue 5 failed row(s) of domain_extraction again? There is no terminal" in " ".join(nobody.output.split())
    assert statuses(db) == ["Error"] * 5


def test_rows_are_queued_again_by_error_by_id_by_condition_and_all(command, failed, db):
    by_error = command("requeue", "domain_extraction", "--error", "503 service", "--limit", "2", "--yes")
    by_id = command("requeue", "domain_extraction", failed[4], "--yes", "--json")
    by_condition = command("requeue", "domain_extraction", "--where", "business_name = 'b3'", "--yes")
    the_rest = command("requeue", "domain_extraction", "--all", "--yes", "--rate", "1000")

    assert by_error.stdout == "2 row(s) of domain_extraction queued again.\n"
    assert by_error.stderr == "2 of 2 queued again\n"
    assert json.loads(by_id.stdout) == {"workflow": "domain_extraction", "rows": 1, "dry_run": False}
    assert by_condition.stdout.startswith("1 row(s)")
    assert the_rest.stdout.startswith("1 row(s)")
    assert statuses(db) == ["Queued"] * 5
    noted = db.execute("select action, rows, detail from engine.action order by id").fetchall()
    assert noted[0] == ("requeue", 2, {"part": "503 service", "limit": 2})
    assert [rows for _, rows, _ in noted] == [2, 1, 1, 1]
    assert db.execute("select count(*) from engine.job where not dead").fetchone() == (5,)


def test_a_waiting_row_is_withdrawn_and_a_running_one_is_told(command, db):
    db.execute("insert into local_businesses (business_name, domain_extraction_status) values ('b1', 'Queued')")
    db.execute("insert into local_businesses (business_name, domain_extraction_status) values ('b2', 'Processing')")

    asked = command("cancel", "domain_extraction", "--all")
    only_waiting = command("cancel", "domain_extraction", "--all", "--waiting", "--yes")
    both = command("cancel", "domain_extraction", "--all", "--yes")

    question = " ".join(asked.output.split())
    assert "Withdraw 2 waiting and running row(s) of domain_extraction?" in question
    assert "local_businesses.domain_extraction_status becomes null" in question
    assert only_waiting.stdout == both.stdout == "1 row(s) of domain_extraction withdrawn.\n"
    assert statuses(db) == [None, None]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["requeue", "domain_extraction", "not-an-id", "--yes"],
            "local_businesses: invalid input syntax for",
        ),
        (["requeue", "domain_extraction", "--where", "nmae = 'x'"], '--where "nmae = \'x\'": column "nmae" does not'),
        (["cancel", "domain_extraktion", "--all"], "unknown workflow 'domain_extraktion', did you mean"),
        (["requeue", "domain_extraction", "--all", "--rate", "0"], "'--rate'"),
    ],
)
def test_a_mistake_is_answered_and_changes_nothing(command, failed, db, arguments, message):
    refused = command(*arguments)

    assert refused.exit_code == 2
    assert message in " ".join(refused.output.split())
    assert statuses(db) == ["Error"] * 5


def test_an_id_that_is_nobodys_matches_nothing(command, failed):
    done = command("requeue", "domain_extraction", "00000000-0000-4000-8000-000000000000", "--yes")

    assert (done.exit_code, done.output) == (0, "0 failed row(s) of domain_extraction match; nothing is changed.\n")


def test_fifty_thousand_rows_go_in_a_few_statements_and_the_way_is_told(command, db):
    db.execute("insert into local_businesses (domain_extraction_status) select 'Error' from generate_series(1, 50000)")

    done = command("requeue", "domain_extraction", "--all", "--yes")

    told = done.stderr.splitlines()
    assert done.stdout == "50,000 row(s) of domain_extraction queued again.\n"
    assert (told[0], told[-1]) == ("2,000 of 50,000 queued again", "50,000 of 50,000 queued again")
    submissions = db.execute("select count(*), sum(rows), min(application_name) from engine.submission").fetchone()
    assert submissions == (25, 50_000, "scrapersky requeue")
    assert db.execute("select action, rows from engine.action").fetchall() == [("requeue", 50_000)]
