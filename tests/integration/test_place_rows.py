"""Searches and scans as the database keeps them: what is scanned anew is refreshed, what people decided stays."""

import pytest

from actors.deep_scan import ScannedPlace, scan_place
from actors.place_search import Search, search_places
from actors.selection import AutoSelect
from app.demo.places_simulator import PlacesSimulator
from db.results import write_rows
from tests.places_support import FULL_PLACE, PlacesWeb, dentists, places_of

EVERYTHING = AutoSelect({"places", "businesses"})
CHANGED = {**FULL_PLACE, "displayName": {"text": "New Name Dental"}, "websiteUri": "https://new.example/"}


@pytest.fixture
def search_row(db):
    return Search(
        *db.execute(
            "insert into place_searches (business_type, location) values ('dentist', 'Austin, TX') "
            "returning id, tenant_id, user_id, business_type, location, params"
        ).fetchone()
    )


def search(db, row, places):
    with places_of(PlacesWeb(PlacesSimulator(places))) as client:
        write_rows(db, search_places(row, client, EVERYTHING).rows)


def scan(db, places):
    place = ScannedPlace(*db.execute("select place_id, tenant_id from places_staging").fetchone())
    with places_of(PlacesWeb(PlacesSimulator(places))) as client:
        write_rows(db, scan_place(place, client, EVERYTHING).rows)


def test_a_search_for_known_places_refreshes_them_and_leaves_what_a_person_decided(db, search_row):
    search(db, search_row, [FULL_PLACE])
    db.execute("update places_staging set status = 'Not a Fit', notes = 'rude', priority = 7, tags = '{a}'")

    search(db, search_row, [CHANGED, *dentists(3)])

    known = db.execute(
        "select name, status, notes, priority, tags, search_job_id from places_staging where place_id = %s",
        [FULL_PLACE["id"]],
    ).fetchone()
    assert known == ("New Name Dental", "Not a Fit", "rude", 7, ["a"], search_row.id)
    assert db.execute("select count(*), count(distinct place_id) from places_staging").fetchone() == (4, 4)


def test_a_second_scan_updates_what_it_scanned_and_nothing_downstream(db, search_row):
    search(db, search_row, [FULL_PLACE])
    scan(db, [FULL_PLACE])
    db.execute(
        "update local_businesses set status = 'Maybe', lead_source = 'fair', domain_extraction_status = 'Completed', "
        "domain_extraction_result = 'told'"
    )

    scan(db, [{name: value for name, value in CHANGED.items() if name != "internationalPhoneNumber"}])

    business = db.execute(
        "select business_name, website_url, phone, status, lead_source, domain_extraction_status, "
        "domain_extraction_result from local_businesses"
    ).fetchall()
    assert business == [
        ("New Name Dental", "https://new.example/", None, "Maybe", "fair", "Completed", "told"),
    ]


def test_every_kind_of_value_arrives_in_its_column(db, search_row):
    search(db, search_row, [FULL_PLACE])
    scan(db, [FULL_PLACE])

    columns = "latitude::text, rating::text, reviews_count, extra_categories, friday_hours, country_code, price_text"
    assert db.execute(f"select {columns} from local_businesses").fetchone() == (
        "30.2612345",
        "4.70",
        128,
        ["health", "point_of_interest", "establishment"],
        "09:00-17:00",
        "US",
        "$$ (20-30.50 USD)",
    )
    assert db.execute("select price_level, raw_data->>'rating' from places_staging").fetchone() == (2, "4.7")
