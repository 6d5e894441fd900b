"""`scrapersky select`: a word for many rows at once."""

import sys
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from app.commands.selecting import Order, run_select
from app.commands.typed import FILTER, Number

Function = TypeVar("Function", bound=Callable[..., Any])

WORDS: Final = ("New", "Selected", "Maybe", "Not a Fit", "Archived")
SHARED: Final = (
    click.option(
        "--status", "word", type=click.Choice(WORDS, case_sensitive=False), default="Selected", show_default=True
    ),
    click.option("--where", type=FILTER, metavar="SQL", help="Any condition on the table's columns, in SQL."),
    click.option("--all", "everything", is_flag=True, help="Without any filter: really every row."),
    click.option("--again", is_flag=True, help="Queue those too that are Selected already and have ended."),
    click.option("--limit", type=click.IntRange(1, 1_000_000_000), help="At most so many, newest first."),
    click.option("--dry-run", is_flag=True, help="Show how many and the first ten, and change nothing."),
    click.option("--yes", is_flag=True, help="Do not ask first."),
    click.option("--json", "as_json", is_flag=True, help="The outcome as JSON."),
)


def shared(function: Function) -> Function:
    for option in reversed(SHARED):
        function = option(function)
    return function


@click.group(epilog="Example: scrapersky select pages --type contact_root --dry-run")
def select() -> None:
    """Decide about many rows at once. What becomes Selected is queued; no other word stops a run.

    A text filter finds its text anywhere, in any case; with % it is a pattern: --name 'Smile%'.
    """


@select.command(epilog="Example: scrapersky select places --search 5f0c… --min-rating 4")
@click.option("--search", type=click.UUID, help="Found by this search; its id is what `scrapersky search` prints.")
@click.option("--type", type=FILTER, help="Kind of business, as searched for.")
@click.option("--location", type=FILTER, help="Place searched, or address.")
@click.option("--name", type=FILTER, help="Name of the business.")
@click.option("--min-rating", type=Number(0, 5), help="Rated so or better.")
@shared
def places(**options: Any) -> None:
    """Pick places for the deep scan. Each one costs a call to Google."""
    _run("places", options)


@select.command(epilog="Example: scrapersky select businesses --city Austin --has-website")
@click.option("--name", type=FILTER, help="Name of the business.")
@click.option("--city", type=FILTER, help="City.")
@click.option("--category", type=FILTER, help="Main category or one of the others.")
@click.option("--min-rating", type=Number(0, 5), help="Rated so or better.")
@click.option("--has-website/--no-website", default=None, help="With, or without, a website.")
@shared
def businesses(**options: Any) -> None:
    """Pick businesses whose website shall be read."""
    _run("businesses", options)


@select.command(epilog="Example: scrapersky select domains --domain smile --status Archived")
@click.option("--domain", type=FILTER, help="Domain.")
@click.option("--processing", type=FILTER, help="In this state of sitemap_analysis_status, such as failed.")
@shared
def domains(**options: Any) -> None:
    """Pick domains whose sitemaps shall be looked for (again)."""
    _run("domains", options)


@select.command(epilog="Example: scrapersky select sitemaps --domain smile.com --url post-sitemap")
@click.option("--domain", type=FILTER, help="Of this domain, exactly.")
@click.option("--type", type=FILTER, help="Kind of sitemap.")
@click.option("--url", type=FILTER, help="URL.")
@click.option("--processing", type=FILTER, help="In this state of sitemap_import_status, such as Error.")
@shared
def sitemaps(**options: Any) -> None:
    """Pick sitemaps to import."""
    _run("sitemaps", options)


@select.command(epilog="Example: scrapersky select pages --domain smile.com --type contact_root")
@click.option("--domain", type=FILTER, help="Of this domain, exactly.")
@click.option("--type", type=FILTER, help="Type of page: contact_root, legal_root, team_root, …")
@click.option("--url", type=FILTER, help="URL.")
@click.option("--processing", type=FILTER, help="In this state of page_processing_status, such as Error.")
@shared
def pages(**options: Any) -> None:
    """Pick pages to read for contacts."""
    _run("pages", options)


def _run(kind: str, options: dict[str, Any]) -> None:

    own = {
        name: options.pop(name)
        for name in ("word", "where", "limit", "everything", "again", "dry_run", "yes", "as_json")
    }
    filters = {name: value for name, value in options.items() if value is not None}
    if not filters and own["where"] is None and not own["everything"]:
        raise click.UsageError(f"no filter: this would change all {kind}; say --all if you mean it")
    if own["again"] and own["word"] != "Selected":
        raise click.UsageError("--again is for rows that are Selected; no other word queues")
    sys.exit(run_select(Order(kind=kind, filters=filters, **own)))
