"""What the rows of a chaos run do, and the trace that every recorded run leaves."""

import ctypes
import os
import random
import signal
import sys
import time
from datetime import timedelta
from typing import Any, ClassVar
from uuid import UUID, uuid4

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from actors._workflow import Found, Politeness, Workflow
from actors.errors import GiveUp, RetryLater
from tests.samples import SampleBase, SampleRow, sample_workflow

# How rows behave, and how many of a thousand. The rest finds what it looks for.
UNRULY = {
    "slow": 10.0,
    "later": 5.0,
    "flaky": 5.0,
    "give-up": 3.0,
    "fail": 2.0,
    "exit": 1.0,
    "spoil": 0.5,
    "kill": 0.2,
    "endless": 0.05,
}

POLITE = "CHAOS_POLITE"
LIMITS: dict[str, Any] = {
    "batch": 20,
    "max_attempts": 6,
    "max_lost": 3,
    "time_limit": timedelta(seconds=10),
    "rescue_after": timedelta(seconds=12),
}


class Effect(SampleBase):
    """Append-only, one per recorded run: its natural key never repeats, so a run that is recorded twice shows."""

    __tablename__ = "effects"
    __natural_key__: ClassVar = ("run",)

    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=func.gen_random_uuid())
    run: Mapped[UUID] = mapped_column(unique=True)
    sample_id: Mapped[UUID]


def is_polite() -> bool:
    """Whether the rows of this run are claimed key by key and run by a dispatcher; children inherit the answer."""
    return POLITE in os.environ


def chaos_workflow() -> Workflow:
    polite = {"politeness": Politeness(column="host", group="web", spacing=timedelta(0))} if is_polite() else {}
    workflow = sample_workflow(**LIMITS, **polite)
    workflow.run(behave)
    return workflow


def behave(row: SampleRow) -> Found:
    """Do what the row's action says."""
    match row.action:
        case "slow":
            time.sleep(random.uniform(0.1, 0.6))  # noqa: S311 - a workload, not a secret
        case "fail":
            raise ValueError("it failed")
        case "flaky" if is_heads():
            raise ValueError("not this time")
        case "later" if is_heads():
            raise RetryLater("not now", delay=timedelta(seconds=0.3))
        case "give-up":
            raise GiveUp("it is hopeless")
        case "exit":
            sys.exit(3)
        case "spoil":
            return Found(rows=[Effect(run="not a uuid", sample_id=row.id)])
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "endless":
            ctypes.CDLL(None).sleep(600)  # no exception reaches it, and the other threads run on
        case _:
            time.sleep(0.001)
    run = uuid4()
    return Found(rows=[Effect(run=run, sample_id=row.id)], values={"note": str(run)}, reason="one effect")


def is_heads() -> bool:
    return random.random() < 0.5  # noqa: S311 - a coin, not a secret


def choose_actions(chance: random.Random, count: int) -> list[str]:
    verbs = [*UNRULY, "find"]
    weights = [*UNRULY.values(), 1000 - sum(UNRULY.values())]
    return chance.choices(verbs, weights, k=count)
