"""The business tables in a real Postgres: what the models say, what the migrations build, what a hand can type."""

import secrets

import pytest
from sqlalchemy import Connection, Enum, create_engine, text
from sqlalchemy.exc import IntegrityError

from db.migrations import upgrade
from db.models import (
    Base,
    Contact,
    Domain,
    LocalBusiness,
    Page,
    Place,
    PlaceSearch,
    RobotsFile,
    SitemapFile,
    Suppression,
    Tenant,
)

TYPED_BY_HAND = {
    Tenant: "INSERT INTO tenants (name) VALUES ('Acme')",
    PlaceSearch: "INSERT INTO place_searches (business_type, location) VALUES ('dentist', 'Seattle')",
    Place: "INSERT INTO places_staging (place_id) VALUES ('ChIJ1')",
    LocalBusiness: """INSERT INTO local_businesses (place_id, business_name, website_url)
                      VALUES ('ChIJ1', 'Smile', 'https://smile.example')""",
    Domain: "INSERT INTO domains (domain) VALUES ('smile.example')",
    SitemapFile: """INSERT INTO sitemap_files (domain_id, url)
                    SELECT id, 'https://smile.example/sitemap.xml' FROM domains""",
    Page: "INSERT INTO pages (domain_id, url) SELECT id, 'https://smile.example/contact' FROM domains",
    Contact: "INSERT INTO contacts (domain_id, email) SELECT id, 'info@smile.example' FROM domains",
    RobotsFile: "INSERT INTO robots_files VALUES ('https://smile.example', 404, '', now())",
    Suppression: "INSERT INTO suppressions (kind, value) VALUES ('email', 'info@smile.example')",
}
WORD_COLUMNS = [
    (model, column.name)
    for model in TYPED_BY_HAND
    for column in model.__table__.columns
    if isinstance(column.type, Enum)
]


@pytest.fixture
def tables(empty_database):
    """A connection to a migrated database; a failing statement is undone alone, as at a prompt."""
    engine = create_engine(empty_database)
    with engine.connect() as connection:
        upgrade(connection)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        yield connection
    engine.dispose()


@pytest.fixture
def rows(tables):
    """One row in each table, typed by hand."""
    for statement in TYPED_BY_HAND.values():
        tables.execute(text(statement))
    return tables


def test_a_row_of_every_table_can_be_typed_by_hand(rows):
    tenant = value(rows, "SELECT default_tenant_id()")

    for model in TYPED_BY_HAND.keys() - {Tenant, RobotsFile, Suppression}:
        assert value(rows, f"SELECT tenant_id FROM {model.__tablename__}") == tenant


def test_every_table_is_tried_here():
    assert TYPED_BY_HAND.keys() == {
        mapper.class_ for mapper in Base.registry.mappers if mapper.class_.metadata is Base.metadata
    }


def test_the_default_tenant_can_be_another_one(tables):
    other = value(tables, "INSERT INTO tenants (name) VALUES ('Other') RETURNING id")

    tables.execute(
        text(f"CREATE OR REPLACE FUNCTION default_tenant_id() RETURNS uuid LANGUAGE sql STABLE RETURN '{other}'::uuid")
    )

    assert value(tables, "INSERT INTO domains (domain) VALUES ('smile.example') RETURNING tenant_id") == other


@pytest.mark.parametrize(("model", "column"), WORD_COLUMNS)
def test_a_typo_in_a_status_is_refused_by_name_and_every_known_word_is_taken(rows, model, column):
    table = model.__tablename__

    for word in model.__table__.columns[column].type.enums:
        rows.execute(text(f"UPDATE {table} SET {column} = :word"), {"word": word})

    with pytest.raises(IntegrityError, match=f"{column}_is_known"):
        rows.execute(text(f"UPDATE {table} SET {column} = 'Qeued'"))


@pytest.mark.parametrize("model", [Place, LocalBusiness, Domain, SitemapFile, Page, Contact])
def test_the_same_row_typed_twice_meets_the_first_one_at_its_natural_key(rows, model):
    key = ", ".join(model.__natural_key__)

    rows.execute(text(f"{TYPED_BY_HAND[model]} ON CONFLICT ({key}) DO NOTHING"))

    assert value(rows, f"SELECT count(*) FROM {model.__tablename__}") == 1


