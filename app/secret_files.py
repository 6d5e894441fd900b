"""Secrets by file: DATABASE_URL_FILE=/run/secrets/database-url instead of DATABASE_URL in the environment."""

from collections.abc import Mapping
from pathlib import Path

SUFFIX = "_FILE"
SECRETS = (
    "DATABASE_URL",
    "LISTEN_DATABASE_URL",
    "BROKER_URL",
    "GOOGLE_MAPS_API_KEY",
    "SCRAPERSKY_PROXY",
    "SCRAPERSKY_WEB_TOKEN",
)
FILE_NAMES = tuple(secret + SUFFIX for secret in SECRETS)
LONGEST = 64 * 1024  # a wrong path may lead to a large file


def read_secret_files(given: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return the secrets that files hold and the mistakes; neither a value nor what a file says is ever shown."""
    values: dict[str, str] = {}
    mistakes = []
    for secret in SECRETS:
        name = secret + SUFFIX
        if name not in given:
            continue
        if secret in given:
            mistakes.append(f"{name}: expected either this or {secret}, got both; leave one of them empty")
            continue
        try:
            values[secret] = _read(Path(given[name]))
        except (OSError, ValueError) as error:
            rule = "a readable file with the value in one line of UTF-8"
            mistakes.append(f"{name}: expected {rule}, got {_shown(given[name])}: {_reason(error)}; see .env.example")
    return {secret: value for secret, value in values.items() if value}, mistakes


def _read(path: Path) -> str:
    """One line; editors and `echo` end it with a newline, which is no part of a secret."""
    with path.open("rb") as file:
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise ValueError(f"it is larger than {LONGEST // 1024} kB")
    value = content.decode("utf-8").strip()
    if len(value.splitlines()) > 1:
        raise ValueError("it has more than one line")
    return value


def _shown(path: str) -> str:
    """Whoever puts the secret itself where its file belongs does not want to read it."""
    return repr(path) if path.startswith(("/", "./", "../", "~")) else "something that is not shown"


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeError):
        return "it is not UTF-8"
    return (error.strerror or type(error).__name__) if isinstance(error, OSError) else str(error)
