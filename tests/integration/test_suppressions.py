"""Who must not be contacted is not stored, whichever way it comes, and the list is kept in one form."""

import json

import psycopg
import pytest

from tests.contact_support import add, reached, smile_com

pytest_plugins = ["tests.command_support"]


FILE = "name;e-mail\nAnn;Ann@smile.com\nBob;bob\nEve;eve@gum.com\n"
SCANS = "select seq_scan + idx_scan from pg_stat_xact_user_tables where relname = 'contacts'"


@pytest.fixture
def domain(db):
    return smile_com(db)


def suppressed(db):
    return db.execute("select kind, value from suppressions order by kind, value").fetchall()


@pytest.mark.parametrize(
    ("kind", "value", "taken"),
    [
        ("email", "ann@smile.com", ["eve@mail.gum.com", None]),
        ("phone", "+15125550123", ["ann@smile.com", "eve@mail.gum.com"]),
        ("domain", "gum.com", ["ann@smile.com", None]),
        ("domain", "smile.com", []),
        ("domain", "mile.com", ["ann@smile.com", "eve@mail.gum.com", None]),
    ],
)
def test_a_suppressed_contact_is_not_taken_in_and_the_others_are(db, domain, kind, value, taken):
    db.execute("insert into suppressions (kind, value) values (%s, %s)", [kind, value])

    add(db, domain, "ann@smile.com")
    add(db, domain, None, "+15125550123")
    add(db, domain, "eve@mail.gum.com")

    assert [email for email, _ in reached(db)] == taken


def test_a_suppressed_number_goes_and_the_address_beside_it_stays(db, domain):
    add(db, domain, "ann@smile.com", "+15125550123")
    add(db, domain, None, "+15125550123")

    db.execute("insert into suppressions (kind, value) values ('phone', '+15125550123')")
    add(db, domain, "bob@smile.com", "+15125550123")

    assert reached(db) == [("ann@smile.com", None), ("bob@smile.com", None)]


@pytest.mark.parametrize(
    ("kind", "value", "left"),
    [
        ("email", "ann@smile.com", ["eve@gum.com", "ida@mail.gum.com"]),
        ("domain", "gum.com", ["ann@smile.com"]),
        ("domain", "smile.com", []),
    ],
)
def test_who_comes_onto_the_list_is_deleted(db, domain, kind, value, left):
    for email in ("ann@smile.com", "eve@gum.com", "ida@mail.gum.com"):
        add(db, domain, email)

    db.execute("insert into suppressions (kind, value) values (%s, %s)", [kind, value])

    assert [email for email, _ in reached(db)] == left


@pytest.mark.parametrize(
    ("statement", "scans"),
    [
        ("insert into suppressions (kind, value) values ('email', 'eve@gum.com')", 1),
        ("update suppressions set value = 'eve@gum.com'", 1),
        ("update suppressions set reason = 'asked'", 0),
    ],
)
def test_contacts_are_not_read_more_often_than_a_change_of_the_list_needs(db, domain, statement, scans):
    db.execute("insert into suppressions (kind, value) values ('email', 'ann@smile.com')")

    with db.transaction():
        (before,) = db.execute(SCANS).fetchone()
        db.execute(statement)
        (after,) = db.execute(SCANS).fetchone()

    assert after - before == scans


def test_an_entry_that_becomes_another_is_forgotten_too(db, domain):
    add(db, domain, "bob@smile.com")
    db.execute("insert into suppressions (kind, value) values ('email', 'ann@smile.com')")

    db.execute("update suppressions set value = 'bob@smile.com'")

    assert reached(db) == []


def test_a_correction_by_hand_into_a_suppressed_address_is_an_error(db, domain):
    add(db, domain, "ann@smile.com")
    db.execute("insert into suppressions (kind, value) values ('email', 'bob@smile.com')")

    with pytest.raises(psycopg.errors.RaiseException, match="is on the suppression list"):
        db.execute("update contacts set email = 'bob@smile.com'")


def test_addresses_numbers_and_domains_are_told_apart_and_stored_in_one_form(command, db):
    done = command(
        "suppress",
        "add",
        "Ann@Smile.com",
        "+1 (512) 555-0123",
        "https://www.bite.de/x",
        "@gum.com",
        "--reason",
        "asked",
    )

    assert done.exit_code == 0, done.stderr
    assert suppressed(db) == [
        ("domain", "bite.de"),
        ("domain", "gum.com"),
        ("email", "ann@smile.com"),
        ("phone", "+15125550123"),
    ]
    assert "https://www.bite.de/x is listed as domain bite.de" in done.stderr
    assert db.execute("select distinct reason from suppressions").fetchall() == [("asked",)]


def test_adding_a_domain_counts_everybody_below_it_however_deep(command, db, domain):
    add(db, domain, "eve@a.b.c.gum.com")

    done = command("suppress", "add", "gum.com", "--yes")

    assert done.stdout == "1 added to the suppression list; 1 contact(s) deleted.\n"
    assert reached(db) == []


def test_adding_says_how_many_contacts_were_deleted(command, db, domain):
    add(db, domain, "ann@smile.com", "+15125550123")
    add(db, domain, None, "+15125550199")

    first = command("suppress", "add", "smile.com", "--yes")
    second = command("suppress", "add", "smile.com")

    assert first.stdout == "1 added to the suppression list; 2 contact(s) deleted.\n"
    assert second.stdout == "0 added to the suppression list, 1 there already; 0 contact(s) deleted.\n"


