"""SCRAPERSKY_LOG_LEVEL and --log-level."""

import pytest
from click.testing import CliRunner

from app.cli import cli
from app.config import ConfigurationError, load_settings
from app.log_levels import LogLevels


def levels(text: str) -> LogLevels:
    return load_settings({"SCRAPERSKY_LOG_LEVEL": text}, env_file=None).log_level


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("WARNING", LogLevels("warning")),
        ("app.listener=debug", LogLevels("info", (("app.listener", "debug"),))),
        ("info, app=debug ,psycopg.pool=Error", LogLevels("info", (("app", "debug"), ("psycopg.pool", "error")))),
        ("db.people=debug,error", LogLevels("error", (("db.people", "debug"),))),
    ],
)
def test_a_level_for_all_and_levels_for_areas(text, understood):
    assert levels(text) == understood


@pytest.mark.parametrize(
    "text", ["loud", "info,", "info,app.listener=", "=debug", "app..x=debug", "a=info,a=info", "5"]
)
def test_anything_else_is_refused_with_the_rule(text):
    with pytest.raises(ConfigurationError) as refusal:
        levels(text)

    assert str(refusal.value) == (
        "SCRAPERSKY_LOG_LEVEL: expected debug, info, warning or error, and after commas areas of their own, "
        f"such as info,app.listener=debug, got '{text}'; see .env.example"
    )


def test_two_levels_for_all_are_refused():
    with pytest.raises(ConfigurationError, match="expected one level for all, not info and debug; others need an area"):
        levels("info,debug")


def test_an_area_of_ours_that_does_not_exist_is_refused_with_a_guess():
    with pytest.raises(ConfigurationError) as refusal:
        levels("info,app.listner=debug")

    assert "areas that exist; there is no app.listner, did you mean app.listener?, got" in str(refusal.value)


@pytest.mark.parametrize("command", ["up", "work", "listen", "sweeper", "web"])
def test_what_runs_for_long_has_the_option_and_checks_it(command):
    refused = CliRunner().invoke(cli, [command, "--log-level", "loud"])

    assert refused.exit_code == 2
    assert "'--log-level': expected debug, info, warning or error" in refused.output.replace("\n", " ")
