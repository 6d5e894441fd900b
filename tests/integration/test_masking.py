"""Nobody on the suppression list is shown by the texts that stand around others."""

import psycopg
import pytest

from db.statements import statements

pytest_plugins = ["tests.command_support"]

LISTED = (
    ("email", "ann@smile.com"),
    ("phone", "+15125550123"),
    ("phone", "+4930123456"),
    ("domain", "bücher.example"),
)


@pytest.fixture
def listed(db):
    with db.cursor() as cursor:
        cursor.executemany("insert into suppressions (kind, value) values (%s, %s)", LISTED)
    return db


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Write to Ann@Smile.com.", "Write to [suppressed]."),
        ("<ann@smile.com>, bob@smile.com", "<[suppressed]>, bob@smile.com"),
        ("mailto:ann%40smile.com?subject=x", "mailto:[suppressed]?subject=x"),
        ("joann@smile.com", "joann@smile.com"),
        ("eve@shop.bücher.example", "[suppressed]"),
        ("eve@shop.xn--bcher-kva.example", "[suppressed]"),
        ("+1 (512) 555-0123", "[suppressed]"),
        ("Tel. (512) 555-0123, 9-17h", "Tel. [suppressed], 9-17h"),
        ("512.555.0123", "[suppressed]"),
        ("030/123456", "[suppressed]"),
        ("+49 (0)30 123456 / +49 30 123457", "[suppressed] / +49 30 123457"),
        ("0049 30 12 34 56", "[suppressed]"),
        ("order 15125550199", "order 15125550199"),
        ("room 0123", "room 0123"),
        ('{"tel": "+15125550123"}', '{"tel": "[suppressed]"}'),
        ("Austin TX 78701 512-555-0123", "Austin TX 78701 [suppressed]"),
        ("Since 1998 (512) 555-0123", "Since 1998 [suppressed]"),
        ("512-555-0123 512-555-0199", "[suppressed] 512-555-0199"),
        ("512-555-0199 512-555-0123", "512-555-0199 [suppressed]"),
        ("+1-512-555-0123 24/7", "[suppressed] 24/7"),
        ("9-5 512-555-0123", "9-5 [suppressed]"),
        ("512 - 555 - 0123", "[suppressed]"),
        ("(512) - 555-0123", "[suppressed]"),
        ("5 1 2 5 5 5 0 1 2 3", "[suppressed]"),
        ("call 555-0123", "call [suppressed]"),
        ("800-555-0123", "800-555-0123"),
        ("ann@smile.com!", "[suppressed]!"),
        ("|ann@smile.com|", "|[suppressed]|"),
        ("*ann@smile.com*", "*[suppressed]*"),
        ("„ann@smile.com“", "„[suppressed]“"),
        ("\u2018ann@smile.com\u2019", "\u2018[suppressed]\u2019"),
        ("\u2013ann@smile.com", "\u2013[suppressed]"),
        ("-ann@smile.com-", "-[suppressed]-"),
        ("☎ann@smile.com☎", "☎[suppressed]☎"),
        ("mailto:%20ann@smile.com", "mailto:%20[suppressed]"),
        ("ann [at] smile.com, ann(AT)smile.com", "[suppressed], [suppressed]"),
        ("eve@bücher.example!", "[suppressed]!"),
        ("o'ann@gum.com", "o'ann@gum.com"),
        ("no one at all", "no one at all"),
        ("", ""),
        (None, None),
    ],
)
def test_an_address_or_number_in_any_writing_is_masked_and_nothing_else(listed, text, shown):
    assert listed.execute("select engine.masked(%s)", [text]).fetchone() == (shown,)


def test_a_host_of_many_thousand_labels_has_no_more_parents_than_a_name_can_have(listed):
    address = "a@" + "b." * 15_000 + "bücher.example"

    assert listed.execute("select cardinality(engine.host_and_parents(%s))", [address]).fetchone() <= (127,)
    assert listed.execute("select engine.masked(%s)", [address]).fetchone() == ("[suppressed]",)


@pytest.mark.parametrize("unit", ["7", "1 ", "12-", "5125550123 ", "ann@smile.co ", "a@", "x", "%40", " [at] "])
def test_a_long_text_takes_steps_in_proportion_to_its_length(listed, unit):
    listed.execute("set statement_timeout = '60s'")  # it takes a second or two; what is quadratic takes hours
    text = (unit * 100_000)[:100_000]

    assert (
        listed.execute("select engine.masked(%s || ' . 512-555-0123')", [text]).fetchone()[0].endswith("[suppressed]")
    )


def test_nothing_is_masked_when_nobody_is_listed(db):
    text = "ann@smile.com, +1 512 555 0123"

    assert db.execute("select engine.masked(%s)", [text]).fetchone() == (text,)


