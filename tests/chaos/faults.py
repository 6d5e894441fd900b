"""The nemesis: does what the plan says to processes, sessions, servers and the network between them."""

import contextlib
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pika
import psycopg
import redis
from dramatiq import Message
from dramatiq.errors import BrokerError
from psycopg import Connection, errors

from app.broker import make_broker
from app.config import Settings
from tests.chaos.commit_proxy import BEAT, CLAIM, CLAIM_BY_KEY, FAILURE, RECORD, SWEEP, WAYS
from tests.chaos.ledger import Note
from tests.chaos.plan import Planned
from tests.chaos.recovery import REBIRTH, Kill, Trouble
from tests.chaos.system import LEASE_SECONDS, Broker, Member, System
from tests.chaos.workload import is_polite
from tests.server_support import Redis

HANDS = 16
PATIENCE_SECONDS = 2.0
QUEUE = "sampling"
TRANSACTIONS = {"claim": CLAIM, "record": RECORD, "failure": FAILURE, "beat": BEAT, "sweep": SWEEP}
TRIGGERS = ("engine_sampling_insert", "engine_sampling_update")
AWAKE = "select listener.pid from engine.lease join engine.listener on listener.id = lease.holder where lease.awake"
BROKER_AWAY = (BrokerError, redis.RedisError, pika.exceptions.AMQPError, OSError)


