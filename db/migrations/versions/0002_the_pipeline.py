"""What the seven workflows find out, what robots.txt allows, and who must not be contacted."""

import sqlalchemy as sa
from alembic import op

from db.migrations.steps import add_columns, build_index, constrain

revision = "0002"
down_revision = "0001"

MOMENT = sa.DateTime(timezone=True)
PAGE_TYPES = (
    *("home_root", "contact_root", "career_contact", "about_root", "services_root", "menu_root", "pricing_root"),
    *("team_root", "legal_root", "wp_prospect", "unknown"),
)


def upgrade() -> None:
    add_columns("place_searches", "places_found integer")
    add_columns("local_businesses", *texts("country_code", "business_status", "google_maps_url"))
    add_columns(
        "domains",
        *texts("region", "home_url", "alias_of", "cms", "wordpress_theme"),
        *("is_parked boolean", "has_divi boolean", "has_woocommerce boolean"),
    )
    add_columns("sitemap_files", *texts("generator", "etag", "http_last_modified"))
    add_columns("pages", *texts("etag", "http_last_modified"))
    nest_sitemap_files()
    constrain("pages", "page_type_is_known", f"check ({one_of('page_type', PAGE_TYPES)})")
    create_robots_files()
    create_suppressions()


def texts(*names: str) -> list[str]:
    return [f"{name} text" for name in names]


def nest_sitemap_files() -> None:
    add_columns("sitemap_files", "parent_id uuid", "depth integer not null default 0")
    parent = "foreign key (parent_id) references sitemap_files (id) on delete set null"
    constrain("sitemap_files", "sitemap_files_parent_id_fkey", parent)
    build_index("sitemap_files_parent_id_idx", "sitemap_files", "parent_id")


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
