from datetime import datetime
from typing import ClassVar
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, UniqueConstraint, text
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


class SitemapFile(Identified, OwnedByTenant, Timestamped, Base):
    """A sitemap, or an index of sitemaps, of a domain."""

    __tablename__ = "sitemap_files"
    __table_args__ = (
        newest_first(),
        UniqueConstraint("domain_id", "url"),
        CheckConstraint("octet_length(url) <= 2048", name="url_fits_into_an_index"),
        {"postgresql_with": ROOM_FOR_STATUS_UPDATES},
    )
    __natural_key__: ClassVar = ("domain_id", "url")
    __set_once__: ClassVar = (
        "parent_id",
        "depth",
        "discovery_method",
        "created_by",
        "notes",
        "tags",
        "deep_scrape_curation_status",
        "sitemap_import_status",
    )

    domain_id: Mapped[UUID] = mapped_column(ForeignKey("domains.id", ondelete="CASCADE"))
    url: Mapped[str]
    # The index that listed it, and how many indexes stand above it.
    parent_id: Mapped[UUID | None] = mapped_column(ForeignKey("sitemap_files.id", ondelete="SET NULL"), index=True)
    depth: Mapped[int] = mapped_column(server_default=text("0"))
    sitemap_type: Mapped[str | None]
    discovery_method: Mapped[str | None]
    generator: Mapped[str | None]
    size_bytes: Mapped[int | None]
    url_count: Mapped[int | None]
    has_lastmod: Mapped[bool | None]
    has_priority: Mapped[bool | None]
    has_changefreq: Mapped[bool | None]
    last_modified: Mapped[datetime | None]
    etag: Mapped[str | None]
    http_last_modified: Mapped[str | None]
    created_by: Mapped[UUID | None]
    notes: Mapped[str | None]
    tags: Mapped[list[str] | None]

    deep_scrape_curation_status: Mapped[str] = mapped_column(
        one_of("deep_scrape_curation_status", *CURATION), server_default="New"
    )
    sitemap_import_status: Mapped[str | None] = mapped_column(
        one_of("sitemap_import_status", "Queued", "Processing", "Complete", "Error")
    )
    sitemap_import_error: Mapped[str | None]
    sitemap_import_result: Mapped[str | None]
