"""`scrapersky import`: what is good goes in, once; what is not is told by its line; what is there stays as it is."""

import json

import pytest

pytest_plugins = ["tests.command_support"]


def domains(db, columns="domain, status"):
    return db.execute(f"select {columns} from domains order by domain").fetchall()


def test_good_lines_go_in_and_bad_ones_are_told_by_their_number(command, db):
    done = command("import", "domains", "-", given="https://www.smile.com/about\nno domain\n\nBITE.com\n10.0.0.1\n")

    assert done.exit_code == 1
    assert domains(db) == [("bite.com", None), ("smile.com", None)]
    assert done.stderr.splitlines() == [
        "line 2: 'no domain': not a web address",
        "line 5: '10.0.0.1': 10.0.0.1: an IP address, not a domain",
    ]
    assert done.stdout == "Domains imported: 4 lines, 2 new, 2 of no use.\n"


def test_duplicates_are_counted_and_no_error(command, db):
    db.execute("insert into domains (domain) values ('smile.com')")

    done = command("import", "domains", "-", given="smile.com\nbite.com\nwww.bite.com\n")

    assert done.exit_code == 0
    assert done.stdout == "Domains imported: 3 lines, 1 new, 1 already there, 1 more than once in the file.\n"


def test_a_value_that_comes_back_much_later_in_the_file_is_a_repetition(command, db):
    lines = [f"site{number}.com" for number in range(6_000)]

    done = command("import", "domains", "-", "--json", given="\n".join([*lines, "site1.com", "site2.com"]))

    outcome = json.loads(done.stdout)
    assert (outcome["lines"], outcome["new"], outcome["repeated"], outcome["existing"]) == (6_002, 6_000, 2, 0)


def test_what_is_imported_waits_unless_it_is_queued(command, db):
    db.execute("insert into domains (domain, status) values ('old.com', 'completed'), ('idle.com', null)")

    done = command("import", "domains", "-", "--queue", given="new.com\nold.com\nidle.com\n")

    assert done.stdout == "Domains imported: 3 lines, 1 new, 2 already there, 2 queued.\n"
    assert domains(db) == [("idle.com", "pending"), ("new.com", "pending"), ("old.com", "completed")]


def test_a_dry_run_tells_the_same_and_changes_nothing(command, db):
    text = "smile.com\nsmile.com\nno domain\n"

    trial = command("import", "domains", "-", "--queue", "--dry-run", "--json", given=text)
    after_trial = domains(db)
    real = command("import", "domains", "-", "--queue", "--json", given=text)

    assert after_trial == []
    assert {**json.loads(trial.stdout), "dry_run": False} == json.loads(real.stdout)


def test_the_region_is_kept_and_never_overwritten(command, db):
    db.execute("insert into domains (domain, region) values ('there.com', 'FR'), ('blank.com', null)")

    command("import", "domains", "-", "--region", "de", given="there.com\nblank.com\nnew.com\n")

    assert domains(db, "domain, region") == [("blank.com", "DE"), ("new.com", "DE"), ("there.com", "FR")]


def test_a_region_that_is_none_is_refused(command):
    done = command("import", "domains", "-", "--region", "UK", given="smile.com")

    assert done.exit_code == 2
    assert "got 'UK'; the United Kingdom is GB" in done.stderr


def test_a_suppressed_domain_is_refused_with_a_word(command, db):
    db.execute("insert into suppressions (kind, value) values ('domain', 'smile.com')")

    done = command("import", "domains", "-", given="domain\nbite.com\nwww.smile.com\n")

    assert done.exit_code == 1
    assert domains(db) == [("bite.com", None)]
    assert done.stderr.startswith("line 3: 'smile.com': is on the suppression list")


def test_a_line_that_the_database_refuses_does_not_take_the_others_with_it(command, db):
    db.execute("alter table domains add constraint no_gum check (domain <> 'gum.com')")

    good = [f"site{number}.com" for number in range(50)]

    done = command("import", "domains", "-", given="\n".join([*good, "gum.com", "bite.com"]))

    assert done.exit_code == 1
    assert len(domains(db)) == 51
    assert "line 51: 'gum.com': " in done.stderr
    assert "no_gum" in done.stderr


def test_a_file_from_a_spreadsheet_goes_in(command, db, tmp_path):
    file = tmp_path / "leads.csv"
    file.write_bytes("Firma;Webseite;Ort\r\nMüller;www.müller.de;Köln\r\n".encode("cp1252"))

    done = command("import", "domains", file)

    assert done.exit_code == 0
    assert domains(db) == [("xn--mller-kva.de", None)]


def test_a_file_that_is_not_there_is_told(command, tmp_path):
    done = command("import", "domains", tmp_path / "nothing.csv")

    assert done.exit_code == 2
    assert "nothing.csv" in done.stderr


@pytest.mark.parametrize("queue", [True, False])
def test_the_same_import_again_changes_nothing(command, db, queue):
    options = ["--queue"] if queue else []
    command("import", "domains", "-", *options, given="smile.com\nbite.com\n")
    before = domains(db, "domain, status, xmin, ctid")

    done = command("import", "domains", "-", *options, given="smile.com\nbite.com\n")

    assert "0 new, 2 already there" in done.stdout
    assert domains(db, "domain, status, xmin, ctid") == before
