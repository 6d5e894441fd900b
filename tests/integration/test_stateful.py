"""Whatever people, workers and the sweeper do to three rows, in any order: the database agrees with the model."""

from datetime import timedelta
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from hypothesis.strategies import lists, sampled_from

from db.declaration import Politeness
from db.lifecycle import Recovery
from db.outcomes import Released
from tests.lifecycle_support import ending, guarded
from tests.stateful_model import MAX_ATTEMPTS, MAX_LOST, UNSTORED, Claim, Model, Row
from tests.stateful_moves import HOSTS, PKS, move, outcome

pytestmark = pytest.mark.slow

pytest_plugins = ["tests.stage_support"]

HOLDERS = 2

EMPTY = """
truncate samples, findings, engine.job, engine.worker, engine.pace, engine.usage, engine.attempt, engine.submission;
update engine.workflow set paused = false, max_in_flight = null, per_day = null where name = 'sampling';
"""
# A held row's job may be held too.
FREE = "ctid = any(array(select ctid from engine.job for update skip locked))"
TIME_PASSES = f"""
update engine.job set run_at = now() - interval '1 second' where {FREE};
update engine.pace set next_start = now() - interval '1 second';
"""
# What is due in a moment waits for its move: a slow machine takes the same steps as a quick one.
NOT_BY_ITSELF = f"update engine.job set run_at = now() + interval '1 hour' where run_at > now() and {FREE}"


