"""`scrapersky backup` and `restore`: a file that is whole or not there, a database that is restored or untouched."""

import json
import os
import stat

import psycopg
import pytest

from db import archive

pytest_plugins = ["tests.command_support"]


@pytest.fixture
def backup(command, db, tmp_path):
    """A backup of a database with a business that is queued and one of another age, and a paused workflow."""
    db.execute("insert into local_businesses (business_name, domain_extraction_status) values ('Queued', 'Queued')")
    db.execute("insert into local_businesses (business_name) values ('Naïve ☃ ''quoted''')")
    command("pause", "deep_scan", "--reason", "the bill")
    file = tmp_path / "scrapersky.dump"
    done = command("backup", file)
    assert done.exit_code == 0, done.output
    return file


@pytest.fixture
def into(command, empty_database):
    """The command line with an empty database behind it."""

    def run(*arguments):
        return command(*arguments, DATABASE_URL=empty_database)

    return run


def names(url):
    with psycopg.connect(url) as connection:
        query = "select business_name from local_businesses order by business_name"
        return [name for (name,) in connection.execute(query).fetchall()]


def test_a_backup_is_for_its_owner_alone_and_is_recorded(backup, db):
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    ((action, detail),) = db.execute("select action, detail from engine.action where action = 'backup'").fetchall()
    assert (action, detail) == ("backup", {"file": "scrapersky.dump", "bytes": backup.stat().st_size})


def test_a_backup_to_a_dash_is_refused_with_another_way(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    refused = command("backup", "-")

    assert refused.exit_code == 2
    assert 'pg_dump -Fc "$(scrapersky database-url)"' in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_backup_overwrites_nothing_and_a_failed_one_leaves_nothing(command, backup, tmp_path, database):
    before = backup.read_bytes()

    taken = command("backup", backup)
    nowhere = command("backup", tmp_path / "no" / "where.dump")

    assert (taken.exit_code, nowhere.exit_code) == (2, 2)
    assert "exists" in taken.output
    assert backup.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["scrapersky.dump"]


def test_a_backup_comes_back_whole_into_an_empty_database(backup, into, empty_database):
    looked = into("restore", backup, "--dry-run")
    restored = into("restore", backup)

    assert "fits; 0 table(s) are there now" in looked.output
    assert restored.exit_code == 0, restored.output
    assert "scrapersky after-restore" in restored.output
    assert names(empty_database) == ["Naïve ☃ 'quoted'", "Queued"]
    with psycopg.connect(empty_database, autocommit=True) as connection:
        assert connection.execute("select paused_reason from engine.workflow where paused").fetchall() == [
            ("the bill",)
        ]
        assert connection.execute("select workflow from engine.job").fetchall() == [("domain_extraction",)]
        connection.execute("update local_businesses set domain_extraction_status = 'Queued'")
        assert connection.execute("select count(*) from engine.job").fetchone() == (2,)
        grant = "select has_table_privilege('scrapersky_analyst', 'local_businesses', 'select')"
        assert connection.execute(grant).fetchone() == (True,)


def test_a_database_with_tables_is_left_alone_unless_forced_and_confirmed(command, backup, db, database):
    db.execute("insert into local_businesses (business_name) values ('Later')")

    refused = command("restore", backup)
    unasked = command("restore", backup, "--force")
    assert (refused.exit_code, unasked.exit_code) == (1, 2)
    assert "say --force to replace" in refused.output
    assert "Later" in names(database)

    forced = command("restore", backup, "--force", "--yes")
    assert forced.exit_code == 0, forced.output
    assert names(database) == ["Naïve ☃ 'quoted'", "Queued"]


def test_a_restore_waits_for_nobody_and_is_refused_while_workers_are_registered(command, backup, db):
    db.execute("insert into engine.worker (id, host, pid, version) values (gen_random_uuid(), 'here', 1, '1')")

    refused = command("restore", backup, "--force", "--yes")

    assert refused.exit_code == 1
    assert "1 worker(s) are registered: stop them first" in refused.output


@pytest.mark.parametrize("spoilt", ["cut", "text", "empty"])
def test_a_spoilt_backup_restores_nothing(backup, into, empty_database, tmp_path, spoilt):
    whole = backup.read_bytes()
    content = {"cut": whole[: len(whole) * 2 // 3], "text": b"select 1;", "empty": b""}[spoilt]
    bad = tmp_path / "bad.dump"
    bad.write_bytes(content)

    refused = into("restore", bad)

    assert refused.exit_code == 1
    assert "Traceback" not in refused.output
    with psycopg.connect(empty_database) as connection:
        assert connection.execute("select to_regnamespace('engine')").fetchone() == (None,)


def test_versions_that_do_not_fit_are_named_with_the_way_out(backup):
    with pytest.raises(archive.ArchiveError, match="the server is PostgreSQL 19 and the bundled pg_dump is 18"):
        archive.check_readable(19)
    with pytest.raises(archive.ArchiveError, match="is of a PostgreSQL 18 and this server is 16"):
        archive.check_fits(backup, 16)
    archive.check_readable(16)
    archive.check_fits(backup, 18)


def test_after_a_restore_rows_of_forgotten_workers_are_queued_again_with_their_attempt(command, db):
    db.execute(
        "insert into local_businesses (business_name, domain_extraction_status) values ('claimed', 'Processing')"
    )
    db.execute("insert into local_businesses (business_name, domain_extraction_status) values ('orphan', 'Processing')")
    db.execute(
        "insert into engine.worker (id, host, pid, version, last_beat) "
        "values (gen_random_uuid(), 'gone', 1, '1', now() - interval '1 day')"
    )
    db.execute(
        "insert into engine.job (workflow, pk, attempt, token, worker_id, started_at) select 'domain_extraction', "
        "business.id::text, 2, gen_random_uuid(), worker.id, now() from local_businesses as business, engine.worker "
        "where business_name = 'claimed'"
    )

    counted = json.loads(command("after-restore", "--dry-run", "--json").output)
    assert (counted["workers"], counted["claims"], counted["orphaned_rows"]) == (1, 1, 1)
    assert db.execute("select count(*) from engine.worker").fetchone() == (1,)

    refused = command("after-restore")
    done = command("after-restore", "--yes")

    assert refused.exit_code == 2
    assert done.exit_code == 0, done.output
    assert db.execute("select count(*) from engine.worker").fetchone() == (0,)
    assert db.execute("select distinct domain_extraction_status from local_businesses").fetchall() == [("Queued",)]
    jobs = db.execute("select attempt, lost, token from engine.job order by attempt").fetchall()
    assert jobs == [(0, 0, None), (1, 0, None)]


def test_a_pipe_or_a_device_is_no_place_for_a_backup_and_is_left_as_it_is(command, tmp_path):
    os.mkfifo(pipe := tmp_path / "pipe", 0o644)

    refused = command("backup", pipe)

    assert (refused.exit_code, "is a device or a pipe" in refused.output) == (2, True)
    assert stat.S_IMODE(pipe.stat().st_mode) == 0o644


def test_a_backup_of_another_database_is_refused(into, empty_database, tmp_path):
    with psycopg.connect(empty_database, autocommit=True) as connection:
        connection.execute("create table domains (name text)")
    archive.dump(empty_database, tmp_path / "foreign.dump", lambda _: None)
    with psycopg.connect(empty_database, autocommit=True) as connection:
        connection.execute("drop table domains")

    refused = into("restore", tmp_path / "foreign.dump")

    assert (refused.exit_code, "is a backup of another database" in refused.output) == (1, True)
