from datetime import datetime
from typing import Any, ClassVar, Final
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, UniqueConstraint
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

PAGE_TYPES: Final = (
    "home_root",
    "contact_root",
    "career_contact",
    "about_root",
    "services_root",
    "menu_root",
    "pricing_root",
    "team_root",
    "legal_root",
    "wp_prospect",
    "unknown",
)


class Page(Identified, OwnedByTenant, Timestamped, Base):
    """A URL of a domain, the decision whether to read it (honeybee_json), and what reading it gave."""

    __tablename__ = "pages"
    __table_args__ = (
        newest_first(),
        UniqueConstraint("domain_id", "url"),
        CheckConstraint("octet_length(url) <= 2048", name="url_fits_into_an_index"),
        {"postgresql_with": ROOM_FOR_STATUS_UPDATES},
    )
    __natural_key__: ClassVar = ("domain_id", "url")
    __set_once__: ClassVar = (
        "sitemap_file_id",
        "path_depth",
        "lead_source",
        "page_type",
        "honeybee_json",
        "priority_level",
        "page_curation_status",
        "page_processing_status",
        "contact_scrape_status",
    )

    domain_id: Mapped[UUID] = mapped_column(ForeignKey("domains.id", ondelete="CASCADE"))
    url: Mapped[str]
    sitemap_file_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("sitemap_files.id", ondelete="SET NULL"), index=True
    )
    lead_source: Mapped[str | None]
    last_modified: Mapped[datetime | None]

    page_type: Mapped[str | None] = mapped_column(one_of("page_type", *PAGE_TYPES))
    honeybee_json: Mapped[dict[str, Any] | None]
    priority_level: Mapped[int | None]
    path_depth: Mapped[int | None]

    title: Mapped[str | None]
    description: Mapped[str | None]
    h1: Mapped[str | None]
    canonical_url: Mapped[str | None]
    meta_robots: Mapped[str | None]
    word_count: Mapped[int | None]
    additional_json: Mapped[dict[str, Any] | None]
    etag: Mapped[str | None]
    http_last_modified: Mapped[str | None]
    last_scan: Mapped[datetime | None]

    page_curation_status: Mapped[str] = mapped_column(one_of("page_curation_status", *CURATION), server_default="New")
    page_processing_status: Mapped[str | None] = mapped_column(
        one_of("page_processing_status", "Queued", "Processing", "Complete", "Error", "Filtered")
    )
    page_processing_error: Mapped[str | None]
    page_processing_result: Mapped[str | None]
    contact_scrape_status: Mapped[str] = mapped_column(
        one_of("contact_scrape_status", "New", "ContactFound", "NoContactFound", "Error", "NotAFit"),
        server_default="New",
    )
