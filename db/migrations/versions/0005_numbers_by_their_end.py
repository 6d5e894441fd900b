"""An index over listed numbers from their end: texts name them without their country."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.execute(
        "CREATE INDEX IF NOT EXISTS suppressions_reversed_number_idx ON suppressions (reverse(ltrim(value, '+'))) "
        "WHERE kind = 'phone'"
    )
