from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from db.models.base import (
    CURATION,
    ROOM_FOR_STATUS_UPDATES,
    Base,
    Identified,
    OwnedByTenant,
    Timestamped,
    newest_first,
    one_of,
)


class Domain(Identified, OwnedByTenant, Timestamped, Base):
    """A registrable domain, what its home page says of itself, and how far its sitemaps are known."""

    __tablename__ = "domains"
    __table_args__ = (
        newest_first(),
        CheckConstraint(
            "domain <> '' AND domain = lower(domain) AND domain !~ '[/@[:space:]]'", name="domain_is_a_bare_host_name"
        ),
        {"postgresql_with": ROOM_FOR_STATUS_UPDATES},
    )
    __natural_key__: ClassVar = ("domain",)
    __set_once__: ClassVar = (
        "local_business_id",
        "region",
        "created_by",
        "notes",
        "status",
        "sitemap_curation_status",
        "sitemap_analysis_status",
    )

    domain: Mapped[str] = mapped_column(unique=True)
    local_business_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("local_businesses.id", ondelete="SET NULL"), index=True
    )
    # Two letters: how numbers without a country are read. From the place, or given at the import.
    region: Mapped[str | None]
    created_by: Mapped[UUID | None]
    notes: Mapped[str | None]

    status: Mapped[str | None] = mapped_column(one_of("status", "pending", "processing", "completed", "error"))
    status_error: Mapped[str | None]
    status_result: Mapped[str | None]

    # Where the home page answered, after redirects; and the other domain that it sent us to, if it did.
    home_url: Mapped[str | None]
    alias_of: Mapped[str | None]
    is_parked: Mapped[bool | None]
    title: Mapped[str | None]
    description: Mapped[str | None]
    language: Mapped[str | None]
    favicon_url: Mapped[str | None]
    logo_url: Mapped[str | None]
    cms: Mapped[str | None]
    is_wordpress: Mapped[bool | None]
    wordpress_version: Mapped[str | None]
    wordpress_theme: Mapped[str | None]
    has_elementor: Mapped[bool | None]
    has_divi: Mapped[bool | None]
    has_woocommerce: Mapped[bool | None]
    tech_stack: Mapped[dict[str, Any] | None]
    email_addresses: Mapped[list[str] | None]
    phone_numbers: Mapped[list[str] | None]
    facebook_url: Mapped[str | None]
    twitter_url: Mapped[str | None]
    linkedin_url: Mapped[str | None]
    instagram_url: Mapped[str | None]
    youtube_url: Mapped[str | None]
    meta_json: Mapped[dict[str, Any] | None]
    last_scan: Mapped[datetime | None]

    sitemap_curation_status: Mapped[str] = mapped_column(
        one_of("sitemap_curation_status", *CURATION), server_default="New"
    )
    sitemap_analysis_status: Mapped[str | None] = mapped_column(
        one_of("sitemap_analysis_status", "queued", "processing", "submitted", "failed")
    )
    sitemap_analysis_error: Mapped[str | None]
    sitemap_analysis_result: Mapped[str | None]
    total_sitemaps: Mapped[int | None]
    sitemap_urls: Mapped[int | None]
