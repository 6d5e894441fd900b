"""Errors of many rows, grouped as a person would: what differs from row to row is folded away."""

import psycopg
import pytest

from db.outcomes import Failed
from db.people import steering
from tests.shared_database import shared_database

pytest_plugins = ["tests.stage_support"]


@pytest.fixture(scope="module")
def db(server, template):
    with shared_database(server, template, "folding") as url, psycopg.connect(url, autocommit=True) as connection:
        yield connection


def folded(db, text):
    return db.execute("select engine.folded(%s)", [text]).fetchone()[0]


@pytest.mark.parametrize(
    ("error", "group"),
    [
        ("ValueError: it broke (attempt 3 of 5)", "ValueError: it broke"),
        ("took longer than its time limit of 30 s (attempt 1 of 1)", "took longer than its time limit of # s"),
        ("https://smile.com/a?b=1: 503 Service Unavailable", "<url>: 503 Service Unavailable"),
        ("http://127.0.0.1:8080/x/1: 404 Not Found", "<url>: 404 Not Found"),
        ("Google Places answered 429 without saying why", "Google Places answered 429 without saying why"),
        ("https://smile.com/: more than 5,242,880 bytes", "<url>: more than # bytes"),
        ("robots.txt: no answer within 10 s", "robots.txt: no answer within # s"),
        ("no such name: www.smile-dental.co.uk", "no such name: <host>"),
        ("no such name: xn--mnchen-3ya.example.", "no such name: <host>."),
        ("address 169.254.169.254 is link-local", "address <address> is link-local"),
        ("address 2001:db8::8a2e:370:7334 is private", "address <address> is private"),
        ("connect to smile.com:8443 refused", "connect to <host> refused"),
        ("row 6f1a0c1e-93b0-4d6e-9f35-2b1d6a1f0c11 is gone", "row <id> is gone"),
        ("not a valid place id: 'ChIJN1t_tDeuEmsRUsoyG83frY4'", "not a valid place id: '<id>'"),
        ("commit 0a1b2c3d4e5f is broken", "commit <id> is broken"),
        ("mail to ann.smith+x@smile.com bounced", "mail to <email> bounced"),
        ("seen at 2026-11-16 14:02:11.5 by utf8 codec", "seen at # by utf8 codec"),
        ("line\n\tbreaks\r\n fold", "line breaks fold"),
        ("its worker process died, 3 of 3 times", "its worker process died, # of # times"),
        ("", ""),
        (None, "no error was recorded"),
    ],
)
def test_what_differs_from_row_to_row_is_folded(db, error, group):
    assert folded(db, error) == group


@pytest.mark.parametrize(
    "text",
    [
        "a." * 100_000,
        "1" * 100_000,
        "1," * 100_000,
        "http://" * 20_000,
        "@" * 100_000,
        ":" * 100_000,
        "a@" * 50_000,
        "' \" \\ %s %(x)s {0} <script>alert(1)</script> \x1b[31m \u202e \ufffd",
        "(attempt 1 of 2) (attempt 1 of 2)" * 5000,
    ],
    ids=range(9),
)
def test_hostile_texts_are_folded_to_something_short(db, text):
    db.execute("set statement_timeout = '5s'")

    assert len(folded(db, text)) <= 620


def test_failures_are_counted_by_folded_error_the_most_frequent_first(stage):
    errors = {}
    for number in range(7):
        (row,) = stage.add()
        errors[row] = f"https://site{number}.example/: 50{number % 2} Fault"
    (hostile,) = stage.add()
    errors[hostile] = "<b>' or 1=1 --</b> %s"

    stage.run(lambda row: Failed(errors[row.pk]))
    found = steering.failures(stage.user, "sampling")

    assert [(one.error, one.rows) for one in found] == [
        ("<url>: 500 Fault", 4),
        ("<url>: 501 Fault", 3),
        ("<b>' or #=# --</b> %s", 1),
    ]
    assert found[2].example_pk == hostile
    assert found[0].oldest <= found[0].newest


def test_of_many_failures_the_newest_are_grouped(stage):
    stage.add(5)
    stage.run(Failed("broke"))
    stage.user.execute(
        "update engine.job set started_at = now() - interval '1 day', last_error = 'old' where pk = "
        "(select min(pk) from engine.job)"
    )

    newest = steering.failures(stage.user, "sampling", newest=4)
    everything = steering.failures(stage.user, "sampling", newest=None)

    assert [(one.error, one.rows) for one in newest] == [("broke", 4)]
    assert [(one.error, one.rows) for one in everything] == [("broke", 4), ("old", 1)]


def test_every_group_can_be_queued_again_by_its_name(stage):
    texts = ["50% of 10 rows", 'it\'s "quoted"', "a\\b", "{braces} %(name)s", "tab\tand\nline", "ünïcode ☃"]
    rows = stage.add(len(texts))
    errors = dict(zip(rows, texts, strict=True))
    stage.run(lambda row: Failed(errors[row.pk]))

    for group in steering.failures(stage.user, "sampling"):
        chosen = steering.Chosen(error=group.error)
        assert steering.requeue(stage.user, stage.workflow, chosen, operator="ann", dry_run=False) == group.rows

    assert stage.statuses(rows) == ["Queued"] * len(rows)
