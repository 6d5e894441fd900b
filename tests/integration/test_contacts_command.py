"""`scrapersky contacts`: looked at newest first, corrected in the stored form, deleted for good when asked to."""

import json

import pytest

pytest_plugins = ["tests.command_support"]


@pytest.fixture
def people(db):
    """Ann and Bob of one domain, and a number of another."""
    db.execute("insert into domains (domain, region) values ('smile.com', 'US'), ('bite.de', 'DE')")
    given = [
        ("smile.com", "ann@smile.com", None),
        ("smile.com", "bob@smile.com", None),
        ("bite.de", None, "+4930123456"),
    ]
    return [
        db.execute(
            "insert into contacts (domain_id, email, phone_number, created_at) "
            "select id, %s, %s, now() - %s * interval '1 day' from domains where domain = %s returning id",
            [email, phone, age, domain],
        ).fetchone()[0]
        for age, (domain, email, phone) in enumerate(given)
    ]


def contact(db, key, columns="name, role, email, phone_number"):
    return db.execute(f"select {columns} from contacts where id = %s", [key]).fetchone()


def test_contacts_are_listed_newest_first_within_eighty_columns(command, people):
    done = command("contacts", "list")

    assert done.exit_code == 0
    places = [done.stdout.index(str(key)[:8]) for key in people]
    assert places == sorted(places)
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--domain", "Bite.de"], [None]),
        (["--domain", "https://www.bite.de/kontakt"], [None]),
        (["--email", "BOB"], ["bob@smile.com"]),
        (["--email", "%\\"], []),
        (["--email", "a_n"], []),
        (["--email", "ann%"], ["ann@smile.com"]),
        (["--limit", "1"], ["ann@smile.com"]),
        (["--domain", "nowhere.com"], []),
    ],
)
def test_the_list_is_filtered(command, people, options, expected):
    done = command("contacts", "list", "--json", *options)

    assert [row["email"] for row in json.loads(done.stdout)] == expected


def test_a_contact_is_corrected_in_the_form_that_is_stored(command, db, people):
    done = command(
        "contacts", "set", str(people[0])[:8], "name=Ann  Lee", "phone=(512) 555-0123", "email=Ann.Lee@Smile.com"
    )

    assert done.exit_code == 0, done.stderr
    assert contact(db, people[0]) == ("Ann Lee", None, "ann.lee@smile.com", "+15125550123")
    assert contact(db, people[0], "email_type") == ("CORPORATE",)


def test_a_contact_is_found_by_its_address_and_an_empty_value_clears(command, db, people):
    command("contacts", "set", "bob@smile.com", "role=Owner", "name=Bob")

    done = command("contacts", "set", "BOB@smile.com", "name=")

    assert done.exit_code == 0
    assert contact(db, people[1]) == (None, "Owner", "bob@smile.com", None)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("email=ann.smile.com", "is no e-mail address"),
        ("phone=12", "is no telephone number"),
        ("colour=red", "expected one of name, role, email, phone, fax"),
        ("name", "and =value, got 'name'"),
        ("email=bob@smile.com", "smile.com has a contact with that address already"),
        ("email=", "a contact needs an e-mail address or a telephone number"),
    ],
)
def test_a_wrong_correction_is_explained_and_changes_nothing(command, db, people, change, why):
    before = contact(db, people[0])

    done = command("contacts", "set", people[0], change)

    assert done.exit_code in {1, 2}
    assert why in done.stderr
    assert contact(db, people[0]) == before


def test_a_contact_can_not_become_somebody_who_is_suppressed(command, db, people):
    db.execute("insert into suppressions (kind, value) values ('email', 'eve@smile.com')")

    done = command("contacts", "set", people[0], "email=eve@smile.com")

    assert done.exit_code == 1
    assert "eve@smile.com is on the suppression list" in done.stderr


def test_an_address_at_two_domains_needs_an_id_to_be_corrected(command, db, people):
    db.execute(
        "insert into contacts (domain_id, email) select id, 'ann@smile.com' from domains where domain = 'bite.de'"
    )

    done = command("contacts", "set", "ann@smile.com", "name=Ann")

    assert done.exit_code == 2
    assert "is more than one contact" in done.stderr
    assert str(people[0]) in done.stderr


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("nobody@smile.com", "no contact 'nobody@smile.com'"),
        ("xyz", "neither an e-mail address nor"),
        ("ffff", "no contact"),
    ],
)
def test_who_is_not_there_is_told(command, people, given, why):
    done = command("contacts", "delete", given)

    assert done.exit_code in {1, 2}
    assert why in done.stderr


def test_contacts_are_deleted_by_id_and_by_address(command, db, people):
    done = command("contacts", "delete", people[0], "bob@smile.com", "--yes")

    assert done.stdout == "2 contact(s) deleted.\n"
    assert db.execute("select id from contacts").fetchall() == [(people[2],)]


def test_deleted_and_suppressed_contacts_stay_away(command, db, people):
    db.execute(
        "insert into contacts (domain_id, email) select id, 'ann@smile.com' from domains where domain = 'bite.de'"
    )

    done = command("contacts", "delete", people[0], people[2], "--suppress", "--yes")
    db.execute("insert into contacts (domain_id, email) select id, 'ann@smile.com' from domains")

    assert done.stdout.startswith("2 contact(s) and 1 more with the same address or number deleted; suppressed")
    assert db.execute("select email from contacts").fetchall() == [("bob@smile.com",)]
    assert db.execute("select kind, value from suppressions order by 1").fetchall() == [
        ("email", "ann@smile.com"),
        ("phone", "+4930123456"),
    ]


def test_a_script_must_say_yes_before_contacts_are_deleted(command, db, people):
    refused = command("contacts", "delete", people[0])

    assert refused.exit_code == 2
    assert "Delete 1 contact(s)? There is no terminal to ask at; say --yes" in refused.stderr
    assert db.execute("select count(*) from contacts").fetchone() == (3,)


def test_a_dry_run_counts_whom_a_deletion_takes_along_and_changes_nothing(command, db, people):
    db.execute(
        "insert into contacts (domain_id, email) select id, 'ann@smile.com' from domains where domain = 'bite.de'"
    )

    done = command("contacts", "delete", people[0], "--suppress", "--dry-run")

    assert done.stdout == (
        "Dry run, nothing is changed: 1 contact(s) and 1 more with the same address or number would be deleted.\n"
    )
    assert db.execute("select count(*) from contacts").fetchone() == (4,)
    assert db.execute("select count(*) from suppressions").fetchone() == (0,)
