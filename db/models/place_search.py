from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Mapped, mapped_column

from db.models.base import ROOM_FOR_STATUS_UPDATES, Base, Identified, OwnedByTenant, Timestamped, one_of


class PlaceSearch(Identified, OwnedByTenant, Timestamped, Base):
    """A question to Google Places: "dentist" in "Seattle"."""

    __tablename__ = "place_searches"
    __table_args__ = ({"postgresql_with": ROOM_FOR_STATUS_UPDATES},)
    __natural_key__: ClassVar = ("id",)
    __set_once__: ClassVar = ("user_id", "status")

    business_type: Mapped[str]
    location: Mapped[str]
    params: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    user_id: Mapped[UUID | None]

    status: Mapped[str | None] = mapped_column(one_of("status", "pending", "processing", "complete", "failed"))
    error: Mapped[str | None]
    result: Mapped[str | None]
    places_found: Mapped[int | None]
