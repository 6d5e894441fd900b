"""Every setting, once. Later sources win: the defaults, `.env` in the working directory, the environment."""

import difflib
import os
import re
from collections.abc import Collection, Iterator, Mapping
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID

from dotenv import dotenv_values
from dotenv.parser import Binding, parse_stream
from pydantic import BaseModel, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from actors.selection import AutoSelect
from app.log_levels import LogLevels
from app.logs import redact
from app.secret_files import FILE_NAMES, SECRETS, SUFFIX, read_secret_files
from app.setting_types import (
    AbsolutePath,
    BrokerUrl,
    DatabaseUrl,
    Days,
    ExistingFile,
    Host,
    LogFormat,
    LogLevel,
    Minutes,
    Names,
    Networks,
    ProxyUrl,
    Seconds,
    Stages,
    Tenant,
    Token,
    TracesUrl,
    UserAgent,
    UserId,
    default_home,
    expected,
    whole_number,
)

INTERNAL_NAMES = (
    "SCRAPERSKY_SUPERVISOR",
    "SCRAPERSKY_SUPERVISOR_PID",
    "SCRAPERSKY_PULSE",
)  # set by the supervisor for its children, never by a person
OLD_PREFIXES = {
    "deep_scan": "DEEP_SCAN_SCHEDULER_",
    "domain_extraction": "DOMAIN_EXTRACTION_SCHEDULER_",
    "domain_metadata": "DOMAIN_SCHEDULER_",
    "sitemap_discovery": "DOMAIN_SITEMAP_SCHEDULER_",
    "sitemap_import": "SITEMAP_IMPORT_SCHEDULER_",
    "page_curation": "PAGE_CURATION_SCHEDULER_",
}


class ConfigurationError(ValueError):
    """Every mistake in the settings, one line each."""


class WorkflowOverride(BaseModel, frozen=True, populate_by_name=True, extra="forbid"):
    """What the old scheduler settings still decide; None leaves the workflow its own value."""

    batch: int | None = whole_number("BATCH_SIZE", None, 1, 10_000)
    max_in_flight: int | None = whole_number("MAX_INSTANCES", None, 1, 10_000)
    sweep: Minutes | None = Field(None, alias="INTERVAL_MINUTES")


