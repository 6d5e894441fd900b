"""What Places told is cleared by age; place ids, and what people and sites said, stay."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from actors.parse.places import business_columns, search_columns
from app import sweeper
from app.config import Settings
from app.retention import Retention
from db.connections import GUARD, open_pool
from db.models import LocalBusiness, Place
from db.results import write_rows
from db.statements import statements

PLACE = {
    "id": "place-1",
    "displayName": {"text": "Smile Dental"},
    "formattedAddress": "1 Main St, Austin, TX 78701, USA",
    "location": {"latitude": 30.26, "longitude": -97.74},
    "rating": 4.7,
    "internationalPhoneNumber": "+1 512-555-0100",
    "websiteUri": "https://smile.example/",
}
OLD = datetime.now(UTC) - timedelta(days=31)


@pytest.fixture
def prune(database):
    pool = open_pool(database, size=2, name="test")
    yield lambda **settings: Retention(pool, Settings(database_url=database, **settings)).prune()
    pool.close()


@pytest.fixture
def known(db):
    """A place and its business, scanned a month ago, with what a person wrote about it."""
    place = Place(place_id="place-1", **search_columns(PLACE), raw_data=PLACE, search_time=OLD, notes="call again")
    business = LocalBusiness(place_id="place-1", **business_columns(PLACE), lead_source="google_places", last_scan=OLD)
    write_rows(db, [place, business])
    return db


def test_content_older_than_the_setting_is_cleared_all_but_the_place_id(known, prune):
    prune(places_retention="30")

    scanned = ", ".join(business_columns(PLACE))
    searched = ", ".join([*search_columns(PLACE), "raw_data"])
    assert set(known.execute(f"select {searched} from places_staging").fetchone()) == {None}
    assert set(known.execute(f"select {scanned} from local_businesses").fetchone()) == {None}
    assert known.execute("select place_id, notes from places_staging").fetchone() == ("place-1", "call again")


@pytest.mark.parametrize("settings", [{"places_retention": "60"}, {}], ids=["younger", "no setting"])
def test_younger_content_and_content_without_a_setting_stay(known, prune, settings):
    prune(**settings)

    assert known.execute("select name from places_staging").fetchone() == ("Smile Dental",)
    assert known.execute("select phone from local_businesses").fetchone() == ("+1 512-555-0100",)


def test_content_that_somebody_has_locked_waits_and_the_rest_is_cleared(database, known, prune):
    write_rows(known, [Place(place_id="place-2", name="Bite", search_time=OLD)])

    with psycopg.connect(database) as person:
        person.execute("select 1 from places_staging where place_id = 'place-1' for update")
        prune(places_retention="30")

    named = known.execute("select place_id, name from places_staging order by place_id").fetchall()
    assert named == [("place-1", "Smile Dental"), ("place-2", None)]


def test_a_table_of_many_slices_is_cleared_to_its_end(known, prune, monkeypatch):
    monkeypatch.setattr(sweeper, "SLICE_BLOCKS", 1)
    write_rows(known, [Place(place_id=f"more-{n}", name="Bite" * 50, search_time=OLD) for n in range(200)])
    (blocks,) = known.execute("select pg_relation_size('places_staging') / 8192").fetchone()

    prune(places_retention="30")

    assert blocks > 3
    assert known.execute("select count(*) from places_staging where name is not null").fetchone() == (0,)


@pytest.mark.parametrize("name", ["clear_places", "clear_businesses"])
def test_no_statement_reads_more_than_its_slice(known, name):
    known.execute(GUARD.replace(b"true", b"false"))
    parameters = {"age": timedelta(days=30), "rows": 5000, "low": "(0,0)", "high": "(512,0)"}

    plan = known.execute(b"explain " + statements("upkeep.sql")[name], parameters).fetchall()

    scans = [line.split("->")[-1].strip() for (line,) in plan if "Scan" in line]
    assert sorted(scan.split(" on ")[0] for scan in scans) == ["Tid Range Scan", "Tid Scan"]


def test_a_robots_txt_that_expired_long_ago_is_forgotten(db, prune):
    now = datetime.now(UTC)
    for origin, expires_at in {"https://old.example": now - timedelta(days=31), "https://new.example": now}.items():
        db.execute(
            "insert into robots_files (origin, status, body, expires_at) values (%s, 404, '', %s)", [origin, expires_at]
        )

    prune()

    assert db.execute("select origin from robots_files").fetchall() == [("https://new.example",)]


def test_a_row_that_can_not_be_updated_is_left_out_and_the_others_are_cleared(known, prune):
    others = [Place(place_id=f"other {number}", name="Old", search_time=OLD) for number in range(40)]
    write_rows(known, others)
    known.execute("alter table places_staging add check (place_id <> 'place-1') not valid")

    prune(places_retention="30")

    assert known.execute("select place_id from places_staging where name is not null").fetchall() == [("place-1",)]


@pytest.mark.parametrize("table", ["places_staging", "local_businesses", "robots_files", "engine.attempt"])
def test_a_table_that_a_person_has_locked_costs_its_own_step_alone(database, known, prune, table):
    known.execute("insert into suppressions (kind, value) values ('email', 'ann@smile.com')")
    known.execute("alter table contacts disable trigger user")
    known.execute("insert into domains (domain) values ('bite.com')")
    known.execute("insert into contacts (domain_id, email) select id, 'ann@smile.com' from domains")

    with psycopg.connect(database) as person:
        person.execute(f"lock table {table} in share mode")
        prune(places_retention="30")

    assert known.execute("select count(*) from contacts").fetchone() == (0,)
