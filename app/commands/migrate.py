"""`scrapersky migrate`: the schema as this version wants it."""

import click

from app.commands.session import configured_settings
from app.database import database
from app.workflows import load_workflows
from db.migrate import migrate as apply


@click.command(epilog="Example: DATABASE_URL=postgresql://localhost/leads scrapersky migrate")
def migrate() -> None:
    """Create or update tables, engine schema, triggers and roles. Harmless when repeated, safe under load."""
    settings = configured_settings()
    with database(settings) as url:
        apply(url, load_workflows(settings), settings.default_tenant_id)
    click.echo(f"The database is up to date: {len(load_workflows(settings))} workflow(s), triggers in place.")
