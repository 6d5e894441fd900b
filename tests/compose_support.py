"""docker-compose.yml as a test reads it: merged, with the defaults of its variables filled in."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml

from actors.sandbox.limits import Limits
from actors.sandbox.pool import FEWEST

ROOT = Path(__file__).parents[1]
VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")
UNITS = {"h": "hours", "m": "minutes", "s": "seconds"}


def compose(**variables: str) -> dict[str, Any]:
    """Only variables with a default are allowed, so that the file works without any of them."""
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    filled = VARIABLE.sub(lambda found: variables.get(found[1]) or found[2], text)
    assert "${" not in filled
    loaded: dict[str, Any] = yaml.safe_load(filled)
    return loaded


def ours(file: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The services that run our own image."""
    return {name: service for name, service in file["services"].items() if "build" in service}


def workers_megabytes(processes: int = 2) -> int:
    """What worker processes take at most, with their parsers; docs/scaling.md has the sum."""
    return processes * (FEWEST * Limits().memory_mb + 145) + 100


def megabytes(text: str) -> int:
    """What Compose, Kubernetes and systemd mean by 512m, 3Gi and 4G."""
    number, unit = re.fullmatch(r"(\d+)([mMgG])i?", text).groups()  # type: ignore[union-attr]
    return int(number) * (1024 if unit in "gG" else 1)


def seconds(text: str) -> float:
    """What Compose means by 1m30s."""
    parts = re.findall(r"(\d+)([hms])", text)
    assert "".join(map("".join, parts)) == text
    return sum(timedelta(**{UNITS[unit]: int(number)}).total_seconds() for number, unit in parts)
