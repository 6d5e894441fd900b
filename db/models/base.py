"""What all tables have in common: keys, timestamps, and status columns that know their words."""

from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar, Final, NamedTuple
from uuid import UUID

from sqlalchemy import DateTime, Enum, ForeignKey, Index, MetaData, Numeric, Table, Text, func, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

CURATION: Final = ("New", "Selected", "Maybe", "Not a Fit", "Archived")

# Room on every page for the next version of a row whose status changes: it then needs no new index entries.
# For the same reason no status column is ever indexed.
ROOM_FOR_STATUS_UPDATES: Final = {"fillfactor": 85}

COORDINATE: Final = Numeric(10, 7)
RATING: Final = Numeric(3, 2)


class PartialKey(NamedTuple):
    """A unique index over some rows of a table, as `ON CONFLICT (columns) WHERE condition` names it."""

    columns: tuple[str, ...]
    condition: str


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "pk": "%(table_name)s_pkey",
            "uq": "%(table_name)s_%(column_0_N_name)s_key",
            "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
            "ix": "%(table_name)s_%(column_0_N_name)s_idx",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        str: Text,
        datetime: DateTime(timezone=True),
        Decimal: Numeric,
        list[str]: ARRAY(Text),
        dict[str, Any]: JSONB,
    }

    __natural_key__: ClassVar[tuple[str, ...]]
    """The columns by which people tell two rows apart: the conflict target of an upsert."""

    __fallback_key__: ClassVar[PartialKey | None] = None
    """The conflict target for a row in which a column of the natural key is null."""

    __set_once__: ClassVar[tuple[str, ...]] = ()
    """Columns that an upsert fills when they are null and otherwise leaves alone: decisions and downstream state."""


def table_of(model: type[Base]) -> Table:
    table = model.__table__
    if not isinstance(table, Table):
        raise TypeError(f"{model.__name__} is mapped to {type(table).__name__}, expected a table")
    return table


class Identified:
    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=func.gen_random_uuid(), sort_order=-1)


class OwnedByTenant:
    # Not indexed: with one tenant the index would cost every insert and serve no query.
    tenant_id: Mapped[UUID] = mapped_column(
        ForeignKey("tenants.id"), server_default=text("default_tenant_id()"), sort_order=1
    )


class Timestamped:
    created_at: Mapped[datetime] = mapped_column(server_default=func.now(), sort_order=2)
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now(), sort_order=3)


def newest_first() -> Index:
    """For people who look through all rows: a page of them costs the same at any depth."""
    return Index(None, "created_at", "id")


def one_of(column: str, *words: str) -> Enum:
    """Text that must be one of the words: a typo is an error at the prompt, not a row that waits for ever."""
    return Enum(
        *words,
        name=f"{column}_is_known",
        native_enum=False,
        create_constraint=True,
        validate_strings=True,
        length=32,
    )
