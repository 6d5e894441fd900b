"""Rows on a terminal, whatever the terminal can show."""

import os
import subprocess
import sys


def test_a_terminal_that_knows_ascii_only_shows_question_marks():
    program = "from app.commands.tables import show_rows; show_rows(['name', 'domain'], [['B\u00fccher', 'x' * 99]])"

    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONIOENCODING": "ascii:strict", "COLUMNS": "40"},
        capture_output=True,
        check=False,
    )

    assert done.stderr == b""
    assert b"B?cher" in done.stdout
