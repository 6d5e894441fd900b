"""What the seven workflows find out, what robots.txt allows, and who must not be contacted."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

MOMENT = sa.DateTime(timezone=True)
PAGE_TYPES = (
    *("home_root", "contact_root", "career_contact", "about_root", "services_root", "menu_root", "pricing_root"),
    *("team_root", "legal_root", "wp_prospect", "unknown"),
)


def upgrade() -> None:
    add("place_searches", sa.Integer, "places_found")
    add("local_businesses", sa.Text, "country_code", "business_status", "google_maps_url")
    add("domains", sa.Text, "region", "home_url", "alias_of", "cms", "wordpress_theme")
    add("domains", sa.Boolean, "is_parked", "has_divi", "has_woocommerce")
    add("sitemap_files", sa.Text, "generator", "etag", "http_last_modified")
    add("pages", sa.Text, "etag", "http_last_modified")
    nest_sitemap_files()
    know_home_pages()
    create_robots_files()
    create_suppressions()


def add(table: str, kind: type[sa.types.TypeEngine[Any]], *names: str) -> None:
    for name in names:
        op.add_column(table, sa.Column(name, kind))


def nest_sitemap_files() -> None:
    parent = sa.ForeignKey("sitemap_files.id", ondelete="SET NULL", name="sitemap_files_parent_id_fkey")
    op.add_column("sitemap_files", sa.Column("parent_id", sa.Uuid, parent))
    op.add_column("sitemap_files", sa.Column("depth", sa.Integer, nullable=False, server_default=sa.text("0")))
    op.create_index("sitemap_files_parent_id_idx", "sitemap_files", ["parent_id"])


def know_home_pages() -> None:
    op.drop_constraint("page_type_is_known", "pages")
    op.create_check_constraint("page_type_is_known", "pages", one_of("page_type", PAGE_TYPES))


def create_robots_files() -> None:
    op.create_table(
        "robots_files",
        sa.Column("origin", sa.Text, primary_key=True),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
    )


def create_suppressions() -> None:
    op.create_table(
        "suppressions",
        sa.Column("id", sa.Uuid, primary_key=True, server_default=sa.text("gen_random_uuid()")),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("created_at", MOMENT, nullable=False, server_default=sa.text("now()")),
        sa.Column("updated_at", MOMENT, nullable=False, server_default=sa.text("now()")),
        sa.CheckConstraint(one_of("kind", ("email", "phone", "domain")), name="kind_is_known"),
        sa.CheckConstraint(
            "CASE kind WHEN 'phone' THEN value ~ '^[+][1-9][0-9]{3,14}$' "
            "WHEN 'email' THEN value ~ '^[^@[:space:]]+@[^@[:space:]]+$' "
            "ELSE value ~ '^[^@/:[:space:]]+[.][^@/:[:space:]]+$' END",
            name="value_is_of_its_kind",
        ),
        sa.CheckConstraint("value <> '' AND value = lower(value)", name="value_is_lower_case"),
        sa.UniqueConstraint("kind", "value"),
    )


def one_of(column: str, words: tuple[str, ...]) -> str:
    return f"{column} IN ({', '.join(repr(word) for word in words)})"
