"""Contacts in the dashboard: taken out, corrected and deleted as by the commands, suppressed for good."""

import csv
import io

import openpyxl
import psycopg
import pytest

from tests.dashboard_support import TOKEN, text_of, visitor_of
from tests.grid_support import ACTIONS, names_on

pytest_plugins = ["tests.command_support"]

CONTACTS = """
with known as (
    insert into domains (domain, region) values ('smile.com', 'US'), ('bark.de', 'DE') returning id, domain
)
insert into contacts (domain_id, email, email_type, phone_number, name, created_at)
select known.id, given.email, given.email_type, given.phone, given.name, given.found::timestamptz
from known join (values
    ('smile.com', 'ann@smile.com', 'CORPORATE', '+15125550123', '=HYPERLINK("http://evil.example")', '2026-11-01'),
    ('smile.com', 'info@smile.com', 'SERVICE', null, 'Ünï 100% {x}', '2026-11-02'),
    ('bark.de', null, null, '+4930123456', '@sum', '2026-11-03')
) as given (domain, email, email_type, phone, name, found) using (domain)
"""


@pytest.fixture
def curator(database):
    with visitor_of(database, web_token=TOKEN) as visitor:
        visitor.sign_in("ada")
        yield visitor


@pytest.fixture
def contacts(db):
    """Their ids by address or number."""
    db.execute(CONTACTS)
    return {way: str(pk) for way, pk in db.execute("select coalesce(email, phone_number), id from contacts")}


def test_contacts_are_filtered(curator, contacts):
    expected = {
        "domain=https://www.smile.com/": {"ann@smile.com", "info@smile.com"},
        "email=INFO": {"info@smile.com"},
        "type=SERVICE": {"info@smile.com"},
        "name=100%25 {": set(),
        "name=%25100%25": {"info@smile.com"},
        "": {"ann@smile.com", "info@smile.com", "+4930123456"},
    }

    assert {query: names_on(curator, f"/contacts?{query}") for query in expected} == expected


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ({"format": "csv"}, ["--format", "csv"]),
        ({}, []),
        ({"format": "csv", "bom": "yes"}, ["--bom"]),
        ({"format": "json"}, ["--format", "json"]),
        ({"format": "json", "since": "2026-11-02"}, ["--format", "json", "--since", "2026-11-02"]),
        ({"domain": "Smile.com", "type": "SERVICE"}, ["--where", "domain = 'smile.com' and email_type = 'SERVICE'"]),
        ({"email": "ann", "name": '=hyper%"%'}, ["--where", "email = 'ann@smile.com'"]),
    ],
)
def test_what_is_taken_out_is_the_same_bytes_as_from_the_command(curator, command, contacts, query, options):
    answer = curator.get("/contacts/export", query_string=query)

    assert answer.data == command("export", "contacts", *options).stdout_bytes
    assert answer.data.count(b"\n") > 1


def test_a_spreadsheet_has_the_same_cells_as_from_the_command(curator, command, contacts, tmp_path):
    command("export", "contacts", "--output", tmp_path / "contacts.xlsx")

    answer = curator.get("/contacts/export?format=xlsx")

    assert cells(io.BytesIO(answer.data)) == cells(tmp_path / "contacts.xlsx")
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=contacts-20")
    assert answer.headers["Content-Type"].startswith("application/vnd.openxmlformats")


def cells(file):
    return [[cell.value for cell in row] for row in openpyxl.load_workbook(file).active.iter_rows()]


def test_nothing_in_a_csv_file_is_a_formula_and_nobody_suppressed_is_in_it(curator, db, contacts):
    curator.post("/suppressions", values="info@smile.com", confirmed="yes")

    rows = list(csv.DictReader(io.StringIO(curator.get("/contacts/export").data.decode())))

    assert [row["name"] for row in rows] == ['\'=HYPERLINK("http://evil.example")', "'@sum"]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("format=exe", "format: expected one of csv, json, xlsx, got 'exe'"),
        ("since=soon", "--since: expected a date such as 2026-11-01, or 7d, 12h, 2w; got 'soon'"),
        ("type=ROUND", "Type of address: expected one of SERVICE"),
    ],
)
def test_an_export_that_can_not_be_is_refused_in_one_sentence(curator, contacts, query, told):
    answer = curator.get(f"/contacts/export?{query}")

    assert told in text_of(answer)
    assert "No file was written." in text_of(answer)


