"""The canary: a table of the engine's own, whose rows prove the whole path. `scrapersky doctor` alone puts rows there.

Its triggers come from the same text as those of the business tables. Its row in engine.workflow exists for as long as a
probe is under way, so that no listing shows it and no pause of everything stops it.
"""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from sqlalchemy import MetaData
from sqlalchemy.orm import Mapped, mapped_column

from db.declaration import Declaration, Words
from db.models.base import Base, one_of

WORDS = Words("Queued", "Processing", "Done", "Failed")


class Canary(Base):
    """Made by sql/schema.sql, not by a migration: it belongs to the engine."""

    __tablename__ = "canary"
    __natural_key__: ClassVar = ("id",)
    metadata = MetaData(schema="engine")

    id: Mapped[UUID] = mapped_column(primary_key=True)
    status: Mapped[str] = mapped_column(one_of("status", *WORDS))
    error: Mapped[str | None]
    submitted_at: Mapped[datetime]
    nudged_at: Mapped[datetime | None]
    claimed_at: Mapped[datetime | None]
    ran_at: Mapped[datetime | None]
    recorded_at: Mapped[datetime | None]


CANARY = Declaration(name="canary", table=Canary, status="status", error="error", words=WORDS, max_attempts=1)
