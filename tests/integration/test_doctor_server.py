"""What the doctor finds wrong with the server and the sessions on it; and what it prints repairs it."""

import contextlib
from dataclasses import replace

import psycopg
import pytest
from psycopg import sql

from app.config import Settings
from app.doctor.connections import DASHBOARD
from app.doctor.patient import Limits, Patient
from app.doctor.server import disk
from app.web.server import CONNECTIONS
from tests.doctor_support import IMPATIENT, Doctor
from tests.lifecycle_support import wait_until
from tests.pgbouncer_support import PgBouncer

SERVER_CHECKS = (
    "version",
    "durability",
    "disk",
    "clock",
    "connections",
    "pooler",
    "replication slots",
    "notifications",
)


@pytest.fixture
def doctor(database):
    return Doctor(database)


@pytest.fixture(scope="module")
def pgbouncer(server):
    with PgBouncer(server) as bouncer:
        yield bouncer


@contextlib.contextmanager
def session(url, **options):
    """A user's connection that somebody else may end."""
    connection = psycopg.connect(url, **options)
    try:
        yield connection
    finally:
        connection.close()


def test_the_server_of_these_tests_is_well(doctor):
    doctor.limits = replace(IMPATIENT, low_disk_fraction=0, full_disk_fraction=0)

    assert [doctor.verdicts(check) for check in SERVER_CHECKS] == [["ok"]] * len(SERVER_CHECKS)


def test_a_forgotten_transaction_is_found_and_ended(doctor, database):
    with session(database, application_name="a forgetful person") as forgetful:
        forgetful.execute("select 1")

        finding = doctor.finding("transactions")
        doctor.repair("transactions")

        assert finding.verdict == "warn"
        assert f"process {forgetful.info.backend_pid} of scrapersky (a forgetful person)" in finding.seen
        assert "idle in transaction" in finding.seen
        wait_until(lambda: doctor.verdicts("transactions") == ["ok"])


def test_a_session_that_keeps_the_turn_to_claim_is_found_and_ended(doctor, database):
    with session(database, application_name="a forgetful person") as forgetful:
        forgetful.execute("select from engine.lock where name = 'workflow deep_scan' for update")

        finding = doctor.finding("workflows")
        doctor.repair("workflows")

        assert finding.verdict == "fail"
        assert f"process {forgetful.info.backend_pid} of scrapersky (a forgetful person)" in finding.seen
        assert "has had 'workflow deep_scan' of engine.lock locked for 0 s" in finding.seen
        wait_until(lambda: doctor.verdicts("workflows") == ["ok"])


def test_no_yes_ends_a_session_or_drops_a_slot(doctor, database, db):
    name = f"precious_{db.info.backend_pid}"
    db.execute("select pg_create_physical_replication_slot(%s, true)", [name])
    try:
        with session(database, application_name="scrapersky listener") as dozing:
            dozing.execute("listen engine")

            done = [doctor.fix(check) for check in ("transactions", "notifications", "replication slots")]

            assert done == [[], [], []]
            assert dozing.execute("select 1").fetchone() == (1,)
            assert doctor.finding("transactions").repairs[0].text.startswith("SELECT pg_terminate_backend(")
            assert doctor.verdicts("replication slots") == ["warn"]
    finally:
        db.execute("select pg_drop_replication_slot(%s)", [name])


def test_a_loud_queue_of_notifications_names_the_sessions_of_this_database_alone(doctor, database, empty_database, db):
    doctor.limits = replace(IMPATIENT, loud_notifications=0.0)
    with session(database) as ours, session(empty_database) as elsewhere:
        ours.execute("listen noise")
        ours.commit()
        ours.execute("select 1")
        elsewhere.execute("select 1")
        noise = "select count(pg_notify('noise', repeat('x', 7000) || n)) from generate_series(1, 200) as n"
        wait_until(lambda: db.execute(noise) and "warn" in doctor.verdicts("notifications"))

        finding = doctor.finding("notifications")

        assert [repair.text for repair in finding.repairs if repair.kind == "sql_by_hand"] == [
            f"SELECT pg_terminate_backend({ours.info.backend_pid});"
        ]
        assert doctor.fix("notifications") == []


def test_a_transaction_that_has_just_begun_is_no_finding(doctor, database):
    doctor.limits = Limits()
    with session(database) as user:
        user.execute("select 1")

        assert doctor.verdicts("transactions") == ["ok"]


def test_a_replication_slot_that_nobody_reads_is_found_and_dropped(doctor, db):
    name = f"forgotten_{db.info.backend_pid}"
    db.execute("select pg_create_physical_replication_slot(%s, true)", [name])

    finding = doctor.finding("replication slots")
    doctor.repair("replication slots")

    assert finding.verdict == "warn"
    assert finding.seen.startswith(f"slot {name} keeps")
    assert doctor.verdicts("replication slots") == ["ok"]


def test_a_listener_that_does_not_read_is_found_and_cut_off(doctor, database, db):
    with session(database, autocommit=True, application_name="scrapersky listener") as deaf:
        deaf.execute("listen noise")
        noise = "select count(pg_notify('noise', repeat('x', 7000) || n)) from generate_series(1, 200) as n"
        wait_until(lambda: db.execute(noise) and "fail" in doctor.verdicts("notifications"))

        finding = doctor.finding("notifications")
        doctor.repair("notifications")

        assert f"process {deaf.info.backend_pid} of scrapersky (scrapersky listener)" in finding.seen
        assert finding.seen.endswith("listens and does not read")
        wait_until(lambda: doctor.verdicts("notifications") == ["ok"])


