"""Sites of a test on the demo's proxy, and real worker processes that crawl them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import Connection

from app.demo.proxy import Proxy
from app.demo.world.site import Site
from tests.process_support import Processes, Started, wait_until
from tests.world_support import running_world

QUIET = "select count(*) from engine.job where not dead"


@dataclass
class Crawl:
    database: str
    db: Connection[Any]
    proxy: Proxy
    processes: Processes
    environment: dict[str, str]

    def work(self, *module: str, **environment: str) -> Started:
        """Start `app.worker`, or what is named, in the world of the sites."""
        return self.processes.start(*(module or ("app.worker",)), **{**self.environment, **environment})

    def queue(self, *domains: str) -> None:
        self.db.execute("insert into domains (domain, status) select unnest(%s::text[]), 'pending'", [list(domains)])

    def wait(self, timeout: float = 60) -> None:
        """Until no row of any workflow is waiting or running."""
        wait_until(lambda: self.db.execute(QUIET).fetchone() == (0,), timeout)

    def value(self, query: str) -> Any:
        row = self.db.execute(query.encode()).fetchone()
        return row[0] if row and len(row) == 1 else row

    def failures(self) -> list[tuple[Any, ...]]:
        return self.db.execute("select workflow, pk, attempt, lost, last_error from engine.job where dead").fetchall()

    def contacts(self) -> set[tuple[Any, ...]]:
        query = (
            "select domain, email, phone_number, contacts.name, role, method "
            "from contacts join domains on domains.id = domain_id"
        )
        return set(self.db.execute(query).fetchall())


@pytest.fixture
def crawl(database: str, processes: Processes, tmp_path: Path) -> Iterator[Callable[..., Crawl]]:
    with ExitStack() as stack:

        def open_crawl(*sites: Site) -> Crawl:
            proxy, certificates = stack.enter_context(running_world(tmp_path, sites))
            environment = {
                "DATABASE_URL": database,
                "SCRAPERSKY_PROXY": proxy.url,
                "SCRAPERSKY_CA_FILE": str(certificates),
                "SCRAPERSKY_CRAWL_PAUSE_SECONDS": "0.01",
                "SCRAPERSKY_BACKOFF_SECONDS": "0.05",
            }
            db = stack.enter_context(psycopg.connect(database, autocommit=True))
            return Crawl(database, db, proxy, processes, environment)

        yield open_crawl
        processes.end_all()
