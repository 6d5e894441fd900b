"""One look at the queue: the numbers fit together, and cost the business tables nothing."""

from app.reading import Rates, read


def test_a_look_tells_rates_and_the_last_errors(database, db):
    db.execute("insert into local_businesses (domain_extraction_status) values ('Queued'), ('Queued')")
    db.execute(
        "insert into engine.rate (workflow, minute, completed, failed) "
        "values ('deep_scan', date_trunc('minute', clock_timestamp()), 550, 50)"
    )
    db.execute(
        "insert into engine.attempt (workflow, pk, generation, attempt, outcome, error) "
        "values ('deep_scan', '1', 1, 1, 'failed', 'it broke')"
    )

    reading = read(database)

    assert reading.backlog["domain_extraction"] == 2
    assert 600 / 121 <= reading.recent["deep_scan"] <= 10
    assert [(row["workflow"], row["error"]) for row in reading.errors] == [("deep_scan", "it broke")]
    assert [row["workflow"] for row in reading.workflows][:2] == ["place_search", "deep_scan"]


def test_between_two_looks_what_was_submitted_is_counted(database, db):
    rates = Rates()
    rates.of(read(database))

    db.execute("insert into local_businesses (domain_extraction_status) values ('Queued'), ('Queued')")
    db.execute("delete from engine.job")
    second = read(database, rates.since)

    assert second.submitted == {"domain_extraction": 2}
    assert rates.of(second)["domain_extraction"] > 0
