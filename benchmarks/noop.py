"""A wide table with five indexes and a workflow that does nothing: what is left is the engine's own cost.

`python -m benchmarks.noop` is a worker process for it.
"""

import time
from datetime import datetime
from typing import ClassVar, NamedTuple
from uuid import UUID

import dramatiq
from dramatiq import Worker
from sqlalchemy import Index, MetaData, func
from sqlalchemy.orm import Mapped, mapped_column

from actors._workflow import Found, Words, Workflow
from app.broker import make_broker
from app.config import load_settings
from app.process import Process
from db.models.base import ROOM_FOR_STATUS_UPDATES, Base, one_of

WORDS = Words("Queued", "Processing", "Done", "Failed")
COUNT_LEFT = "select count(*) from engine.job where workflow = 'noop'"
FILL = """
insert into wide (id, name, city, category, score, website, description)
select md5(i::text)::uuid, 'name ' || i, 'city ' || i %% 500, 'category ' || i %% 40, i %% 1000,
       'https://www.example' || i || '.com', repeat('x', %s)
from generate_series(1, %s) as i
"""


class Wide(Base):
    __tablename__ = "wide"
    metadata = MetaData()
    __table_args__: ClassVar = (
        Index("wide_city", "city"),
        Index("wide_category", "category"),
        Index("wide_score", "score"),
        Index("wide_created", "created_at"),
        {"postgresql_with": ROOM_FOR_STATUS_UPDATES},
    )
    __natural_key__: ClassVar = ("id",)

    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=func.gen_random_uuid())
    name: Mapped[str]
    city: Mapped[str]
    category: Mapped[str]
    score: Mapped[int]
    website: Mapped[str]
    description: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    status: Mapped[str | None] = mapped_column(one_of("status", *WORDS))
    error: Mapped[str | None]
    pickup_status: Mapped[str | None] = mapped_column(one_of("pickup_status", *WORDS))
    pickup_error: Mapped[str | None]
    picked_up_at: Mapped[float | None]


class WideRow(NamedTuple):
    id: UUID
    website: str


noop = Workflow(name="noop", table=Wide, status="status", error="error", words=WORDS)


@noop.run
def do_nothing(_row: WideRow) -> Found:
    return Found()


pickup = Workflow(name="pickup", table=Wide, status="pickup_status", error="pickup_error", words=WORDS)


@pickup.run
def note_the_time(_row: WideRow) -> Found:
    return Found(values={"picked_up_at": time.time()})


WORKFLOWS = (noop, pickup)

if __name__ == "__main__":
    settings = load_settings()
    process = Process(settings, WORKFLOWS)
    broker = make_broker(settings, [process])
    dramatiq.set_broker(broker)
    process.bind(broker)
    raise SystemExit(process.run(Worker(broker, worker_threads=settings.threads, worker_timeout=100)))
