from datetime import datetime
from typing import ClassVar

from sqlalchemy.orm import Mapped, mapped_column

from db.models.base import Base


class RobotsFile(Base):
    """What an origin (https://host:port) allows, as its robots.txt last said; good until it expires."""

    __tablename__ = "robots_files"
    __natural_key__: ClassVar = ("origin",)

    origin: Mapped[str] = mapped_column(primary_key=True)
    status: Mapped[int]
    body: Mapped[str]
    expires_at: Mapped[datetime]
