"""`scrapersky completion`: what makes the Tab key know our commands, options, workflows and tables."""

import click
from click.shell_completion import get_completion_class

from app.commands import PROGRAM


@click.command(epilog='Example: eval "$(scrapersky completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, /, shell: str) -> None:
    """Print the script that completes commands, options and names in a shell.

    \b
    bash:  echo 'eval "$(scrapersky completion bash)"' >> ~/.bashrc
    zsh:   echo 'eval "$(scrapersky completion zsh)"' >> ~/.zshrc
    fish:  scrapersky completion fish > ~/.config/fish/completions/scrapersky.fish
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}")
    script = kind(context.find_root().command, {}, PROGRAM, f"_{PROGRAM.upper()}_COMPLETE")
    click.echo(script.source())
