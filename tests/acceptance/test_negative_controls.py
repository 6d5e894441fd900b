"""The checker against engines that lack one safeguard each: it must fail, for the right reason, and pass the real one.

A reliability suite that can not fail proves nothing.
"""

import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from app.sweeper import Sweeper
from db.embedded import EmbeddedPostgres
from tests.chaos.commit_proxy import CLAIM, CommitProxy
from tests.chaos.controls.broken import ForgetfulSweeper, TimestampSweeper
from tests.chaos.controls.scene import open_scene, prepare, watch
from tests.process_support import processes_in, stays, wait_until
from tests.shared_database import shared_database

pytestmark = pytest.mark.slow

NUMBERS = count(1)
BEAT_SECONDS, LEASE_SECONDS = 1.0, 4.0
PACE = {"beat": str(BEAT_SECONDS), "lease": str(LEASE_SECONDS)}


@pytest.fixture(scope="module")
def scene_template(server, template):
    with shared_database(server, template, "template_scene") as url:
        prepare(url)
        yield "template_scene"


@pytest.fixture
def scene(server, scene_template, tmp_path):
    with (
        shared_database(server, scene_template, f"scene_{next(NUMBERS)}") as url,
        processes_in(tmp_path) as processes,
        open_scene(url, processes, **PACE) as scene,
    ):
        yield scene


@pytest.fixture
def proxy(server, scene):
    with CommitProxy(server.sockets / ".s.PGSQL.5432") as proxy:
        yield proxy
        scene.processes.end_all()  # while they can still say farewell


@pytest.fixture(scope="module")
def postgres():
    home = Path(tempfile.mkdtemp(prefix="scrapersky-controls-"))
    home.chmod(0o711)
    embedded = EmbeddedPostgres(home)
    with embedded.use() as url:
        prepare(url)
        yield embedded
    shutil.rmtree(home)


@pytest.fixture
def scene_of_an_outage(postgres, tmp_path):
    """On a server of its own, because the test stops it."""
    with processes_in(tmp_path) as processes, open_scene(postgres.url, processes, **PACE) as scene:
        with scene.connect() as connection:
            connection.execute("truncate samples, traces, engine.job, engine.worker, chaos.ledger cascade")
        yield scene


def play_a_worker_that_wakes_up_late(scene, gate, **environment):
    """Frozen past its lease with a row in hand; it wakes up and ends its run while another has the same row."""
    sweeper = scene.sweeper(Sweeper)
    late = scene.start_worker(**environment)
    scene.queue(1, f"gate {gate}")
    wait_until(lambda: scene.claimed() == 1)
    scene.freeze(late)
    wait_until(lambda: watch(sweeper))
    owner = scene.start_worker(**environment)
    wait_until(lambda: scene.claimed() == 1)
    scene.freeze(owner)  # so that it does not end first
    gate.touch()
    scene.thaw(late)
    wait_until(lambda: scene.is_written_or_refused(1))
    scene.thaw(owner)
    wait_until(lambda: scene.is_written_or_refused(2) and scene.statuses() == {"Done"})


def play_an_outage(scene, sweeper, postgres, gate):
    """The database is away for longer than the lease, while workers hold rows and live on; somebody watches them."""
    for _ in range(2):
        scene.start_worker()
    scene.queue(2, f"gate {gate}")
    wait_until(lambda: scene.claimed() == 2)
    watch_for(sweeper, BEAT_SECONDS)
    postgres.control("stop", "-m", "fast")
    watch_for(sweeper, LEASE_SECONDS + 1.5)
    with ThreadPoolExecutor(1) as hands:
        starting = hands.submit(postgres.start)
        while not starting.done():
            watch(sweeper)
    watch_for(sweeper, LEASE_SECONDS + 1)
    gate.touch()
    wait_until(lambda: scene.statuses() == {"Done"} and scene.claimed() == 0, timeout=60)


