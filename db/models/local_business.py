from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from db.models.base import (
    COORDINATE,
    CURATION,
    RATING,
    ROOM_FOR_STATUS_UPDATES,
    Base,
    Identified,
    OwnedByTenant,
    Timestamped,
    newest_first,
    one_of,
)


class LocalBusiness(Identified, OwnedByTenant, Timestamped, Base):
    """A business as Places describes it, or as a person typed it (then without a place_id)."""

    __tablename__ = "local_businesses"
    __table_args__ = (newest_first(), {"postgresql_with": ROOM_FOR_STATUS_UPDATES})
    __natural_key__: ClassVar = ("place_id",)
    __set_once__: ClassVar = ("tenant_id", "lead_source", "status", "domain_extraction_status")

    place_id: Mapped[str | None] = mapped_column(unique=True)
    lead_source: Mapped[str | None]
    business_name: Mapped[str | None]
    full_address: Mapped[str | None]
    street_address: Mapped[str | None]
    city: Mapped[str | None]
    state: Mapped[str | None]
    zip: Mapped[str | None]
    country: Mapped[str | None]
    country_code: Mapped[str | None]
    phone: Mapped[str | None]
    website_url: Mapped[str | None]
    main_category: Mapped[str | None]
    extra_categories: Mapped[list[str] | None]
    rating: Mapped[Decimal | None] = mapped_column(RATING)
    reviews_count: Mapped[int | None]
    price_text: Mapped[str | None]
    business_status: Mapped[str | None]
    business_verified: Mapped[bool | None]
    google_maps_url: Mapped[str | None]
    monday_hours: Mapped[str | None]
    tuesday_hours: Mapped[str | None]
    wednesday_hours: Mapped[str | None]
    thursday_hours: Mapped[str | None]
    friday_hours: Mapped[str | None]
    saturday_hours: Mapped[str | None]
    sunday_hours: Mapped[str | None]
    timezone: Mapped[str | None]
    image_url: Mapped[str | None]
    latitude: Mapped[Decimal | None] = mapped_column(COORDINATE)
    longitude: Mapped[Decimal | None] = mapped_column(COORDINATE)
    food_featured: Mapped[str | None]
    hotel_featured: Mapped[str | None]
    additional_json: Mapped[dict[str, Any] | None]
    last_scan: Mapped[datetime | None]

    status: Mapped[str] = mapped_column(one_of("status", *CURATION), server_default="New")

    domain_extraction_status: Mapped[str | None] = mapped_column(
        one_of("domain_extraction_status", "Queued", "Processing", "Completed", "Error")
    )
    domain_extraction_error: Mapped[str | None]
    domain_extraction_result: Mapped[str | None]
    # Many businesses, one site. Domains refer back to their first business, hence the separate ALTER TABLE.
    domain: Mapped[str | None] = mapped_column(
        ForeignKey("domains.domain", onupdate="CASCADE", ondelete="SET NULL", use_alter=True), index=True
    )
