"""The curators' grids: filters, pages, words for many rows, and the way back."""

import pytest

from tests.dashboard_support import TOKEN, text_of, visitor_of

PLACES = """
insert into places_staging (place_id, name, business_type, search_location, rating) values
    ('a', 'Smile Dental', 'dentist', 'Austin, TX', 4.8), ('b', '50% Off Teeth', 'dentist', 'Austin, TX', 3.1),
    ('c', 'Bark Inn', 'kennel', 'Waco, TX', 4.9)
"""
STATES = "select place_id, status, deep_scan_status from places_staging order by 1"
ACTIONS = "select operator, action, workflow, rows from engine.action order by id"


@pytest.fixture
def curator(database):
    with visitor_of(database, web_token=TOKEN) as visitor:
        visitor.sign_in("ada")
        yield visitor


@pytest.fixture
def places(db):
    """Their ids by letter."""
    db.execute(PLACES)
    return {letter: str(pk) for letter, pk in db.execute("select place_id, id from places_staging")}


def states(db):
    return {place: (word, processing) for place, word, processing in db.execute(STATES)}


@pytest.mark.parametrize("kind", ["places", "businesses", "domains", "sitemaps", "pages"])
def test_smoke(curator, db, kind, places):
    assert curator.get(f"/curate/{kind}").status_code == 200


def test_ticked(curator, db, places):
    answer = curator.post("/curate/places/ticked", pk=[places["a"], places["b"]], word_to_set="Selected")
    assert "2 places set to Selected, 2 queued." in text_of(answer)
    assert states(db)["a"] == ("Selected", "Queued")
    change = db.execute("select max(id) from engine.curation").fetchone()[0]
    answer = curator.post("/curate/places/undo", change=str(change))
    print(text_of(answer)[:400])
    assert states(db) == {letter: ("New", None) for letter in "abc"}
