"""Run by Alembic, once per command."""

from alembic import context
from sqlalchemy.schema import SchemaItem

from db.models import Base

VERSION_TABLE = "schema_version"


def is_ours(item: SchemaItem, name: str | None, kind: str, _reflected: bool, _counterpart: SchemaItem | None) -> bool:  # noqa: FBT001 - Alembic's signature
    """Tables in a schema of their own are the engine's or the user's, and Alembic keeps its own books."""
    return kind != "table" or (getattr(item, "schema", None) is None and name != VERSION_TABLE)


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    include_object=is_ours,
    compare_server_default=True,
    version_table=VERSION_TABLE,
    version_table_schema="public",
    transaction_per_migration=True,
)
with context.begin_transaction():
    context.run_migrations()
