"""`scrapersky export`: stable columns, only whole files, and nobody who must not be contacted."""

import csv
import io
import json

import openpyxl
import pytest

pytest_plugins = ["tests.command_support"]

COLUMNS = (
    "email,email_type,name,role,phone,fax,domain,business,category,street,city,state,zip,country,source_url,method,"
    "found_at,changed_at,contact_id"
)


@pytest.fixture
def contacts(db):
    db.execute("insert into local_businesses (business_name, city, country_code) values ('=Smile', 'Austin', 'US')")
    db.execute(
        "insert into domains (domain, local_business_id, email_addresses) "
        "select 'smile.com', id, '{ann@smile.com,bob@smile.com}' from local_businesses"
    )
    db.execute("insert into domains (domain, region) values ('bite.de', 'DE')")
    add(db, "smile.com", "ann@smile.com", "+15125550123", "2026-11-01")
    add(db, "smile.com", "bob@smile.com", None, "2026-11-05")
    add(db, "bite.de", None, "+4930123456", "2026-11-09")


def add(db, domain, email, phone, found):
    db.execute(
        "insert into contacts (domain_id, email, phone_number, created_at) select id, %s, %s, %s from domains "
        "where domain = %s",
        [email, phone, found, domain],
    )


def rows(done):
    assert done.exit_code == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout, newline="")))


def test_contacts_come_with_stable_columns_and_their_business(command, contacts):
    done = command("export", "contacts")

    assert done.stdout.splitlines()[0] == COLUMNS
    ann, bob, bite = rows(done)
    assert (ann["email"], ann["phone"], ann["business"], ann["country"]) == (
        *("ann@smile.com", "+15125550123", "'=Smile", "US"),
    )
    assert ann["found_at"] == "2026-11-01T00:00:00Z"
    assert (bob["email"], bob["phone"]) == ("bob@smile.com", "")
    assert (bite["email"], bite["phone"], bite["country"], bite["business"]) == ("", "+4930123456", "DE", "")


def test_the_help_names_every_column_of_contacts(command):
    told = command("export", "--help").stdout.partition("The columns of contacts:")[2].partition("Options:")[0]

    assert "".join(told.split()) == COLUMNS


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--since", "2026-11-05"], ["bob@smile.com", ""]),
        (["--since", "2026-11-01T00:00:01+00:00"], ["bob@smile.com", ""]),
        (["--since", "0h"], []),
        (["--where", "country = 'US' and email like 'ann%'"], ["ann@smile.com"]),
        (["--where", "false) or (true"], ["ann@smile.com", "bob@smile.com", ""]),
    ],
)
def test_rows_are_chosen_by_date_and_by_condition(command, contacts, options, expected):
    done = command("export", "contacts", *options)

    assert [row["email"] for row in rows(done)] == expected


def test_only_the_columns_that_are_asked_for_come_and_in_their_order(command, contacts):
    done = command("export", "contacts", "--columns", "domain, email", "--format", "json")

    assert json.loads(done.stdout)[0] == {"domain": "smile.com", "email": "ann@smile.com"}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--columns", "mail"], "no column 'mail' in contacts; there are email, email_type"),
        (["--since", "yesterday"], "expected a date such as 2026-11-01"),
        (["--where", "mail = 'x'"], 'column "mail" does not exist'),
        (["--where", "1 / 0 = 1"], "division by zero"),
        (["--where", "true; drop table contacts"], "syntax error"),
        (["--format", "xlsx"], "needs a file"),
        (["--output", "nowhere/contacts.csv"], "there is no directory"),
    ],
)
def test_what_can_not_be_done_is_explained(command, contacts, options, why):
    done = command("export", "contacts", *options)

    assert done.exit_code == 2
    assert why in done.stderr
    assert done.stdout == ""


@pytest.fixture
def pages(db, contacts):
    db.execute("insert into pages (domain_id, url) select id, 'https://' || domain from domains")


