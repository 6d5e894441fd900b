"""An index that leads from an e-mail address to its contacts: the dashboard's search asks for it."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_index("contacts_email_idx", "contacts", ["email"])
