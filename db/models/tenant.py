from typing import ClassVar

from sqlalchemy.orm import Mapped

from db.models.base import Base, Identified, Timestamped


class Tenant(Identified, Timestamped, Base):
    """Whose rows these are. There is one; `default_tenant_id()` in the database names it."""

    __tablename__ = "tenants"
    __natural_key__: ClassVar = ("id",)
    __set_once__: ClassVar = ("name", "description")

    name: Mapped[str]
    description: Mapped[str | None]
