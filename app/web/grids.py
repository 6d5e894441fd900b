"""The grids of the curators: what each one shows of a row, and what it can be filtered by."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from uuid import UUID

from psycopg import sql

from app.web.filters import Field, choice, domain, identifier, number, processing, rating, text, yes_or_no
from app.web.keyset import ROWS, Place
from db.models.base import CURATION, Base
from db.models.page import PAGE_TYPES
from db.people.selecting import CURATED, Curated, condition_of
from db.statements import Statements, statements

LARGEST_ID: Final = 2**31 - 1
LONGEST_ID: Final = 10


class Fact(NamedTuple):
    """A column beside the name: its heading, and an expression over `item`."""

    title: str
    expression: str
    is_number: bool = False


class Grid(NamedTuple):
    """`name`, `below` and `link` are expressions over `item`: how it is called, what is said of it, where it is."""

    kind: str
    name: str
    below: str
    link: str
    facts: tuple[Fact, ...]
    own_fields: tuple[Field, ...]

    @property
    def curated(self) -> Curated:
        return CURATED[self.kind]

    @property
    def fields(self) -> tuple[Field, ...]:
        words = Base.metadata.tables[self.curated.table].columns[self.curated.processing].type.enums  # type: ignore[attr-defined]
        return (choice("word", "Decision", CURATION), *self.own_fields, processing(words))

    @property
    def hidden_fields(self) -> tuple[Field, ...]:
        return (number("change", "Change"),)

    @property
    def is_key(self) -> Callable[[str], bool]:
        return is_uuid if self.curated.key == "uuid" else _is_number


RATING: Final = (Fact("rating", "item.rating", is_number=True),)
DOMAIN: Final = "(select domains.domain from domains where domains.id = item.domain_id)"

GRIDS: Final = {
    grid.kind: grid
    for grid in (
        Grid(
            "places",
            "coalesce(item.name, item.place_id)",
            "coalesce(item.formatted_address, item.vicinity)",
            "null::text",
            (
                Fact("kind", "item.business_type"),
                *RATING,
                Fact("ratings", "item.user_ratings_total", is_number=True),
            ),
            (
                text("name", "Name"),
                text("location", "Location", "town or address"),
                text("type", "Kind of business"),
                rating("min_rating", "Rated at least"),
                identifier("search", "Search id"),
            ),
        ),
        Grid(
            "businesses",
            "coalesce(item.business_name, item.website_url, item.id::text)",
            "item.full_address",
            "item.website_url",
            (
                Fact("category", "item.main_category"),
                *RATING,
                Fact("ratings", "item.reviews_count", is_number=True),
            ),
            (
                text("name", "Name"),
                text("city", "City"),
                text("category", "Category"),
                rating("min_rating", "Rated at least"),
                yes_or_no("has_website", "Has a website"),
            ),
        ),
        Grid(
            "domains",
            "item.domain",
            "item.title",
            "coalesce(item.home_url, 'https://' || item.domain || '/')",
            (
                Fact("system", "item.cms"),
                Fact("language", "item.language"),
                Fact("home page", "item.status"),
                Fact("sitemaps", "item.total_sitemaps", is_number=True),
            ),
            (text("domain", "Domain"),),
        ),
        Grid(
            "sitemaps",
            "item.url",
            DOMAIN,
            "item.url",
            (Fact("type", "item.sitemap_type"), Fact("addresses", "item.url_count", is_number=True)),
            (domain("domain", "Domain"), text("url", "Address"), text("type", "Type")),
        ),
        Grid(
            "pages",
            "item.url",
            "coalesce(item.title, item.h1)",
            "item.url",
            (Fact("type", "item.page_type"), Fact("contact", "nullif(item.contact_scrape_status, 'New')")),
            (domain("domain", "Domain"), text("url", "Address"), choice("type", "Type", PAGE_TYPES)),
        ),
    )
}


def grid_statements(grid: Grid, filters: Mapping[str, Any], place: Place) -> Statements:
    curated, key = grid.curated, sql.SQL(grid.curated.key)
    texts = {"name": grid.name, "below": grid.below, "link": grid.link}
    shown = [f"left(engine.masked(left({expression}, 4096)), 2048) as {name}" for name, expression in texts.items()]
    shown += [f"{fact.expression} as fact_{number}" for number, fact in enumerate(grid.facts)]
    return statements(
        "dashboard/grids.sql",
        table=sql.Identifier(curated.table),
        curation=sql.Identifier(curated.curation),
        processing=sql.Identifier(curated.processing),
        error=sql.Identifier(curated.error),
        result=sql.Identifier(curated.result),
        key=key,
        shown=sql.SQL(", ".join(shown)),
        condition=condition_of(grid.kind, filters),
        position=place.condition(key),
        direction=place.direction,
        rows=sql.Literal(ROWS + 1),
    )


def is_uuid(given: str) -> bool:
    try:
        return str(UUID(given)) == given
    except ValueError:
        return False


def _is_number(given: str) -> bool:
    return given.isascii() and given.isdigit() and len(given) <= LONGEST_ID and int(given) <= LARGEST_ID
