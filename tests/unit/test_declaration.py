"""A workflow that is declared wrongly fails at import, with a message that names the mistake and the remedy."""

from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

import pytest
from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from actors._workflow import Found, Politeness, Words, Workflow
from db.declaration import Backoff, DeclarationError
from db.declarations import check_together
from db.models.base import one_of
from tests.named_tables import NamedBase, Names, declare
from tests.samples import WORDS, Sample, SampleRow, act, sample_workflow

COLUMNS = "id, name, action, urgency, host, note, status, error, result"


class Pair(NamedBase):
    __tablename__ = "pairs"

    first: Mapped[int] = mapped_column(primary_key=True)
    second: Mapped[int] = mapped_column(primary_key=True)
    status: Mapped[str | None] = mapped_column(one_of("status", *WORDS))
    error: Mapped[str | None]


class Row(NamedTuple):
    id: UUID


class RowWithStrangeColumn(NamedTuple):
    id: UUID
    colour: str


def two_rows(first: Row, second: Row) -> Found:
    return Found()


def no_row() -> Found:
    return Found()


def a_plain_tuple(row: tuple[str, int]) -> Found:
    return Found()


def without_annotation(row) -> Found:
    return Found()


def with_an_unannotated_second(row: Row, tool) -> Found:
    return Found()


def strange_column(row: RowWithStrangeColumn) -> Found:
    return Found()


def declared(**changes) -> Workflow:
    return Workflow(**{"table": Sample, "status": "status", "error": "error", "words": WORDS, **changes})


def mistake(**changes) -> str:
    """What a declaration with these changes is refused with."""
    with pytest.raises(DeclarationError) as refusal:
        declared(**{"name": "sampling", **changes}).run(act)
    return str(refusal.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "colour"},
        {"error": "colour"},
        {"result": "colour"},
        {"priority": "colour"},
        {"politeness": Politeness(column="colour", group="web")},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_column_that_the_table_does_not_have_is_named_beside_those_it_has(changes):
    assert mistake(**changes) == f"sampling: samples has no column 'colour'; it has {COLUMNS}"


def test_a_column_that_the_function_reads_must_be_one_of_the_tables():
    with pytest.raises(DeclarationError) as refusal:
        declared(name="sampling").run(strange_column)

    assert str(refusal.value) == f"sampling: samples has no column 'colour'; it has {COLUMNS}"


@pytest.mark.parametrize("position", ["queued", "processing", "done", "failed"])
def test_a_word_that_the_check_does_not_allow_is_named_beside_those_it_allows(position):
    words = replace(WORDS, **{position: "queud"})

    assert mistake(words=words) == (
        "sampling: 'queud' is not allowed by the check on samples.status; "
        "it allows Queued, Processing, Done, Failed, Skipped"
    )


def test_the_four_words_must_differ():
    assert mistake(words=Words("Queued", "Processing", "Done", "Done")) == (
        "sampling: the four words must differ, got ['Queued', 'Processing', 'Done', 'Done']"
    )


@pytest.mark.parametrize("seconds", [59, 60])
def test_a_row_must_be_allowed_its_time_before_it_is_given_up(seconds):
    late = timedelta(seconds=seconds)

    assert mistake(time_limit=timedelta(seconds=60), rescue_after=late) == (
        f"sampling: rescue_after ({late}) must be longer than time_limit (0:01:00), or live rows are given up"
    )


@pytest.mark.parametrize("limit", ["batch", "max_attempts", "max_lost"])
@pytest.mark.parametrize("value", [0, -1])
def test_a_limit_is_at_least_one(limit, value):
    assert mistake(**{limit: value}) == f"sampling: {limit} must be at least 1, got {value}"


@pytest.mark.parametrize("value", [0, -1])
def test_a_limit_of_rows_in_flight_is_at_least_one_or_none(value):
    assert mistake(max_in_flight=value) == f"sampling: max_in_flight must be at least 1 or None, got {value}"


def test_a_limit_downstream_is_at_least_one_and_needs_to_know_whose_rows_to_count():
    assert mistake(max_downstream=0, feeds="other") == "sampling: max_downstream must be at least 1, got 0"
    assert mistake(max_downstream=9) == ("sampling: max_downstream needs feeds, the workflow whose rows are counted")


