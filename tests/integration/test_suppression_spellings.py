"""One spelling of each value on the list, and every spelling of a host, an address or a number is recognised."""

import idna
import psycopg
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from actors.registry import WORKFLOWS
from app.config import Settings
from db.migrate import migrate

pytest_plugins = ["tests.command_support"]

HOSTS = {
    "bücher.example": "xn--bcher-kva.example",
    "BÜCHER.Example.": "xn--bcher-kva.example",
    "straße.example": "xn--strae-oqa.example",
    "bu\u0308cher.example": "xn--bcher-kva.example",
    "例え。テスト": "xn--r8jz45g.xn--zckzah",
    "почта.рф": "xn--80a1acny.xn--p1ai",
    "😀.example": "xn--e28h.example",
    "a.b.Example": "a.b.example",
    "xn--bcher-kva.example": "xn--bcher-kva.example",
}
LATIN = st.characters(max_codepoint=0x17F, categories=("Ll", "Lu", "Nd"))
CYRILLIC = st.characters(min_codepoint=0x400, max_codepoint=0x45F, categories=("Ll", "Lu"))
LABELS = st.text(st.characters(min_codepoint=0x80, max_codepoint=0x10FFFF, categories=("Ll", "Lo", "Nd")), min_size=1)


@pytest.mark.parametrize(("host", "ascii_host"), HOSTS.items())
def test_a_host_has_one_spelling(db, host, ascii_host):
    assert db.execute("select engine.ascii_host(%s)", [host]).fetchone() == (ascii_host,)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(label=LABELS, between=st.text("abc-xyz019"))
def test_punycode_is_that_of_python(db, label, between):
    text = label[:20] + between[:10] + label[::-1][:20]

    (written,) = db.execute("select engine.punycode(%s)", [text]).fetchone()

    assert written == "xn--" + text.encode("punycode").decode()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(label=st.text(st.one_of(LATIN, CYRILLIC), min_size=1, max_size=20))
def test_a_host_is_spelled_as_the_standard_spells_it(db, label):
    try:
        expected = idna.encode(label, uts46=True, transitional=False).decode()
    except idna.IDNAError:
        assume(False)  # no host at all
    (written,) = db.execute("select engine.ascii_host(%s)", [label]).fetchone()

    assert written == expected


@pytest.mark.parametrize(
    ("kind", "typed", "value"),
    [
        ("domain", " Bücher.Example. ", "xn--bcher-kva.example"),
        ("email", "Ann@BÜCHER.example", "ann@xn--bcher-kva.example"),
        ("phone", "+49 (0)30 / 123-456", "+4930123456"),
    ],
)
def test_a_value_that_is_typed_as_sql_is_stored_in_the_one_spelling(db, kind, typed, value):
    db.execute("insert into suppressions (kind, value) values (%s, %s)", [kind, typed])
    again = "insert into suppressions (kind, value) values (%s, %s) on conflict (kind, value) do nothing"
    db.execute(again, [kind, value])

    assert db.execute("select value from suppressions").fetchall() == [(value,)]


@pytest.mark.parametrize("typed", ["030 123456", "call me", "+0 123"])
def test_a_number_without_its_country_is_refused_with_the_remedy(db, typed):
    with pytest.raises(psycopg.errors.CheckViolation, match="is no telephone number with its country") as refused:
        db.execute("insert into suppressions (kind, value) values ('phone', %s)", [typed])

    assert "suppress add --region" in refused.value.diag.message_hint


@pytest.mark.parametrize(
    ("kind", "typed"), [("domain", "*.b.example"), ("domain", "%.b.example"), ("email", "*@b.example")]
)
def test_a_wildcard_is_refused_with_the_remedy(db, kind, typed):
    with pytest.raises(psycopg.errors.CheckViolation, match="has a wildcard") as refused:
        db.execute("insert into suppressions (kind, value) values (%s, %s)", [kind, typed])

    assert "write it as b.example" in refused.value.diag.message_hint
    assert db.execute("select count(*) from suppressions").fetchone() == (0,)


@pytest.mark.parametrize("listed", ["bücher.example", "xn--bcher-kva.example"])
@pytest.mark.parametrize("own", ["bücher.example", "xn--bcher-kva.example", "shop.bücher.example"])
@pytest.mark.parametrize("first", ["list", "contact"])
def test_a_domain_matches_in_both_spellings_with_everybody_below_it(db, listed, own, first):
    deeds = [
        lambda: db.execute("insert into suppressions (kind, value) values ('domain', %s)", [listed]),
        lambda: add_contacts(db, own),
    ]
    for deed in deeds if first == "list" else reversed(deeds):
        deed()

    assert db.execute("select email from contacts").fetchall() == [("dora@gum.com",)]
    assert db.execute("select email_addresses, phone_numbers from domains where domain = %s", [own]).fetchone() == (
        [],
        [],
    )


def add_contacts(db, own):
    (mine,) = db.execute(
        "insert into domains (domain, email_addresses, phone_numbers) values (%s, %s, '{+4930123456}') returning id",
        [own, ["eve@gmail.example"]],
    ).fetchone()
    (other,) = db.execute("insert into domains (domain) values ('gum.com') returning id").fetchone()
    for domain, email in (
        (mine, "carl@gmail.example"),
        (other, "ann@bücher.example"),
        (other, "bob@a.xn--bcher-kva.example"),
        (other, "dora@gum.com"),
    ):
        db.execute("insert into contacts (domain_id, email) values (%s, %s)", [domain, email])


def test_the_command_lists_both_spellings_as_one(command, db):
    done = command("suppress", "add", "bücher.example", "ann@bücher.example")

    assert done.exit_code == 0, done.stderr
    assert db.execute("select value from suppressions order by 1").fetchall() == [
        ("ann@xn--bcher-kva.example",),
        ("xn--bcher-kva.example",),
    ]


def test_migrate_keeps_entries_in_their_one_spelling_and_joins_those_that_become_one(database, db):
    with db.transaction():
        db.execute("set local session_replication_role = replica")
        db.execute(
            "insert into suppressions (kind, value, reason, created_at) values "
            "('email', 'jörg@example.de', 'own', now()), "
            "('domain', 'bücher.example', 'newer', now()), "
            "('domain', U&'bu\\0308cher.example', 'older', now() - interval '1 day'), "
            "('email', 'ann@bücher.example', 'older', now() - interval '1 day'), "
            "('email', 'ann@xn--bcher-kva.example', 'newer', now())"
        )

    for _ in range(2):
        db.execute("comment on schema engine is null")  # as if the text of every part were new
        migrate(database, WORKFLOWS, Settings().default_tenant_id)

        assert db.execute("select value, reason from suppressions order by 1").fetchall() == [
            ("ann@xn--bcher-kva.example", "older"),
            ("jörg@example.de", "own"),
            ("xn--bcher-kva.example", "older"),
        ]
