import io
import json
import logging
import re
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.config import Settings
from app.logs import CHATTY_LOGGERS, JsonLines, TextLines, configure_logging, event

GOOGLE_KEY = "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"
log = logging.getLogger("tests.logs")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def loggers_as_they_were():
    root = logging.getLogger()
    loggers = [root, *map(logging.getLogger, CHATTY_LOGGERS)]
    handlers, levels = list(root.handlers), [logger.level for logger in loggers]
    yield
    configure_logging(Settings())  # takes areas back
    logging.captureWarnings(capture=False)
    root.handlers[:] = handlers
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


@pytest.fixture
def text():
    configure_logging(Settings(), stream := io.StringIO())
    return stream


@pytest.fixture
def lines():
    configure_logging(Settings(log_format="json"), stream := io.StringIO())
    return stream


def fail(message: str) -> None:
    event(log, logging.ERROR, "row.failed", exc_info=ValueError(message), row=7)


def record(message: str = "row.completed", **fields: object) -> logging.LogRecord:
    made = logging.LogRecord("tests", logging.INFO, __file__, 1, message, None, None)
    made.fields = fields
    return made


def test_a_text_line_is_time_level_event_and_fields(text):
    event(log, logging.INFO, "row.completed", workflow="domain_extraction", row="7f3c", took_s=0.0121)

    expected = (
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info  row\.completed workflow=domain_extraction row=7f3c took_s=0\.012\n"
    )
    assert re.fullmatch(expected, text.getvalue())


def test_a_json_line_is_one_object_with_typed_fields(lines):
    before = datetime.now(UTC)

    event(log, logging.WARNING, "row.retried", row=UUID(int=1), attempt=2, wait_s=timedelta(seconds=1.5), key_seen=None)

    line = json.loads(lines.getvalue())
    assert abs(datetime.fromisoformat(line.pop("time")) - before) < timedelta(seconds=5)
    assert line == {
        "level": "warning",
        "event": "row.retried",
        "row": "00000000-0000-0000-0000-000000000001",
        "attempt": 2,
        "wait_s": 1.5,
        "key_seen": None,
    }


def test_the_plain_logging_call_with_fields_says_the_same(text):
    log.info("row.completed", extra={"fields": {"row": 7}})
    event(log, logging.INFO, "row.completed", row=7)

    by_hand, by_event = text.getvalue().splitlines()
    assert by_hand.split()[2:] == by_event.split()[2:] == ["info", "row.completed", "row=7"]


def test_a_message_without_fields_says_whose_it_is(text):
    logging.getLogger("redis.client").warning("lost %s", "host:5672")

    assert text.getvalue().endswith("warning lost host:5672 logger=redis.client\n")


def test_logs_go_to_stderr(capsys):
    configure_logging(Settings())

    event(log, logging.INFO, "worker.started")

    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("info  worker.started\n")


def test_configuring_again_replaces_the_first_choice(text):
    configure_logging(Settings(log_format="json"), again := io.StringIO())

    event(log, logging.INFO, "worker.started")

    assert text.getvalue() == ""
    assert json.loads(again.getvalue())["event"] == "worker.started"


def test_the_handler_of_the_dramatiq_command_is_replaced_because_it_masks_nothing(text):
    unmasked = io.StringIO()
    logging.getLogger().addHandler(logging.StreamHandler(unmasked))
    configure_logging(Settings(), text)

    log.warning("redis://:hidden@cache/0")

    assert unmasked.getvalue() == ""
    assert text.getvalue().count("redis://:***@cache/0") == 1


def test_lines_below_the_level_are_not_written():
    configure_logging(Settings(log_level="warning"), stream := io.StringIO())

    event(log, logging.INFO, "row.completed")
    event(log, logging.WARNING, "row.lost")

    assert "row.completed" not in stream.getvalue()
    assert "row.lost" in stream.getvalue()


SEVERITIES = ["debug", "info", "warning", "error", "critical"]


def heard(library: str, level: str) -> list[str]:
    """Which of its lines are written when the settings say so."""
    configure_logging(Settings(log_level=level), stream := io.StringIO())
    for severity in SEVERITIES:
        logging.getLogger(f"{library}.inner").log(getattr(logging, severity.upper()), "chatter")
    return [line.split()[2] for line in stream.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("library", "lowest"), [("dramatiq", "warning"), ("apscheduler", "error"), ("pika", "critical"), ("redis", "info")]
)
def test_libraries_are_heard_from_what_is_news_on_unless_debugging(library, lowest):
    assert heard(library, "info") == SEVERITIES[SEVERITIES.index(lowest) :]
    assert heard(library, "debug") == SEVERITIES
    assert heard(library, "error") == [severity for severity in heard(library, "info") if severity in SEVERITIES[3:]]


