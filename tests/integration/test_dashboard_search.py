"""From what a person knows to the row: ids, place ids, domains, addresses on the web and e-mail addresses."""

import pytest

from tests.dashboard_support import visitor_of
from tests.shared_database import shared_database

HOSTILE = "<script>alert(1)</script>\"'>"


@pytest.fixture(scope="module")
def database(server, template):
    with shared_database(server, template, "dashboard_search") as url:
        yield url


@pytest.fixture
def visitor(database):
    with visitor_of(database) as visitor:
        yield visitor


def add_domain(db, name):
    db.execute("insert into domains (domain) values (%s) on conflict do nothing", [name])
    return db.execute("select id from domains where domain = %s", [name]).fetchone()[0]


@pytest.mark.parametrize(
    "asked", ["shop.example", "SHOP.example", "www.shop.example", "https://shop.example/x?y=1", "shop"]
)
def test_a_domain_is_found_by_itself_its_host_or_how_it_begins(visitor, db, asked):
    found = add_domain(db, "shop.example")

    answer = visitor.get("/search", query_string={"q": asked})

    assert answer.request.path == f"/rows/domains/{found}"


def test_a_page_is_found_by_its_address_and_a_contact_by_e_mail(visitor, db):
    owner = add_domain(db, "shop.example")
    page = db.execute(
        "insert into pages (domain_id, url) values (%s, 'https://www.shop.example/a') returning id", [owner]
    ).fetchone()[0]
    contact = db.execute(
        "insert into contacts (domain_id, email) values (%s, 'ann@shop.example') returning id", [owner]
    ).fetchone()[0]

    assert f"/rows/pages/{page}" in visitor.get("/search?q=https://www.shop.example/a").text
    assert visitor.get("/search?q=Ann@shop.example").request.path == f"/rows/contacts/{contact}"
    assert visitor.get(f"/search?q={contact}").request.path == f"/rows/contacts/{contact}"


def test_a_place_is_found_by_its_id_and_by_googles(visitor, db):
    place = db.execute("insert into places_staging (place_id) values ('ChIJxyz') returning id").fetchone()[0]

    assert visitor.get("/search?q=ChIJxyz").request.path == f"/rows/places_staging/{place}"
    assert visitor.get(f"/search?q={place}").request.path == f"/rows/places_staging/{place}"


@pytest.mark.parametrize(
    "asked", ["", "nothing like it", "%00", "9" * 40, HOSTILE, "http://[", "@", "'; drop table pages"]
)
def test_what_nothing_is_called_is_said_so(visitor, asked):
    answer = visitor.get("/search", query_string={"q": asked})

    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
