"""The demo world for tests: the real proxy on loopback, and the guarded client that goes through it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from actors.fetch.robots import RobotsStore, StoredRobots
from actors.fetch.web import Web, WebClient, WebOptions
from app.demo.authority import Authority
from app.demo.places_simulator import PlacesSimulator
from app.demo.proxy import Proxy
from app.demo.world import SITES
from app.demo.world.listing import places
from app.demo.world.site import Site
from tests.sandbox_support import new_reader

AGENT = "ScraperSky/0.1 (+https://scrapersky.test/bot)"


class Memory(RobotsStore):
    """A robots.txt store for the length of a test."""

    def __init__(self) -> None:
        self._stored: dict[str, StoredRobots] = {}

    def load(self, origin: str) -> StoredRobots | None:
        return self._stored.get(origin)

    def save(self, origin: str, robots: StoredRobots) -> None:
        self._stored[origin] = robots


@contextmanager
def running_world(directory: Path, sites: tuple[Site, ...] = SITES) -> Iterator[tuple[Proxy, Path]]:
    """The proxy and the file of its certificate authority."""
    authority = Authority()
    authority.write(directory / "ca.pem")
    with Proxy(sites, authority, PlacesSimulator(places()).handle) as proxy:
        yield proxy, directory / "ca.pem"


def client_for(proxy: Proxy, certificates: Path, pause: timedelta = timedelta(0)) -> WebClient:
    options = WebOptions(user_agent=AGENT, pause=pause, proxy=proxy.url, ca_file=certificates)
    return WebClient(options, Memory())


@contextmanager
def visiting(client: WebClient) -> Iterator[Web]:
    web = client.open(new_reader())
    try:
        yield web
    finally:
        web.close()
        client.close()
