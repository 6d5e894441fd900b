"""What Google says of a place, as columns: everything that is asked for is stored, and nothing else is paid for."""

from copy import deepcopy
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.parse.json_values import storable
from actors.parse.places import DETAIL_FIELDS, SEARCH_FIELDS, business_columns, search_columns
from db.models import LocalBusiness, Place
from db.results import given as given_columns
from tests.places_support import FULL_PLACE

# Columns that other workflows and people fill, and those for which the API has no field or another call must be paid.
NOT_FROM_DETAILS = {
    "id", "tenant_id", "created_at", "updated_at", "place_id", "lead_source", "status", "last_scan",
    "domain", "domain_extraction_status", "domain_extraction_error", "domain_extraction_result",
    "business_verified", "image_url", "food_featured", "hotel_featured", "additional_json",
}  # fmt: skip
NOT_FROM_A_SEARCH = {
    "id", "tenant_id", "created_at", "updated_at", "place_id", "status", "raw_data", "business_type",
    "search_job_id", "search_query", "search_location", "search_time",
    "notes", "priority", "tags", "revisit_date", "user_id", "user_name", "created_by", "updated_by",
    "deep_scan_status", "deep_scan_error", "deep_scan_result",
}  # fmt: skip
# Fields that end up elsewhere than in a column of the mapping: the natural key, and the row's result.
USED_BY_THE_WORKFLOW = {"id", "movedPlaceId"}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
names = sorted({name for field in (*DETAIL_FIELDS, *SEARCH_FIELDS) for name in field.split(".")})
spoilt_places = st.dictionaries(
    st.sampled_from(names),
    json_values
    | st.dictionaries(st.sampled_from(["text", "latitude", "longitude", "periods", "startPrice"]), json_values),
)


def test_every_column_that_google_can_fill_is_filled():
    business, found = business_columns(FULL_PLACE), search_columns(FULL_PLACE)

    assert set(LocalBusiness.__table__.columns.keys()) - NOT_FROM_DETAILS == set(business)
    assert set(Place.__table__.columns.keys()) - NOT_FROM_A_SEARCH == set(found)
    assert [name for columns in (business, found) for name, value in columns.items() if value is None] == []


@pytest.mark.parametrize("field", DETAIL_FIELDS)
def test_every_field_of_the_details_that_is_paid_for_changes_a_column(field):
    changed = business_columns(without(FULL_PLACE, field)) != business_columns(FULL_PLACE)

    assert changed != (field in USED_BY_THE_WORKFLOW)


@pytest.mark.parametrize("field", SEARCH_FIELDS)
def test_every_field_of_a_search_that_is_paid_for_changes_a_column(field):
    changed = search_columns(without(FULL_PLACE, field)) != search_columns(FULL_PLACE)

    assert changed != (field in USED_BY_THE_WORKFLOW)


def test_no_column_depends_on_a_field_that_is_not_asked_for():
    assert business_columns(only(FULL_PLACE, DETAIL_FIELDS)) == business_columns(FULL_PLACE)
    assert search_columns(only(FULL_PLACE, SEARCH_FIELDS)) == search_columns(FULL_PLACE)


def test_a_place_with_everything_becomes_a_business():
    assert business_columns(FULL_PLACE) == {
        "business_name": "Example Dental",
        "full_address": "1 Main St, Austin, TX 78701, USA",
        "street_address": "1 Main St",
        "city": "Austin",
        "state": "TX",
        "zip": "78701",
        "country": "United States",
        "country_code": "US",
        "latitude": Decimal("30.2612345"),
        "longitude": Decimal("-97.7412345"),
        "phone": "+1 512-555-0100",
        "website_url": "https://www.exampledental.com/",
        "google_maps_url": "https://maps.google.com/?cid=123",
        "main_category": "Dentist",
        "extra_categories": ["health", "point_of_interest", "establishment"],
        "rating": Decimal("4.7"),
        "reviews_count": 128,
        "price_text": "$$ (20-30.50 USD)",
        "business_status": "OPERATIONAL",
        "monday_hours": "9:00 AM \u2013 5:00 PM",
        "tuesday_hours": "9:00 AM \u2013 5:00 PM",
        "wednesday_hours": "9:00 AM \u2013 5:00 PM",
        "thursday_hours": "9:00 AM \u2013 5:00 PM",
        "friday_hours": "09:00-17:00",
        "saturday_hours": "Closed",
        "sunday_hours": "Closed",
        "timezone": "America/Chicago",
    }


def test_a_search_hit_becomes_a_place():
    assert search_columns(FULL_PLACE) == {
        "name": "Example Dental",
        "formatted_address": "1 Main St, Austin, TX 78701, USA",
        "vicinity": "1 Main St, Austin",
        "latitude": Decimal("30.2612345"),
        "longitude": Decimal("-97.7412345"),
        "rating": Decimal("4.7"),
        "user_ratings_total": 128,
        "price_level": 2,
    }


def test_what_google_no_longer_says_is_cleared_and_not_left_out():
    assert business_columns({"id": "ChIJx"}) == dict.fromkeys(business_columns(FULL_PLACE))


def test_every_column_of_the_mapping_is_a_column_of_the_table():
    assert given_columns(LocalBusiness(**business_columns(FULL_PLACE))) == business_columns(FULL_PLACE)
    assert given_columns(Place(**search_columns(FULL_PLACE))) == search_columns(FULL_PLACE)


