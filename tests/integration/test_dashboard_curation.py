"""The curators' grids: filters, words for many rows by ticks or by filter, and what happens beside them."""

import pytest

from tests.dashboard_support import TOKEN, text_of, visitor_of
from tests.grid_support import ACTIONS, PLACES, names_on, rows_on, states

DOMAINS = """
insert into domains (domain, sitemap_curation_status, sitemap_analysis_status)
values ('smile.com', 'New', 'failed'), ('bark.com', 'Maybe', null)
"""
BUSINESSES = """
insert into local_businesses (business_name, city, website_url, extra_categories, rating) values
    ('Smile', 'Austin', 'https://smile.com', null, 4.5), ('Bite', 'Austin', '', null, 3),
    ('Bark', 'Waco', 'https://bark.com', '{vet}', null)
"""
SITEMAPS = """
insert into sitemap_files (domain_id, url, sitemap_type)
select id, 'https://' || domain || '/sitemap.xml', case domain when 'smile.com' then 'index' else 'urlset' end
from domains
"""
PAGES = """
insert into pages (domain_id, url, page_type)
select id, 'https://' || domain || '/contact', case domain when 'smile.com' then 'contact_root' else 'unknown' end
from domains
"""


@pytest.fixture
def curator(database):
    with visitor_of(database, web_token=TOKEN) as visitor:
        visitor.sign_in("ada")
        yield visitor


@pytest.fixture
def places(db):
    """Their ids by letter."""
    db.execute(PLACES)
    return {letter: str(pk) for letter, pk in db.execute("select place_id, id from places_staging")}


def test_places_are_filtered_as_the_command_filters_them(curator, db, places):
    search = "5f0c21d7-0000-4000-8000-000000000000"
    db.execute("insert into place_searches (id, business_type, location) values (%s, 'dentist', 'Austin')", [search])
    db.execute("update places_staging set search_job_id = %s where place_id = 'c'", [search])
    db.execute("update places_staging set status = 'Maybe', deep_scan_status = 'Error' where place_id = 'b'")

    expected = {
        "name=smile": {"Smile Dental"},
        "name=%25Inn": {"Bark Inn"},
        "name=50%25": {"50% Off Teeth"},
        "type=Dentist": {"Smile Dental", "50% Off Teeth"},
        "location=waco": {"Bark Inn"},
        "min_rating=4": {"Smile Dental", "Bark Inn"},
        "min_rating=4&type=dentist": {"Smile Dental"},
        f"search={search}": {"Bark Inn"},
        "word=Maybe": {"50% Off Teeth"},
        "processing=Error": {"50% Off Teeth"},
        "processing=never": {"Smile Dental", "Bark Inn"},
        "name=": {"Smile Dental", "50% Off Teeth", "Bark Inn"},
        "name=' or true --": set(),
    }

    assert {query: names_on(curator, f"/curate/places?{query}") for query in expected} == expected


def test_the_other_grids_are_filtered_too(curator, db):
    for statement in (DOMAINS, BUSINESSES, SITEMAPS, PAGES):
        db.execute(statement)

    expected = {
        "businesses?city=austin&has_website=yes": {"Smile"},
        "businesses?has_website=no": {"Bite"},
        "businesses?category=vet": {"Bark"},
        "businesses?min_rating=4.5": {"Smile"},
        "domains?domain=smile": {"smile.com"},
        "domains?word=Maybe": {"bark.com"},
        "domains?processing=failed": {"smile.com"},
        "sitemaps?domain=https://www.smile.com/contact": {"https://smile.com/sitemap.xml"},
        "sitemaps?type=URL": {"https://bark.com/sitemap.xml"},
        "pages?domain=Smile.com": {"https://smile.com/contact"},
        "pages?type=unknown": {"https://bark.com/contact"},
        "pages?url=bark": {"https://bark.com/contact"},
    }

    assert {query: names_on(curator, f"/curate/{query}") for query in expected} == expected


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("min_rating=many", "Rated at least: expected a number from 0 to 5, got 'many'"),
        ("min_rating=NaN", "Rated at least: expected a number from 0 to 5"),
        ("min_rating=6", "Rated at least: expected a number from 0 to 5"),
        ("search=1", "Search id: expected an id such as"),
        ("word=Best", "Decision: expected one of New, Selected, Maybe, Not a Fit, Archived, got 'Best'"),
        ("processing=queued", "Processing: expected one of Queued"),
        ("change=x", "Change: expected a whole number"),
        ("name=" + "x" * 201, "Name: expected at most 200 characters"),
    ],
)
def test_a_filter_that_says_nothing_sensible_is_named_and_shows_and_changes_nothing(curator, db, places, query, told):
    name, _, value = query.partition("=")

    shown = curator.get(f"/curate/places?{query}")
    changed = curator.post("/curate/places/all", word_to_set="Selected", confirmed="yes", **{name: value})

    assert told in text_of(shown)
    assert rows_on(shown) == []
    assert told in text_of(changed)
    assert "Nothing was changed" in text_of(changed)
    assert {word for word, _ in states(db).values()} == {"New"}


