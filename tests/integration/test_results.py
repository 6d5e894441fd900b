"""What workflows found: stored with the row's own ending or not at all, by natural key, and never twice."""

import secrets
from contextlib import ExitStack
from uuid import UUID, uuid4

import pytest

from actors.domain_extraction import Business, domain_extraction, extract_domain
from app.config import Settings
from db.declaration import Declaration, Words
from db.migrate import migrate
from db.models import Domain
from db.outcomes import Again, Failed, Found
from tests.lifecycle_support import Stage
from tests.samples import Finding

pytest_plugins = ["tests.stage_support"]

BAD = {
    "a word for a number": lambda: Found(rows=[Finding(name="bad", worth="many")]),
    "a number out of range": lambda: Found(rows=[Finding(name="bad", worth=2**40)]),
    "a reference to nothing": lambda: Found(rows=[Finding(name="bad", sample_id=uuid4())]),
    "no natural key": lambda: Found(rows=[Finding(worth=1)]),
    "a key too long for its index": lambda: Found(rows=[Finding(name=secrets.token_hex(8_000))]),
    "a key that is a list": lambda: Found(rows=[Finding(name=["bad"])]),
    "an unknown column": lambda: Found(values={"colour": "red"}),
    "what JSON has no word for": lambda: Found(values={"note": {("a", "pair"): 1}}),
    "a ring": lambda: Found(values={"note": ring()}),
}


def ring():
    values = {}
    values["again"] = values
    return values


def find(stage, **columns):
    """One more row that finds this."""
    (row,) = stage.add()
    assert stage.run(Found(rows=[Finding(**columns)])) == {row: "completed"}


def found(stage, columns="name, worth"):
    return stage.user.execute(f"select {columns} from findings order by name").fetchall()


def test_the_reason_of_a_result_that_can_not_be_stored_does_not_show_the_row(stage):
    (row,) = stage.add()
    stage.user.execute("alter table findings add constraint no_finding check (worth < 0) not valid")

    stage.run(Found(rows=[Finding(name="ann@smile.com")]))

    assert "no_finding" in stage.row(row).error
    for told in (stage.row(row).error, stage.value("select error from engine.attempt"), stage.job(row).last_error):
        assert "ann@smile.com" not in told


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_one_bad_row_in_a_batch_of_a_hundred_fails_alone_and_says_why(stage, bad):
    spoilt, *good = stage.add(100)

    verdicts = stage.run(lambda row: bad() if row.pk == spoilt else Found(rows=[Finding(name=row.values[1])]))

    assert verdicts == {spoilt: "retried", **dict.fromkeys(good, "completed")}
    assert stage.value("select count(*) from findings") == 99
    assert stage.value("select count(*) from samples where status = 'Done'") == 99
    assert stage.row(spoilt).status == "Queued"
    assert stage.row(spoilt).error.startswith("the result could not be stored: ")
    assert stage.row(spoilt).error.endswith(" (attempt 1 of 3)")


def test_a_row_whose_results_can_never_be_stored_ends_as_a_dead_letter(stage):
    (row,) = stage.add()

    verdicts = [stage.run(Found(rows=[Finding(name="bad", worth="many")]))[row] for _ in range(3)]

    assert verdicts == ["retried", "retried", "failed"]
    assert stage.row(row).status == "Failed"


def test_rows_values_and_status_are_stored_together_or_not_at_all(stage):
    (row,) = stage.add(note="as it was")

    stage.run(Found(rows=[Finding(name="good")], values={"note": "noted", "urgency": "very"}))

    assert (found(stage), stage.row(row).note, stage.row(row).status) == ([], "as it was", "Queued")


@pytest.mark.parametrize(
    "outcome", [Failed, lambda text: Again(text, 0.0), lambda text: Again(text, 0.0, counts=False)]
)
def test_an_error_text_is_one_line_of_at_most_1024_characters_and_never_empty(stage, outcome):
    texts = ["", " ", "\x00", "\n", "\ud83d", "x" * 5_000, "\u00e9" * 5_000, "a\x00b\nc\r\nd\te"]
    told = dict(zip(stage.add(len(texts)), texts, strict=True))

    stage.run(lambda row: outcome(told[row.pk]))

    for row, text in told.items():
        error = stage.row(row).error
        assert 0 < len(error.strip()) <= 1024
        assert not {"\x00", "\n", "\r"} & set(error)
        assert "(attempt 1 of 3)" in error or stage.job(row).attempt == 0
        assert "ab c d e" in error or "b" not in text
        assert error == stage.job(row).last_error


def test_two_results_for_one_natural_key_in_one_batch_become_one_row(stage):
    first, second = stage.add(2)
    worths = {first: 1, second: 2}

    verdicts = stage.run(lambda row: Found(rows=[Finding(name="shared", sample_id=row.pk, worth=worths[row.pk])]))

    assert verdicts == dict.fromkeys(worths, "completed")
    ((owner, worth),) = found(stage, "sample_id, worth")
    assert worth in worths.values()
    assert worth != worths[str(owner)]  # the first finder owns it, the last one knows best


def test_a_result_that_names_its_key_twice_is_stored_once(stage):
    (row,) = stage.add()

    stage.run(Found(rows=[Finding(name="twice", worth=1), Finding(name="twice"), Finding(name="twice", worth=3)]))

    assert stage.row(row).status == "Done"
    assert found(stage) == [("twice", 3)]


