"""What a listing is about: counted before, hashed whatever the session did before, swept when it slipped through."""

import re

import pytest

from app.config import Settings
from app.retention import Retention
from db.connections import open_pool
from tests.contact_support import add, reached, smile_com

pytest_plugins = ["tests.command_support"]


@pytest.fixture
def domain(db):
    return smile_com(db)


def test_everything_that_will_be_lost_is_counted_and_listed_before_it_is(command, db, domain):
    add(db, domain, "ann@smile.com", "+15125550123")
    add(db, domain, None, "+15125550123")
    db.execute(
        "insert into contacts (domain_id, email, context) values (%(domain)s, 'bob@smile.com', 'Ann, (512) 555-0123'), "
        "(%(domain)s, 'eve@smile.com', 'Eve, (512) 555-0199')",
        {"domain": domain},
    )
    db.execute("insert into domains (domain, phone_numbers) values ('gum.com', '{+15125550123}')")
    db.execute("insert into local_businesses (business_name, phone) values ('Gum', '(512) 555-0123')")

    counted = command("suppress", "add", "+15125550123", "--dry-run", "--list")
    done = command("suppress", "add", "+15125550123", "--yes")

    lost = (
        "1 contact(s) deleted, a number removed from 1 more, the words around 1 other contact(s) cleared, "
        "addresses or numbers of 1 domain(s) cleared, the telephone of 1 business(es) cleared."
    )
    rows = [
        "  +15125550123 (smile.com) is deleted",
        "  ann@smile.com (smile.com) loses a number",
        "  bob@smile.com (smile.com) loses the words around it",
        "  gum.com loses addresses or numbers",
        "  Gum loses its telephone",
    ]
    assert counted.stdout.splitlines()[:-1] == rows
    assert counted.stdout.splitlines()[-1].endswith(f"this would be lost: {lost}")
    assert done.stderr.splitlines() == rows
    assert done.stdout == f"1 added to the suppression list; {lost}\n"
    assert db.execute("select context from contacts where context is not null").fetchall() == [("Eve, (512) 555-0199",)]


def test_of_many_rows_the_first_are_shown_and_the_command_that_has_all(command, db, domain):
    db.execute(
        "insert into contacts (domain_id, email) "
        "select %s, 'p' || number || '@smile.com' from generate_series(1, 60) as number",
        [domain],
    )

    shown = command("suppress", "add", "smile.com", "--dry-run")
    whole = command("suppress", "add", "smile.com", "--dry-run", "--list")

    assert len(shown.stderr.splitlines()) == 51
    assert shown.stderr.splitlines()[-1] == "  and 10 more; all of them: the same command with --dry-run --list"
    assert len(whole.stdout.splitlines()) == 61


@pytest.mark.parametrize("own", ["ann@smile.com", "other@gum.com"])
def test_as_many_contexts_are_counted_as_are_cleared(command, db, domain, own):
    """Of an address too that was never a contact."""
    add(db, domain, own)
    db.execute(
        "insert into contacts (domain_id, email, context) values "
        "(%(domain)s, 'bob@smile.com', 'secretary of ann at smile.com'), "
        "(%(domain)s, 'eve@smile.com', 'Eve at smile.com')",
        {"domain": domain},
    )

    counted = command("suppress", "add", "ann@smile.com", "--dry-run")
    command("suppress", "add", "ann@smile.com", "--yes")

    assert "the words around 1 other contact(s) cleared" in counted.stdout
    assert db.execute("select context from contacts where context is not null").fetchall() == [("Eve at smile.com",)]


def test_what_came_past_the_triggers_is_cleared_by_the_sweep_and_counted(database, db, domain, caplog):
    db.execute("insert into suppressions (kind, value) values ('email', 'ann@smile.com'), ('phone', '+15125550123')")
    with db.transaction():
        db.execute("set local session_replication_role = replica")
        add(db, domain, "ann@smile.com")
        add(db, domain, None, "+15125550123")
        add(db, domain, "bob@smile.com", "+15125550123")
        db.execute(
            "insert into contacts (domain_id, email, context) values (%s, 'eve@smile.com', 'Ann, ann@smile.com')",
            [domain],
        )
        db.execute("update domains set email_addresses = '{ann@smile.com,eve@smile.com}'")
        db.execute("insert into local_businesses (phone) values ('+1 512-555-0123')")
    pool = open_pool(database, size=2, name="test")
    retention = Retention(pool, Settings(database_url=database))

    retention.prune()
    first = [record.fields for record in caplog.records if record.message == "suppressed.cleared"]
    retention.prune()
    pool.close()

    assert reached(db) == [("bob@smile.com", None), ("eve@smile.com", None)]
    assert db.execute("select count(context) from contacts").fetchone() == (0,)
    assert db.execute("select email_addresses from domains").fetchone() == (["eve@smile.com"],)
    assert db.execute("select phone from local_businesses").fetchone() == (None,)
    assert [(one["table"], one["rows"]) for one in first] == [
        ("contacts", 2),
        ("contacts", 2),
        ("domains", 1),
        ("local_businesses", 1),
    ]
    assert len([record for record in caplog.records if record.message == "suppressed.cleared"]) == 4


@pytest.mark.parametrize("function", ["suppressed_contacts", "suppressed_domains", "suppressed_businesses"])
def test_entries_are_hashed_by_the_plan_that_is_kept_however_few_there_were_at_first(db, function):
    (body, settings) = db.execute("select prosrc, proconfig from pg_proc where proname = %s", [function]).fetchone()
    for name, value in (setting.split("=", 1) for setting in settings):
        db.execute("select set_config(%s, %s, false)", [name, value])
    query = re.search(r"return query\s+(.*?);", body, re.DOTALL)[1]
    query = re.sub(r"\bgiven\b", "$2", re.sub(r"\bkinds\b", "$1", query))

    db.execute("set plan_cache_mode = force_generic_plan")
    db.execute(f"prepare kept (text[], text[]) as {query}")
    plan = "\n".join(line for (line,) in db.execute("explain execute kept ('{email}', '{ann@smile.com}')").fetchall())

    assert plan.count("Function Scan on entry") > 0
    assert plan.count("Hash Join") >= plan.count("Function Scan on entry"), plan


def test_the_trigger_itself_hashes_too(db):
    (settings,) = db.execute("select proconfig from pg_proc where proname = 'forget_suppressed'").fetchone()

    assert "enable_nestloop=off" in settings
    assert "enable_hashjoin=on" in settings