def test_it_is_written_down_who_took_contacts_out_but_not_whom(curator, database, db, contacts):
    curator.get("/contacts/export?format=json&domain=smile.com")
    with visitor_of(database) as nobody:
        assert nobody.get("/contacts/export").status_code == 200

    assert db.execute(ACTIONS).fetchall() == [("ada", "export", None, 2)]
    assert db.execute("select detail from engine.action").fetchone()[0] == {
        "kind": "contacts",
        "format": "json",
        "filters": ["format", "domain"],
    }


def test_a_contact_is_corrected_as_by_the_command(curator, db, contacts):
    pk = contacts["+4930123456"]

    answer = curator.post(
        f"/contacts/{pk}", name=" Bo  Bark ", role="owner", email="Bo@Bark.de", phone="030 654321", fax=""
    )

    found = db.execute(
        "select name, role, email, email_type, phone_number from contacts where id = %s", [pk]
    ).fetchone()
    assert "Corrected: name, role, email, phone." in text_of(answer)
    assert found == ("Bo Bark", "owner", "bo@bark.de", "CORPORATE", "+4930654321")
    assert db.execute("select detail from engine.action").fetchone()[0] == {
        "id": pk,
        "fields": ["name", "role", "email", "phone"],
    }


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"email": "nobody at all"}, "'nobody at all' is no e-mail address"),
        ({"email": "ann@smile.com", "phone": "12"}, "'12' is no telephone number"),
        ({"email": "info@smile.com"}, "smile.com has a contact with that address already; delete one of the two"),
        ({"email": "", "phone": ""}, "a contact needs an e-mail address or a telephone number"),
        ({"email": "gone@smile.com"}, "gone@smile.com is on the suppression list"),
    ],
)
def test_a_correction_that_can_not_be_says_why_and_changes_nothing(curator, db, contacts, fields, told):
    db.execute("insert into suppressions (kind, value) values ('email', 'gone@smile.com')")
    before = db.execute("select * from contacts order by id").fetchall()

    answer = curator.post(
        f"/contacts/{contacts['ann@smile.com']}", **{"name": "Ann", "phone": "+15125550123", **fields}
    )

    assert answer.status_code == 400
    assert told in text_of(answer)
    assert db.execute("select * from contacts order by id").fetchall() == before
    assert db.execute(ACTIONS).fetchall() == []


def test_a_contact_that_is_gone_is_not_found(curator):
    assert curator.get("/contacts/5f0c21d7-0000-4000-8000-000000000000").status_code == 404
    assert curator.get("/contacts/nonsense").status_code == 404


def test_contacts_are_deleted_after_a_question(curator, db, contacts):
    asked = curator.post("/contacts/delete", pk=[contacts["ann@smile.com"]], deed="delete")
    assert db.execute("select count(*) from contacts").fetchone() == (3,)

    done = curator.post("/contacts/delete", pk=[contacts["ann@smile.com"]], deed="delete", confirmed="yes")

    assert "Delete 1 contact?" in text_of(asked)
    assert "1 deleted." in text_of(done)
    assert db.execute("select count(*) from contacts").fetchone() == (2,)
    assert db.execute("select count(*) from suppressions").fetchone() == (0,)


def test_deleted_and_suppressed_means_that_others_with_the_same_number_go_too(curator, db, contacts):
    db.execute("insert into contacts (domain_id, phone_number) select id, '+15125550123' from domains")

    done = curator.post("/contacts/delete", pk=[contacts["ann@smile.com"]], deed="suppress", confirmed="yes")

    assert "1 deleted, and 2 more with the same address or number; suppressed from now on." in text_of(done)
    assert db.execute("select kind, value from suppressions order by 1").fetchall() == [
        ("email", "ann@smile.com"),
        ("phone", "+15125550123"),
    ]
    assert db.execute(ACTIONS).fetchall() == [("ada", "delete-contacts", None, 3)]
    assert db.execute("select detail from engine.action where detail::text like '%smile%'").fetchall() == []


