"""Log lines: an event `noun.participle`, then fields, on stderr. Whatever looks like a secret is masked."""

import contextlib
import json
import logging
import math
import os
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from app.config import Settings  # at run time it is config that imports this module, for `redact`

from app.unexpected import log_the_unexpected

Plain = str | int | float | list["Plain"] | dict[str, "Plain"] | None

# What libraries say below these levels is no news: a sweep that takes longer than its interval, a broker that is away,
# which we tell ourselves in one line. Debugging, or an area of its own in the settings, lets them speak.
CHATTY_LOGGERS = {
    "alembic": logging.WARNING,
    "apscheduler": logging.ERROR,
    "dramatiq": logging.WARNING,
    "opentelemetry": logging.ERROR,
    "pika": logging.CRITICAL,
    "psycopg.pool": logging.WARNING,
}
COLOURS = {"debug": "2", "info": "32", "warning": "33", "error": "31", "critical": "1;31"}
FAINT = "2"
BARE = re.compile(r"[!#-<>-\[\]-~]+")  # printable ASCII but for the space and " = \
NOT_PRINTABLE = re.compile(r"[^ -~]")

# A whole name or the end of one: api_key, X-Goog-Api-Key, accessToken; not monkey, not tokens.
SENSITIVE = (
    r"(?<![a-z0-9])(?:api|access|auth|refresh|client|ssl|pg)?"
    r"(?:key|token|secret|password|passwd|authorization|cookie)"
)
QUOTED = r"""b?'(?:\\.|[^'\\])*'|b?"(?:\\.|[^"\\])*\""""
SENSITIVE_NAME = re.compile(SENSITIVE + "$", re.IGNORECASE)
HINT = re.compile(r"[:=]|AIza|bearer|basic", re.IGNORECASE)  # without one of these none of the patterns can match
MASKS = {
    # A database or a broker, up to the last '@': people forget to encode the '@' and '/' of a password.
    # The bound keeps a page that repeats half a URL a million times from holding the thread for minutes.
    r"""(\b(?:postgres(?:ql)?|rediss?|amqps?)(?:\+\w+)?://[^\s:/@\[]*):
        (?!\d+(?:[/?,\s'"]|$))  (?:[^\s"]{0,500}(?=@) | [^\s/?'"]+)""": r"\1:***",
    r"""(://[^\s:/?\#@'"]*):[^\s/?\#'"]*@""": r"\1:***@",
    r"""((?:authorization|api-key|cookie)['"]?\s*[:=]\s*(?:b?['"])?)
        (?:\*\*\* | (?:bearer|basic|token)\s+[^\s'",]+ | digest\s[^\r\n]+ | [^'"\r\n]+)""": r"\1***",
    rf"""({SENSITIVE}=)(?:{QUOTED} | (?!=)[^\s&'"]+)""": r"\1***",
    rf"""({SENSITIVE}['"]\s*:\s*)(?:{QUOTED} | [^\s,'"}}]+)""": r"\1***",
    r"\b(bearer)\s+[\w.~+/=-]{8,}": r"\1 ***",
    r"\b(basic)\s+(?-i:(?=[a-z]*[A-Z0-9])[\w+/=-]{8,})": r"\1 ***",  # capitals or digits: no "basic information"
    r"AIza[\w-]{16,}": "***",
}
PATTERNS = tuple((re.compile(pattern, re.IGNORECASE | re.VERBOSE), mask) for pattern, mask in MASKS.items())


def redact(text: str) -> str:
    """Mask passwords in URLs, values of secret names, Authorization headers and Google API keys."""
    if HINT.search(text):
        for pattern, mask in PATTERNS:
            text = pattern.sub(mask, text)
    return text


def event(
    logger: logging.Logger,
    level: int,
    name: str,
    /,
    *,
    exc_info: BaseException | bool | None = None,
    **fields: object,
) -> None:
    """Log a constant event `noun.participle` with its fields: identifiers and numbers, never objects."""
    logger.log(level, name, exc_info=exc_info, extra={"fields": fields}, stacklevel=2)