@pytest.mark.parametrize("kind", ["contacts", "domains", "pages"])
@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "xlsx"])
def test_every_kind_comes_in_every_format_by_the_name_of_the_file(command, pages, tmp_path, kind, suffix):
    file = tmp_path / f"{kind}.{suffix}"

    done = command("export", kind, "--output", file)

    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.startswith(f"{3 if kind == 'contacts' else 2} {kind} written to ")
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    if suffix == "xlsx":
        assert openpyxl.load_workbook(file)[kind].max_row == (4 if kind == "contacts" else 3)


def test_a_file_that_exists_is_replaced_only_by_force(command, contacts, tmp_path):
    file = tmp_path / "contacts.csv"
    file.write_text("precious")

    refused = command("export", "contacts", "--output", file)
    untouched = file.read_text()
    forced = command("export", "contacts", "--output", file, "--force")

    assert (refused.exit_code, untouched) == (2, "precious")
    assert "say --force to replace it" in refused.stderr
    assert forced.exit_code == 0
    assert file.read_text().startswith("email,")


def test_an_export_that_fails_half_way_leaves_no_file(command, db, contacts, tmp_path):
    for number in range(3_000):
        add(db, "bite.de", f"info{number}@bite.de", None, "2026-11-10")
    stumbles = "1 / case when email = 'info2999@bite.de' then 0 else 1 end = 1"

    done = command("export", "contacts", "--where", stumbles, "--output", tmp_path / "contacts.csv")

    assert done.exit_code == 2
    assert "division by zero" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_nobody_on_the_suppression_list_comes_out_whatever_is_in_the_table(command, db, contacts):
    add(db, "bite.de", "eve@a.b.mail.bark.com", None, "2026-11-10")
    db.execute("update domains set email_addresses = '{eve@a.b.mail.bark.com,eve@bark.com}' where domain = 'bite.de'")
    db.execute("alter table suppressions disable trigger user")
    db.execute(
        "insert into suppressions (kind, value) values ('email', 'bob@smile.com'), ('phone', '+15125550123'), "
        "('phone', '+4930123456'), ('domain', 'bark.com')"
    )

    contacts_out = rows(command("export", "contacts"))
    domains_out = rows(command("export", "domains"))

    assert [(row["email"], row["phone"]) for row in contacts_out] == [("ann@smile.com", "")]
    assert {row["domain"]: row["emails"] for row in domains_out} == {"smile.com": "ann@smile.com", "bite.de": ""}


def test_domains_and_pages_of_a_suppressed_domain_do_not_come_out(command, db, pages):
    db.execute("insert into suppressions (kind, value) values ('domain', 'smile.com')")

    assert [row["domain"] for row in rows(command("export", "domains"))] == ["bite.de"]
    assert [row["url"] for row in rows(command("export", "pages"))] == ["https://bite.de"]


@pytest.mark.parametrize("timezone", ["UTC", "Asia/Tokyo", "America/Chicago"])
def test_a_time_that_no_calendar_has_stops_no_export(command, db, database, tmp_path, timezone):
    db.execute("insert into domains (domain) values ('smile.com')")
    moments = ("infinity", "-infinity", "12026-01-02 03:04:05+00", "0001-01-02 03:04:05+00", "0044-03-15 BC")
    moments += ("9999-12-31 23:59:59+00", "0001-01-01 00:00:00+00")
    for number, moment in enumerate(moments):
        db.execute(
            "insert into pages (domain_id, url, last_modified) select id, %s, %s from domains",
            [f"https://smile.com/{number}", moment],
        )
    url = f"{database}&options=-c%20timezone%3D{timezone}"

    found = {row["url"][-1]: row["last_modified"] for row in rows(command("export", "pages", DATABASE_URL=url))}
    others = [
        command("export", "pages", "--output", tmp_path / f"pages.{kind}", DATABASE_URL=url)
        for kind in ("json", "jsonl", "xlsx")
    ]

    assert (found["0"], found["1"], found["3"]) == ("infinity", "'-infinity", "0001-01-02T03:04:05Z")
    assert found["2"].startswith("12026-01-0")
    assert found["4"].endswith(" BC")
    assert [(one.exit_code, one.stderr) for one in others if one.exit_code] == []
