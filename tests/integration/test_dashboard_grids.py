"""Long lists and strange contents: pages in both directions, bounded counts, plans, escaping, and who may do what."""

import json
import re

import pytest
from psycopg import sql
from selectolax.lexbor import LexborHTMLParser

from app.web.grids import GRIDS, grid_statements
from app.web.keyset import Place
from db.people.leisure import at_leisure
from tests.dashboard_support import TOKEN, text_of, visitor_of
from tests.grid_support import PLACES, rows_on, states

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7 * 7 }}"
KINDS = tuple(GRIDS)
CONTACTS = """
with d as (insert into domains (domain) values ('d.example') returning id)
insert into contacts (domain_id, email) select id, 'p' || n || '@d.example' from d, generate_series(1, 120) n
"""
DOMAINS = """
insert into domains (domain, created_at)
select 'd' || n || '.example', now() - n * interval '1 s' from generate_series(1, 2000) n
"""


@pytest.fixture
def curator(database):
    with visitor_of(database, web_token=TOKEN) as visitor:
        visitor.sign_in("ada")
        yield visitor


def link(answer, text):
    found = [node for node in LexborHTMLParser(answer.text).css(".pager a") if text in node.text()]
    return found[0].attributes["href"] if found else None


def walk(visitor, path, direction):
    """The ids on every page from there on, page by page."""
    pages = []
    while path:
        answer = visitor.get(path)
        pages.append([row.attributes["data-row"] for row in rows_on(answer)])
        path = link(answer, direction)
    return pages, answer.request.full_path.rstrip("?")


@pytest.mark.parametrize(
    ("path", "rows"),
    [
        ("/curate/places", "insert into places_staging (place_id) select 'p' || n from generate_series(1, 120) n"),
        (
            "/contacts",
            CONTACTS,
        ),
    ],
)
def test_pages_in_both_directions_show_every_row_once_though_all_are_of_the_same_moment(curator, db, path, rows):
    db.execute(rows)

    older, last = walk(curator, path, "Older")
    newer, _ = walk(curator, last, "Newer")

    assert [len(page) for page in older] == [50, 50, 20]
    assert len({pk for page in older for pk in page}) == 120
    assert [pk for page in reversed(newer) for pk in page][-70:] == [pk for page in older for pk in page][-70:]
    assert newer[-1] == older[0]


def test_rows_that_come_meanwhile_move_nothing_on_the_pages_behind(curator, db):
    db.execute("insert into places_staging (place_id) select 'p' || n from generate_series(1, 60) n")
    first = curator.get("/curate/places")
    expected = curator.get(link(first, "Older"))

    db.execute("insert into places_staging (place_id) select 'q' || n from generate_series(1, 30) n")

    again = curator.get(link(first, "Older"))
    assert [row.attributes["data-row"] for row in rows_on(again)] == [
        row.attributes["data-row"] for row in rows_on(expected)
    ]


@pytest.mark.parametrize(
    "mark", ["x", "2026-11-01~1", "2026-11-01T00:00:00+00:00~x", "~", "2026-11-01T00:00:00Z~99999999999"]
)
def test_a_place_that_nobody_was_given_begins_anew(curator, db, mark):
    db.execute(PLACES)

    answer = curator.get("/curate/places", query_string={"older": mark})

    assert len(rows_on(answer)) == 3


def test_many_rows_are_not_counted_to_the_end(curator, db):
    db.execute("insert into places_staging (place_id) select 'p' || n from generate_series(1, 10001) n")

    assert "More than 10,000 places, newest first" in curator.text("/curate/places")


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_read_from_the_index_and_never_sorted(db, kind):
    table = sql.Identifier(GRIDS[kind].curated.table)
    fill(db, kind)
    db.execute(sql.SQL("analyze {}").format(table))
    moment, pk = db.execute(sql.SQL("select created_at, id from {} offset 1000 limit 1").format(table)).fetchone()

    for place in (Place(), Place("older", moment, str(pk)), Place("newer", moment, str(pk))):
        page = grid_statements(GRIDS[kind], {}, place)["page"]
        with at_leisure(db, "10s"):
            plan = json.dumps(db.execute(b"explain (format json) " + page).fetchone()[0])

        assert f"{GRIDS[kind].curated.table}_created_at_id_idx" in plan
        assert '"Sort"' not in plan


def fill(db, kind):
    """Two thousand rows of a kind, over some time."""
    db.execute(DOMAINS)
    moments = "created_at) select {}, created_at from domains"
    rows = {
        "places": "places_staging (place_id, " + moments.format("domain"),
        "businesses": "local_businesses (business_name, " + moments.format("domain"),
        "sitemaps": "sitemap_files (domain_id, url, " + moments.format("id, 'https://' || domain"),
        "pages": "pages (domain_id, url, " + moments.format("id, 'https://' || domain"),
    }
    if kind in rows:
        db.execute(f"insert into {rows[kind]}")


