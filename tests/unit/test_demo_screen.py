"""What the demo prints fits the terminal."""

from rich.console import Console

from app.demo.screen import refusal_table


def test_a_reason_that_is_too_long_ends_with_an_ellipsis():
    console = Console(width=80)

    with console.capture() as captured:
        console.print(refusal_table([("hightower-pipes.com", "address 169.254.169.254 is link-local " * 3)]))

    assert captured.get().splitlines()[4].rstrip().endswith("…")
