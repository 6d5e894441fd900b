"""`scrapersky select`: a word for many rows, by filter, never by accident for all."""

import json

import pytest

pytest_plugins = ["tests.command_support"]

PLACES = """
insert into places_staging (place_id, name, business_type, search_location, rating) values
    ('a', 'Smile Dental', 'dentist', 'Austin, TX', 4.8), ('b', '50% Off Teeth', 'dentist', 'Austin, TX', 3.1),
    ('c', 'Bark Inn', 'kennel', 'Waco, TX', 4.9)
"""


@pytest.fixture
def places(db):
    db.execute(PLACES)


def selected(db):
    rows = db.execute("select place_id from places_staging where status = 'Selected' order by 1")
    return "".join(place for (place,) in rows)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--type", "Dentist"], "ab"),
        (["--location", "waco"], "c"),
        (["--name", "smile"], "a"),
        (["--name", "%Inn"], "c"),
        (["--name", "%\\"], ""),
        (["--min-rating", "4"], "ac"),
        (["--min-rating", "4", "--type", "dentist"], "a"),
        (["--where", "name like '50%' or rating > 4.85"], "bc"),
        (["--where", "name like '50%' or rating > 4.85 -- and so on", "--type", "kennel"], "c"),
        (["--where", "false) or (true", "--type", "kennel"], "c"),
        (["--all"], "abc"),
        (["--all", "--limit", "2"], "ab"),
    ],
)
def test_filters_choose_the_rows(command, db, places, options, expected):
    done = command("select", "places", *options)

    assert done.exit_code == 0, done.stderr
    assert selected(db) == expected
    assert done.stdout.startswith(f"{len(expected)} places set to Selected")


def test_without_a_filter_nothing_is_changed(command, db, places):
    done = command("select", "places")

    assert done.exit_code == 2
    assert "say --all if you mean it" in done.stderr
    assert selected(db) == ""


def test_a_dry_run_shows_how_many_and_which(command, db, places):
    done = command("select", "places", "--type", "dentist", "--dry-run")

    assert done.exit_code == 0
    assert done.stdout.startswith("Dry run, nothing is changed: 2 of 2 places would become Selected.")
    assert "Smile Dental" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert selected(db) == ""


def test_rows_that_have_the_status_already_are_left_alone_and_said(command, db, places):
    command("select", "places", "--name", "smile", "--status", "maybe")

    done = command("select", "places", "--type", "dentist", "--status", "Maybe")

    assert done.stdout == "1 places set to Maybe; 1 had that status already.\n"


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("nam = 'x'", 'column "nam" does not exist'),
        ("name = ", "syntax error"),
        ("true; drop table contacts", "syntax error"),
        ("true); drop table contacts; select (true", "cannot insert multiple commands"),
        ("name > 5", "operator does not exist"),
        ("name in (select x from nowhere)", 'relation "nowhere" does not exist'),
        ("nextval('places_staging_id_seq') > 0", "read-only"),
        ("1 / (rating - 4.9) < 9", "division by zero"),
    ],
)
def test_a_condition_that_postgres_does_not_understand_is_explained_and_nothing_is_done(
    command, db, places, condition, why
):
    done = command("select", "places", "--where", condition)

    assert done.exit_code == 2
    assert why in done.stderr
    assert selected(db) == ""
    assert db.execute("select to_regclass('contacts') is not null").fetchone() == (True,)


def test_what_postgres_says_of_a_condition_shows_nothing_but_the_condition(command, places):
    done = command("select", "places", "--where", "name = 'x")

    assert done.stderr.endswith("unterminated quoted string at or near \"'x\n")


def test_a_limit_beyond_all_rows_is_refused(command, places):
    done = command("select", "places", "--all", "--limit", "9" * 20)

    assert done.exit_code == 2
    assert "'--limit'" in done.stderr


@pytest.mark.parametrize("domain", ["Smile.com", "https://www.smile.com/contact"])
def test_pages_are_chosen_by_their_domain_in_any_spelling(command, db, domain):
    db.execute(
        "with d as (insert into domains (domain) values ('smile.com') returning id) "
        "insert into pages (domain_id, url) select id, 'https://smile.com/' from d"
    )

    done = command("select", "pages", "--domain", domain)

    assert done.stdout == "1 pages set to Selected, 1 queued.\n"


@pytest.fixture
def scanned(db, places):
    """Of the three, b failed and c is running."""
    db.execute("update places_staging set deep_scan_status = 'Error' where place_id = 'b'")
    db.execute("update places_staging set deep_scan_status = 'Processing' where place_id = 'c'")


def states(db):
    rows = db.execute("select status, deep_scan_status from places_staging order by place_id").fetchall()
    return dict(zip("abc", rows, strict=True))


def test_selected_rows_are_queued_and_counted_but_not_those_that_run(command, db, scanned):
    done = command("select", "places", "--all", "--json")

    assert json.loads(done.stdout) == {"matching": 3, "updated": 3, "queued": 2, "dry_run": False}
    assert states(db) == {
        "a": ("Selected", "Queued"),
        "b": ("Selected", "Queued"),
        "c": ("Selected", "Processing"),
    }


def test_another_word_queues_nothing_and_stops_nothing(command, db, scanned):
    done = command("select", "places", "--all", "--status", "Not a Fit")

    assert done.stdout == "3 places set to Not a Fit.\n"
    assert [state for _, state in states(db).values()] == [None, "Error", "Processing"]


def test_what_was_selected_and_failed_is_queued_again_only_when_asked_to(command, db, places):
    command("select", "places", "--all")
    db.execute("update places_staging set deep_scan_status = 'Error' where place_id = 'b'")

    plain = command("select", "places", "--all")
    again = command("select", "places", "--all", "--again")

    assert plain.stdout.startswith("0 places set to Selected, 0 queued; 3 had that status already")
    assert again.stdout == "1 places set to Selected, 1 queued.\n"
    assert states(db)["b"] == ("Selected", "Queued")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--city", "austin", "--has-website"], ["Smile"]),
        (["--no-website"], ["Bite"]),
        (["--category", "vet"], ["Bark"]),
    ],
)
def test_businesses_are_chosen_by_what_they_are(command, db, options, expected):
    db.execute(
        "insert into local_businesses (business_name, city, website_url, extra_categories) values "
        "('Smile', 'Austin', 'smile.com', null), ('Bite', 'Austin', '', null), ('Bark', 'Waco', 'bark.com', '{vet}')"
    )

    command("select", "businesses", *options)

    rows = db.execute("select business_name from local_businesses where status = 'Selected'").fetchall()
    assert [name for (name,) in rows] == expected