class Nemesis(threading.Thread):
    def __init__(self, system: System, planned: Sequence[Planned]) -> None:
        super().__init__(name="nemesis", daemon=True)
        self.system = system
        self.planned = planned
        self.done: Counter[str] = Counter()
        self.broken: list[str] = []
        self.notes: list[Note] = []
        self.kills: list[Kill] = []
        self.troubles: list[Trouble] = []
        self._crashing = threading.Lock()
        self._hands = ThreadPoolExecutor(HANDS, thread_name_prefix="fault")
        self._lock = threading.Lock()

    def run(self) -> None:
        """One fault after the other at its moment; those that last, last beside the next ones."""
        began = time.monotonic()
        for one in self.planned:
            if self.system.stopping.wait(max(0.0, began + one.at - time.monotonic())):
                break
            self._hands.submit(self._do, one)
        self._hands.shutdown()

    def _do(self, planned: Planned) -> None:
        verb, _, target = planned.kind.partition(" ")
        chance = random.Random(planned.seed)  # noqa: S311 - a plan, not a secret
        faults: dict[str, Callable[[str, random.Random], bool]] = {
            "kill": self._kill,
            "freeze": self._freeze,
            "pause": self._pause,
            "hold": self._hold,
            "end": self._end_session,
            "crash": self._crash,
            "cut": self._cut,
            "half-open": self._spoil_network,
            "delay": self._spoil_network,
            "doubt": self._doubt_commit,
            "double": self._double_nudges,
            "disable": self._disable_trigger,
            "pin": self._pin,
            "flush": self._flush,
            "restart": self._restart,
        }
        try:
            happened = faults[verb](verb if target == "listener" and verb not in {"kill", "freeze"} else target, chance)
        except (psycopg.OperationalError, ProcessLookupError, *BROKER_AWAY):
            happened = False  # it met another fault, which is worse
        except Exception as error:  # noqa: BLE001 - a fault that can not be made is a fault of the suite: tell it
            self.broken.append(f"{planned.kind}: {error!r}")
            happened = False
        with self._lock:
            self.done[planned.kind if happened else "without a victim"] += 1

    def _victim(self, role: str, chance: random.Random) -> Member | None:
        """Somebody with this role who lives; one is waited for. Awake is whose listener silences the doorbell."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self.system.stopping.is_set() and time.monotonic() < deadline:
            awake = self._awake() if role == "awake" else []
            if found := [one for one in self.system.members() if one.role == role or one.pid in awake]:
                return chance.choice(found)
            time.sleep(0.05)
        return None

    def _awake(self) -> list[int]:
        with self._connected() as connection:
            return [pid for (pid,) in connection.execute(AWAKE).fetchall()]

    def _kill(self, role: str, chance: random.Random) -> bool:
        victim = self._victim(role, chance)
        if victim is None:
            return False
        note = Note("kill", victim.pid)
        self.notes.append(note)
        os.kill(victim.pid, signal.SIGKILL)
        if victim.role == "worker":
            self.kills.append(Kill(note.at, victim))
        elif victim.role == "supervisor":
            self.troubles.append(Trouble(note.at, note.at + REBIRTH, victim.pid))
        return True

    def _hold(self, role: str, chance: random.Random) -> bool:
        """It runs on, and none of its threads does."""
        victim = self._victim(role, chance)
        if victim is None:
            return False
        self.notes.append(Note("freeze", victim.pid))
        os.kill(victim.pid, signal.SIGUSR1)
        return True

    def _pause(self, role: str, chance: random.Random) -> bool:
        """With its supervisor, so that nobody replaces it: it goes on when it has long been taken for dead."""
        victim = self._victim(role, chance)
        if victim is None:
            return False
        began = datetime.now(UTC)
        os.kill(victim.supervisor, signal.SIGSTOP)
        try:
            return self._stop_and_go(victim, chance)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim.supervisor, signal.SIGCONT)
            self.troubles.append(Trouble(began, datetime.now(UTC), victim.supervisor))

    def _freeze(self, role: str, chance: random.Random) -> bool:
        """For longer than the lease: its supervisor replaces it, if it has one that looks."""
        victim = self._victim(role, chance)
        return victim is not None and self._stop_and_go(victim, chance)

    def _stop_and_go(self, victim: Member, chance: random.Random) -> bool:
        began = Note("freeze", victim.pid)
        self.notes.append(began)
        os.kill(victim.pid, signal.SIGSTOP)
        try:
            self.system.stopping.wait(LEASE_SECONDS * chance.uniform(1.3, 2.6))
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim.pid, signal.SIGCONT)
            ended = Note("thaw", victim.pid)
            self.notes.append(ended)
            if victim.role == "supervisor":
                self.troubles.append(Trouble(began.at, ended.at, victim.pid))
        return True

    def _end_session(self, _: str, chance: random.Random) -> bool:
        with self._connected() as connection:
            sessions = connection.execute(
                "select pid from pg_stat_activity where application_name like 'scrapersky %' order by pid"
            ).fetchall()
            if sessions:
                connection.execute("select pg_terminate_backend(%s)", chance.choice(sessions))
            return bool(sessions)

    def _doubt_commit(self, kind: str, chance: random.Random) -> bool:
        """The next commit of its kind, among the processes behind the proxy, has no answer."""
        proxy = self.system.commits
        piece = CLAIM_BY_KEY if kind == "claim" and is_polite() else TRANSACTIONS[kind]
        doubt = proxy.doubt(chance.choice(WAYS), piece)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while doubt in proxy.wanted and time.monotonic() < deadline and not self.system.stopping.wait(0.02):
            pass
        return not proxy.withdraw(doubt)

    def _crash(self, _: str, __: random.Random) -> bool:
        with self._crashing:
            if self.system.stopping.is_set():
                return False
            began = datetime.now(UTC)
            self.system.crash_postgres()
            self.troubles.append(Trouble(began, datetime.now(UTC)))
        return True

    def _cut(self, _: str, __: random.Random) -> bool:
        self.system.proxy.reset()
        return True

    def _spoil_network(self, how: str, chance: random.Random) -> bool:
        self.system.proxy.mood = "swallow" if how == "half-open" else "delay"
        self.system.stopping.wait(chance.uniform(0.5, 2.5))
        self.system.proxy.mood = "pass"
        return True

    def _double_nudges(self, _: str, chance: random.Random) -> bool:
        """Doorbells and nudges that nobody asked for, and some that mean nothing."""
        with self._connected() as connection:
            for payload in (QUEUE, "no such workflow", "", QUEUE):
                connection.execute("select pg_notify('engine', %s)", [payload])
        if self.system.brokers:
            with contextlib.closing(make_broker(Settings(broker_url=chance.choice(self.system.brokers).url))) as broker:
                for _number in range(10):
                    broker.enqueue(Message(queue_name=QUEUE, actor_name=QUEUE, args=(), kwargs={}, options={}))
        return True

    def _disable_trigger(self, _: str, chance: random.Random) -> bool:
        self._switch_triggers("disable")
        self.system.stopping.wait(chance.uniform(0.3, 1.5))
        self._switch_triggers("enable")
        return True

    def _switch_triggers(self, verb: str) -> None:
        """With little patience for the lock, again and again: who waits for it makes everybody wait."""
        with self._connected() as connection:
            connection.execute("set lock_timeout = '100ms'")
            for trigger in TRIGGERS:
                while True:
                    try:
                        connection.execute(f"alter table samples {verb} trigger {trigger}".encode())
                        break
                    except (errors.LockNotAvailable, errors.DeadlockDetected):
                        time.sleep(0.05)

    def _pin(self, _: str, chance: random.Random) -> bool:
        """An old transaction whose snapshot keeps every dead row version from being removed; a crash may end it."""
        connection = self._connected()
        connection.execute("begin isolation level repeatable read")
        connection.execute("select count(*) from engine.job")
        self.system.stopping.wait(chance.uniform(5, 20))
        connection.close()
        return True

    def _flush(self, _: str, chance: random.Random) -> bool:
        broker = chance.choice(self.system.brokers)
        if isinstance(broker, Redis):
            broker.flush()
        else:
            with contextlib.closing(broker.connect()) as connection:
                if chance.random() < 0.2:
                    connection.channel().queue_delete(QUEUE)
                else:
                    connection.channel().queue_purge(QUEUE)
        return True

    def _restart(self, _: str, chance: random.Random) -> bool:
        restart(chance.choice(self.system.brokers))
        return True

    def _connected(self) -> Connection[Any]:
        return self.system.connect("nemesis", autocommit=True)

    def heal(self) -> None:
        """Everything that was broken on purpose works again; what has to be found by itself is left to the engine."""
        self.join()
        self.system.proxy.mood = "pass"
        self.system.postgres.start()
        self.system.is_up.set()
        self._switch_triggers("enable")
        for broker in self.system.brokers:
            if not broker.runs:
                broker.start()
        self.system.revive()


def restart(broker: Broker) -> None:
    broker.kill()
    broker.wipe()
    broker.start()
