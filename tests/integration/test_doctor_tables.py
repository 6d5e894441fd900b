"""What the doctor finds wrong with tables, triggers and rows; and what it prints repairs it."""

from dataclasses import replace

import psycopg
import pytest
import sqlalchemy
from alembic import command

from db.migrations import configuration, newest
from tests.doctor_support import IMPATIENT, Doctor

TABLE_CHECKS = (
    *("business tables", "engine", "registry", "tenant", "triggers", "functions", "status words", "indexes"),
    *("vacuum", "unowned rows", "workflows"),
)


@pytest.fixture
def doctor(database):
    return Doctor(database)


def test_a_migrated_database_is_well(doctor):
    assert [doctor.verdicts(check) for check in TABLE_CHECKS] == [["ok"]] * len(TABLE_CHECKS)


@pytest.mark.parametrize(
    ("fault", "check", "seen"),
    [
        (
            "drop trigger engine_page_curation_update on pages",
            "triggers",
            'engine_page_curation_update on "pages" is missing',
        ),
        (
            "drop trigger engine_canary_insert on engine.canary",
            "triggers",
            'engine_canary_insert on "engine"."canary" is missing',
        ),
        (
            "alter table pages disable trigger engine_page_curation_update",
            "triggers",
            'engine_page_curation_update on "pages" is disabled',
        ),
        (
            "alter table pages enable replica trigger engine_page_curation_insert",
            "triggers",
            "switched on for replicas only",
        ),
        (
            (
                "drop trigger engine_page_curation_insert on pages; create trigger engine_page_curation_insert "
                "before update on pages for each row execute function engine.submit_page_curation()"
            ),
            "triggers",
            "is not the trigger of this version",
        ),
        (
            (
                "create or replace function engine.submit_page_curation() returns trigger language plpgsql "
                "security definer set search_path = pg_catalog, pg_temp as 'begin return null; end'"
            ),
            "functions",
            '"engine"."submit_page_curation"() is not the one of this version',
        ),
        (
            "alter function engine.submit_page_curation() reset search_path",
            "functions",
            "other rights or settings",
        ),
        (
            "alter function engine.submit_page_curation() set enable_hashjoin = off",
            "functions",
            "other rights or settings",
        ),
        (
            (
                "drop trigger engine_page_curation_insert on pages; drop trigger engine_page_curation_update on pages; "
                "drop function engine.submit_page_curation()"
            ),
            "functions",
            "is missing",
        ),
        ("drop index engine.job_ready", "indexes", "job_ready on engine.job is missing"),
        ("drop index contacts_page_id_idx", "indexes", "contacts_page_id_idx on contacts is missing"),
        (
            "alter table domains drop constraint domains_domain_key cascade",
            "indexes",
            "domains_domain_key on domains is missing",
        ),
        (
            "update pg_index set indisvalid = false where indexrelid = 'engine.job_ready'::regclass",
            "indexes",
            "engine.job_ready on engine.job is invalid",
        ),
        ("comment on schema engine is 'ScraperSky of yesterday'", "engine", "made by another version"),
        ("delete from engine.workflow where name = 'page_curation'", "registry", "not declared as in the code"),
        ("update engine.workflow set done = 'Fertig' where name = 'page_curation'", "registry", "page_curation"),
        (
            (
                "create or replace function default_tenant_id() returns uuid language sql stable as "
                "'select gen_random_uuid()'"
            ),
            "tenant",
            "DEFAULT_TENANT_ID",
        ),
        ("alter table engine.job set (autovacuum_enabled = false)", "vacuum", "autovacuum is off for engine.job"),
        (
            "update engine.workflow set paused = true, paused_reason = 'moving house' where name = 'deep_scan'",
            "workflows",
            "deep_scan paused: moving house",
        ),
        (
            "update engine.workflow set blocked_reason = 'no key' where name in ('deep_scan', 'place_search')",
            "workflows",
            "deep_scan, place_search stopped by itself: no key",
        ),
        ("update engine.workflow set max_in_flight = 0 where name = 'deep_scan'", "workflows", "max_in_flight is 0"),
    ],
)
def test_what_is_wrong_is_found_and_what_is_printed_repairs_it(doctor, db, fault, check, seen):
    db.execute(fault)

    finding = doctor.finding(check)
    doctor.repair(check)

    assert finding.verdict != "ok"
    assert seen in finding.seen
    assert finding.means
    assert doctor.verdicts(check) == ["ok"]


def test_a_word_that_nobody_knows_is_found_behind_a_dropped_constraint(doctor, db):
    db.execute("alter table domains drop constraint sitemap_analysis_status_is_known")
    db.execute("insert into domains (domain, sitemap_analysis_status) values ('a.com', 'Qeued'), ('b.com', 'elephant')")

    finding = doctor.finding("status words")
    doctor.repair("status words")

    assert finding.verdict == "fail"
    assert "'Qeued' (1)" in finding.seen
    assert "'elephant' (1)" in finding.seen
    assert doctor.verdicts("status words") == ["ok"]
    words = db.execute("select domain, sitemap_analysis_status from domains order by domain").fetchall()
    assert words == [("a.com", "queued"), ("b.com", None)]
    with pytest.raises(psycopg.errors.CheckViolation):
        db.execute("update domains set sitemap_analysis_status = 'Qeued'")