def configure_logging(settings: "Settings", stream: TextIO | None = None) -> None:
    """Send all that this process has to say to stderr, masked; calling it again replaces the earlier choice."""
    root = logging.getLogger()
    # Ours from an earlier call, or the one that the `dramatiq` command adds: it masks nothing.
    for handler in [handler for handler in root.handlers if type(handler) in {Lines, logging.StreamHandler}]:
        root.removeHandler(handler)
        for area in getattr(handler, "areas", ()):
            logging.getLogger(area).setLevel(logging.NOTSET)
    lines = Lines(stream)
    colour = lines.stream.isatty() and not os.environ.get("NO_COLOR")
    lines.setFormatter(JsonLines() if settings.log_format == "json" else TextLines(colour=colour))
    root.addHandler(lines)
    root.setLevel(settings.log_level.general.upper())
    for name, level in CHATTY_LOGGERS.items():
        logging.getLogger(name).setLevel(logging.NOTSET if root.level == logging.DEBUG else max(level, root.level))
    for area, named in settings.log_level.areas:
        logging.getLogger(area).setLevel(named.upper())
        lines.areas.append(area)
    log_the_unexpected()


class Lines(logging.StreamHandler[TextIO]):
    """Where all lines of the process end."""

    def __init__(self, stream: TextIO | None) -> None:
        super().__init__(stream)
        self.areas: list[str] = []

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """A line that can not be written: the standard way would show its arguments, secrets and all."""
        with contextlib.suppress(OSError, ValueError):
            self.stream.write(f"log.failed logger={record.name} error={type(sys.exception()).__name__}\n")


class TextLines(logging.Formatter):
    """For people: local time, level, event, name=value; a traceback follows, indented."""

    def __init__(self, *, colour: bool) -> None:
        super().__init__()
        self.colour = colour

    def format(self, record: logging.LogRecord) -> str:
        level = record.levelname.lower()
        time = self.paint(self.formatTime(record, "%Y-%m-%d %H:%M:%S"), FAINT)
        words = [time, self.paint(f"{level:<5}", COLOURS.get(level, FAINT)), escaped(redact(record.getMessage()))]
        words += [self.paint(f"{name}=", FAINT) + text_value(value) for name, value in fields_of(record).items()]
        # Indented, so that no line of an exception can pass for a log line.
        return "\n  ".join([" ".join(words), *map(escaped, trace_of(self, record).splitlines())])

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text


class JsonLines(logging.Formatter):
    """For machines: one object a line, times in UTC."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Plain] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": redact(record.getMessage()),
        }
        for name, value in fields_of(record).items():
            line[f"{name}_" if name in line else name] = value
        if trace := trace_of(self, record):
            line["exception"] = trace
        return json.dumps(line)


def fields_of(record: logging.LogRecord) -> dict[str, Plain]:
    fields = getattr(record, "fields", None)
    if not isinstance(fields, Mapping):
        fields = {"logger": record.name}  # somebody else's message: say whose
    return {str(name): plain(str(name), value) for name, value in fields.items()}


def trace_of(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    trace = formatter.formatException(record.exc_info) if record.exc_info else record.exc_text
    return redact("\n".join(part for part in (trace, record.stack_info) if part))


@lru_cache(maxsize=1024)
def is_sensitive(name: str) -> bool:
    return SENSITIVE_NAME.search(name) is not None


def plain(name: str, value: object) -> Plain:
    """Turn a field's value into what JSON knows, without its secrets."""
    if is_sensitive(name) and value is not None:
        return "***"
    if isinstance(value, timedelta):
        value = value.total_seconds()
    match value:
        case None | int():
            return value
        case float() if math.isfinite(value):
            return value
        case Mapping():
            return {str(key): plain(str(key), item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(name, item) for item in value]
        case _:
            return redact(str(value))


def text_value(value: Plain) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    text = value if isinstance(value, str) else json.dumps(value)
    if BARE.fullmatch(text):
        return text
    return '"' + escaped(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def escaped(text: str) -> str:
    """Leave one line of printable ASCII: nothing that a page says can forge a line or drive a terminal."""
    return NOT_PRINTABLE.sub(lambda found: found.group().encode("unicode_escape").decode(), text)
