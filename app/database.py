"""Which database: the embedded one unless DATABASE_URL names another."""

from collections.abc import Iterator
from contextlib import contextmanager

from app.config import Settings
from db.embedded import EmbeddedPostgres


@contextmanager
def database(settings: Settings) -> Iterator[str]:
    """The URL of a database that is up. The embedded one is started when needed and stopped by the last who uses it."""
    if settings.database_url:
        yield settings.database_url
        return
    with EmbeddedPostgres(settings.home).use() as url:
        yield url


def listen_url(settings: Settings, url: str) -> str:
    """LISTEN needs a direct connection, past any pooler."""
    return settings.listen_database_url or url