@pytest.mark.parametrize("value", ["sub.smile.com", "*@smile.com"])
def test_a_script_must_say_yes_before_contacts_are_lost_and_hears_before_how_many_are_meant(command, db, domain, value):
    add(db, domain, "ann@smile.com")

    refused = command("suppress", "add", value)

    assert refused.exit_code == 2
    widened, first, *question = refused.stderr.splitlines()
    assert widened == f"{value} is listed as domain smile.com: everybody there, subdomains too"
    assert first == "  ann@smile.com (smile.com) is deleted"
    asked = "Put 1 on the suppression list? This is lost: 1 contact(s) deleted. There is no terminal to ask at"
    assert asked in question[-1]
    assert (len(reached(db)), suppressed(db)) == (1, [])


def test_a_dry_run_of_adding_counts_and_changes_nothing(command, db, domain):
    add(db, domain, "ann@smile.com")

    done = command("suppress", "add", "smile.com", "bite.de", "--dry-run")

    assert done.stdout == (
        "Dry run, nothing is changed: 2 for the suppression list; this would be lost: 1 contact(s) deleted.\n"
    )
    assert (len(reached(db)), suppressed(db)) == (1, [])


@pytest.mark.parametrize(
    ("value", "why"),
    [("ann@", "is no e-mail address"), ("0512", "or give --region"), ("nobody", "no domain"), ("com", "no domain")],
)
def test_what_is_none_of_the_three_is_refused(command, db, value, why):
    done = command("suppress", "add", value, "bob@smile.com")

    assert done.exit_code == 2
    assert why in done.stderr
    assert suppressed(db) == []


def test_numbers_of_a_country_are_read_with_its_region(command, db):
    command("suppress", "add", "030 123456", "--region", "DE")

    assert suppressed(db) == [("phone", "+4930123456")]


def test_entries_are_removed_in_any_spelling_and_what_was_not_there_is_told(command, db):
    command("suppress", "add", "ann@smile.com", "bite.de")

    done = command("suppress", "remove", "ANN@smile.com", "www.bite.de", "bob@smile.com")

    assert done.exit_code == 1
    assert done.stdout == "2 of 3 taken off the suppression list.\n"
    assert suppressed(db) == []


def test_the_list_shows_kind_value_and_reason(command, db):
    command("suppress", "add", "ann@smile.com", "--reason", "asked us")

    shown = command("suppress", "list").stdout
    (entry,) = json.loads(command("suppress", "list", "--json").stdout)

    assert "ann@smile.com" in shown
    assert (entry["kind"], entry["value"], entry["reason"]) == ("email", "ann@smile.com", "asked us")
    assert json.loads(command("suppress", "list", "--kind", "phone", "--json").stdout) == []


def test_a_file_of_entries_goes_in_and_bad_lines_are_told(command, db, domain):
    add(db, domain, "ann@smile.com")

    refused = command("suppress", "import", "-", given=FILE)
    counted = command("suppress", "import", "-", "--dry-run", given=FILE)
    before = suppressed(db)
    done = command("suppress", "import", "-", "--yes", given=FILE)

    assert (refused.exit_code, before) == (2, [])
    assert "Put 2 on the suppression list? This is lost: 1 contact(s) deleted. There is no terminal" in refused.stderr
    assert counted.stdout == (
        "Dry run, nothing is changed: 2 for the suppression list; this would be lost: 1 contact(s) deleted. "
        "1 of no use.\n"
    )
    assert done.exit_code == 1
    assert suppressed(db) == [("email", "ann@smile.com"), ("email", "eve@gum.com")]
    assert done.stderr.startswith("line 3: 'bob' is no e-mail address")
    assert done.stdout == "2 added to the suppression list; 1 contact(s) deleted. 1 of no use.\n"


def test_a_listed_domain_stands_for_everybody_below_it_however_deep(db):
    db.execute("insert into suppressions (kind, value) values ('domain', 'gum.com')")
    (domain,) = db.execute("insert into domains (domain) values ('smile.example') returning id").fetchone()

    db.execute(
        "insert into contacts (domain_id, email) values (%(domain)s, 'a@x.y.z.gum.com'), (%(domain)s, 'b@begum.com')",
        {"domain": domain},
    )

    assert db.execute("select email from contacts").fetchall() == [("b@begum.com",)]


def test_what_a_home_page_gave_is_cleared_of_those_who_are_listed_before_or_after(db):
    db.execute("insert into suppressions (kind, value) values ('email', 'ann@smile.example')")
    db.execute(
        "insert into domains (domain, email_addresses, phone_numbers) values "
        "('smile.example', '{ann@smile.example,bob@smile.example,eve@mail.gum.com}', '{+4930123456,+4930123457}')"
    )

    for kind, value in (("phone", "+4930123456"), ("domain", "gum.com")):
        db.execute("insert into suppressions (kind, value) values (%s, %s)", [kind, value])

    assert db.execute("select email_addresses, phone_numbers from domains").fetchone() == (
        ["bob@smile.example"],
        ["+4930123457"],
    )
