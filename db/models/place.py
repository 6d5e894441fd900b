from datetime import date, datetime
from decimal import Decimal
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import ForeignKey, Identity, text
from sqlalchemy.orm import Mapped, mapped_column

from db.models.base import (
    COORDINATE,
    CURATION,
    RATING,
    ROOM_FOR_STATUS_UPDATES,
    Base,
    OwnedByTenant,
    Timestamped,
    newest_first,
    one_of,
)


class Place(OwnedByTenant, Timestamped, Base):
    """A search hit. Everything but the place_id is Google's content and may have to be cleared, so it is nullable."""

    __tablename__ = "places_staging"
    __table_args__ = (newest_first(), {"postgresql_with": ROOM_FOR_STATUS_UPDATES})
    __natural_key__: ClassVar = ("place_id",)
    __set_once__: ClassVar = (
        "tenant_id",
        "status",
        "deep_scan_status",
        "notes",
        "priority",
        "tags",
        "revisit_date",
        "created_by",
    )

    id: Mapped[int] = mapped_column(Identity(), primary_key=True)
    place_id: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str | None]
    business_type: Mapped[str | None]
    formatted_address: Mapped[str | None]
    vicinity: Mapped[str | None]
    latitude: Mapped[Decimal | None] = mapped_column(COORDINATE)
    longitude: Mapped[Decimal | None] = mapped_column(COORDINATE)
    rating: Mapped[Decimal | None] = mapped_column(RATING)
    user_ratings_total: Mapped[int | None]
    price_level: Mapped[int | None]
    raw_data: Mapped[dict[str, Any] | None]

    search_job_id: Mapped[UUID | None] = mapped_column(ForeignKey("place_searches.id", ondelete="SET NULL"), index=True)
    search_query: Mapped[str | None]
    search_location: Mapped[str | None]
    search_time: Mapped[datetime | None]

    status: Mapped[str] = mapped_column(one_of("status", *CURATION), server_default="New")
    notes: Mapped[str | None]
    priority: Mapped[int] = mapped_column(server_default=text("0"))
    tags: Mapped[list[str] | None]
    revisit_date: Mapped[date | None]
    user_id: Mapped[UUID | None]
    user_name: Mapped[str | None]
    created_by: Mapped[UUID | None]
    updated_by: Mapped[UUID | None]

    deep_scan_status: Mapped[str | None] = mapped_column(
        one_of("deep_scan_status", "Queued", "Processing", "Completed", "Error")
    )
    deep_scan_error: Mapped[str | None]
    deep_scan_result: Mapped[str | None]
