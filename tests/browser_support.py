"""A real Chromium, and a real `scrapersky up` in the demo world for it to look at."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import psycopg
import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Route, sync_playwright
from psycopg import Connection

from app.demo.run import World, running_world
from app.demo.visits import Visits
from db.embedded import EmbeddedPostgres
from tests.process_support import free_port, wait_until

TOKEN = "a-long-token-for-the-browser"  # noqa: S105 - opens nothing but this test
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
PATIENCE_MILLISECONDS = 30_000


def chromium() -> str:
    """Where it is; without one, tests are skipped on a laptop and fail in CI."""
    if found := shutil.which("chromium"):
        return found
    message = "chromium is not installed; on Debian: apt-get install chromium"
    if os.environ.get("CI"):
        raise FileNotFoundError(message)
    pytest.skip(message)


@contextmanager
def running_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        yield browser
        browser.close()


@dataclass
class Dashboard:
    """A live dashboard, the world behind it, and a user's connection to its database."""

    url: str
    world: World
    db: Connection

    def fill(self) -> None:
        self.world.queue.hurry()
        self.world.queue.ask()


@contextmanager
def running_dashboard() -> Iterator[Dashboard]:
    # Not pytest's directory: that is closed to the user who runs Postgres when root runs the tests.
    state = Path(tempfile.mkdtemp(prefix="scrapersky-browser-"))
    state.chmod(0o711)
    port = free_port()
    settings = {"SCRAPERSKY_WEB_PORT": str(port), "SCRAPERSKY_WEB_TOKEN": TOKEN, "SCRAPERSKY_BEAT_SECONDS": "1"}
    try:
        with (
            running_world(state / "demo", Visits(), settings) as world,
            psycopg.connect(world.url, autocommit=True) as db,
        ):
            wait_until(lambda: is_ready(port), timeout=60)
            yield Dashboard(f"http://127.0.0.1:{port}", world, db)
    finally:
        EmbeddedPostgres(state / "demo").stop()
        shutil.rmtree(state)


def is_ready(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/readyz") as answer:
            return answer.status == HTTPStatus.OK
    except OSError:
        return False


@dataclass
class Complaints:
    """What a page must never do: say something on the console, fail, or ask somebody elsewhere."""

    console: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def watch(self, context: BrowserContext) -> None:
        context.route("**/*", self._pass_if_ours)
        context.on("console", self._hear)
        context.on("weberror", lambda error: self.console.append(str(error.error)))

    def _pass_if_ours(self, route: Route) -> None:
        if urlsplit(route.request.url).hostname == "127.0.0.1":
            route.continue_()
        else:
            self.foreign.append(route.request.url)
            route.abort()

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.console.append(message.text)


def sign_in(page: Page, dashboard: Dashboard, name: str = "ada") -> None:
    page.goto(f"{dashboard.url}/sign-in")
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{dashboard.url}/")