@pytest.mark.parametrize(
    ("full", "number", "route", "short", "street"),
    [
        ("1 Main St, Austin, TX", "1", "Main Street", "Main St", "1 Main St"),
        ("Hauptstraße 5, 10115 Berlin", "5", "Hauptstraße", "Hauptstraße", "Hauptstraße 5"),
        ("Hauptstr. 5, 10115 Berlin", "5", "Hauptstraße", "Hauptstr.", "Hauptstr. 5"),
        ("C. Mayor, 5, 28013 Madrid", "5", "Calle Mayor", "C. Mayor", "C. Mayor, 5"),
        ("8 Rue de Rivoli, 75004 Paris", "8", "Rue de Rivoli", "Rue de Rivoli", "8 Rue de Rivoli"),
        ("somewhere else", "1", "Main Street", "Main St", "1 Main Street"),
        ("Market Square, York", None, "Market Square", "Market Square", "Market Square"),
        ("York", "7", None, None, None),
    ],
)
def test_street_and_number_stand_in_the_order_of_the_country(full, number, route, short, street):
    components = [
        {"longText": number, "shortText": number, "types": ["street_number"]},
        {"longText": route, "shortText": short, "types": ["route"]},
    ]

    found = business_columns({"formattedAddress": full, "addressComponents": components})

    assert found["street_address"] == street


@pytest.mark.parametrize(
    ("kinds", "city"),
    [
        (["locality", "postal_town"], "locality"),
        (["sublocality_level_1", "postal_town"], "postal_town"),
        (["neighborhood", "sublocality_level_1"], "sublocality_level_1"),
        (["neighborhood"], None),
    ],
)
def test_a_city_is_found_under_the_name_that_its_country_has_for_it(kinds, city):
    components = [{"longText": kind, "types": [kind, "political"]} for kind in kinds]

    assert business_columns({"addressComponents": components})["city"] == city


@pytest.mark.parametrize(
    ("level", "price_range", "text"),
    [
        ("PRICE_LEVEL_FREE", None, "Free"),
        ("PRICE_LEVEL_INEXPENSIVE", None, "$"),
        ("PRICE_LEVEL_VERY_EXPENSIVE", None, "$$$$"),
        ("PRICE_LEVEL_UNSPECIFIED", None, None),
        (None, {"startPrice": {"currencyCode": "EUR", "units": "10"}}, "from 10 EUR"),
        (None, {"endPrice": {"currencyCode": "EUR", "units": "10"}}, "up to 10 EUR"),
        (None, {"startPrice": {"currencyCode": "JPY"}, "endPrice": {"units": "900"}}, "0-900 JPY"),
        (None, {"startPrice": {"currencyCode": "EUR", "units": "ten"}}, None),
        ("PRICE_LEVEL_MODERATE", {}, "$$"),
    ],
)
def test_a_price_is_a_level_a_range_or_both(level, price_range, text):
    assert business_columns({"priceLevel": level, "priceRange": price_range})["price_text"] == text


@pytest.mark.parametrize(
    ("place", "main", "extra"),
    [
        ({"primaryType": "dentist", "types": ["dentist"]}, "dentist", None),
        ({"types": ["plumber", "establishment"]}, "plumber", ["establishment"]),
        ({"primaryTypeDisplayName": {"text": "Zahnarzt"}, "types": []}, "Zahnarzt", None),
    ],
)
def test_the_main_category_is_the_best_name_there_is(place, main, extra):
    found = business_columns(place)

    assert (found["main_category"], found["extra_categories"]) == (main, extra)


def test_a_place_on_the_meridian_or_the_equator_has_a_position():
    found = business_columns({"location": {"latitude": 51.4779}})

    assert (found["latitude"], found["longitude"]) == (Decimal("51.4779"), 0)


@pytest.mark.parametrize("location", [{}, None, {"latitude": 91, "longitude": 1}, {"latitude": "30", "longitude": 1}])
def test_a_place_without_a_position_has_neither_half_of_it(location):
    found = business_columns({"location": location})

    assert (found["latitude"], found["longitude"]) == (None, None)


@settings(deadline=None)
@given(spoilt_places | json_values)
def test_no_answer_is_too_strange_to_be_mapped(place):
    assert business_columns(place).keys() == business_columns(FULL_PLACE).keys()
    assert search_columns(place).keys() == search_columns(FULL_PLACE).keys()


@given(json_values)
def test_what_is_storable_stays_as_it_is(value):
    once = storable(value)

    assert repr(storable(once)) == repr(once)
    assert "\x00" not in repr(once)


def test_what_is_nested_beyond_all_sense_is_cut():
    deep = "bottom"
    for _ in range(900):
        deep = [deep]

    assert "bottom" not in repr(storable(deep))


def without(place, field):
    """The place as Google would send it, had the field not been asked for."""
    copy = deepcopy(place)
    *parents, name = field.split(".")
    inside = copy
    for parent in parents:
        inside = inside[parent]
    del inside[name]
    return copy


def only(place, fields):
    kept = {}
    for field in fields:
        name, _, inner = field.partition(".")
        kept[name] = {**kept.get(name, {}), inner: place[name][inner]} if inner else place[name]
    return kept
