"""Engines that lack one safeguard each. A checker that does not find out proves nothing of the real one."""

import os
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import psycopg
from dramatiq import Broker
from psycopg import Connection

from actors._workflow import Workflow
from app.held_claims import HeldClaims
from app.process import Process
from app.supervisor import Supervisor
from app.sweeper import Sweeper
from db.lifecycle import Ended, Ending, Recorder, Swept
from db.outcomes import Found
from db.results import write_rows


class UnfencedRecorder(Recorder):
    """Completes a row by its key, whoever holds the claim by now: what most queues do."""

    def record(
        self, connection: Connection[Any], worker: UUID, token: UUID, endings: Sequence[Ending], **_options: Any
    ) -> list[Ended]:
        ended: list[Ended] = []
        for ending in endings:
            if not isinstance(ending.outcome, Found):
                ended += super().record(connection, worker, token, [ending])
                continue
            write_rows(connection, ending.outcome.rows)
            connection.execute("delete from engine.job where workflow = %s and pk = %s", [self.name, ending.pk])
            connection.execute("update samples set status = 'Done' where id::text = %s", [ending.pk])
            ended.append(Ended(ending, "completed"))
        return ended

    @property
    def name(self) -> str:
        return self.declaration.name


class TokenlessRecorder(Recorder):
    """Asks for a claim, and not for its own."""

    def __init__(self, workflow: Workflow) -> None:
        super().__init__(workflow)
        self.sql = {name: query.replace(b"token = %(token)s", b"token is not null") for name, query in self.sql.items()}


class ForgetfulClaims(HeldClaims):
    """Believes that a thread answers for every claim: one whose commit had no answer is never looked for."""

    def __contains__(self, token: UUID) -> bool:
        return True


RECORDERS = {"unfenced": UnfencedRecorder, "tokenless": TokenlessRecorder}


class BrokenProcess(Process):
    """It lacks what CHAOS_ENGINE names: a recorder's fence, or the memory of its claims."""

    def _boot(self, broker: Broker) -> None:
        super()._boot(broker)
        lack = os.environ["CHAOS_ENGINE"]
        for runner in self.runners.values():
            if lack in RECORDERS:
                runner.recorder = RECORDERS[lack](runner.workflow)
            else:
                assert lack == "forgetful"
                runner.around.late.claims = ForgetfulClaims()


class TrustfulSupervisor(Supervisor):
    """Takes a process that has not ended for one that works."""

    def _end_frozen(self) -> None:
        pass


class TimestampSweeper(Sweeper):
    """Calls a worker dead when its last beat is older than the lease. Connects anew, so as to look as early as it can.

    Claims are looked after every time: at the first look after an outage the pool may still be without a connection.
    """

    def watch(self) -> list[UUID]:
        query = "delete from engine.worker where last_beat < clock_timestamp() - %s returning id"
        with psycopg.connect(self.settings.database_url, application_name="scrapersky sweeper") as connection:
            buried = [worker for (worker,) in connection.execute(query, [self.settings.lease]).fetchall()]
        self.end_lost_claims()
        return buried


class ForgetfulSweeper(Sweeper):
    """Ends the claims of the dead and never looks at the tables themselves."""

    def sweep(self, workflow: str, *, whole: bool = False) -> Swept:
        del whole
        return self._end_lost_claims(self.recoveries[workflow])