def test_to_delete_and_suppress_counts_others_with_the_same_number_first(curator, db, contacts):
    db.execute("insert into contacts (domain_id, phone_number) select id, '+15125550123' from domains")

    asked = curator.post("/contacts/delete", pk=contacts["ann@smile.com"], deed="suppress")

    assert "In all: 3 contact(s) deleted." in text_of(asked)
    assert db.execute("select count(*) from contacts").fetchone() == (5,)


def test_a_second_click_lists_nothing_twice(curator, db, contacts):
    for _ in range(2):
        done = curator.post("/suppressions", values="ann@smile.com", reason="asked us", confirmed="yes")

    assert "0 added to the list; 0 contact(s) deleted." in text_of(done)
    assert db.execute("select count(*) from suppressions").fetchone() == (1,)


def test_a_listing_that_another_transaction_hinders_is_told_and_changes_nothing(curator, database, db, contacts):
    with psycopg.connect(database) as other:
        other.execute("update contacts set name = 'Ann' where email = 'ann@smile.com'")
        done = curator.post("/suppressions", values="ann@smile.com", confirmed="yes")

    assert "nothing was listed. Try again in a moment." in text_of(done)
    assert db.execute("select count(*) from suppressions").fetchone() == (0,)


def test_to_ask_what_a_suppression_deletes_waits_for_no_writer(curator, database, db, contacts):
    with psycopg.connect(database) as other:
        other.execute("update contacts set email = email where email = 'ann@smile.com'")
        asked = curator.post("/suppressions", values="ann@smile.com\ninfo@smile.com")

    assert "Put 2 on the suppression list?" in text_of(asked)
    assert db.execute("select listings from engine.suppression_lock").fetchone() == (0,)


def test_to_suppress_is_first_counted_and_changes_nothing(curator, db, contacts):
    asked = curator.post("/suppressions", values="smile.com\n+49 30 123456\n", reason="asked us")

    assert "Put 2 on the suppression list?" in text_of(asked)
    assert "contacts deleted 3" in text_of(asked)
    assert db.execute("select count(*) from contacts").fetchone() == (3,)
    assert db.execute("select count(*) from suppressions").fetchone() == (0,)
    assert db.execute(ACTIONS).fetchall() == []


def test_suppressed_and_taken_off_the_list_again(curator, db, contacts):
    done = curator.post("/suppressions", values=["smile.com", "+4930123456"], reason="asked us", confirmed="yes")
    listed = curator.text("/suppressions")
    removed = curator.post("/suppressions/remove", kind="domain", value="smile.com")

    assert "2 added to the list; 3 contact(s) deleted" in text_of(done)
    assert "domain smile.com asked us" in listed
    assert "smile.com is off the list." in text_of(removed)
    assert db.execute("select kind from suppressions").fetchall() == [("phone",)]
    assert db.execute(ACTIONS).fetchall() == [("ada", "suppress", None, 2), ("ada", "unsuppress", None, 1)]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ("", "Write an e-mail address, a telephone number or a domain on each line"),
        ("smile.com\nnonsense", "'nonsense' is no e-mail address, no telephone number and no domain"),
        ("\n".join(f"a{number}@b.example" for number in range(501)), "At most 500 at once"),
    ],
)
def test_what_can_not_be_suppressed_is_named_and_nothing_is_changed(curator, db, contacts, values, told):
    answer = curator.post("/suppressions", values=values, confirmed="yes")

    assert told in text_of(answer)
    assert db.execute("select count(*) from suppressions").fetchone() == (0,)


def test_notes_of_the_log_hold_no_address(curator, db, contacts):
    curator.post(f"/contacts/{contacts['ann@smile.com']}", name="Ann", email="ann@smile.com", phone="+15125550123")
    curator.post("/suppressions", values="info@smile.com", confirmed="yes")

    details = [detail for (detail,) in db.execute("select detail from engine.action")]

    assert len(details) == 2
    assert "@" not in str(details)