def test_what_comes_from_the_web_is_text_and_never_markup_or_a_script(curator, db):
    db.execute(
        "insert into domains (domain, title, home_url) values ('d.example', %s, 'javascript:alert(1)')", [HOSTILE]
    )
    db.execute(
        "insert into places_staging (place_id, name, vicinity, business_type) values ('p', %(x)s, %(x)s, %(x)s)",
        {"x": HOSTILE},
    )
    db.execute(
        "insert into local_businesses (business_name, full_address, website_url, domain_extraction_status, "
        "domain_extraction_error) values (%(x)s, %(x)s, 'javascript:alert(1)//https://x', 'Error', %(x)s)",
        {"x": HOSTILE},
    )
    for table in ("pages", "sitemap_files"):
        db.execute(
            f"insert into {table} (domain_id, url) select id, 'https://d.example/' || %s from domains", [HOSTILE]
        )
    db.execute(
        "insert into contacts (domain_id, phone_number, name, role, source_url) "
        "select id, '+15125550123', %(x)s, %(x)s, 'data:text/html,' || %(x)s from domains",
        {"x": HOSTILE},
    )
    curator.post("/suppressions", values="x@y.example", reason=HOSTILE, confirmed="yes")

    paths = [*(f"/curate/{kind}" for kind in KINDS), "/contacts", "/suppressions"]
    answers = [curator.get(path) for path in paths]
    answers += [curator.post(f"/curate/{kind}/all", word_to_set="Maybe") for kind in KINDS]
    answers += [
        curator.get(f"/curate/places?name={HOSTILE}"),
        curator.get("/contacts", query_string={"email": HOSTILE}),
    ]

    assert ["alert(1)" in text_of(answer) for answer in answers[: len(paths)]] == [True] * len(paths)
    for answer in answers:
        tree = LexborHTMLParser(answer.text)
        assert answer.status_code == 200
        assert [node.attributes.get("src", "")[:8] for node in tree.css("script")] == ["/static/"] * 3
        assert tree.css("img, [onerror], [style], style") == []
        assert not [node for node in tree.css("a") if not re.match("/|#|https?://", node.attributes["href"])]
        assert "49" not in tree.css_first("main").text()


def test_links_that_lead_away_tell_nobody_where_they_were_followed(curator, db):
    db.execute(
        "insert into local_businesses (business_name, website_url) values ('Smile', 'https://smile.com/?a=1&b=2')"
    )

    (away,) = LexborHTMLParser(curator.get("/curate/businesses").text).css('a[href^="http"]')

    assert away.attributes["href"] == "https://smile.com/?a=1&b=2"
    assert away.attributes["rel"] == "noreferrer noopener"


CHANGES = [
    ("/curate/places/ticked", {"pk": "1", "word_to_set": "Selected"}),
    ("/curate/places/all", {"word_to_set": "Selected", "confirmed": "yes"}),
    ("/curate/places/undo", {"change": "1"}),
    ("/contacts/delete", {"pk": "1", "confirmed": "yes"}),
    ("/contacts/5f0c21d7-0000-4000-8000-000000000000", {"name": "x"}),
    ("/suppressions", {"values": "a@b.example", "confirmed": "yes"}),
    ("/suppressions/remove", {"kind": "email", "value": "a@b.example"}),
]


def test_without_a_token_the_grids_are_shown_and_nothing_can_be_changed(database, db):
    db.execute(PLACES)
    with visitor_of(database) as visitor:
        pages = [
            visitor.get(path) for path in ("/curate/places", "/contacts", "/suppressions", "/curate/places/now?pk=1")
        ]
        answers = [visitor.client.post(path, data=fields) for path, fields in CHANGES]

    assert [page.status_code for page in pages] == [200] * 4
    assert not [
        page for page in pages if LexborHTMLParser(page.text).css("button[value], input[name=pk], button.danger")
    ]
    assert [answer.status_code for answer in answers] == [403] * len(CHANGES)
    assert {word for word, _ in states(db).values()} == {"New"}


def test_a_form_without_its_token_changes_nothing(curator, db):
    db.execute(PLACES)

    answers = [curator.client.post(path, data=fields) for path, fields in CHANGES]
    wrong = [curator.client.post(path, data={**fields, "form_token": "guessed"}) for path, fields in CHANGES]

    assert {answer.status_code for answer in [*answers, *wrong]} == {403}
    assert {word for word, _ in states(db).values()} == {"New"}
    assert db.execute("select count(*) from suppressions").fetchone() == (0,)


def test_whoever_is_not_signed_in_sees_no_rows(database, db):
    db.execute(PLACES)
    with visitor_of(database, web_token=TOKEN) as visitor:
        answers = [visitor.get(path) for path in ("/curate/places", "/contacts", "/contacts/export", "/suppressions")]

    assert ["Sign in" in text_of(answer) for answer in answers] == [True] * 4
    assert not [answer for answer in answers if "Smile" in answer.text]
