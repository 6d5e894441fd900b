"""Alembic without an ini file: whoever has a connection can bring the business tables up to date."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection


def configuration(connection: Connection) -> Config:
    """What `alembic.command.*` asks for; env.py takes the connection out of it."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def upgrade(connection: Connection) -> None:
    """Apply what is missing, each revision in transactions of its own. Not for two at once: see db/patience.py."""
    command.upgrade(configuration(connection), "head")


def newest() -> str:
    """The revision that an up to date database has."""
    head = _script().get_current_head()
    if head is None:
        raise LookupError("there is no migration")
    return head


def known() -> set[str]:
    return {script.revision for script in _script().walk_revisions()}


def _script() -> ScriptDirectory:
    return ScriptDirectory(str(Path(__file__).parent))
