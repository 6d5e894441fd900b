"""Rows that nobody will run: queued without a job, or in processing without a worker. What is read is bounded."""

from collections.abc import Iterator

import psycopg

from app.doctor.finding import SWEEP, Finding, failure, warning, well
from app.doctor.patient import Patient
from db.declaration import Declaration
from db.statements import compose

# 32 MB from each end of a large table: what went wrong lately is new, what went wrong for long is old.
BLOCKS = 4096

SIZE = "select pg_relation_size({table_name}::regclass) / current_setting('block_size')::bigint as blocks"
UNOWNED = """
select count(*) filter (where item.{status}::text = %(queued)s) as queued,
       count(*) filter (where item.{status}::text = %(processing)s) as processing
from {table} as item
where item.ctid >= %(low)s::tid and item.ctid < %(high)s::tid
  and item.{status}::text in (%(queued)s, %(processing)s)
  and not exists (
      select 1 from engine.job
      where job.workflow = %(workflow)s and job.pk = item.{pk}::text collate "C"
        and case when item.{status}::text = %(queued)s then not job.dead else job.worker_id is not null end)
"""


def unowned(patient: Patient) -> Iterator[Finding]:
    bad = False
    partly = []
    for workflow in patient.workflows:
        try:
            queued, processing, whole = _count(patient, workflow)
        except psycopg.errors.QueryCanceled:
            partly.append(workflow.name)
            continue
        if not whole:
            partly.append(workflow.name)
        if queued or processing:
            bad = True
            yield failure(
                f"{workflow.name}: {queued:,} queued without a job, {processing:,} in processing without a worker",
                "They came past the trigger, from a restore or from a killed process. The sweep takes care of them.",
                SWEEP,
            )
    lost = patient.one("lost_claims").rows
    if lost:
        bad = True
        yield warning(f"{lost:,} rows are claimed by workers that are gone", "The sweep gives them back.", SWEEP)
    if not bad:
        yield well("none" + (f"; looked at both ends only of the tables of {', '.join(partly)}" if partly else ""))


def _count(patient: Patient, workflow: Declaration) -> tuple[int, int, bool]:
    """Queued and processing without an owner, and whether the whole table was looked at."""
    (size,) = patient.read(compose(SIZE, **workflow.names))
    whole = size.blocks <= 2 * BLOCKS
    ends = [(0, size.blocks)] if whole else [(0, BLOCKS), (size.blocks - BLOCKS, size.blocks)]
    parameters = {"queued": workflow.words.queued, "processing": workflow.words.processing, "workflow": workflow.name}
    query = compose(UNOWNED, **workflow.names)
    counts = [patient.read(query, {**parameters, "low": f"({low},0)", "high": f"({high},0)"})[0] for low, high in ends]
    return sum(row.queued for row in counts), sum(row.processing for row in counts), whole