@pytest.mark.parametrize("first", ["list", "contact"])
def test_the_words_around_another_contact_do_not_name_a_suppressed_person(db, first):
    def list_ann():
        db.execute("insert into suppressions (kind, value) values ('email', 'ann@smile.com')")

    def write_contacts():
        (domain,) = db.execute("insert into domains (domain) values ('smile.com') returning id").fetchone()
        for email, context in (
            ("ann@smile.com", "Ann Lee, ann@smile.com"),
            ("bob@smile.com", "Ann Lee, ann@smile.com; Bob, bob@smile.com"),
            ("eve@smile.com", "Eve, eve@smile.com"),
        ):
            db.execute("insert into contacts (domain_id, email, context) values (%s, %s, %s)", [domain, email, context])

    deeds = [list_ann, write_contacts]
    for deed in deeds if first == "list" else reversed(deeds):
        deed()

    assert db.execute("select email, context from contacts order by email").fetchall() == [
        ("bob@smile.com", None),
        ("eve@smile.com", "Eve, eve@smile.com"),
    ]


def sweep(db):
    """How many rows the hourly pass over contacts writes."""
    return db.execute(statements("upkeep.sql")["forget_numbers"], {"low": "(0,0)", "high": "(1000,0)"}).rowcount


@pytest.mark.parametrize(
    ("own", "context", "kept"),
    [
        ("ann@smile.com", "Jo Ann, joann@smile.com; Ann, ann@smile.com", None),
        ("_joann@smile.com", "Jo, _joann@smile.com", "Jo, _joann@smile.com"),
        ("+18005550123", "Jo, 555-0123", "Jo, 555-0123"),
        ("+18005550123", "Jo, 512-555-0123", None),
    ],
)
@pytest.mark.parametrize("way", ["written", "listed", "swept"])
def test_trigger_and_sweep_agree_on_the_words_that_name_another_person(db, own, context, kept, way):
    def list_her():
        values = "('email', 'joann@smile.com'), ('phone', '+15125550123')"
        db.execute(f"insert into suppressions (kind, value) values {values}")

    column = "email" if "@" in own else "phone_number"
    (domain,) = db.execute("insert into domains (domain) values ('smile.com') returning id").fetchone()
    statement = f"insert into contacts (domain_id, {column}, context) values (%s, %s, %s)"
    if way == "written":
        list_her()
        db.execute(statement, [domain, own, context])
    else:
        if way == "listed":
            hers = (
                "insert into contacts (domain_id, email, phone_number) values (%s, 'joann@smile.com', '+15125550123')"
            )
            db.execute(hers, [domain])
            db.execute(statement, [domain, own, context])
        list_her()
        if way == "swept":
            with db.transaction():
                db.execute("set local session_replication_role = replica")
                db.execute(statement, [domain, own, context])
            assert sweep(db) == (kept is None)

    assert db.execute("select context from contacts").fetchall() == [(kept,)]
    assert sweep(db) == 0


@pytest.mark.parametrize("phone", ["+1 512-555-0123", "(512) 555-0123", "+15125550123"])
@pytest.mark.parametrize("first", ["list", "business"])
def test_a_business_keeps_no_listed_telephone(db, phone, first):
    deeds = [
        lambda: db.execute("insert into suppressions (kind, value) values ('phone', '+15125550123')"),
        lambda: db.execute("insert into local_businesses (business_name, phone) values ('Smile', %s)", [phone]),
    ]
    for deed in deeds if first == "list" else reversed(deeds):
        deed()
    db.execute("insert into local_businesses (business_name, phone) values ('Gum', '+1 512-555-0199')")

    assert db.execute("select business_name, phone from local_businesses order by 1").fetchall() == [
        ("Gum", "+1 512-555-0199"),
        ("Smile", None),
    ]


def test_a_contact_that_came_past_the_triggers_hinders_no_listing(db):
    (domain,) = db.execute("insert into domains (domain) values ('smile.com') returning id").fetchone()
    db.execute("insert into suppressions (kind, value) values ('domain', 'gum.com')")
    with db.transaction():
        db.execute("set local session_replication_role = replica")
        db.execute(
            "insert into contacts (domain_id, email, phone_number, fax_number) values "
            "(%(domain)s, 'eve@gum.com', '+15125550123', '+15125550123'), "
            "(%(domain)s, 'bob@smile.com', '+15125550123', '+15125550123'), "
            "(%(domain)s, null, '+15125550199', '+15125550123')",
            {"domain": domain},
        )

    db.execute("insert into suppressions (kind, value) values ('phone', '+15125550123')")

    numbers = "select email, phone_number, fax_number from engine.reachable_contact order by email"
    assert db.execute(numbers).fetchall() == [("bob@smile.com", None, None), (None, "+15125550199", None)]


def test_a_number_alone_can_not_be_corrected_into_a_listed_one(listed):
    (domain,) = listed.execute("insert into domains (domain) values ('gum.com') returning id").fetchone()
    listed.execute("insert into contacts (domain_id, phone_number) values (%s, '+15125550199')", [domain])

    with pytest.raises(psycopg.errors.RaiseException, match="is on the suppression list"):
        listed.execute("update contacts set phone_number = '+15125550123'")
