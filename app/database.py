"""Which database: the embedded one unless DATABASE_URL names another."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.config import Settings
from db.embedded import EmbeddedPostgres
from db.embedded_guard import Guard


@contextmanager
def database(settings: Settings) -> Iterator[str]:
    """The URL of a database that is up. The embedded one is started when needed and stopped by the last who uses it."""
    if settings.database_url:
        yield settings.database_url
        return
    with embedded_database(settings.home) as url:
        yield url


@contextmanager
def embedded_database(home: Path) -> Iterator[str]:
    """When it ends while it is used, it is started again."""
    server = EmbeddedPostgres(home)
    with server.use() as url, Guard(server):
        yield url


@contextmanager
def working_database(settings: Settings) -> Iterator[str]:
    """For what runs by itself: in the embedded database a role that owns nothing and is no superuser."""
    with database(settings) as url:
        yield worker_url(settings, url)


def worker_url(settings: Settings, url: str) -> str:
    return url if settings.database_url else EmbeddedPostgres(settings.home).worker_url


def listen_url(settings: Settings, url: str) -> str:
    """LISTEN needs a direct connection, past any pooler."""
    return settings.listen_database_url or url
