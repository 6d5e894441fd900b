"""Nothing of a suppressed person is shown or taken out: grids, rows, search, commands and exports."""

import json

import pytest

from tests.dashboard_support import visitor_of

pytest_plugins = ["tests.command_support"]

SECRETS = ("ann@smile.com", "(512) 555-0123", "+15125550123", "555-0123", "ANN@smile.com")
TEXT = "Ann, ANN@smile.com, (512) 555-0123, or bob@smile.com"


@pytest.fixture
def rows(db):
    """A site whose texts name Ann, and a contact of hers that came past the triggers. By table the key of each row."""
    db.execute("insert into suppressions (kind, value) values ('email', 'ann@smile.com'), ('phone', '+15125550123')")
    with db.transaction():
        db.execute("set local session_replication_role = replica")
        keys = {
            "domains": "insert into domains (domain, title, description, meta_json, email_addresses, phone_numbers, "
            "status_error) values ('smile.com', %(text)s, %(text)s, jsonb_build_object('card', %(text)s::text), "
            "'{ann@smile.com,bob@smile.com}', '{+15125550123}', %(text)s) returning id",
            "local_businesses": "insert into local_businesses (business_name, phone, full_address, website_url, domain)"
            " values (%(text)s, '+1 512-555-0123', %(text)s, 'https://smile.com', 'smile.com') returning id",
            "places_staging": "insert into places_staging (place_id, name, formatted_address, raw_data) "
            "values ('place-1', %(text)s, %(text)s, jsonb_build_object('x', %(text)s::text)) returning id",
            "pages": "insert into pages (domain_id, url, title, h1, description, additional_json) select id, "
            "'https://smile.com/?to=ann@smile.com', %(text)s, %(text)s, %(text)s, "
            "jsonb_build_object('x', %(text)s::text) from domains returning id",
            "contacts": "insert into contacts (domain_id, email, phone_number, name, context) select id, "
            "'ann@smile.com', '+15125550123', %(text)s, %(text)s from domains returning id",
        }
        known = {table: db.execute(statement, {"text": TEXT}).fetchone()[0] for table, statement in keys.items()}
        known["bob"] = db.execute(
            "insert into contacts (domain_id, email, phone_number, fax_number, name, context) select id, "
            "'bob@smile.com', '+15125550123', '+15125550123', %s, %s from domains returning id",
            [TEXT, TEXT],
        ).fetchone()[0]
    return known


def named_in(text):
    return [secret for secret in SECRETS if secret in text]


@pytest.mark.parametrize("kind", ["places", "businesses", "domains", "pages"])
def test_the_grids_show_nothing_of_her(database, rows, kind):
    with visitor_of(database) as visitor:
        shown = visitor.get(f"/curate/{kind}").text

    assert "[suppressed]" in shown
    assert named_in(shown) == []


@pytest.mark.parametrize("table", ["places_staging", "local_businesses", "domains", "pages", "contacts", "bob"])
def test_the_page_of_a_row_shows_nothing_of_her(database, rows, table):
    with visitor_of(database) as visitor:
        shown = visitor.get(f"/rows/{table.replace('bob', 'contacts')}/{rows[table]}").text

    assert "[suppressed]" in shown
    assert named_in(shown) == []


def test_the_page_of_a_contact_that_came_past_the_triggers_tells_neither_name_nor_role(database, db, rows):
    with db.transaction():
        db.execute("set local session_replication_role = replica")
        db.execute("update contacts set name = 'Ann Lee', role = 'Head of Gums' where email = 'ann@smile.com'")
        db.execute("update contacts set name = 'Bob Ray' where email = 'bob@smile.com'")

    with visitor_of(database) as visitor:
        hers = visitor.get(f"/rows/contacts/{rows['contacts']}").text
        his = visitor.get(f"/rows/contacts/{rows['bob']}").text

    assert ("Ann Lee" in hers, "Head of Gums" in hers, "[suppressed]" in hers) == (False, False, True)
    assert "Bob Ray" in his


@pytest.mark.parametrize("dead", [False, True])
def test_the_errors_of_a_workflow_and_the_reason_of_a_row_name_nobody(database, db, rows, dead):
    """A row that waits with an error, and one that failed."""
    status = "failed" if dead else "queued"
    db.execute("update domains set sitemap_analysis_status = 'queued'")
    (workflow,) = db.execute(
        "update engine.job set last_error = %s, dead = %s, attempt = 1 returning workflow", [TEXT, dead]
    ).fetchone()
    with db.transaction():
        db.execute("set local session_replication_role = replica")
        db.execute("update domains set sitemap_analysis_status = %s, sitemap_analysis_error = %s", [status, TEXT])

    with visitor_of(database) as visitor:
        listed = visitor.get(f"/workflows/{workflow}/{'failed' if dead else 'waiting'}").text
        row = visitor.get(f"/rows/domains/{rows['domains']}").text

    assert "[suppressed]" in listed
    assert named_in(listed) == []
    assert named_in(row) == []


def test_why_and_history_at_the_terminal_and_for_analysts_name_nobody(command, db, rows):
    db.execute("update domains set sitemap_analysis_status = 'queued'")
    db.execute("update engine.job set last_error = %s, dead = true, attempt = 1", [TEXT])
    with db.transaction():
        db.execute("set local session_replication_role = replica")
        db.execute("update domains set sitemap_analysis_status = 'failed', sitemap_analysis_error = %s", [TEXT])

    shown = [command(name, "domains", "smile.com").stdout for name in ("why", "history")]
    for function in ("explain", "history", "why"):
        told = db.execute(f"select * from engine.{function}('domains', %s)", [str(rows["domains"])]).fetchall()
        shown.append(str(told))

    assert all("[suppressed]" in text for text in shown)
    assert [named_in(text) for text in shown] == [[]] * 5


def test_a_sitemap_that_is_called_as_she_is_names_nobody(database, db, rows):
    statement = (
        "insert into sitemap_files (domain_id, url) select id, 'https://smile.com/ann@smile.com.xml' from domains"
    )
    (sitemap,) = db.execute(f"{statement} returning id").fetchone()

    with visitor_of(database) as visitor:
        paths = ("/curate/sitemaps", f"/rows/sitemap_files/{sitemap}", f"/rows/domains/{rows['domains']}")
        shown = [visitor.get(path).text for path in paths]

    assert all("[suppressed]" in text for text in shown)
    assert [named_in(text) for text in shown] == [[]] * 3


@pytest.mark.parametrize("path", ["/contacts", "/search?q=smile.com", "/search?q=place-1", "/suppressions?kind=domain"])
def test_contacts_and_search_show_nothing_of_her(database, rows, path):
    with visitor_of(database) as visitor:
        shown = visitor.get(path).text

    assert named_in(shown) == []


def test_the_list_of_contacts_at_the_terminal_names_others_only(command, rows):
    shown = command("contacts", "list", "--json").stdout

    assert [one["email"] for one in json.loads(shown)] == ["bob@smile.com"]
    assert named_in(shown) == []
    assert command("contacts", "delete", "ann@smile.com", "--yes").exit_code == 1


@pytest.mark.parametrize("file_format", ["csv", "json", "jsonl"])
@pytest.mark.parametrize("kind", ["contacts", "domains", "pages"])
def test_no_export_names_her(command, rows, kind, file_format):
    done = command("export", kind, "--format", file_format)

    assert "bob@smile.com" in done.stdout
    assert named_in(done.stdout) == []
