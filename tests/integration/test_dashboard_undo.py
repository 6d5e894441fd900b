"""A bulk change can be taken back for a while: exactly what it changed, and nothing that has run since."""

import pytest

from tests.dashboard_support import TOKEN, text_of, visitor_of
from tests.grid_support import ACTIONS, PLACES, states


@pytest.fixture
def places(db):
    db.execute(PLACES)


@pytest.fixture
def curator(database):
    with visitor_of(database, web_token=TOKEN) as visitor:
        visitor.sign_in("ada")
        yield visitor


def give(curator, word, **filters):
    return curator.post("/curate/places/all", word_to_set=word, confirmed="yes", **filters)


def undo(curator, db, change=None):
    """Press the button, or send what it would send for another change."""
    newest = db.execute("select max(id) from engine.curation where undone_at is null").fetchone()[0]
    return text_of(curator.post("/curate/places/undo", change=str(change or newest)))


def test_undo_gives_every_row_the_word_it_had_and_withdraws_what_still_waits(curator, db, places):
    give(curator, "Maybe", name="smile")
    give(curator, "Selected")
    assert "You set 3 places to Selected" in curator.text("/curate/places")

    told = undo(curator, db)

    assert "Undone for 3 places: the word from before Selected is back." in told
    assert "Still waiting, and withdrawn from the queue: 3." in told
    assert states(db) == {"a": ("Maybe", None), "b": ("New", None), "c": ("New", None)}
    assert db.execute(ACTIONS).fetchall()[-1] == ("ada", "undo", "deep_scan", 3)


def test_undo_leaves_rows_that_were_changed_since(curator, db, places):
    give(curator, "Maybe")
    db.execute("update places_staging set status = 'Archived' where place_id = 'b'")
    db.execute("delete from places_staging where place_id = 'c'")

    told = undo(curator, db)

    assert "Undone for 1 place" in told
    assert "Changed since, and left alone: 2." in told
    assert states(db) == {"a": ("New", None), "b": ("Archived", None)}


def test_undo_leaves_what_somebody_else_decided_since_though_it_is_the_same_word(curator, database, db, places):
    give(curator, "Selected")
    change = db.execute("select id from engine.curation").fetchone()[0]
    with visitor_of(database, web_token=TOKEN) as visitor:
        visitor.sign_in("bob")
        give(visitor, "Archived", name="smile")
        give(visitor, "Selected", name="smile")

    told = undo(curator, db, change)

    assert "Undone for 2 places" in told
    assert "Changed since, and left alone: 1." in told
    assert states(db) == {"a": ("Selected", "Queued"), "b": ("New", None), "c": ("New", None)}


def test_undo_does_not_pretend_to_undo_what_ran(curator, db, places):
    give(curator, "Selected")
    db.execute("update places_staging set deep_scan_status = 'Completed' where place_id = 'a'")
    db.execute("update places_staging set deep_scan_status = 'Processing' where place_id = 'b'")

    told = undo(curator, db)

    assert "Still waiting, and withdrawn from the queue: 1." in told
    assert "Started already: 2. What ran has run, and what it found stays." in told
    assert states(db) == {"a": ("New", "Completed"), "b": ("New", "Processing"), "c": ("New", None)}


def test_a_failed_row_that_was_queued_again_by_mistake_has_its_error_again(curator, db, places):
    db.execute("update places_staging set deep_scan_status = 'Error', deep_scan_error = 'no such place'")
    give(curator, "Selected", name="smile")
    assert db.execute("select deep_scan_error from places_staging where place_id = 'a'").fetchone() == (None,)

    undo(curator, db)

    found = db.execute("select deep_scan_status, deep_scan_error from places_staging where place_id = 'a'").fetchone()
    assert found == ("Error", "no such place")


def test_rows_that_go_back_to_selected_are_not_queued_by_that(curator, db, places):
    db.execute("update places_staging set status = 'Selected'")
    db.execute("update places_staging set deep_scan_status = 'Completed' where place_id = 'a'")
    db.execute("update places_staging set deep_scan_status = 'Processing' where place_id = 'b'")
    db.execute("update places_staging set deep_scan_status = null where place_id = 'c'")
    submitted = db.execute("select count(*) from engine.submission").fetchone()
    give(curator, "Archived")

    undo(curator, db)

    assert states(db) == {"a": ("Selected", "Completed"), "b": ("Selected", "Processing"), "c": ("Selected", None)}
    assert db.execute("select count(*) from engine.submission").fetchone() == submitted


def test_rows_that_waited_before_and_after_go_on_waiting(curator, db, places):
    db.execute("update places_staging set status = 'Selected'")
    give(curator, "Archived")

    undo(curator, db)

    assert set(states(db).values()) == {("Selected", "Queued")}
    assert db.execute("select count(*) from engine.job where not dead").fetchone() == (3,)


def test_two_changes_are_undone_one_after_the_other(curator, db, places):
    give(curator, "Maybe")
    give(curator, "Archived", type="dentist")

    undo(curator, db)
    after_one = states(db)
    undo(curator, db)

    assert {word for word, _ in after_one.values()} == {"Maybe"}
    assert {word for word, _ in states(db).values()} == {"New"}
    assert "You set" not in curator.text("/curate/places")


def test_a_change_is_undone_once_and_only_by_the_one_who_made_it(curator, database, db, places):
    give(curator, "Maybe")
    change = db.execute("select id from engine.curation").fetchone()[0]
    with visitor_of(database, web_token=TOKEN) as visitor:
        visitor.sign_in("bob")
        assert "You set" not in visitor.text("/curate/places")
        refused = undo(visitor, db, change)
    undo(curator, db, change)

    again = undo(curator, db, change)

    for told in (refused, again):
        assert "This change has been undone already, is older than a day, or is not yours." in told
    assert db.execute("select operator, action from engine.action order by id").fetchall() == [
        ("ada", "curate"),
        ("ada", "undo"),
    ]


def test_after_a_day_a_change_stands_and_is_forgotten_at_the_next(curator, db, places):
    give(curator, "Maybe")
    change = db.execute("select id from engine.curation").fetchone()[0]
    db.execute("update engine.curation set changed_at = now() - interval '25 hours'")
    assert "You set" not in curator.text("/curate/places")
    assert "is older than a day" in undo(curator, db, change)

    give(curator, "Archived", name="smile")

    assert db.execute("select count(*) from engine.curation").fetchone() == (1,)
    assert db.execute("select pk, word from engine.curated_row").fetchall() == [("1", "Maybe")]


def test_a_change_of_another_table_is_not_undone_here(curator, db, places):
    give(curator, "Maybe")
    change = db.execute("select id from engine.curation").fetchone()[0]

    told = text_of(curator.post("/curate/pages/undo", change=str(change)))

    assert "not yours" in told
    assert {word for word, _ in states(db).values()} == {"Maybe"}


def test_the_rows_of_a_change_can_be_looked_at_with_what_became_of_them(curator, db, places):
    give(curator, "Selected", type="dentist")
    db.execute("update places_staging set deep_scan_status = 'Completed' where place_id = 'a'")
    change = db.execute("select id from engine.curation").fetchone()[0]
    curator.client.application.extensions["reader"].forget()

    shown = curator.text(f"/curate/places?change={change}")

    assert "1 Completed 1 Queued" in shown
    assert "2 places match" in shown
    assert "Bark Inn" not in shown
