"""`scrapersky why` and `scrapersky history`: the row is found by what people know of it, and the exit code tells."""

import json

import pytest

from db.outcomes import Failed

pytest_plugins = ["tests.why_support", "tests.command_support"]


@pytest.fixture
def database(why_url):
    """Where the commands look: the desk's own."""
    return why_url


def test_a_sentence_and_a_remedy_per_workflow(desk, command):
    domain = desk.domain(domain="smile.com", status="pending")
    desk.set("domain_metadata", paused=True, paused_reason="no money")

    result = command("why", "domains", domain)

    first, remedy, second, _ = result.output.splitlines()
    assert first.startswith("domain_metadata: paused by scrapersky since ")
    assert first.endswith(": no money.")
    assert remedy == "  To go on: scrapersky resume domain_metadata"
    assert second.startswith("sitemap_discovery: sitemap_analysis_status is null")
    assert result.exit_code == 1


def test_json_has_the_codes(desk, command):
    place = desk.place()

    told = json.loads(command("why", "places", place, "--json").output)

    assert (told["table"], told["id"]) == ("places_staging", place)
    assert [(one["workflow"], one["code"], one["moves"]) for one in told["workflows"]] == [("deep_scan", "ready", True)]


@pytest.mark.parametrize(
    ("word", "code"),
    [("Queued", 0), ("Completed", 0), ("Error", 1), (None, 1)],
)
def test_the_exit_code_says_whether_it_moves(desk, command, word, code):
    assert command("why", "places_staging", desk.place(deep_scan_status=word)).exit_code == code


def test_a_workflow_that_was_never_asked_for_does_not_hide_that_the_other_is_done(desk, command):
    assert command("why", "domains", desk.domain(status="completed")).exit_code == 0
    assert command("why", "domains", desk.domain()).exit_code == 1


@pytest.mark.parametrize(
    ("table", "typed"),
    [
        ("places_staging", "ChIJplace"),
        ("businesses", "ChIJplace"),
        ("local_businesses", "smile.com"),
        ("domains", "smile.com"),
        ("domains", "HTTPS://www.Smile.com/contact"),
        ("domains", "bob@smile.com"),
        ("sitemaps", "https://smile.com/sitemap.xml"),
        ("sitemap_files", "https://cdn.example/sitemap.xml"),
        ("pages", "https://smile.com/contact"),
        ("pages", "https://smile.com/contact#team"),
        ("pages", "Bob@Smile.com"),
        ("public.pages", "mailto:bob@smile.com"),
    ],
)
def test_a_row_is_found_by_what_identifies_it(desk, command, table, typed):
    domain = desk.domain(domain="smile.com", status="completed")
    page = desk.page(domain_id=domain, url="https://smile.com/contact", page_processing_status="Complete")
    desk.place(place_id="ChIJplace", deep_scan_status="Completed")
    desk.db.execute(
        "insert into local_businesses (place_id, domain, domain_extraction_status) "
        "values ('ChIJplace', 'smile.com', 'Completed')"
    )
    desk.db.execute("insert into contacts (domain_id, page_id, email) values (%s, %s, 'bob@smile.com')", [domain, page])
    for url in ("https://smile.com/sitemap.xml", "https://cdn.example/sitemap.xml"):
        desk.db.execute(
            "insert into sitemap_files (domain_id, url, sitemap_import_status) values (%s, %s, 'Complete')",
            [domain, url],
        )

    result = command("why", table, typed)

    assert ": done (" in result.output
    assert result.exit_code == 0


def test_the_beginning_of_an_id_is_enough(desk, command):
    page = desk.page(page_processing_status="Complete")

    assert ": done (" in command("why", "pages", page[:10].upper()).output
    assert json.loads(command("why", "pages", page[:10], "--json").output)["id"] == page


def test_what_identifies_several_rows_is_answered_with_their_ids(desk, command):
    ids = [desk.page(id=f"aaaa0000-0000-0000-0000-{number:012}") for number in range(3)]

    result = command("why", "pages", "aaaa")

    assert f"'aaaa' identifies 3 rows of pages; give the id of one: {', '.join(ids)}" in result.output
    assert result.exit_code == 2


@pytest.mark.parametrize(
    ("table", "typed", "answer"),
    [
        ("page", "1", "unknown table 'page', did you mean 'pages'?"),
        ("place", "1", "unknown table 'place', did you mean 'places'?"),
        ("contacts", "1", "unknown table 'contacts'; those with a workflow are domains, local_businesses, pages,"),
        ("pages", "nobody.example", "no row of pages is known by 'nobody.example'"),
        ("places", "4000", "no row of places_staging is known by '4000'"),
        ("pages", " ", "expected an id, a place id, a domain, a URL or an e-mail address, got ' '"),
        ("pages", "'; drop table pages; --", "is known by"),
        ("pages; drop table pages", "1", "unknown table"),
        ("pages", "\x1b[31mred", "is known by"),
        ("places", "9" * 9999, "is known by"),
    ],
)
def test_bad_input_is_answered_with_what_was_meant(desk, command, table, typed, answer):
    asked, looked = command("why", table, typed), command("history", table, typed)

    assert answer in " ".join(asked.output.split())
    assert answer in " ".join(looked.output.split())
    assert "\x1b" not in asked.output + looked.output
    assert len(asked.output + looked.output) < 2000
    assert asked.exit_code == looked.exit_code == 2
    assert desk.db.execute("select count(*) from pages").fetchone() == (0,)


def test_the_history_is_told_line_by_line_with_what_the_web_wrote_made_harmless(desk, command):
    place = desk.place()
    desk.run("deep_scan", Failed("gone\x1b[31m [bold]red[/bold]"))

    result = command("history", "places", place)

    lines = [line[21:] for line in result.output.splitlines()]
    assert lines[0] == "deep_scan: queued by scrapersky"
    assert lines[1].startswith("deep_scan: failed, attempt 1, 0.0 s, worker ")
    assert lines[2] == "gone [31m [bold]red[/bold] (attempt 1 of 5)"
    assert lines[3] == "deep_scan: 'Error' now"
    assert "\x1b" not in result.output
    assert result.exit_code == 0


def test_the_history_as_json_has_times_and_seconds(desk, command):
    place = desk.place()
    desk.run("deep_scan", Failed("gone"))

    told = json.loads(command("history", "places", place, "--json").output)

    queued, failed, now = told["events"]
    assert queued["what"] == "deep_scan: queued by scrapersky"
    assert (failed["attempt"], failed["error"], failed["took"] > 0) == (1, "gone (attempt 1 of 5)", True)
    assert queued["at"] < failed["at"] < now["at"]