def test_no_yes_renames_a_word_that_somebody_wrote(doctor, db):
    db.execute("alter table domains drop constraint sitemap_analysis_status_is_known")
    db.execute("insert into domains (domain, sitemap_analysis_status) values ('a.com', 'Qeued')")

    assert doctor.fix("status words") == []
    assert db.execute("select sitemap_analysis_status from domains").fetchone() == ("Qeued",)


def test_no_yes_locks_a_bloated_table_while_it_is_copied(doctor, db):
    doctor.limits = replace(IMPATIENT, bloat_bytes=0, dead_rows=1_000_000)
    db.execute("insert into engine.job (workflow, pk) select 'deep_scan', n::text from generate_series(1, 2000) as n")
    db.execute("delete from engine.job where pk <> '2000'")
    db.execute("vacuum (analyze, truncate false) engine.job")

    repairs = [repair.text for finding in doctor.findings("vacuum") for repair in finding.repairs]

    assert "VACUUM (FULL, ANALYZE) engine.job;" in repairs
    assert doctor.fix("vacuum") == []


def test_a_constraint_that_is_gone_is_a_warning_while_all_words_are_known(doctor, db):
    db.execute("alter table domains drop constraint status_is_known")

    finding = doctor.finding("status words")
    doctor.repair("status words")

    assert finding.verdict == "warn"
    assert finding.seen == "nothing checks the words of domains.status"
    assert doctor.verdicts("status words") == ["ok"]


def test_rows_that_came_past_the_trigger_are_found_and_the_sweep_adopts_them(doctor, db):
    db.execute("alter table local_businesses disable trigger user")
    db.execute(
        "insert into local_businesses (business_name, domain_extraction_status) "
        "values ('Baker', 'Queued'), ('Butcher', 'Processing')"
    )
    db.execute("alter table local_businesses enable trigger user")

    finding = doctor.finding("unowned rows")
    doctor.repair("unowned rows")

    assert finding.verdict == "fail"
    assert finding.seen == "domain_extraction: 1 queued without a job, 1 in processing without a worker"
    assert doctor.verdicts("unowned rows") == ["ok"]
    assert db.execute("select count(*) from engine.job").fetchone() == (2,)


def test_rows_that_are_queued_or_running_as_they_should_be_are_nobodys_business(doctor, db):
    db.execute("insert into local_businesses (business_name, domain_extraction_status) values ('Baker', 'Queued')")

    assert doctor.verdicts("unowned rows") == ["ok"]


def test_dead_rows_that_autovacuum_left_are_found_and_vacuum_removes_them(doctor, db):
    db.execute("alter table engine.job set (autovacuum_vacuum_threshold = 1000000)")
    db.execute("insert into engine.job (workflow, pk) select 'deep_scan', n::text from generate_series(1, 200) as n")
    db.execute("delete from engine.job")
    db.execute("select pg_stat_force_next_flush()")

    finding = doctor.finding("vacuum")
    doctor.repair("vacuum")

    assert finding.verdict == "warn"
    assert "engine.job: 200 dead rows" in finding.seen
    assert doctor.verdicts("vacuum") == ["ok"]


@pytest.mark.parametrize("check", ["business tables", "engine"])
def test_an_empty_database_has_to_be_migrated(empty_database, check):
    doctor = Doctor(empty_database)

    finding = doctor.finding(check)
    others = doctor.findings("triggers")
    doctor.repair(check)

    assert finding.verdict == "fail"
    assert [repair.text for repair in finding.repairs] == ["scrapersky migrate"]
    assert others == []
    assert doctor.verdicts(check) == ["ok"]
    assert doctor.verdicts("triggers") == ["ok"]


def test_tables_of_an_older_version_are_found_and_migrated(empty_database):
    address = sqlalchemy.make_url(empty_database).set(drivername="postgresql+psycopg")
    with sqlalchemy.create_engine(address, poolclass=sqlalchemy.NullPool).begin() as connection:
        command.upgrade(configuration(connection), "0001")
    doctor = Doctor(empty_database)

    finding = doctor.finding("business tables")
    doctor.repair("business tables")

    assert finding.verdict == "fail"
    assert finding.seen == f"revision 0001 instead of {newest()}"
    assert doctor.verdicts("business tables") == ["ok"]


def test_tables_of_a_newer_version_are_not_called_old(doctor, db):
    db.execute("update schema_version set version_num = 'ffff'")

    finding = doctor.finding("business tables")

    assert finding.verdict == "fail"
    assert "which this program does not know" in finding.seen
    assert [repair.kind for repair in finding.repairs] == ["advice"]


def test_a_workflow_of_another_version_is_found(doctor, db):
    db.execute(
        "insert into engine.workflow (name, table_name, status_column, queued, processing, done, failed, "
        "declared_batch, declared_max_attempts) values ('time_travel', 'pages', 'x', 'a', 'b', 'c', 'd', 1, 1)"
    )

    finding = doctor.finding("registry")
    doctor.repair("registry")

    assert (finding.verdict, finding.seen) == ("warn", "declared, but not in this program: time_travel")
    assert doctor.verdicts("registry") == ["ok"]