def test_there_is_no_free_sql_from_the_browser(curator, db, places):
    curator.post("/curate/places/all", word_to_set="Maybe", confirmed="yes", name="smile", where="true", ids="{1,2,3}")

    assert {letter: word for letter, (word, _) in states(db).items()} == {"a": "Maybe", "b": "New", "c": "New"}


def test_what_is_no_kind_is_not_found(curator):
    answer = curator.get("/curate/contacts")

    assert answer.status_code == 404
    assert "there are places, businesses, domains, sitemaps, pages" in text_of(answer)


def test_ticked_rows_get_the_word_are_queued_by_the_database_and_written_down(curator, db, places):
    answer = curator.post("/curate/places/ticked", pk=[places["a"], places["b"]], word_to_set="Selected")

    assert "2 places set to Selected, 2 queued." in text_of(answer)
    assert states(db) == {"a": ("Selected", "Queued"), "b": ("Selected", "Queued"), "c": ("New", None)}
    assert db.execute("select count(*) from engine.job where workflow = 'deep_scan'").fetchone() == (2,)
    assert db.execute(ACTIONS).fetchall() == [("ada", "curate", "deep_scan", 2)]


def test_after_a_change_the_same_page_of_the_list_is_shown_again(curator, places):
    answer = curator.post(
        "/curate/places/ticked", pk=places["a"], word_to_set="Maybe", back="type=dentist&evil=1&kind=pages"
    )

    assert answer.request.path == "/curate"
    assert answer.request.query_string == b"type=dentist"


def test_ticks_that_name_no_row_change_nothing(curator, db, places):
    answer = curator.post("/curate/places/ticked", pk=["0", "99999999999", "x", "1 or true"], word_to_set="Selected")
    none = curator.post("/curate/places/ticked", word_to_set="Selected")

    assert "Nothing was changed" in text_of(answer)
    assert "No row is ticked" in text_of(none)
    assert {word for word, _ in states(db).values()} == {"New"}
    assert db.execute(ACTIONS).fetchall() == []


def test_a_word_that_is_none_is_refused(curator, db, places):
    answer = curator.post("/curate/places/ticked", pk=places["a"], word_to_set="Queued")

    assert answer.status_code == 400
    assert "Unknown word 'Queued'; known are New, Selected" in text_of(answer)


def test_all_that_match_are_first_counted_and_shown(curator, db, places):
    curator.post("/curate/places/ticked", pk=places["a"], word_to_set="Maybe")

    answer = curator.post("/curate/places/all", word_to_set="Maybe", type="dentist")

    assert "Set 1 place to Maybe?" in text_of(answer)
    assert "1 more match and are Maybe already" in text_of(answer)
    assert "50% Off Teeth" in text_of(answer)
    assert "Bark Inn" not in text_of(answer)
    assert states(db)["b"] == ("New", None)


def test_all_that_match_get_the_word_when_it_is_confirmed(curator, db, places):
    answer = curator.post("/curate/places/all", word_to_set="Not a Fit", type="dentist", confirmed="yes")

    assert "2 places set to Not a Fit." in text_of(answer)
    assert states(db) == {"a": ("Not a Fit", None), "b": ("Not a Fit", None), "c": ("New", None)}
    assert db.execute("select detail ->> 'filters' from engine.action").fetchone() == ('{"type": "dentist"}',)


def test_without_a_filter_it_is_said_that_these_are_all(curator, db, places):
    answer = curator.post("/curate/places/all", word_to_set="Archived")

    assert "Set 3 places to Archived?" in text_of(answer)
    assert "There is no filter: these are all places." in text_of(answer)


def test_a_row_that_runs_is_not_disturbed_by_any_word(curator, db, places):
    db.execute("update places_staging set deep_scan_status = 'Processing' where place_id = 'a'")

    selected = curator.post("/curate/places/ticked", pk=places["a"], word_to_set="Selected")
    curator.post("/curate/places/ticked", pk=places["a"], word_to_set="Archived")

    assert "1 place set to Selected, 0 queued." in text_of(selected)
    assert states(db)["a"] == ("Archived", "Processing")


def test_rows_that_somebody_else_holds_are_left_alone_and_it_is_said(curator, db, database, places):
    with db.transaction():
        db.execute("select from places_staging where place_id = 'a' for update")
        answer = curator.post("/curate/places/ticked", pk=places["a"], word_to_set="Selected")

    assert "Somebody else is changing some of these rows. Nothing was changed" in text_of(answer)
    assert states(db)["a"] == ("New", None)


def test_what_became_of_the_rows_on_a_screen_can_be_asked_for(curator, db, places):
    curator.post("/curate/places/ticked", pk=[places["a"], places["c"]], word_to_set="Selected")
    db.execute(
        "update places_staging set deep_scan_status = 'Error', deep_scan_error = 'quota <b>' where place_id = 'a'"
    )

    curator.client.application.extensions["reader"].forget()

    answer = curator.get(f"/curate/places/now?pk={places['a']}&pk=nonsense&pk=999")

    assert [row.attributes["data-row"] for row in rows_on(answer)] == [places["a"]]
    assert "Selected Error quota <b>" in " ".join(rows_on(answer)[0].text(separator=" ").split())
    assert "quota <b>" not in answer.text
    assert "1 Error 1 Queued" in text_of(answer)