def test_a_phone_without_an_address_is_one_contact_however_often_it_is_found(rows):
    key = Contact.__fallback_key__
    phone = "INSERT INTO contacts (domain_id, phone_number) SELECT id, :phone FROM domains"
    upsert = f"{phone} ON CONFLICT ({', '.join(key.columns)}) WHERE {key.condition} DO NOTHING"

    for number in ("+12065550100", "+12065550100", "+12065550111"):
        rows.execute(text(upsert), {"phone": number})

    assert value(rows, "SELECT count(*) FROM contacts WHERE email IS NULL") == 2
    with pytest.raises(IntegrityError, match="phone_number_without_email"):
        rows.execute(text(phone), {"phone": "+12065550100"})


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ("email = 'Info@Smile.example'", "email_is_a_lower_case_address"),
        ("email = 'not found'", "email_is_a_lower_case_address"),
        ("email = null", "someone_can_be_reached"),
        ("phone_number = 'Phone not found'", "phone_number_is_e164"),
        ("phone_number = '206 555 0100'", "phone_number_is_e164"),
        ("fax_number = ''", "fax_number_is_e164"),
    ],
)
def test_a_placeholder_is_not_a_contact(rows, wrong, rule):
    with pytest.raises(IntegrityError, match=rule):
        rows.execute(text(f"UPDATE contacts SET {wrong}"))


@pytest.mark.parametrize("wrong", ["https://smile.example", "Smile.example", "smile.example/", "a b.example", ""])
def test_a_url_is_not_a_domain(tables, wrong):
    with pytest.raises(IntegrityError, match="domain_is_a_bare_host_name"):
        tables.execute(text("INSERT INTO domains (domain) VALUES (:domain)"), {"domain": wrong})


@pytest.mark.parametrize("table", ["sitemap_files", "pages"])
def test_a_url_of_2048_bytes_is_kept_and_a_longer_one_is_refused_by_name(rows, table):
    insert = text(f"INSERT INTO {table} (domain_id, url) SELECT id, :url FROM domains")
    incompressible = secrets.token_hex(1024)

    rows.execute(insert, {"url": incompressible})

    with pytest.raises(IntegrityError, match="url_fits_into_an_index"):
        rows.execute(insert, {"url": incompressible + "x"})


def test_two_businesses_share_a_site_and_follow_it_to_its_new_name(rows):
    rows.execute(text("INSERT INTO local_businesses (business_name) VALUES ('Smile North')"))
    rows.execute(text("UPDATE local_businesses SET domain = 'smile.example'"))

    rows.execute(text("UPDATE domains SET domain = 'smiles.example'"))

    assert column(rows, "SELECT domain FROM local_businesses") == ["smiles.example", "smiles.example"]


def test_a_deleted_domain_takes_its_findings_along_and_leaves_the_business(rows):
    rows.execute(text("UPDATE local_businesses SET domain = 'smile.example'"))
    rows.execute(text("UPDATE domains SET local_business_id = local_businesses.id FROM local_businesses"))

    rows.execute(text("DELETE FROM domains"))

    left = [value(rows, f"SELECT count(*) FROM {table}") for table in ("sitemap_files", "pages", "contacts")]
    assert left == [0, 0, 0]
    assert column(rows, "SELECT domain FROM local_businesses") == [None]


def test_what_a_deleted_row_brought_stays_and_forgets_where_it_came_from(rows):
    rows.execute(text("UPDATE places_staging SET search_job_id = place_searches.id FROM place_searches"))
    rows.execute(text("UPDATE domains SET local_business_id = local_businesses.id FROM local_businesses"))
    rows.execute(text("UPDATE pages SET sitemap_file_id = sitemap_files.id FROM sitemap_files"))
    rows.execute(text("UPDATE contacts SET page_id = pages.id FROM pages"))

    for table in ("place_searches", "local_businesses", "sitemap_files"):
        rows.execute(text(f"DELETE FROM {table}"))
    origin_of_page = column(rows, "SELECT sitemap_file_id FROM pages")
    rows.execute(text("DELETE FROM pages"))

    assert origin_of_page == [None]
    assert column(rows, "SELECT search_job_id FROM places_staging") == [None]
    assert column(rows, "SELECT local_business_id FROM domains") == [None]
    assert column(rows, "SELECT page_id FROM contacts") == [None]


def value(connection: Connection, query: str):
    return connection.execute(text(query)).scalar_one()


def column(connection: Connection, query: str) -> list:
    return list(connection.execute(text(query)).scalars())
