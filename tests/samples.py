"""A table and a workflow for tests of the engine. What a row does is written in the row."""

import ctypes
import os
import signal
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from uuid import UUID

import sqlalchemy
from sqlalchemy import ForeignKey, MetaData, NullPool, func
from sqlalchemy.orm import Mapped, mapped_column

from actors._workflow import Backoff, Found, Words, Workflow
from actors.errors import GiveUp, RetryLater
from db.models.base import ROOM_FOR_STATUS_UPDATES, Base, one_of

WORDS = Words("Queued", "Processing", "Done", "Failed")


class SampleBase(Base):
    __abstract__ = True
    metadata = MetaData()


class Sample(SampleBase):
    __tablename__ = "samples"
    __table_args__: ClassVar = {"postgresql_with": ROOM_FOR_STATUS_UPDATES}
    __natural_key__: ClassVar = ("name",)

    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=func.gen_random_uuid())
    name: Mapped[str] = mapped_column(unique=True)
    action: Mapped[str] = mapped_column(server_default="find")
    urgency: Mapped[int | None]
    host: Mapped[str | None]
    note: Mapped[str | None]
    status: Mapped[str | None] = mapped_column(one_of("status", *WORDS, "Skipped"))
    error: Mapped[str | None]
    result: Mapped[str | None]


class Finding(SampleBase):
    __tablename__ = "findings"
    __natural_key__: ClassVar = ("name",)
    __set_once__: ClassVar = ("sample_id",)

    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=func.gen_random_uuid())
    name: Mapped[str] = mapped_column(unique=True)
    sample_id: Mapped[UUID | None] = mapped_column(ForeignKey("samples.id", ondelete="SET NULL"))
    worth: Mapped[int] = mapped_column(server_default="1")


class SampleRow(NamedTuple):
    id: UUID
    name: str
    action: str


def act(row: SampleRow) -> Found:
    """Do what the action says: find, nothing, fail, give up, later, kill, exit, freeze, spoil, sleep N, gate PATH."""
    verb, _, argument = row.action.partition(" ")
    keep_ledger(row, "began")
    match verb:
        case "nothing":
            return Found(reason="nothing to find")
        case "fail":
            raise ValueError(argument or "it failed")
        case "give-up":
            raise GiveUp(argument or "it is hopeless")
        case "later":
            raise RetryLater("not now", delay=timedelta(seconds=float(argument or 60)))
        case "kill" | "exit" | "freeze":
            harm_process(verb)
        case "spoil":
            return Found(rows=[Finding(name=row.name, worth=argument or "not a number")])
        case "sleep":
            end = time.monotonic() + float(argument)
            while time.monotonic() < end:
                time.sleep(0.01)
        case "gate":
            while not Path(argument).exists():
                time.sleep(0.01)
        case _:
            pass
    keep_ledger(row, "ended")
    return Found(rows=[Finding(name=row.name, sample_id=row.id)], values={"note": f"found by {os.getpid()}"})


def harm_process(how: str) -> None:
    match how:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "freeze":
            ctypes.PyDLL(None).sleep(600)  # a call that keeps the interpreter lock
        case _:
            sys.exit(3)


def keep_ledger(row: SampleRow, what: str) -> None:
    """One line per beginning and end, for tests that count runs: `<what> <name> <pid>` in the file SAMPLE_LEDGER."""
    if path := os.environ.get("SAMPLE_LEDGER"):
        with Path(path).open("a") as ledger:
            ledger.write(f"{what} {row.name} {os.getpid()}\n")


def sample_workflow(name: str = "sampling", **limits: Any) -> Workflow:
    defaults: dict[str, Any] = {
        "max_attempts": 3,
        "time_limit": timedelta(seconds=30),
        "backoff": Backoff(base=timedelta(milliseconds=50), cap=timedelta(milliseconds=200)),
    }
    workflow = Workflow(
        name=name, table=Sample, status="status", error="error", result="result", words=WORDS, **{**defaults, **limits}
    )
    workflow.run(act)
    return workflow


def create_sample_tables(url: str) -> None:
    address = sqlalchemy.make_url(url).set(drivername="postgresql+psycopg")
    with sqlalchemy.create_engine(address, poolclass=NullPool).begin() as connection:
        SampleBase.metadata.create_all(connection)
