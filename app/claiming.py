"""Claims of one workflow in this process: their tokens are held before they are made, and bad rows are left out."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from uuid import UUID

import psycopg
from psycopg import Connection

from actors._workflow import Workflow
from app import metrics
from app.logs import event
from db.connections import transaction
from db.lifecycle import Batch, Claimer
from db.lifecycle.bad_rows import is_bad_row

if TYPE_CHECKING:
    from app.runner import Surroundings  # the runner claims by this

log = logging.getLogger(__name__)


class Claiming:
    def __init__(self, workflow: Workflow, around: Surroundings) -> None:
        self.workflow = workflow
        self.around = around
        self.claimer = Claimer(workflow, workflow.columns)
        self.in_turns = False
        """Whether claims of all processes come one after the other, as the last one found."""
        self.may_take_suspects = True
        """Not while a row runs that may have killed its worker, where rows are claimed beside it."""
        self._met_suspect = False
        self._row_by_row = False

    def claim(self, size: int) -> Batch | None:
        """A row that can not be updated spoils a claim: it is made again row by row, and the bad one is pushed back."""
        try:
            try:
                return self._try(size)
            except Exception as error:
                if self._row_by_row or not is_bad_row(error):
                    raise
            return self._try(size, row_by_row=True)
        except psycopg.Error as error:
            event(log, logging.WARNING, "claim.failed", workflow=self.workflow.name, error=str(error))
            return None

    def _try(self, size: int, *, row_by_row: bool = False) -> Batch:
        token = self.around.late.claims.hold()
        try:
            with transaction(self.around.pool) as connection:
                batch = self.take(connection, token, size, row_by_row=row_by_row)
        except Exception:
            self.disown(token)
            raise
        self.committed(batch)
        return batch

    def take(self, connection: Connection[Any], token: UUID, size: int, *, row_by_row: bool = False) -> Batch:
        """In the caller's transaction. A row that may have killed its worker runs beside no other such row."""
        quarantine = self.around.quarantine
        inside = self.may_take_suspects and quarantine.enter()
        size = 1 if inside and self._met_suspect else size  # they come one by one, and often one after the other
        batch = self.claimer.claim(
            connection,
            self.around.heart.id,
            size,
            token=token,
            suspects=inside,
            row_by_row=row_by_row or self._row_by_row,
        )
        self.in_turns = batch.in_turns
        if inside:
            self._met_suspect = any(row.lost for row in batch.rows)
        if inside and not self._met_suspect:
            quarantine.leave()
        return batch

    def disown(self, token: UUID) -> None:
        """Committed or not: no thread answers for this claim. If it is there, it is given back."""
        self.around.late.claims.let_go(token)
        self.around.late.look_soon()

    def committed(self, batch: Batch) -> None:
        """The database has said so."""
        name = self.workflow.name
        if not batch.rows:
            self.around.late.claims.let_go(batch.token)
        self._row_by_row = batch.pushed_back > 0  # where one bad row is, others may be
        if batch.pushed_back:
            metrics.pushed_back.labels(name).inc(batch.pushed_back)
            event(log, logging.WARNING, "rows.pushed_back", workflow=name, rows=batch.pushed_back)
        metrics.claims.labels(name, "rows" if batch.rows else "empty").inc()
        if batch.rows:
            waits = [max(0.0, row.waited) for row in batch.rows]
            metrics.wait.labels(name).observe_all(waits)
            self.around.rates.started(name, waits)