def test_a_listener_inside_a_transaction_is_found_and_ended(doctor, database):
    with session(database, application_name="scrapersky listener") as dozing:
        dozing.execute("listen engine")

        finding = doctor.finding("notifications")
        doctor.repair("notifications")

        assert finding.verdict == "fail"
        assert finding.seen.endswith("listens inside a transaction")
        wait_until(lambda: doctor.verdicts("notifications") == ["ok"])


@pytest.mark.parametrize("name", ["fsync", "full_page_writes"])
def test_a_server_that_does_not_keep_its_promises_is_found_and_set_right(doctor, db, name):
    setting = sql.Identifier(name)
    db.execute(sql.SQL("alter system set {} = off").format(setting))
    try:
        db.execute("select pg_reload_conf()")
        wait_until(lambda: doctor.verdicts("durability") == ["fail"])

        finding = doctor.finding("durability")
        doctor.repair("durability")

        assert finding.seen == f"{name} is off"
        wait_until(lambda: doctor.verdicts("durability") == ["ok"])
    finally:
        db.execute(sql.SQL("alter system reset {}").format(setting))
        db.execute("select pg_reload_conf()")


def test_commits_that_a_crash_may_forget_are_a_warning_and_undone_where_they_were_chosen(doctor, db):
    name = sql.Identifier(db.info.dbname)
    db.execute(sql.SQL("alter database {} set synchronous_commit = off").format(name))

    finding = doctor.finding("durability")
    doctor.repair("durability")

    assert (finding.verdict, finding.seen) == ("warn", "synchronous_commit is off")
    assert [repair.text for repair in finding.repairs] == [
        f'ALTER DATABASE "{db.info.dbname}" RESET "synchronous_commit";'
    ]
    assert doctor.verdicts("durability") == ["ok"]


def test_triggers_that_a_session_setting_silences_are_found(doctor, db):
    name = sql.Identifier(db.info.dbname)
    db.execute(sql.SQL("alter database {} set session_replication_role = replica").format(name))

    finding = doctor.finding("triggers")
    doctor.repair("triggers")

    assert finding.verdict == "fail"
    assert doctor.verdicts("triggers") == ["ok"]


def test_more_processes_than_the_server_has_connections_for_are_found_before_they_start(database):
    doctor = Doctor(database, processes=64)

    finding = doctor.finding("connections")
    doctor.do(finding.repairs[0])

    assert finding.verdict == "fail"
    assert "64 worker processes of 7 and 10 beside them take 458 connections; the server has 97" in finding.seen
    assert finding.repairs[1].text.startswith("ALTER SYSTEM SET max_connections = 5")
    assert doctor.settings.processes < 14
    assert doctor.verdicts("connections") in (["ok"], ["warn"])


def test_the_dashboards_connections_are_counted_as_it_has_them():
    assert DASHBOARD == CONNECTIONS


def test_a_limit_on_the_role_counts_too(doctor, db):
    name = sql.Identifier(db.info.dbname)
    db.execute(sql.SQL("alter database {} connection limit 10").format(name))

    finding = doctor.finding("connections")
    doctor.do(finding.repairs[0])

    assert finding.verdict == "fail"
    assert "the server has 10" in finding.seen
    assert len(finding.repairs) == 1


def test_a_disk_that_is_nearly_full_is_found(server, database):
    """The figures are the machine's own; where ok ends is moved to both sides of them."""
    settings = Settings(home=server.home)
    plenty, low, full = (
        Limits(low_disk_bytes=10**18, full_disk_bytes=10**18, low_disk_fraction=low, full_disk_fraction=full)
        for low, full in ((0, 0), (1, 0), (1, 1))
    )

    verdicts = [next(disk(Patient(settings, database, limits))).verdict for limits in (plenty, low, full)]

    assert verdicts == ["ok", "warn", "fail"]
    assert "make room" in next(disk(Patient(settings, database, full))).repairs[0].text


def through(pgbouncer, database):
    return pgbouncer.url_of(str(psycopg.conninfo.conninfo_to_dict(database)["dbname"]))


def test_a_listener_behind_a_pooler_is_found_and_gets_a_way_of_its_own(pgbouncer, database, db):
    doctor = Doctor(through(pgbouncer, database))

    finding = doctor.finding("pooler")
    doctor.repair("pooler")

    assert (finding.verdict, finding.seen) == ("fail", "LISTEN goes through a pooler in transaction mode")
    assert psycopg.conninfo.conninfo_to_dict(doctor.settings.listen_database_url)["dbname"] == db.info.dbname
    assert doctor.finding("pooler").seen == "DATABASE_URL leads to a pooler; the listener's own way is direct"
    with psycopg.connect(through(pgbouncer, database), autocommit=True) as client:
        assert client.execute("select count(*) from pg_listening_channels()").fetchone() == (0,)
    assert "its limits decide" in doctor.finding("connections").seen


def test_a_listener_at_another_database_is_found(database, empty_database):
    doctor = Doctor(database, listen_database_url=empty_database)

    finding = doctor.finding("pooler")
    doctor.repair("pooler")

    assert (finding.verdict, finding.seen) == ("fail", "what DATABASE_URL says is not heard at LISTEN_DATABASE_URL")
    assert doctor.verdicts("pooler") == ["ok"]


def test_a_database_that_does_not_answer_is_one_finding_and_hides_none_of_the_others():
    doctor = Doctor("postgresql://nobody:secret@127.0.0.1:1/nowhere")

    (finding,) = doctor.findings("version")

    assert finding.verdict == "fail"
    assert "secret" not in finding.seen
    assert doctor.verdicts("settings") == ["ok", "fail"]
