"""Commands by somebody who may not do everything: analysts get what they may ask, and a sentence else."""

import json

import pytest

TAKES = "this takes the role that migrated this database, let DATABASE_URL name it"


@pytest.fixture
def by(db, database, scrapersky):
    """`by("analyst", "why", "pages", "…")`: the command as one of two roles of the server."""
    roles = {name: f"{name}_{db.info.backend_pid}" for name in ("analyst", "stranger")}
    db.execute(f"create role {roles['analyst']} login in role scrapersky_analyst")
    db.execute(f"create role {roles['stranger']} login")

    def run(who, *arguments, url=database):
        return scrapersky(*arguments, DATABASE_URL=url.replace("//scrapersky@", f"//{roles[who]}@"))

    yield run
    for role in roles.values():
        db.execute(f"drop owned by {role}; drop role {role}")


@pytest.fixture
def place(db):
    (key,) = db.execute(
        "insert into places_staging (place_id, name, deep_scan_status) values ('ChIJa', 'Smile', 'Queued') returning id"
    ).fetchone()
    return key


def test_an_analyst_asks_by_command_what_he_may_ask_by_sql(by, db, place):
    db.execute("update engine.workflow set paused = true, paused_reason = 'the bill' where name = 'deep_scan'")

    why, history = by("analyst", "why", "places", "ChIJa"), by("analyst", "history", "places", "ChIJa")
    audit = by("analyst", "audit", "--json", "--workflow", "deep_scan")
    deeds = by("analyst", "audit", "--json", "--actions")

    assert "the bill" in why.stdout, why.stderr
    assert "deep_scan: queued by scrapersky" in history.stdout, history.stderr
    assert [one["action"] for one in json.loads(audit.stdout)] == ["pause", "submit"], audit.stderr
    assert [one["action"] for one in json.loads(deeds.stdout)] == ["pause"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["select", "places", "--all", "--yes"],
        ["pause", "deep_scan", "--reason", "mine"],
        ["status"],
        ["suppress", "add", "ann@smile.com"],
        ["prune", "--yes"],
        ["migrate"],
        ["up"],
    ],
    ids=" ".join,
)
def test_what_an_analyst_may_not_do_is_told_in_a_line_with_the_role_it_takes(by, place, arguments):
    done = by("analyst", *arguments)

    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert TAKES in done.stderr


@pytest.mark.parametrize("command", ["migrate", "up"])
def test_an_empty_database_that_a_role_may_not_fill_is_told_in_a_line(by, empty_database, command):
    done = by("stranger", command, url=empty_database)

    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert TAKES in done.stderr


def test_an_examination_without_rights_is_a_failure(by):
    done = by("stranger", "doctor", "--json")

    assert done.returncode == 1
    assert json.loads(done.stdout)["verdict"] == "fail"