def test_a_key_whose_rows_could_never_start_is_refused():
    assert mistake(politeness=Politeness(column="host", group="web", at_once=0)) == (
        "sampling: politeness.at_once must be at least 1, got 0"
    )


@pytest.mark.parametrize("seconds", [0, -1])
def test_a_row_must_have_some_time(seconds):
    limit = timedelta(seconds=seconds)

    assert mistake(time_limit=limit) == f"sampling: time_limit must be longer than 0, got {limit}"


def test_a_priority_must_be_a_column_of_integers():
    assert mistake(priority="note") == "sampling: priority must be an integer column, and samples.note is TEXT"


@pytest.mark.parametrize("name", ["Sampling", "1st", "two words", "drop;table", "größe", "x" * 41, "_private", "a-b"])
def test_a_name_is_lower_case_letters_digits_and_underscores(name):
    assert mistake(name=name) == f"{name!r}: a workflow's name is lower case, digits and _, at most 40 characters"


def test_a_workflow_is_called_after_the_file_of_its_function():
    workflow = declared()

    workflow.run(act)

    assert workflow.name == "samples"


@pytest.mark.parametrize(
    "function",
    [no_row, a_plain_tuple, without_annotation],
    ids=lambda function: function.__name__,
)
def test_a_function_takes_a_named_tuple_first(function):
    with pytest.raises(DeclarationError) as refusal:
        declared(name="sampling").run(function)

    assert str(refusal.value) == (
        f"sampling: {function.__name__} must take a NamedTuple first, whose fields are the columns it reads"
    )


def test_a_tool_without_a_type_is_refused():
    with pytest.raises(DeclarationError) as refusal:
        declared(name="sampling").run(with_an_unannotated_second)

    assert str(refusal.value) == ("sampling: with_an_unannotated_second must say of what type its 'tool' is")


def test_a_function_reads_the_fields_of_its_named_tuple_in_their_order():
    assert sample_workflow().columns == SampleRow._fields


def test_a_table_needs_a_primary_key_of_one_column():
    assert mistake(table=Pair) == "sampling: pairs needs a primary key of one column, has 2"


def test_two_workflows_of_one_name_are_refused():
    with pytest.raises(DeclarationError) as refusal:
        check_together((sample_workflow("sampling"), sample_workflow("sampling")))

    assert str(refusal.value) == "two workflows are called 'sampling'"


def test_two_workflows_on_one_status_column_are_refused():
    with pytest.raises(DeclarationError) as refusal:
        check_together((sample_workflow("first"), sample_workflow("second")))

    assert str(refusal.value) == ('second and first both use "samples".status; a status column has one workflow')


@pytest.mark.parametrize(
    ("feeds", "ring"),
    [
        ({"first": "first"}, "first -> first"),
        ({"first": "second", "second": "first"}, "first -> second -> first"),
        ({"first": "second", "second": "third", "third": "second"}, "second -> third -> second"),
    ],
)
def test_workflows_that_feed_each_other_in_a_ring_are_refused(feeds, ring):
    """Held back by each other, none of them would ever begin a row again."""
    names = ("first", "second", "third")
    together = tuple(replace(declare(Names(table=name)), name=name, feeds=feeds.get(name)) for name in names)

    with pytest.raises(DeclarationError) as refusal:
        check_together(together)

    assert str(refusal.value).startswith(f"{ring}: workflows that feed each other in a ring ")


def test_two_workflows_on_two_tables_may_stand_together():
    check_together((sample_workflow(), declare(Names())))


def test_a_status_without_a_check_may_have_any_words():
    declaration = declare(Names())
    declaration.source.columns["status"].type = Text()
    declaration.words = Words("a", "b", "c", "d")

    declaration.check()


def test_without_a_rescue_time_of_its_own_a_row_is_given_up_half_a_minute_after_its_limit():
    assert declared(time_limit=timedelta(seconds=10)).rescue_seconds == 40
    assert declared(rescue_after=timedelta(seconds=90)).rescue_seconds == 90


def test_a_retry_waits_anything_up_to_twice_as_long_each_time_and_never_longer_than_the_cap():
    backoff = Backoff(base=timedelta(seconds=1), cap=timedelta(seconds=5))

    for attempt, longest in ((1, 1), (2, 2), (3, 4), (4, 5), (5, 5), (10_000, 5)):
        delays = [backoff.delay(attempt) for _ in range(200)]
        assert 0 <= min(delays) < longest / 2 < max(delays) <= longest