def watch_for(sweeper, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        watch(sweeper)


def play_a_bypassed_trigger(scene, sweeper):
    """Some rows are queued in sight of the triggers, some past them; then the whole table is swept."""
    scene.start_worker()
    scene.queue(20)
    scene.queue(5, past_the_triggers=True)
    sweeper.sweep("sampling", whole=True)
    wait_until(lambda: scene.value("select count(*) from samples where status = 'Done'") >= 20)


def play_a_claim_in_doubt(scene, proxy, **environment):
    """The claim of a row is committed, and its worker, which lives on, does not hear of it."""
    scene.start_worker(DATABASE_URL=proxy.url(scene.url), **environment)
    proxy.doubt("committed", CLAIM)
    scene.queue(1)
    wait_until(lambda: not proxy.wanted)


def play_a_row_that_holds_the_interpreter(scene, **environment):
    """The only worker lives and does nothing any more; its rows are given back by a sweeper."""
    sweeper = scene.sweeper(Sweeper)
    scene.start_supervisor(**environment)
    scene.queue(1, "freeze")
    wait_until(lambda: scene.claimed() == 1)
    scene.queue(5)
    return sweeper


def violations(verdict):
    return {kind: found for kind, found in verdict.violations.items() if found}


def test_without_the_fence_a_late_result_is_written_beside_the_right_one(scene, gate):
    play_a_worker_that_wakes_up_late(scene, gate, CHAOS_ENGINE="unfenced")

    verdict = scene.verdict()

    assert set(violations(verdict)) == {"duplicated", "unexpected"}, verdict.examples()
    assert verdict.refused == 0


def test_without_the_token_in_the_fence_a_late_result_takes_the_place_of_the_right_one(scene, gate):
    play_a_worker_that_wakes_up_late(scene, gate, CHAOS_ENGINE="tokenless")

    verdict = scene.verdict()

    assert set(violations(verdict)) == {"unexpected"}, verdict.examples()


def test_with_the_fence_the_late_result_is_refused(scene, gate):
    play_a_worker_that_wakes_up_late(scene, gate)

    verdict = scene.verdict()

    assert not violations(verdict), verdict.examples()
    assert (verdict.refused, verdict.recoveries, verdict.completions) == (1, 1, 1)


def test_a_sweeper_that_compares_timestamps_lets_rows_run_twice_at_once(scene_of_an_outage, postgres, gate):
    play_an_outage(scene_of_an_outage, scene_of_an_outage.sweeper(TimestampSweeper), postgres, gate)

    verdict = scene_of_an_outage.verdict()

    assert list(violations(verdict)) == ["overlapping"], verdict.examples()
    assert verdict.false_deaths > 0


def test_a_sweeper_that_counts_beats_lets_the_living_live(scene_of_an_outage, postgres, gate):
    play_an_outage(scene_of_an_outage, scene_of_an_outage.sweeper(Sweeper), postgres, gate)

    verdict = scene_of_an_outage.verdict()

    assert not violations(verdict), verdict.examples()
    assert (verdict.false_deaths, verdict.completions) == (0, 2)


def test_without_a_look_at_living_processes_a_frozen_one_keeps_all_rows_waiting(scene):
    sweeper = play_a_row_that_holds_the_interpreter(scene, CHAOS_ENGINE="trustful")
    watch_for(sweeper, 3 * LEASE_SECONDS)

    verdict = scene.verdict()

    assert violations(verdict) == {"lost": 6}, verdict.examples()


def test_a_supervisor_that_replaces_the_frozen_lets_all_rows_end(scene):
    play_a_row_that_holds_the_interpreter(scene)
    wait_until(lambda: scene.statuses() == {"Done", "Failed"}, timeout=90)

    verdict = scene.verdict()

    assert not violations(verdict), verdict.examples()
    assert (verdict.completions, verdict.dead_letters, verdict.false_deaths) == (5, 1, 0)


def test_without_reconciliation_rows_that_the_trigger_never_saw_are_lost(scene):
    play_a_bypassed_trigger(scene, scene.sweeper(ForgetfulSweeper))

    verdict = scene.verdict()

    assert violations(verdict) == {"lost": 5}, verdict.examples()


def test_with_reconciliation_they_are_run(scene):
    play_a_bypassed_trigger(scene, scene.sweeper(Sweeper))
    wait_until(lambda: scene.statuses() == {"Done"})

    verdict = scene.verdict()

    assert not violations(verdict), verdict.examples()
    assert (verdict.rows, verdict.completions) == (25, 25)


def test_a_worker_that_forgets_a_claim_in_doubt_loses_its_row(scene, proxy):
    play_a_claim_in_doubt(scene, proxy, CHAOS_ENGINE="forgetful")
    assert stays(lambda: scene.claimed() == 1, 3 * BEAT_SECONDS)

    verdict = scene.verdict()

    assert set(violations(verdict)) == {"lost"}, verdict.examples()


def test_a_worker_that_looks_for_its_claims_in_doubt_loses_none(scene, proxy):
    play_a_claim_in_doubt(scene, proxy)
    wait_until(lambda: scene.statuses() == {"Done"})

    verdict = scene.verdict()

    assert not violations(verdict), verdict.examples()
    assert verdict.completions == 1
