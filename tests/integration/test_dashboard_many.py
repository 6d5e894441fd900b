"""A word for very many rows: batch by batch behind the page, watched on the page of the workflow, undone as one."""

import pytest

from db.connections import open_pool
from db.people.curating import Curation, undo
from tests.dashboard_support import TOKEN, text_of, visitor_of

MANY = 12_000
WORDS = "select status, count(*) from places_staging group by 1 order by 1"


@pytest.fixture
def places(db):
    db.execute("insert into places_staging (place_id) select n::text from generate_series(1, %s) n", [MANY])


@pytest.fixture
def pool(database):
    with open_pool(database, size=1, name="dashboard") as pool:
        yield pool


def give(pool, word, tell):
    curation = Curation("places", {})
    pks = curation.choose(pool, word)
    return curation.change(pool, word, pks, operator="ada", workflow="deep_scan", tell=tell)


def test_each_batch_is_a_transaction_and_all_are_one_change(pool, db, places):
    seen = []

    def tell(done, of):
        noted = "select curation.rows, action.rows from engine.curation, engine.action"
        seen.append((done, of, *dict(db.execute(WORDS)).values(), *db.execute(noted).fetchone()))

    changed = give(pool, "Maybe", tell)

    assert seen == [
        (5000, MANY, 5000, 7000, 5000, 5000),
        (10_000, MANY, 10_000, 2000, 10_000, 10_000),
        (MANY, MANY, MANY, MANY, MANY),
    ]
    with pool.connection() as connection:
        assert undo(connection, "places", changed.change, operator="ada", workflow="deep_scan").rows == MANY
    assert db.execute(WORDS).fetchall() == [("New", MANY)]


def test_a_change_that_is_undone_while_it_goes_on_leaves_the_rest(pool, db, places):
    def take_back(*_):
        (change,) = db.execute("select id from engine.curation").fetchone()
        undo(db, "places", change, operator="ada", workflow="deep_scan")

    with pytest.raises(ValueError, match="undone while it went on"):
        give(pool, "Maybe", take_back)

    assert db.execute(WORDS).fetchall() == [("New", MANY)]


def test_very_many_rows_are_changed_behind_the_page(database, db, places):
    with visitor_of(database, web_token=TOKEN) as visitor:
        visitor.sign_in("ada")
        answer = text_of(visitor.post("/curate/places/all", word_to_set="Maybe", confirmed="yes"))
        errand = visitor.client.application.extensions["errands"].of("deep_scan")
        assert errand.ended.wait(60)

        assert "This takes a while" in answer or "12,000 places set to Maybe." in answer
        assert "Maybe for places by ada: 12,000 rows, done" in visitor.text("/workflows/deep_scan")
        assert "You set 12,000 places to Maybe" in visitor.text("/curate/places")
    assert db.execute(WORDS).fetchall() == [("Maybe", MANY)]