class Hands(RuleBasedStateMachine):
    """Every move is what somebody does in a transaction of its own; held rows are in a user's open one."""

    def __init__(self, stage):
        super().__init__()
        self.stage = stage
        self.recovery = Recovery(stage.workflow)
        self.batches = []
        self.holders = {}

    @initialize(first=lists(sampled_from(["Queued", "Queued", "Done"]), min_size=3, max_size=3))
    def begin(self, first):
        self.stage.user.execute(EMPTY)
        self.model = Model({pk: Row(host) for pk, host in zip(PKS, HOSTS, strict=True)})
        for pk, status in zip(PKS, first, strict=True):
            self.insert(pk, status)
        self.model.living = [self.stage.register_worker() for _ in range(2)]

    def insert(self, pk, status):
        query = "insert into samples (id, name, host, status) values (%s, %s, %s, %s)"
        self.stage.user.execute(query, [pk, pk, self.model.rows[pk].host, status])
        self.model.user_inserts(pk, status)

    def a_user_writes_or_deletes(self, pk, status, seen, deletes):
        """Seen: by the trigger."""
        if pk in self.holders:
            return
        if not self.model.rows[pk].there:
            self.insert(pk, status)
        elif deletes:
            self.stage.delete(pk)
            self.model.user_deletes(pk)
        else:
            self.stage.set(pk, by=self.stage.user if seen else self.stage.bypass, status=status)
            self.model.user_writes(pk, status, seen=seen)

    def a_user_writes_and_does_not_commit(self, pk, status):
        free = [one for one in self.stage.hands if one not in [hand for hand, _ in self.holders.values()]]
        if pk in self.holders or not self.model.rows[pk].there or not free:
            return
        free[0].execute("begin")
        self.stage.set(pk, by=free[0], status=status)
        self.holders[pk] = free[0], status
        self.model.held.add(pk)

    def that_user_makes_up_their_mind(self, kept):
        if not self.holders:
            return
        pk, (connection, status) = next(iter(self.holders.items()))
        connection.execute("commit" if kept else "rollback")
        del self.holders[pk]
        self.model.held.discard(pk)
        if kept:
            self.model.user_writes(pk, status, seen=True)

    def an_operator_acts(self, max_in_flight, per_day, paused):
        self.stage.user.execute(
            "update engine.workflow set max_in_flight = %s, per_day = %s, paused = %s where name = 'sampling'",
            [max_in_flight, per_day, paused],
        )
        limits = self.model.limits
        limits.max_in_flight, limits.per_day, limits.paused = max_in_flight, per_day, paused
        limits.blocked = limits.blocked and paused

    def time_passes(self, tired):
        """Tired: the host that two of the rows share asks for a rest."""
        self.stage.user.execute(TIME_PASSES)
        self.model.limits.resting.clear()
        if tired:
            self.stage.recorder.rest(self.stage.engine, {"web:shared.example": 3600.0})
            self.model.limits.resting.add("shared.example")

    def a_worker_is_found_dead(self, which):
        """Another one is started in its place. The dead one may bring its results all the same."""
        self.stage.bury(self.model.living[which])
        self.model.living[which] = self.stage.register_worker()

    def claim(self, which, size, suspects):
        worker, stage = self.model.living[which], self.stage
        with guarded(stage.engine):
            batch = stage.claimer.claim(stage.engine, worker, size, suspects=suspects)
        day = stage.value("select starts_at from engine.usage where period = 'day'")
        submissions = {pk: row.submissions for pk, row in self.model.rows.items()}
        claims = {
            one.pk: Claim(one.pk, batch.token, worker, one.attempt, one.lost, submissions[one.pk]) for one in batch.rows
        }
        self.model.begin(list(claims.values()), suspects=suspects, day=day)
        if claims:
            self.batches.append((batch, claims))

    def record(self, which, kinds, twice):
        """Dead or alive. Twice: the commit was in doubt."""
        if not self.batches:
            return
        batch, claims = claimed = self.batches[which % len(self.batches)]
        told = dict(zip(claims, kinds, strict=False))
        effects = {pk: f"{pk} {uuid4()}" for pk in claims}
        endings = [ending(one, outcome(told[one.pk], effects[one.pk])) for one in batch.rows]
        for _ in range(1 + twice):
            with guarded(self.stage.engine):
                ended = self.stage.recorder.record(self.stage.engine, uuid4(), batch.token, endings)
            expected = {
                pk: self.model.end(claim, told[pk], effects[pk] if told[pk] == "found" else None)
                for pk, claim in claims.items()
            }
            assert {one.ending.pk: one.verdict for one in ended} == expected
        if "locked" not in expected.values():
            self.batches.remove(claimed)

    def work_while_somebody_acts(self, pk, meanwhile, deaths, kinds, afterwards):
        """What leads deepest, in one step: a row is wanted, runs, is written to, and its worker may be found dead."""
        before = len(self.batches)
        self.a_user_writes_or_deletes(pk, "Queued", seen=True, deletes=False)
        self.time_passes(tired=False)
        self.claim(0, 3, suspects=True)
        for status, seen in meanwhile:
            self.the_database_agrees()
            self.a_user_writes_or_deletes(pk, status, seen, deletes=False)
        if deaths:
            self.a_worker_is_found_dead(0)
        if deaths == 2:
            self.the_sweeper_ends_lost_claims(stopped=bool(meanwhile))
        self.the_database_agrees()
        if len(self.batches) > before:
            self.record(before, kinds, twice=False)
        self.a_user_writes_or_deletes(pk, *afterwards, deletes=False)

    @rule(moves=lists(move, min_size=8, max_size=16))
    def a_busy_day(self, moves):
        """One rule with many moves: of many rules Hypothesis repeats a few, and here the mixture matters."""
        for name, arguments in moves:
            getattr(self, name)(**arguments)
            self.the_database_agrees()

    def work(self):
        """What a worker does when nobody comes between."""
        before = len(self.batches)
        self.claim(0, 3, suspects=True)
        if len(self.batches) > before:
            self.record(before, ["found"] * 3, twice=False)

    def the_sweeper_ends_lost_claims(self, stopped):
        """Stopped: the supervisor ended its children on purpose, and blames no row."""
        with guarded(self.stage.engine):
            swept, _ = self.recovery.end_lost_claims(self.stage.engine, "", 100, Released() if stopped else None)
        told = "stopped" if stopped else "lost"
        expected = {claim.pk: self.model.end(claim, told) for claim in self.model.lost_claims()}
        assert {one.ending.pk: one.verdict for one in swept.ended} == {
            pk: verdict for pk, verdict in expected.items() if verdict not in UNSTORED
        }

    def the_sweeper_reads_the_tables(self):
        for repair in (self.recovery.sweep_rows, self.recovery.sweep_jobs):
            with guarded(self.stage.engine):
                swept = repair(self.stage.engine, 0, 1000)
            if repair == self.recovery.sweep_rows:
                assert swept.orphaned_rows == self.model.adopt_orphans()

    @invariant()
    def the_database_agrees(self):
        user = self.stage.user
        user.execute(NOT_BY_ITSELF)
        assert dict(user.execute("select id::text, status from samples").fetchall()) == self.model.statuses()
        running = "select pk, token from engine.job where token is not null"
        assert dict(user.execute(running).fetchall()) == self.model.tokens()
        assert {name for (name,) in user.execute("select name from findings").fetchall()} == self.model.effects

    def teardown(self):
        """Everybody calms down: what is wanted runs to its end, and nothing is left over."""
        while self.holders:
            self.that_user_makes_up_their_mind(kept=True)
        self.an_operator_acts(None, None, paused=False)
        for which in range(2):
            self.a_worker_is_found_dead(which)
        self.the_sweeper_ends_lost_claims(stopped=False)
        self.the_sweeper_reads_the_tables()
        for _ in range(2 * len(PKS)):
            self.time_passes(tired=False)
            self.work()
        self.the_sweeper_reads_the_tables()
        self.the_database_agrees()
        assert not {"Queued", "Processing"} & set(self.model.statuses().values())
        assert not self.stage.value("select count(*) from engine.job where not dead")


@pytest.fixture
def small_stage(stage_with):
    politeness = Politeness(column="host", group="web", spacing=timedelta(0))
    stage = stage_with(politeness=politeness, max_attempts=MAX_ATTEMPTS, max_lost=MAX_LOST)
    stage.bypass, stage.hands = stage.connect(), [stage.connect() for _ in range(HOLDERS)]
    stage.bypass.execute("set session_replication_role = replica")
    for connection in (stage.user, stage.bypass, *stage.hands):
        connection.execute("set lock_timeout = '5s'")
    for connection in (stage.user, stage.engine, stage.bypass, *stage.hands):
        connection.execute("set synchronous_commit = off")  # no crash here, and a commit takes no time
    return stage


@pytest.mark.timeout(600)  # thousands of small transactions: a busy machine takes its time
def test_the_database_agrees_with_the_model_whatever_is_done_to_it(small_stage):
    calm = settings(
        max_examples=200,
        stateful_step_count=3,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )

    run_state_machine_as_test(lambda: Hands(small_stage), settings=calm)
