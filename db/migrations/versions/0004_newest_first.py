"""The newest rows first, page by page, however many there are.

Neither column ever changes, so updates of a status stay as cheap as they were.
"""

from db.migrations.steps import build_index

revision = "0004"
down_revision = "0003"

TABLES = ("places_staging", "local_businesses", "domains", "sitemap_files", "pages", "contacts")


def upgrade() -> None:
    for table in TABLES:
        build_index(f"{table}_created_at_id_idx", table, "created_at", "id")
