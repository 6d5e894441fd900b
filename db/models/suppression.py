from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped

from db.models.base import Base, Identified, Timestamped

VALUE = (
    "CASE kind WHEN 'phone' THEN value ~ '^[+][1-9][0-9]{3,14}$' "
    "WHEN 'email' THEN value ~ '^[^@[:space:]]+@[^@[:space:]]+$' "
    "ELSE value ~ '^[^@/:[:space:]]+[.][^@/:[:space:]]+$' END"
)


class Suppression(Identified, Timestamped, Base):
    """Someone who must not be contacted: an address, a number, or everybody at a domain."""

    __tablename__ = "suppressions"
    __table_args__ = (
        UniqueConstraint("kind", "value"),
        # A number that is written without its country is found by how it ends.
        Index(
            "suppressions_reversed_number_idx",
            text("reverse(ltrim(value, '+'))"),
            postgresql_where=text("kind = 'phone'"),
        ),
        CheckConstraint("kind IN ('email', 'phone', 'domain')", name="kind_is_known"),
        CheckConstraint(VALUE, name="value_is_of_its_kind"),
        CheckConstraint("value <> '' AND value = lower(value)", name="value_is_lower_case"),
    )
    __natural_key__: ClassVar = ("kind", "value")

    kind: Mapped[str]
    value: Mapped[str]
    reason: Mapped[str | None]
