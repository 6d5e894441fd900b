"""What the doctor finds wrong with what runs beside the database: workers, broker, key, settings."""

from uuid import uuid4

import pytest

from app import VERSION
from app.config import Settings
from app.demo.authority import Authority
from app.demo.places_refusals import Fault
from app.demo.places_simulator import PlacesSimulator
from app.demo.proxy import Proxy
from tests.doctor_support import Doctor
from tests.server_support import RabbitMQ, Redis

KEY = "AIza" + "k" * 35


@pytest.fixture
def doctor(database):
    return Doctor(database)


def register(db, *, version=VERSION, silent=0, workflows=("canary",)):
    db.execute(
        "insert into engine.worker (id, host, pid, version, workflows, last_beat) "
        "values (%s, 'here', 4711, %s, %s, clock_timestamp() - make_interval(secs => %s))",
        [uuid4(), version, None if workflows is None else list(workflows), silent],
    )


def test_without_workers_the_doctor_says_so_and_does_not_wait_for_the_canary(doctor, db):
    workers, canary = doctor.finding("workers"), doctor.finding("canary")

    assert (workers.verdict, workers.seen) == ("fail", "no worker process runs")
    assert (canary.verdict, canary.seen) == ("fail", "not sent: no worker would take it")
    assert [repair.text for repair in workers.repairs] == ["scrapersky up"]


def test_a_worker_of_another_version_is_found(doctor, db):
    register(db)
    register(db, version="0.0.9")

    finding = doctor.finding("workers")
    db.execute("delete from engine.worker where version = '0.0.9'")

    assert finding.verdict == "warn"
    assert finding.seen == f"1 of version 0.0.9, and this is {VERSION}"
    assert doctor.verdicts("workers") == ["ok"]


def test_a_worker_that_is_silent_is_found_and_the_sweep_buries_it(database, db):
    doctor = Doctor(database)
    register(db, silent=90)

    silent, nobody = doctor.findings("workers")
    doctor.do(silent.repairs[0])

    assert silent.verdict == "warn"
    assert silent.seen == "1 registered and silent: 4711 on here for 90 s"
    assert nobody.seen == "no worker process runs"
    assert db.execute("select count(*) from engine.worker").fetchone() == (0,)


def test_workers_from_before_the_canary_are_told_as_such(doctor, db):
    register(db, workflows=None)
    register(db, workflows=["domain_extraction"])

    finding = doctor.finding("canary")

    assert finding.verdict == "warn"
    assert finding.seen == "not sent: none of 2 worker processes knows it"


def test_a_canary_that_nobody_takes_is_a_failure_and_leaves_nothing_behind(doctor, db):
    register(db)

    finding = doctor.finding("canary")

    assert finding.verdict == "fail"
    assert finding.seen == "not taken within 1 s (its doorbell rang), and nothing else runs"
    assert traces(db) == (0, 0, 0, 0)


def test_a_canary_that_waits_behind_other_rows_is_a_warning(doctor, db):
    register(db)
    db.execute(
        "insert into engine.job (workflow, pk, token, worker_id) select 'deep_scan', '1', gen_random_uuid(), id "
        "from engine.worker"
    )

    finding = doctor.finding("canary")
    doctor.do(finding.repairs[0])

    assert finding.verdict == "warn"
    assert "1 other rows are running" in finding.seen
    assert doctor.settings.threads == 2 * Settings().threads


def test_a_canary_without_its_trigger_is_a_failure_and_leaves_nothing_behind(doctor, db):
    register(db)
    db.execute("alter table engine.canary disable trigger engine_canary_insert")

    finding = doctor.finding("canary")

    assert (finding.verdict, finding.seen) == ("fail", "its trigger made no job")
    assert traces(db) == (0, 0, 0, 0)


def test_what_a_killed_doctor_left_is_cleared_away_by_the_next(doctor, db):
    register(db)
    db.execute("insert into engine.canary (id, status, submitted_at) values (%s, 'Queued', '2020-01-01')", [uuid4()])

    doctor.finding("canary")

    assert traces(db)[:2] == (0, 0)


def traces(db):
    return db.execute(
        "select (select count(*) from engine.canary), (select count(*) from engine.job where workflow = 'canary'), "
        "(select count(*) from engine.submission), (select count(*) from engine.workflow where name = 'canary')"
    ).fetchone()


def test_without_a_listener_or_a_sweeper_the_doctor_says_so(doctor):
    listener, sweeper = doctor.finding("listener"), doctor.finding("sweeper")

    assert (listener.verdict, listener.seen) == ("fail", "nobody listens")
    assert (sweeper.verdict, [repair.text for repair in sweeper.repairs]) == ("warn", ["scrapersky sweeper"])


