"""The business tables, as they were first released.

Says everything itself and imports no model: history must not change when the models do. There is no way back down;
restore a backup instead.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

revision = "0001"
down_revision = None

CURATION = ("New", "Selected", "Maybe", "Not a Fit", "Archived")
ROOM_FOR_STATUS_UPDATES = {"fillfactor": 85}
TENANT = "550e8400-e29b-41d4-a716-446655440000"

MOMENT = sa.DateTime(timezone=True)
COORDINATE = sa.Numeric(10, 7)
RATING = sa.Numeric(3, 2)


def upgrade() -> None:
    create_tenants()
    create_place_searches()
    create_places_staging()
    create_local_businesses()
    create_domains()
    create_sitemap_files()
    create_pages()
    create_contacts()


def create_tenants() -> None:
    op.create_table(
        "tenants", uuid_key(), sa.Column("name", sa.Text, nullable=False), *texts("description"), *moments()
    )
    op.execute(
        "CREATE FUNCTION public.default_tenant_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE "
        f"RETURN '{TENANT}'::uuid"
    )
    op.execute("INSERT INTO tenants (id, name) VALUES (default_tenant_id(), 'Default tenant')")


def create_place_searches() -> None:
    op.create_table(
        "place_searches",
        uuid_key(),
        sa.Column("business_type", sa.Text, nullable=False),
        sa.Column("location", sa.Text, nullable=False),
        sa.Column("params", JSONB, nullable=False, server_default=sa.text("'{}'")),
        sa.Column("user_id", sa.Uuid),
        *word("status", "pending", "processing", "complete", "failed"),
        *texts("error", "result"),
        tenant(),
        *moments(),
        postgresql_with=ROOM_FOR_STATUS_UPDATES,
    )


def create_places_staging() -> None:
    op.create_table(
        "places_staging",
        sa.Column("id", sa.Integer, sa.Identity(), primary_key=True),
        sa.Column("place_id", sa.Text, nullable=False, unique=True),
        *texts("name", "business_type", "formatted_address", "vicinity"),
        sa.Column("latitude", COORDINATE),
        sa.Column("longitude", COORDINATE),
        sa.Column("rating", RATING),
        *integers("user_ratings_total", "price_level"),
        sa.Column("raw_data", JSONB),
        reference("search_job_id", "place_searches.id", ondelete="SET NULL"),
        *texts("search_query", "search_location"),
        sa.Column("search_time", MOMENT),
        *word("status", *CURATION, default="New"),
        *texts("notes"),
        sa.Column("priority", sa.Integer, nullable=False, server_default=sa.text("0")),
        sa.Column("tags", ARRAY(sa.Text)),
        sa.Column("revisit_date", sa.Date),
        sa.Column("user_id", sa.Uuid),
        *texts("user_name"),
        sa.Column("created_by", sa.Uuid),
        sa.Column("updated_by", sa.Uuid),
        *word("deep_scan_status", "Queued", "Processing", "Completed", "Error"),
        *texts("deep_scan_error", "deep_scan_result"),
        tenant(),
        *moments(),
        postgresql_with=ROOM_FOR_STATUS_UPDATES,
    )
    op.create_index("places_staging_search_job_id_idx", "places_staging", ["search_job_id"])


def create_local_businesses() -> None:
    op.create_table(
        "local_businesses",
        uuid_key(),
        sa.Column("place_id", sa.Text, unique=True),
        *texts("lead_source", "business_name", "full_address", "street_address", "city", "state", "zip", "country"),
        *texts("phone", "website_url", "main_category"),
        sa.Column("extra_categories", ARRAY(sa.Text)),
        sa.Column("rating", RATING),
        *integers("reviews_count"),
        *texts("price_text"),
        sa.Column("business_verified", sa.Boolean),
        *texts("monday_hours", "tuesday_hours", "wednesday_hours", "thursday_hours", "friday_hours"),
        *texts("saturday_hours", "sunday_hours", "timezone", "image_url"),
        sa.Column("latitude", COORDINATE),
        sa.Column("longitude", COORDINATE),
        *texts("food_featured", "hotel_featured"),
        sa.Column("additional_json", JSONB),
        sa.Column("last_scan", MOMENT),
        *word("status", *CURATION, default="New"),
        *word("domain_extraction_status", "Queued", "Processing", "Completed", "Error"),
        *texts("domain_extraction_error", "domain_extraction_result", "domain"),
        tenant(),
        *moments(),
        postgresql_with=ROOM_FOR_STATUS_UPDATES,
    )
    op.create_index("local_businesses_domain_idx", "local_businesses", ["domain"])


def create_domains() -> None:
    op.create_table(
        "domains",
        uuid_key(),
        sa.Column("domain", sa.Text, nullable=False, unique=True),
        reference("local_business_id", "local_businesses.id", ondelete="SET NULL"),
        sa.Column("created_by", sa.Uuid),
        *texts("notes"),
        *word("status", "pending", "processing", "completed", "error"),
        *texts("status_error", "status_result", "title", "description", "language", "favicon_url", "logo_url"),
        sa.Column("is_wordpress", sa.Boolean),
        *texts("wordpress_version"),
        sa.Column("has_elementor", sa.Boolean),
        sa.Column("tech_stack", JSONB),
        sa.Column("email_addresses", ARRAY(sa.Text)),
        sa.Column("phone_numbers", ARRAY(sa.Text)),
        *texts("facebook_url", "twitter_url", "linkedin_url", "instagram_url", "youtube_url"),
        sa.Column("meta_json", JSONB),
        sa.Column("last_scan", MOMENT),
        *word("sitemap_curation_status", *CURATION, default="New"),
        *word("sitemap_analysis_status", "queued", "processing", "submitted", "failed"),
        *texts("sitemap_analysis_error", "sitemap_analysis_result"),
        *integers("total_sitemaps", "sitemap_urls"),
        tenant(),
        *moments(),
        sa.CheckConstraint(
            "domain <> '' AND domain = lower(domain) AND domain !~ '[/@[:space:]]'", name="domain_is_a_bare_host_name"
        ),
        postgresql_with=ROOM_FOR_STATUS_UPDATES,
    )
    op.create_index("domains_local_business_id_idx", "domains", ["local_business_id"])
    op.create_foreign_key(
        "local_businesses_domain_fkey",
        "local_businesses",
        "domains",
        ["domain"],
        ["domain"],
        onupdate="CASCADE",
        ondelete="SET NULL",
    )


def create_sitemap_files() -> None:
    op.create_table(
        "sitemap_files",
        uuid_key(),
        reference("domain_id", "domains.id", ondelete="CASCADE", nullable=False),
        url(),
        *texts("sitemap_type", "discovery_method"),
        *integers("size_bytes", "url_count"),
        sa.Column("has_lastmod", sa.Boolean),
        sa.Column("has_priority", sa.Boolean),
        sa.Column("has_changefreq", sa.Boolean),
        sa.Column("last_modified", MOMENT),
        sa.Column("created_by", sa.Uuid),
        *texts("notes"),
        sa.Column("tags", ARRAY(sa.Text)),
        *word("deep_scrape_curation_status", *CURATION, default="New"),
        *word("sitemap_import_status", "Queued", "Processing", "Complete", "Error"),
        *texts("sitemap_import_error", "sitemap_import_result"),
        tenant(),
        *moments(),
        sa.UniqueConstraint("domain_id", "url"),
        postgresql_with=ROOM_FOR_STATUS_UPDATES,
    )


def create_pages() -> None:
    op.create_table(
        "pages",
        uuid_key(),
        reference("domain_id", "domains.id", ondelete="CASCADE", nullable=False),
        url(),
        reference("sitemap_file_id", "sitemap_files.id", ondelete="SET NULL"),
        *texts("lead_source"),
        sa.Column("last_modified", MOMENT),
        *word(
            *("page_type", "contact_root", "career_contact", "about_root", "services_root", "menu_root"),
            *("pricing_root", "team_root", "legal_root", "wp_prospect", "unknown"),
        ),
        sa.Column("honeybee_json", JSONB),
        *integers("priority_level", "path_depth"),
        *texts("title", "description", "h1", "canonical_url", "meta_robots"),
        *integers("word_count"),
        sa.Column("additional_json", JSONB),
        sa.Column("last_scan", MOMENT),
        *word("page_curation_status", *CURATION, default="New"),
        *word("page_processing_status", "Queued", "Processing", "Complete", "Error", "Filtered"),
        *texts("page_processing_error", "page_processing_result"),
        *word("contact_scrape_status", "New", "ContactFound", "NoContactFound", "Error", "NotAFit", default="New"),
        tenant(),
        *moments(),
        sa.UniqueConstraint("domain_id", "url"),
        postgresql_with=ROOM_FOR_STATUS_UPDATES,
    )
    op.create_index("pages_sitemap_file_id_idx", "pages", ["sitemap_file_id"])


def create_contacts() -> None:
    op.create_table(
        "contacts",
        uuid_key(),
        reference("domain_id", "domains.id", ondelete="CASCADE", nullable=False),
        reference("page_id", "pages.id", ondelete="SET NULL"),
        *texts("email"),
        *word("email_type", "SERVICE", "CORPORATE", "FREE", "UNKNOWN"),
        *texts("name", "role", "phone_number", "fax_number", "source_url", "method", "context"),
        tenant(),
        *moments(),
        sa.UniqueConstraint("domain_id", "email"),
        sa.CheckConstraint("email IS NOT NULL OR phone_number IS NOT NULL", name="someone_can_be_reached"),
        sa.CheckConstraint(
            "email = lower(email) AND email ~ '^[^@[:space:]]+@[^@[:space:]]+$'", name="email_is_a_lower_case_address"
        ),
        sa.CheckConstraint(r"phone_number ~ '^\+[1-9][0-9]{3,14}$'", name="phone_number_is_e164"),
        sa.CheckConstraint(r"fax_number ~ '^\+[1-9][0-9]{3,14}$'", name="fax_number_is_e164"),
    )
    op.create_index("contacts_page_id_idx", "contacts", ["page_id"])
    op.create_index(
        "contacts_domain_id_phone_number_without_email_key",
        "contacts",
        ["domain_id", "phone_number"],
        unique=True,
        postgresql_where=sa.text("email IS NULL"),
    )


def uuid_key() -> sa.Column[object]:
    return sa.Column("id", sa.Uuid, primary_key=True, server_default=sa.text("gen_random_uuid()"))


def tenant() -> sa.Column[object]:
    default = sa.text("default_tenant_id()")
    return sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False, server_default=default)


def moments() -> list[sa.Column[object]]:
    return [
        sa.Column(name, MOMENT, nullable=False, server_default=sa.text("now()"))
        for name in ("created_at", "updated_at")
    ]


def texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text) for name in names]


def integers(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.Integer) for name in names]


def url() -> sa.Column[str]:
    too_long = sa.CheckConstraint("octet_length(url) <= 2048", name="url_fits_into_an_index")
    return sa.Column("url", sa.Text, too_long, nullable=False)


def reference(column: str, target: str, *, ondelete: str, nullable: bool = True) -> sa.Column[object]:
    return sa.Column(column, sa.Uuid, sa.ForeignKey(target, ondelete=ondelete), nullable=nullable)


def word(column: str, *words: str, default: str | None = None) -> tuple[sa.Column[str], sa.CheckConstraint]:
    """A status column, and the check that knows its words. Without a default it may be null: never asked for."""
    allowed = ", ".join(f"'{word}'" for word in words)
    return (
        sa.Column(column, sa.String(32), nullable=default is None, server_default=default),
        sa.CheckConstraint(f"{column} IN ({allowed})", name=f"{column}_is_known"),
    )
