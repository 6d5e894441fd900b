"""`scrapersky workflows`, `pause`, `resume`, `limit`, `audit` and `prune`, as a person or a script uses them."""

import json

import pytest

pytest_plugins = ["tests.command_support"]


def test_a_paused_workflow_says_by_whom_and_why(command):
    paused = command("pause", "deep_scan", "--reason", "the bill")
    shown = command("workflows", "deep_scan")
    (told,) = json.loads(command("workflows", "deep_scan", "--json").output)

    assert paused.output == "deep_scan is paused: what runs may finish, nothing more starts.\n"
    assert "paused by" in shown.output
    assert ": the bill\n" in shown.output
    assert (told["stopped"], told["paused_reason"]) == (True, "the bill")
    assert told["words"] == {"queued": "Queued", "processing": "Processing", "done": "Completed", "failed": "Error"}


def test_a_pause_without_a_reason_is_refused_where_nobody_can_be_asked(command, db):
    refused = command("pause", "deep_scan")

    assert refused.exit_code == 2
    assert "say --reason" in refused.output
    assert db.execute("select count(*) from engine.workflow where paused").fetchone() == (0,)


def test_everything_can_be_paused_and_resumed_at_once(command, db):
    command("pause", "--all", "--reason", "maintenance")
    assert db.execute("select bool_and(paused) from engine.workflow").fetchone() == (True,)

    resumed = command("resume", "--all")

    assert resumed.output.count("runs again.") == 7
    assert command("resume", "deep_scan").output == "deep_scan was not paused.\n"


def test_a_workflow_that_stopped_itself_says_so_and_is_resumed(command, db):
    db.execute("update engine.workflow set blocked_reason = 'a wrong key' where name = 'deep_scan'")

    assert "stopped itself: a wrong key" in command("workflows", "deep_scan").output
    assert command("resume", "deep_scan").output == "deep_scan runs again.\n"


def test_a_limit_is_shown_set_and_taken_back(command):
    assert command("limit", "deep_scan").output.startswith("deep_scan: 1 at once, 100 claimed at once, 5 attempts")

    changed = command("limit", "deep_scan", "--max-in-flight", "4", "--per-day", "0")
    one_back = json.loads(command("limit", "deep_scan", "--per-day", "default", "--json").output)
    all_back = json.loads(command("limit", "deep_scan", "--default", "--json").output)

    assert "4 at once (declared 1)" in changed.output
    assert "0 of 0 a day (declared 1,000)" in changed.output
    assert one_back["per_day"] == {"declared": 1000, "override": None, "effective": 1000}
    assert one_back["max_in_flight"] == {"declared": 1, "override": 4, "effective": 4}
    assert all(limit["override"] is None for limit in all_back.values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["limit", "deep_scan", "--batch", "0"], "batch: expected a number from 1 to 2147483647, got 0"),
        (["limit", "deep_scan", "--batch", "many"], "expected a number, or default for what is declared, got 'many'"),
        (["limit", "deep_scan", "--batch", "2", "--default"], "--default takes all limits back"),
        (["limit", "deep_scna"], "unknown workflow 'deep_scna', did you mean 'deep_scan'?"),
        (["pause"], "name the workflows, or say --all; known are place_search"),
        (["pause", "deep_scan", "--reason", ""], "say --reason"),
        (["pause", "deep_scan", "--reason", " \t"], "say --reason"),
        (["pause", "deep_scan", "--reason", "x" * 301], "--reason: expected at most 300 characters, got 301"),
        (["resume", "deep_scan", "--all"], "name the workflows, or say --all"),
        (["workflows", "xyz"], "unknown workflow 'xyz'; known are place_search, deep_scan"),
        (["audit", "--since", "yesterday"], "expected a number and s, m, h, d or w, such as 30d, got 'yesterday'"),
        (["prune", "--older-than", "30"], "expected a number and s, m, h, d or w, such as 30d, got '30'"),
    ],
)
def test_a_mistake_is_answered_with_the_rule_and_changes_nothing(command, db, arguments, message):
    refused = command(*arguments)

    assert refused.exit_code == 2
    assert message in " ".join(refused.output.split())
    assert db.execute("select count(*) from engine.action").fetchone() == (0,)