def listen(db, *, hears, trouble=None, since=60):
    db.execute(
        "insert into engine.listener (id, host, pid, poll, echo, hears, trouble, since) values (%s, 'here', 4711, "
        "'1 second', '5 seconds', %s, %s, clock_timestamp() - make_interval(secs => %s))",
        [uuid4(), hears, trouble, since],
    )


def test_listeners_that_hear_their_own_echo_are_well_and_so_is_one_that_starts(doctor, db):
    listen(db, hears=True)
    listen(db, hears=False, since=1)

    assert doctor.verdicts("listener") == ["ok"]


def test_a_listener_that_is_awake_is_named(doctor, db):
    listen(db, hears=True)
    db.execute(
        "update engine.lease set holder = (select id from engine.listener), awake = true, renewed_at = now(), "
        "expires_at = now() + interval '1 minute'"
    )

    assert doctor.finding("listener").seen == "1 hear their own echo; 4711 on here is awake, and nobody rings"


def test_a_deaf_listener_is_a_warning_and_only_deaf_ones_are_a_failure(doctor, db):
    listen(db, hears=False, trouble="own echo not heard within 5 s")
    only = doctor.finding("listener")
    listen(db, hears=True)
    one_of_two = doctor.finding("listener")

    assert (only.verdict, one_of_two.verdict) == ("fail", "warn")
    assert one_of_two.seen == "1 of 2 are deaf: 4711 on here: own echo not heard within 5 s"


@pytest.mark.parametrize("kind", [Redis, RabbitMQ])
def test_a_broker_that_is_away_is_found_and_found_again(database, kind):
    broker = kind()
    doctor = Doctor(database, broker_url=broker.url)

    finding = doctor.finding("broker")
    with broker:
        there = doctor.finding("broker")

    assert finding.verdict == "fail"
    assert f":{broker.port} does not answer" in finding.seen
    assert "guest:guest" not in finding.seen
    assert there.verdict == "ok"


class Google:
    """Google Places behind a proxy on loopback, as the demo has it."""

    def __init__(self, database, directory):
        self.simulator = PlacesSimulator([], keys=[KEY])
        self.certificates = directory / "ca.pem"
        self.authority = Authority()
        self.authority.write(self.certificates)
        self.database = database

    def doctor(self, proxy, key):
        return Doctor(self.database, places_key=key, proxy=proxy.url, ca_file=self.certificates)


@pytest.fixture
def google(database, tmp_path):
    return Google(database, tmp_path)


@pytest.fixture
def proxy(google):
    with Proxy((), google.authority, google.simulator.handle) as proxy:
        yield proxy


def test_a_key_that_google_takes_is_tried_without_being_billed(google, proxy):
    finding = google.doctor(proxy, KEY).finding("Places key")

    assert finding.verdict == "ok"
    assert not google.simulator.calls


@pytest.mark.parametrize("fault", [Fault.KEY_BLOCKED, Fault.SERVICE_DISABLED, Fault.BILLING_DISABLED, Fault.DAY_QUOTA])
def test_a_key_that_google_refuses_is_found_with_googles_reason(google, proxy, fault):
    google.simulator.script.append(fault)

    finding = google.doctor(proxy, KEY).finding("Places key")

    assert finding.verdict == "fail"
    assert "Google Places" in finding.seen
    assert not google.simulator.calls


def test_a_wrong_key_is_found_and_a_good_one_repairs_it(google, proxy):
    wrong = google.doctor(proxy, "AIza" + "x" * 35).finding("Places key")

    assert wrong.verdict == "fail"
    assert "put a valid GOOGLE_MAPS_API_KEY into .env" in wrong.seen
    assert "AIza" not in wrong.seen
    assert wrong.repairs[0].text.startswith("GOOGLE_MAPS_API_KEY=")


def test_a_key_that_can_not_be_tried_is_a_warning(google, proxy):
    google.simulator.script.append(Fault.UNAVAILABLE)

    finding = google.doctor(proxy, KEY).finding("Places key")

    assert finding.verdict == "warn"
    assert "The key has the usual form of one" in finding.means


def test_a_missing_key_is_a_warning_and_asks_nobody(doctor):
    finding = doctor.finding("Places key")

    assert (finding.verdict, finding.seen) == ("warn", "GOOGLE_MAPS_API_KEY is not set")


def test_settings_that_do_not_fit_together_are_found(database):
    torn = Doctor(database, metrics_host="0.0.0.0")  # noqa: S104 - the mistake
    torn.settings = torn.settings.model_copy(update={"database_url": "", "listen_database_url": database})

    findings = torn.findings("settings")
    torn.repair("settings")

    assert [finding.verdict for finding in findings] == ["fail", "warn"]
    assert torn.verdicts("settings") == ["ok"]