class Settings(BaseSettings, frozen=True, populate_by_name=True, hide_input_in_errors=True):
    """What a process runs with. A field's alias is its name in the environment, its description the rule."""

    database_url: DatabaseUrl = Field("", alias="DATABASE_URL")
    listen_database_url: DatabaseUrl = Field("", alias="LISTEN_DATABASE_URL")
    broker_url: BrokerUrl = Field("", alias="BROKER_URL")
    default_tenant_id: Tenant = Field(UUID("550e8400-e29b-41d4-a716-446655440000"), alias="DEFAULT_TENANT_ID")
    system_user_id: UserId | None = Field(None, alias="SYSTEM_USER_ID")
    places_key: SecretStr = Field(SecretStr(""), alias="GOOGLE_MAPS_API_KEY")
    places_retention: Days | None = Field(None, alias="PLACES_RETENTION_DAYS")
    auto_select: Stages = Field(AutoSelect({"sitemaps", "pages"}), alias="AUTO_SELECT")
    user_agent: UserAgent = Field("ScraperSky/0.1", alias="SCRAPERSKY_USER_AGENT")
    crawl_pause: Seconds = Field(timedelta(seconds=1), alias="SCRAPERSKY_CRAWL_PAUSE_SECONDS")
    fetch: Seconds = Field(timedelta(seconds=30), alias="SCRAPERSKY_FETCH_SECONDS")
    parse: Seconds = Field(timedelta(seconds=5), alias="SCRAPERSKY_PARSE_SECONDS")
    parse_memory: int = whole_number("SCRAPERSKY_PARSE_MEMORY_MB", 512, 128, 1_000_000)
    sitemaps_per_domain: int = whole_number("SCRAPERSKY_SITEMAPS_PER_DOMAIN", 1_000, 1, 1_000_000)
    proxy: ProxyUrl = Field("", alias="SCRAPERSKY_PROXY")
    ca_file: ExistingFile | None = Field(None, alias="SCRAPERSKY_CA_FILE", description="a file")
    backoff: Seconds | None = Field(None, alias="SCRAPERSKY_BACKOFF_SECONDS")
    home: AbsolutePath = Field(default_factory=default_home, alias="SCRAPERSKY_HOME", description="a directory")
    processes: int = whole_number("SCRAPERSKY_PROCESSES", 2, 1, 64)
    threads: int = whole_number("SCRAPERSKY_THREADS", 16, 1, 256)
    max_in_flight: int = whole_number("SCRAPERSKY_MAX_IN_FLIGHT", 256, 1, 10_000)
    beat: Seconds = Field(timedelta(seconds=5), alias="SCRAPERSKY_BEAT_SECONDS")
    lease: Seconds = Field(timedelta(seconds=30), alias="SCRAPERSKY_LEASE_SECONDS")
    poll: Seconds = Field(timedelta(seconds=1), alias="SCRAPERSKY_POLL_SECONDS")
    echo: Seconds = Field(timedelta(seconds=5), alias="SCRAPERSKY_ECHO_SECONDS")
    time_slice: Seconds = Field(timedelta(seconds=2), alias="SCRAPERSKY_SLICE_SECONDS")
    drain: Seconds = Field(timedelta(seconds=30), alias="SCRAPERSKY_DRAIN_SECONDS")
    sweep: Seconds = Field(timedelta(seconds=60), alias="SCRAPERSKY_SWEEP_SECONDS")
    history: Days = Field(timedelta(days=30), alias="SCRAPERSKY_HISTORY_DAYS")
    keep_successes: bool = Field(False, alias="SCRAPERSKY_KEEP_SUCCESSES", description="true or false")
    metrics_host: Host = Field("127.0.0.1", alias="SCRAPERSKY_METRICS_HOST", description="a host without a port")
    metrics_port: int = whole_number("SCRAPERSKY_METRICS_PORT", 9464, 0, 65_535)
    web_host: Host = Field("127.0.0.1", alias="SCRAPERSKY_WEB_HOST", description="a host without a port")
    web_port: int = whole_number("SCRAPERSKY_WEB_PORT", 9465, 0, 65_535)
    web_token: Token = Field(SecretStr(""), alias="SCRAPERSKY_WEB_TOKEN")
    web_names: Names = Field((), alias="SCRAPERSKY_WEB_NAMES")
    web_proxies: Networks = Field((), alias="SCRAPERSKY_WEB_PROXIES")
    web_tls: bool = Field(False, alias="SCRAPERSKY_WEB_TLS", description="true or false")
    log_level: LogLevel = Field(LogLevels(), alias="SCRAPERSKY_LOG_LEVEL")
    log_format: LogFormat = Field("text", alias="SCRAPERSKY_LOG_FORMAT", description="text or json")
    traces: TracesUrl = Field("", alias="SCRAPERSKY_TRACES")
    overrides: Mapping[str, WorkflowOverride] = {}

    @field_validator("lease")
    @classmethod
    def outlasts_three_beats(cls, lease: timedelta, info: ValidationInfo) -> timedelta:
        beat: timedelta | None = info.data.get("beat")  # absent when it is a mistake itself
        if beat and lease < 3 * beat:
            raise expected(f"{3 * beat.total_seconds():g} or more, three times SCRAPERSKY_BEAT_SECONDS")
        return lease

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - pydantic-settings passes it
        init_settings: PydanticBaseSettingsSource,
        *_: PydanticBaseSettingsSource,
        **__: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Leave files and environment to `load_settings`: a second door would let misspelt names in."""
        return (init_settings,)

    def sweep_interval(self, workflow: str) -> timedelta:
        override = self.overrides.get(workflow)
        return (override and override.sweep) or self.sweep

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            yield name, redact(value) if isinstance(value, str) else value


NAMES = tuple(field.alias for field in Settings.model_fields.values() if field.alias)
OLD_SUFFIXES = tuple(field.alias for field in WorkflowOverride.model_fields.values() if field.alias)
SUFFIXES = {
    "SCRAPERSKY_": tuple(name.removeprefix("SCRAPERSKY_") for name in NAMES if name.startswith("SCRAPERSKY_")),
    **dict.fromkeys(OLD_PREFIXES.values(), OLD_SUFFIXES),
}


def load_settings(environ: Mapping[str, str] | None = None, env_file: Path | None = Path(".env")) -> Settings:
    """Read and check everything; an empty value means the default, and all mistakes are told at once."""
    from_file, mistakes = read_env_file(env_file)
    values = {**from_file, **(os.environ if environ is None else environ)}
    mistakes += [mistake for name in sorted(values) if (mistake := mistake_in_name(name))]
    given = {name: value.strip() for name, value in values.items() if value.strip()}
    by_file, unreadable = read_secret_files(given)
    given |= by_file
    mistakes += unreadable
    known = {name: given[name] for name in NAMES if name in given}
    try:
        settings = Settings.model_validate({**known, "overrides": old_overrides(given)})
    except ValidationError as error:
        mistakes += [mistake_in_value(details, by_file) for details in error.errors()]
    if mistakes:
        raise ConfigurationError("\n".join(mistakes))
    return settings


def read_env_file(path: Path | None) -> tuple[dict[str, str], list[str]]:
    """Return the file's values and its mistakes; a file that is not there has neither."""
    if path is None or not path.exists() or path.is_dir():
        return {}, []
    try:
        lines = list(parse_stream(StringIO(path.read_text(encoding="utf-8"))))
    except (OSError, UnicodeError) as error:
        return {}, [f"{path}: expected a readable file in UTF-8, got {type(error).__name__}"]
    broken = [line for line in lines if line.error or (line.key and line.value is None)]
    good = "".join(line.original.string for line in lines if line not in broken)
    values = {name: value or "" for name, value in dotenv_values(stream=StringIO(good)).items()}
    # The line is not shown, it may be half of a password.
    return values, [f"{path} line {line_number(line)}: expected NAME=value; see .env.example" for line in broken]


