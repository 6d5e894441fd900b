"""The sample workflow, whose every recorded run leaves a trace: which process ran it, and when it began."""

import os
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, ClassVar
from uuid import UUID, uuid4

import sqlalchemy
from sqlalchemy import MetaData, NullPool, func
from sqlalchemy.orm import Mapped, mapped_column

from actors._workflow import Found, Workflow
from db.models.base import Base
from tests.samples import SampleRow, act, sample_workflow


class TraceBase(Base):
    __abstract__ = True
    metadata = MetaData()


class Trace(TraceBase):
    """Append-only: a natural key that no two runs share. No foreign key, so that traces of deleted rows would show."""

    __tablename__ = "traces"
    __natural_key__: ClassVar = ("run",)

    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=func.gen_random_uuid())
    run: Mapped[UUID] = mapped_column(unique=True)
    sample_id: Mapped[UUID]
    pid: Mapped[int]
    began: Mapped[datetime]


def leave_trace(row: SampleRow) -> Found:
    began = datetime.now(UTC)
    found = act(row)
    return replace(found, rows=[Trace(run=uuid4(), sample_id=row.id, pid=os.getpid(), began=began)])


def traced_workflow(**limits: Any) -> Workflow:
    workflow = sample_workflow(**limits)
    workflow.run(leave_trace)
    return workflow


def create_trace_table(url: str) -> None:
    address = sqlalchemy.make_url(url).set(drivername="postgresql+psycopg")
    with sqlalchemy.create_engine(address, poolclass=NullPool).begin() as connection:
        TraceBase.metadata.create_all(connection)
