from typing import ClassVar
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from db.models.base import Base, Identified, OwnedByTenant, PartialKey, Timestamped, newest_first, one_of

EMAIL = "email = lower(email) AND email ~ '^[^@[:space:]]+@[^@[:space:]]+$'"
E164 = r"^\+[1-9][0-9]{3,14}$"


class Contact(Identified, OwnedByTenant, Timestamped, Base):
    """A way to reach someone at a domain, with the place where it was found."""

    __tablename__ = "contacts"
    __table_args__ = (
        newest_first(),
        UniqueConstraint("domain_id", "email"),
        Index(
            "contacts_domain_id_phone_number_without_email_key",
            "domain_id",
            "phone_number",
            unique=True,
            postgresql_where=text("email IS NULL"),
        ),
        CheckConstraint("email IS NOT NULL OR phone_number IS NOT NULL", name="someone_can_be_reached"),
        CheckConstraint(EMAIL, name="email_is_a_lower_case_address"),
        CheckConstraint(rf"phone_number ~ '{E164}'", name="phone_number_is_e164"),
        CheckConstraint(rf"fax_number ~ '{E164}'", name="fax_number_is_e164"),
    )
    __natural_key__: ClassVar = ("domain_id", "email")
    __fallback_key__: ClassVar = PartialKey(("domain_id", "phone_number"), "email IS NULL")
    # Everything: the first page that names a contact is its source, later ones fill the gaps, a correction stays.
    __set_once__: ClassVar = (
        "page_id",
        "name",
        "role",
        "email_type",
        "phone_number",
        "fax_number",
        "source_url",
        "method",
        "context",
    )

    domain_id: Mapped[UUID] = mapped_column(ForeignKey("domains.id", ondelete="CASCADE"))
    page_id: Mapped[UUID | None] = mapped_column(ForeignKey("pages.id", ondelete="SET NULL"), index=True)
    email: Mapped[str | None] = mapped_column(index=True)
    email_type: Mapped[str | None] = mapped_column(one_of("email_type", "SERVICE", "CORPORATE", "FREE", "UNKNOWN"))
    name: Mapped[str | None]
    role: Mapped[str | None]
    phone_number: Mapped[str | None]
    fax_number: Mapped[str | None]
    source_url: Mapped[str | None]
    method: Mapped[str | None]
    context: Mapped[str | None]
