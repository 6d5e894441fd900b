"""What nobody caught is told in a log line, masked, and never in Python's own way."""

import json
import subprocess
import sys

import pytest

BEGIN = """
import gc, logging, threading, warnings
from app.config import Settings
from app.logs import configure_logging
configure_logging(Settings(log_format="json"))
URL = "postgresql://me:hid" + "den@db/leads"
class Untidy:
    def __del__(self):
        raise ValueError(URL)
def fail():
    raise ValueError(URL)
"""


def lines_of(end: str) -> list[dict[str, str]]:
    """What the program writes on stderr; every line of it has to be an object, without the secret."""
    done = subprocess.run([sys.executable, "-c", BEGIN + end], capture_output=True, text=True, timeout=120, check=False)
    assert "hidden" not in done.stdout + done.stderr
    return [json.loads(line) for line in done.stderr.splitlines()]


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("fail()", "process.failed"),
        ("thread = threading.Thread(target=fail, name='crew'); thread.start(); thread.join()", "thread.failed"),
        ("untidy = Untidy(); del untidy; gc.collect()", "error.ignored"),
    ],
)
def test_an_error_that_nobody_caught_is_a_line_with_its_trace(end, told):
    (line,) = lines_of(end)

    assert line["event"] == told
    assert line["exception"].endswith("ValueError: postgresql://me:***@db/leads")


def test_a_warning_is_a_line():
    (line,) = lines_of("warnings.warn(URL + ' is old')")

    assert line["logger"] == "py.warnings"
    assert "UserWarning: postgresql://me:***@db/leads is old" in line["event"]


def test_a_logger_of_somebody_else_is_masked_with_its_arguments_and_traces():
    first, second = lines_of("""
other = logging.getLogger("somebody.else")
other.warning("GET %s", {"url": URL, "Authorization": "Bearer hid" + "den"})
try:
    fail()
except ValueError:
    other.exception("it failed")
""")

    assert first["event"] == "GET {'url': 'postgresql://me:***@db/leads', 'Authorization': ***}"
    assert second["exception"].endswith("ValueError: postgresql://me:***@db/leads")


def test_a_line_that_can_not_be_written_does_not_show_its_arguments():
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + "logging.getLogger('somebody').warning('%d', URL)"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    assert done.stderr == "log.failed logger=somebody error=TypeError\n"