def test_an_area_has_a_level_of_its_own_and_so_have_its_parts():
    levels = "warning,app.listener=debug,dramatiq=info,app.sweeper=error"

    assert heard("app.listener", levels) == SEVERITIES
    assert heard("app.sweeper", levels) == ["error", "critical"]
    assert heard("app.runner", levels) == ["warning", "error", "critical"]
    assert heard("dramatiq", levels) == ["info", "warning", "error", "critical"]


def test_configuring_again_takes_areas_back():
    assert heard("app.listener", "info,app.listener=debug") == SEVERITIES

    assert heard("app.listener", "info") == SEVERITIES[1:]


def test_only_a_terminal_gets_colours(text, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    event(log, logging.ERROR, "row.failed", row=7)
    configure_logging(Settings(), terminal := Terminal())
    event(log, logging.ERROR, "row.failed", row=7)

    assert "\x1b" not in text.getvalue()
    assert "\x1b[31merror\x1b[0m row.failed" in terminal.getvalue()


def test_a_terminal_whose_user_wants_no_colours_gets_none(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    configure_logging(Settings(), terminal := Terminal())

    event(log, logging.ERROR, "row.failed")

    assert "\x1b" not in terminal.getvalue()


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain-word_1.2/3:4", "plain-word_1.2/3:4"),
        ("two words", '"two words"'),
        ("", '""'),
        ('say "hi"', r'"say \"hi\""'),
        ("first\nsecond\r", r'"first\nsecond\r"'),
        ("\x1b[2Jgone\x7f", r'"\x1b[2Jgone\x7f"'),
        ("café", r'"caf\xe9"'),
        ("https://a.example/?page=2", '"https://a.example/?page=2"'),
        (True, "true"),
        (None, "null"),
        (2.31, "2.310"),
        (timedelta(minutes=1), "60.000"),
        ([1, 2], '"[1, 2]"'),
    ],
)
def test_a_text_value_is_printable_ascii_and_quoted_when_it_needs_to_be(value, written):
    assert TextLines(colour=False).format(record(seen=value)).endswith(f" row.completed seen={written}")


@given(st.text())
def test_no_message_and_no_value_breaks_out_of_its_line(value):
    for formatter in (TextLines(colour=False), JsonLines()):
        line = formatter.format(record(value, page=value))

        assert line.isascii()
        assert line.isprintable()


@given(st.text(alphabet=st.characters(exclude_characters=":=")).filter(lambda value: "bearer" not in value.lower()))
def test_what_holds_no_secret_survives_a_json_line(value):
    assert json.loads(JsonLines().format(record(page=value)))["page"] == value


def test_an_exception_follows_its_line_indented(text):
    fail("no answer\x1b[2J\n2026-01-01 00:00:00 info  row.completed")

    first, *rest = text.getvalue().splitlines()
    assert first.endswith("error row.failed row=7")
    assert rest == [r"  ValueError: no answer\x1b[2J", "  2026-01-01 00:00:00 info  row.completed"]


def test_an_exception_in_json_stays_on_the_line(lines):
    fail("no answer\nat all")

    assert json.loads(lines.getvalue())["exception"] == "ValueError: no answer\nat all"


def test_a_field_called_like_a_part_of_the_line_loses_nothing(lines):
    event(log, logging.INFO, "row.completed", level=3, name="x", event="y")

    line = json.loads(lines.getvalue())
    assert (line["level"], line["level_"], line["name"]) == ("info", 3, "x")
    assert (line["event"], line["event_"]) == ("row.completed", "y")


def test_numbers_that_json_does_not_know_become_words(lines):
    event(log, logging.INFO, "row.completed", ratio=float("nan"), limit=float("inf"), huge=10**400)

    line = json.loads(lines.getvalue(), parse_constant=pytest.fail)
    assert (line["ratio"], line["limit"], line["huge"]) == ("nan", "inf", 10**400)


@pytest.mark.parametrize("form", ["text", "json"])
def test_secrets_are_masked_wherever_they_stand(form):
    configure_logging(Settings(log_format=form), stream := io.StringIO())
    url = "postgresql://me:hidden@db/leads"

    log.info("connecting to %s", url)
    event(log, logging.INFO, "engine.opened", url=url, api_key="hidden", nested={"password": "hidden", "urls": [url]})
    event(log, logging.INFO, "engine.failed", error=ValueError(f"{url} refused"), authorization=["Bearer hidden"])
    fail(f"GET https://maps.example/?key=hidden&q=cafe with {GOOGLE_KEY}")

    assert "hidden" not in stream.getvalue()
    assert "AIza" not in stream.getvalue()
    assert stream.getvalue().count("postgresql://me:***@db/leads") == 4
