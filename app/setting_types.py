"""What a setting may hold, and the rule that is told when it holds something else."""

import ipaddress
import os
import re
from collections.abc import Callable, Iterable
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from uuid import UUID

import platformdirs
import psycopg
from psycopg.conninfo import conninfo_to_dict
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_core import PydanticCustomError

from actors.selection import STAGES, AutoSelect
from app.log_levels import LogLevels, parse_levels

SHORTEST_TOKEN = 16

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def expected(rule: str) -> PydanticCustomError:
    return PydanticCustomError("expected", rule)


def check_database_url(value: str) -> str:
    if value and not value.startswith(("postgresql://", "postgres://")):
        raise expected("postgresql://…")
    try:
        parts = conninfo_to_dict(value)
    except psycopg.ProgrammingError:
        raise expected("a URL that libpq can read, with only libpq's own options after the '?'") from None
    # libpq ends the password at the first '@' or '/' and takes the rest of it for a host, a port or a database.
    path = "/".join(value.partition("?")[0].split("/")[3:])
    if "@" in f"{parts.get('host')}{path}" or not re.fullmatch("[0-9,]*", str(parts.get("port", ""))):
        raise expected("postgresql://user:password@host:port/database, with @ and / in a password as %40 and %2F")
    return value


def check_broker_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        usable = parts.scheme in {"redis", "rediss", "amqp", "amqps"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if value and not usable:
        raise expected("redis://host…, rediss://host…, amqp://host… or amqps://host…")
    return value


def check_proxy_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if value and not usable:
        raise expected("http://host:port or http://user:password@host:port")
    return value


def check_traces_url(value: str) -> str:
    """Where a collector takes OTLP over HTTP. Whether the extra is there is asked only when it is wanted."""
    if value and not re.fullmatch(r"https?://[^\s/@]+(/[^\s]*)?", value):
        raise expected("http://host:4318 or https://host…, with secrets in OTEL_EXPORTER_OTLP_HEADERS instead")
    if value and not _can_trace():
        raise expected("an installation with the extra: uv sync --extra traces, or pip install 'scrapersky[traces]'")
    return value


def _can_trace() -> bool:
    try:
        return find_spec("opentelemetry.exporter.otlp.proto.http") is not None
    except ModuleNotFoundError:
        return False


def check_user_agent(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z_-]*/[!-~]+( [ -~]+)?", value):
        raise expected("Name/version (how to reach you), such as AcmeBot/1.0 (+https://acme.example/bot)")
    return value


def check_stages(value: str | Iterable[str]) -> AutoSelect:
    """Names with commas between them; `none` leaves every choice to people."""
    names = value.split(",") if isinstance(value, str) else value
    stages = {name.strip() for name in names} - {"none"}
    if not stages <= set(STAGES):
        raise expected(f"none, or some of {', '.join(STAGES)} with commas between them")
    return AutoSelect(stages)


def check_log_levels(value: str | LogLevels) -> LogLevels:
    if isinstance(value, LogLevels):
        return value
    try:
        return parse_levels(value)
    except ValueError as error:
        raise expected(str(error)) from None


def check_names(value: str | Iterable[str]) -> tuple[str, ...]:
    """Names of hosts with commas between them."""
    names = value.split(",") if isinstance(value, str) else value
    found = tuple(name.strip().lower() for name in names)
    if not all(re.fullmatch(r"[a-z0-9_-]+([.][a-z0-9_-]+)*", name) for name in found):
        raise expected("names of hosts without ports, such as leads.acme.example, with commas between them")
    return found


def check_networks(value: str | Iterable[str]) -> tuple[Network, ...]:
    """Addresses, or networks of them, with commas between them."""
    names = value.split(",") if isinstance(value, str) else value
    try:
        return tuple(ipaddress.ip_network(str(name).strip()) for name in names)
    except ValueError:
        raise expected("addresses or networks, such as 10.0.0.7 or 10.244.0.0/16, with commas between them") from None


def check_token(value: SecretStr) -> SecretStr:
    if value.get_secret_value() and len(value.get_secret_value()) < SHORTEST_TOKEN:
        raise expected(f"a secret of {SHORTEST_TOKEN} characters or more, such as `openssl rand -hex 32` prints")
    return value


def check_path(value: Path) -> Path:
    try:
        return value.expanduser().absolute()
    except RuntimeError:
        raise expected("a directory of a user who exists") from None


def check_file(value: Path) -> Path:
    path = check_path(value)
    if not path.is_file():
        raise expected("a file that exists")
    return path


def default_home() -> Path:
    # The embedded Postgres refuses to run as root, and the user it runs as can not enter root's own directories.
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/scrapersky")
    try:
        return platformdirs.user_data_path("scrapersky", appauthor=False)
    except (KeyError, RuntimeError):  # a user without a home, as in a container: there DATABASE_URL is set
        return Path("/var/lib/scrapersky")


def number_of(plural: str, unit: timedelta) -> Callable[[object], timedelta]:
    def parse(value: object) -> timedelta:
        try:
            length = value if isinstance(value, timedelta) else float(str(value)) * unit
        except (ValueError, OverflowError):
            length = timedelta(0)
        if length <= timedelta(0):
            raise expected(f"{plural} as a number above 0, such as 5 or 0.5")
        return length

    return parse


def whole_number(name: str, default: int | None, low: int, high: int) -> Any:
    return Field(default, alias=name, ge=low, le=high, description=f"a whole number from {low} to {high}")


DatabaseUrl = Annotated[str, AfterValidator(check_database_url)]
BrokerUrl = Annotated[str, AfterValidator(check_broker_url)]
Tenant = Annotated[UUID, Field(description="a UUID")]
UserId = Annotated[UUID, Field(description="a UUID")]
TracesUrl = Annotated[str, AfterValidator(check_traces_url)]
ProxyUrl = Annotated[str, AfterValidator(check_proxy_url)]
UserAgent = Annotated[str, AfterValidator(check_user_agent)]
Stages = Annotated[AutoSelect, BeforeValidator(check_stages)]
AbsolutePath = Annotated[Path, AfterValidator(check_path)]
ExistingFile = Annotated[Path, AfterValidator(check_file)]
Host = Annotated[str, Field(pattern=r"^([A-Za-z0-9._-]+|[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*)$")]
Names = Annotated[tuple[str, ...], BeforeValidator(check_names)]
Networks = Annotated[tuple[Network, ...], BeforeValidator(check_networks)]
Token = Annotated[SecretStr, AfterValidator(check_token)]
Seconds = Annotated[timedelta, BeforeValidator(number_of("seconds", timedelta(seconds=1)))]
Minutes = Annotated[timedelta, BeforeValidator(number_of("minutes", timedelta(minutes=1)))]
Days = Annotated[timedelta, BeforeValidator(number_of("days", timedelta(days=1)))]
LogLevel = Annotated[LogLevels, BeforeValidator(check_log_levels)]
LogFormat = Annotated[Literal["text", "json"], BeforeValidator(str.lower)]
