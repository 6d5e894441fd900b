"""What a script passes when a variable of its own is not set, and numbers that are none, reach no command."""

import click
import pytest
from click.testing import CliRunner

from app.cli import cli
from app.commands.typed import Filter, Number

FILTERED = {
    "places": ("type", "location", "name"),
    "businesses": ("name", "city", "category"),
    "domains": ("domain", "processing"),
    "sitemaps": ("domain", "type", "url", "processing"),
    "pages": ("domain", "type", "url", "processing"),
}
EMPTY = [
    *(["select", kind, f"--{name}", ""] for kind, names in FILTERED.items() for name in (*names, "where")),
    ["select", "pages", "--url", " \t", "--status", "archived"],
    *([command, "page_curation", option, ""] for command in ("requeue", "cancel") for option in ("--error", "--where")),
    *(["export", "contacts", option, ""] for option in ("--columns", "--where", "--since")),
    ["export", "contacts", "--columns", " , "],
    *(["contacts", "list", option, ""] for option in ("--domain", "--email")),
]


def options(command=cli):
    if isinstance(command, click.Group):
        context = click.Context(command)
        each = (command.get_command(context, name) for name in command.list_commands(context))
        return [option for one in each for option in options(one)]
    return [(command.name, parameter) for parameter in command.params if isinstance(parameter, click.Option)]


@pytest.mark.parametrize("arguments", EMPTY, ids=" ".join)
def test_an_empty_filter_is_no_filter_and_is_told_by_its_name(arguments):
    done = CliRunner().invoke(cli, arguments)

    assert done.exit_code == 2
    option = next(one for one in arguments if one.startswith("--"))
    assert f"Invalid value for '{option}': it " in done.stderr
    assert "leave the option out" in done.stderr


def test_every_condition_in_sql_is_a_filter():
    assert [name for name, option in options() if option.name == "where" and not isinstance(option.type, Filter)] == []


@pytest.mark.parametrize("value", ["nan", "-nan", "inf", "-inf", "1e999"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["requeue", "page_curation", "--all", "--rate"],
        ["search", "dentist", "--near", "Austin", "--radius"],
        ["select", "places", "--min-rating"],
        ["select", "businesses", "--min-rating"],
    ],
    ids=" ".join,
)
def test_what_is_no_number_is_refused(arguments, value):
    done = CliRunner().invoke(cli, [*arguments, value])

    assert done.exit_code == 2
    assert f"Invalid value for '{arguments[-1]}'" in done.stderr


def test_every_option_that_takes_a_fraction_refuses_what_is_no_number():
    fractions = [(name, option) for name, option in options() if isinstance(option.type, click.types.FloatParamType)]

    assert fractions
    assert [(name, option.name) for name, option in fractions if not isinstance(option.type, Number)] == []