def test_what_is_set_once_keeps_its_first_value(stage):
    first, second = (UUID(row) for row in stage.add(2, status=None))
    find(stage, name="shared", sample_id=first, worth=1)

    find(stage, name="shared", sample_id=second, worth=2)

    assert found(stage, "sample_id, worth") == [(first, 2)]


def test_what_is_set_once_is_filled_in_when_it_was_unknown(stage):
    (owner,) = (UUID(row) for row in stage.add(status=None))
    find(stage, name="shared", sample_id=None)

    find(stage, name="shared", sample_id=owner)

    assert found(stage, "sample_id") == [(owner,)]


def test_columns_that_were_not_given_are_not_touched(stage):
    (owner,) = (UUID(row) for row in stage.add(status=None))
    find(stage, name="shared", sample_id=owner, worth=7)

    find(stage, name="shared")
    find(stage, name="shared", sample_id=owner)

    assert found(stage, "sample_id, worth") == [(owner, 7)]


def test_a_row_that_is_found_again_unchanged_is_not_written_again(stage):
    find(stage, name="same", worth=3)
    before = found(stage, "ctid, xmin, id")

    find(stage, name="same", worth=3)
    find(stage, name="same")

    assert found(stage, "ctid, xmin, id") == before
    find(stage, name="same", worth=4)
    assert found(stage, "ctid, xmin, id") != before


def test_values_of_a_batch_reach_each_its_own_row(stage):
    rows = stage.add(4)
    values = [{"note": "a"}, {"note": "b", "urgency": 2}, {"host": "c"}, {}]

    stage.run(lambda row: Found(values=values[rows.index(row.pk)]))

    assert [(stage.row(row).note, stage.row(row).urgency, stage.row(row).host) for row in rows] == [
        ("a", None, None),
        ("b", 2, None),
        (None, None, "c"),
        (None, None, None),
    ]


def test_results_that_another_worker_is_writing_do_not_block_the_batch_for_good(stage):
    row, other = stage.add(2)
    running, writer = stage.claim(), stage.connect()

    with writer.transaction():
        writer.execute("insert into findings (name) values ('contested')")
        first = stage.record(running, lambda one: Found(rows=[Finding(name="contested")] if one.pk == row else []))
    second = stage.record(running, Found(rows=[Finding(name="contested", worth=5)]))

    assert (first[row].verdict, first[other].verdict) == ("locked", "completed")
    assert (second[row].verdict, found(stage)) == ("completed", [("contested", 5)])


def test_a_result_in_the_queued_word_of_the_next_stage_is_work_for_that_stage(database):
    words = Words("pending", "processing", "completed", "error")
    following = Declaration(name="domain_metadata", table=Domain, status="status", error="status_error", words=words)
    migrate(database, [domain_extraction, following], Settings().default_tenant_id)
    with ExitStack() as closing:
        stage = Stage(database, domain_extraction, closing)
        stage.user.execute("insert into local_businesses (website_url) values ('www.smile-dental.com')")
        stage.user.execute("update local_businesses set domain_extraction_status = 'Queued'")

        stage.run(lambda row: extract_domain(Business(*row.values)))

        assert stage.value("select domain_extraction_status from local_businesses") == "Completed"
        assert stage.value("select status from domains where domain = 'smile-dental.com'") == "pending"
        assert stage.value("select ready from engine.overview where workflow = 'domain_metadata'") == 1


@pytest.mark.parametrize(
    ("hostile", "stored"),
    [("bad\x00", "bad"), ("bad\ud83d", "bad?"), ("good \N{GRINNING FACE}", "good \N{GRINNING FACE}")],
    ids=["a NUL", "half a character", "a whole one"],
)
def test_what_no_text_column_can_hold_is_left_out_and_the_rest_is_stored(stage, hostile, stored):
    (row,) = stage.add()

    stage.run(Found(rows=[Finding(name=hostile)], values={"note": hostile}, reason="\ud83d"))

    assert stage.value("select name from findings") == stored
    assert (stage.row(row).status, stage.row(row).note, stage.row(row).result) == ("Done", stored, "?")


class Findings:
    """Made anew each time they are read, as many as one likes."""

    def __init__(self, number):
        self.number = number

    def __iter__(self):
        return (Finding(name=f"finding {number}") for number in range(self.number))


def test_a_result_of_many_rows_is_read_and_written_piece_by_piece(stage):
    (row,) = stage.add()

    stage.run(Found(rows=Findings(2_500)))

    assert stage.row(row).status == "Done"
    assert stage.value("select count(*) from findings") == 2_500


class BrokenFindings:
    def __iter__(self):
        return (Finding(name=name.missing) for name in ["x"])


def test_rows_that_can_not_even_be_made_fail_their_own_row_alone(stage):
    good, bad = stage.add(2)
    broken = Found(rows=BrokenFindings())

    stage.run(lambda claimed: broken if claimed.pk == bad else Found(rows=[Finding(name="good")]))

    assert (stage.row(good).status, stage.row(bad).status) == ("Done", "Queued")
    assert "the result could not be stored" in stage.row(bad).error


def test_rows_that_can_be_read_only_once_are_refused():
    with pytest.raises(TypeError, match="can be read again"):
        Found(rows=(Finding(name=name) for name in "ab"))
