"""The commands for people, run in this process on a test's database as a terminal would run them."""

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app.cli import cli
from app.config import NAMES

Command = Callable[..., Result]


@pytest.fixture
def command(database: str, tmp_path: Any) -> Command:
    """`command("import", "domains", "-", given="smile.com")`; nothing of the machine's own settings shows through."""
    settings = {**dict.fromkeys(NAMES), "DATABASE_URL": database, "COLUMNS": "80"}

    def run(*arguments: object, given: str | bytes = "", **environment: str) -> Result:
        runner = CliRunner(env={**settings, **environment})
        result = runner.invoke(cli, [str(argument) for argument in arguments], input=given, prog_name="scrapersky")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run
