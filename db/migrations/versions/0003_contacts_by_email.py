"""An index that leads from an e-mail address to its contacts: the dashboard's search asks for it."""

from db.migrations.steps import build_index

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    build_index("contacts_email_idx", "contacts", "email")
