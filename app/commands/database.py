"""`scrapersky database-url` and `psql`: where the database is, and SQL by hand."""

import os
import subprocess
import sys

import click
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from app.commands.session import configured_settings
from app.database import database
from db.embedded import EmbeddedPostgres, bin_directory


@click.command("database-url", epilog='Example: psql "$(scrapersky database-url)"')
def database_url() -> None:
    """Print the URL of the database in a form that psql accepts."""
    settings = configured_settings()
    if settings.database_url:
        click.echo(settings.database_url)
        return
    server = EmbeddedPostgres(settings.home)
    if not server.is_running():
        click.echo("The embedded database is not running; start it with: scrapersky up", err=True)
    click.echo(server.url)


@click.command(
    context_settings={"ignore_unknown_options": True}, epilog="Example: scrapersky psql -c 'TABLE engine.overview'"
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def psql(arguments: tuple[str, ...]) -> None:
    """Type SQL: the psql that comes with the embedded database, connected. Arguments are psql's own."""
    with database(configured_settings()) as url:
        # Everybody on the machine can read a command line: the password goes another way.
        address = conninfo_to_dict(url)
        password = address.pop("password", None)
        environment = os.environ | ({"PGPASSWORD": str(password)} if password else {})
        command = [str(bin_directory() / "psql"), make_conninfo("", **address), *arguments]
        sys.exit(subprocess.run(command, env=environment, check=False).returncode)  # noqa: S603 - theirs
