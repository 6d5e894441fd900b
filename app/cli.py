"""The command line: which command is meant, and what is said when it fails."""

import difflib
import importlib
import os
import signal
import sys

import click
from click.shell_completion import CompletionItem

from app.commands import COMMANDS, PROGRAM
from app.start import INTERRUPTED


class Commands(click.Group):
    """Imports a command when it is called, and guesses what was meant."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"app.commands.{COMMANDS[name].module}")
        return next(found for found in vars(module).values() if isinstance(found, click.Command) and found.name == name)

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if arguments[0] not in COMMANDS:
            guess = difflib.get_close_matches(arguments[0], self.list_commands(context), n=1)
            hint = f", did you mean '{guess[0]}'?" if guess else f"; known are {', '.join(self.list_commands(context))}"
            context.fail(f"unknown command '{arguments[0]}'{hint}")
        return super().resolve_command(context, arguments)

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        """By the table alone: Click would import every command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in sorted(COMMANDS.items())])

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        """As `format_commands`."""
        names = [name for name in self.list_commands(context) if name.startswith(incomplete)]
        found = [CompletionItem(name, help=COMMANDS[name].help) for name in names]
        return found + click.Command.shell_complete(self, context, incomplete)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name=PROGRAM, prog_name=PROGRAM)
def cli() -> None:
    """ScraperSky: UPDATE … SET some_status = 'Queued' is the whole API.

    \b
    Start everything:     scrapersky up
    Look at the queue:    scrapersky status --watch
    Type SQL:             scrapersky psql
    """


def _open_closed_streams() -> None:
    """After `>&-` there is none, and the next file or connection that is opened would be taken for it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - stays open


def main() -> None:
    _open_closed_streams()
    # Started in the background by a script, a process inherits an ignored interrupt; whoever sends one means it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        cli(standalone_mode=False, prog_name=PROGRAM)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        from app.refusals import refusal_of  # noqa: PLC0415 - few commands fail

        refusal = refusal_of(error)
        if refusal is None:
            raise
        click.echo(refusal.line, err=True)
        sys.exit(refusal.exit_code)


if __name__ == "__main__":
    main()