def line_number(line: Binding) -> int:
    text = line.original.string  # begins with the blank lines before it
    return line.original.line + text[: len(text) - len(text.lstrip())].count("\n")


def old_overrides(given: Mapping[str, str]) -> dict[str, dict[str, str]]:
    overrides = {
        workflow: {suffix: given[prefix + suffix] for suffix in OLD_SUFFIXES if prefix + suffix in given}
        for workflow, prefix in OLD_PREFIXES.items()
    }
    return {workflow: override for workflow, override in overrides.items() if override}


def mistake_in_name(name: str) -> str | None:
    upper = name.upper()
    if upper.startswith("SITEMAP_SCHEDULER_"):
        heirs = "SITEMAP_IMPORT_SCHEDULER_* and DOMAIN_SITEMAP_SCHEDULER_*"
        return f"{name}: no longer a setting, replaced by {heirs}; set those instead"
    if name in (*NAMES, *FILE_NAMES, *INTERNAL_NAMES):
        return None
    if upper in (*NAMES, *FILE_NAMES):
        return f"{name}: unknown setting, did you mean {upper}?"
    for prefix, suffixes in SUFFIXES.items():
        if upper.startswith(prefix) and name not in [prefix + suffix for suffix in suffixes]:
            guesses = difflib.get_close_matches(upper.removeprefix(prefix), suffixes, n=1, cutoff=0.5)
            advice = f", did you mean {prefix}{guesses[0]}?" if guesses else "; see .env.example"
            return f"{name}: unknown setting{advice}"
    return None


def mistake_in_value(details: ErrorDetails, by_file: Collection[str]) -> str:
    *path, place = (str(part) for part in details["loc"])
    prefix, model = (OLD_PREFIXES[path[-1]], WorkflowOverride) if path else ("", Settings)
    # A given value is placed by its alias, a default that does not fit by its field's name.
    field = next(field for name, field in model.model_fields.items() if place in {name, field.alias})
    rule = details["msg"] if details["type"] == "expected" else field.description
    if field.alias in by_file:  # whatever the file holds, somebody meant to keep it secret
        return f"{field.alias}{SUFFIX}: expected a file with {rule}, got something else; see .env.example"
    seen = unseen(details["input"]) if field.alias in SECRETS else shown(details["input"])
    return f"{prefix}{field.alias}: expected {rule}, got {seen}; see .env.example"


def unseen(value: object) -> str:
    """What is no URL may be the password itself; of one that is, how it begins tells enough."""
    scheme = re.match(r"[a-z][a-z0-9+.-]*://", str(value))
    return f"{scheme[0]}…" if scheme else "something else, which is not shown"


def shown(value: object) -> str:
    if isinstance(value, timedelta):
        return f"{value.total_seconds():g}"
    # Stricter than `redact`: what is no URL may still be a user, a password and a host.
    before, sign, after = str(value).rpartition("@")
    return repr(redact(re.sub(r":(?!//).*", ":***", before, flags=re.DOTALL) + sign + after))