def test_the_registry_fits_a_narrow_terminal_in_the_order_of_a_leads_way(command):
    lines = command("workflows").output.splitlines()

    names = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert names[0] == "place_search"
    assert names[-1] == "page_curation"
    assert max(map(len, lines)) <= 80


def test_the_audit_tells_what_was_done_and_submitted_newest_first(command, db):
    db.execute("insert into local_businesses (business_name, domain_extraction_status) values ('Baker', 'Queued')")
    command("limit", "deep_scan", "--max-in-flight", "4")
    command("pause", "deep_scan", "--reason", "the bill\x1b[31m")

    told = json.loads(command("audit", "--json").output)
    shown = command("audit")

    assert [(one["action"], one["workflow"], one["rows"]) for one in told] == [
        ("pause", "deep_scan", None),
        ("limit", "deep_scan", None),
        ("submit", "domain_extraction", 1),
    ]
    assert told[0]["application_name"] == "scrapersky pause"
    assert "pause deep_scan" in shown.output
    assert "the bill" in shown.output
    assert "\x1b" not in shown.output
    assert max(map(len, shown.output.splitlines())) <= 80


def test_the_audit_can_be_narrowed(command, db):
    db.execute("insert into local_businesses (business_name, domain_extraction_status) values ('Baker', 'Queued')")
    command("pause", "deep_scan", "--reason", "the bill")
    db.execute("update engine.action set happened_at = now() - interval '3 days'")

    def count(*options):
        return len(json.loads(command("audit", "--json", *options).output))

    assert count() == 2
    assert count("--since", "1d") == 1
    assert count("--since", "4d") == 2
    assert count("--since", "2020-01-01") == 2
    assert count("--actions") == 1
    assert count("--workflow", "deep_scan") == 1
    assert count("--limit", "1") == 1


def test_old_history_is_counted_then_deleted_and_what_explains_a_pause_stays(command, db):
    db.execute("insert into local_businesses (business_name, domain_extraction_status) values ('Baker', 'Queued')")
    columns = "(workflow, pk, generation, attempt, outcome)"
    db.execute(f"insert into engine.attempt {columns} values ('deep_scan', '1', 1, 1, 'failed')")
    for reason in ("first", "second"):
        command("pause", "deep_scan", "--reason", reason)
    command("pause", "page_curation", "--reason", "over")
    command("resume", "page_curation")
    for table, column in (("attempt", "ended_at"), ("submission", "submitted_at"), ("action", "happened_at")):
        db.execute(f"update engine.{table} set {column} = now() - interval '40 days'")
    command("limit", "deep_scan", "--batch", "7")

    counted = json.loads(command("prune", "--older-than", "30d", "--dry-run", "--json").output)
    refused = command("prune", "--older-than", "30d")
    deleted = command("prune", "--older-than", "30d", "--yes")

    assert counted == {"attempts": 1, "submissions": 1, "actions": 3, "dry_run": True}
    assert refused.exit_code == 2
    assert "There is no terminal to ask at; say --yes" in refused.output
    assert deleted.output == "Deleted 1 attempts, 1 submissions and 3 actions older than 30 d.\n"
    left = db.execute("select action, detail ->> 'reason' from engine.action order by id").fetchall()
    assert left == [("pause", "second"), ("limit", None), ("prune", None)]


@pytest.mark.parametrize("age", ["0s", "0d"])
def test_older_than_nothing_is_everything(command, db, age):
    command("limit", "deep_scan", "--batch", "7")

    counted = json.loads(command("prune", "--older-than", age, "--dry-run", "--json").output)
    deleted = command("prune", "--older-than", age, "--yes")

    assert counted["actions"] == 1
    assert deleted.output == "Deleted 0 attempts, 0 submissions and 1 actions older than 0.0 s.\n"
    assert db.execute("select action from engine.action").fetchall() == [("prune",)]
