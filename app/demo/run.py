"""`scrapersky demo`: the whole pipeline, from five searches to contacts, in a world without internet."""

import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import click
from rich.console import Console

from app.config import Settings
from app.database import embedded_database
from app.demo.authority import Authority
from app.demo.places_simulator import PlacesSimulator
from app.demo.proxy import Proxy
from app.demo.queue import Queue, open_queue
from app.demo.screen import DemoStalled, refusal_table, score_table, show_differences, watch, workflow_table
from app.demo.stack import KEY, Stack, StackError, running_stack
from app.demo.truth import score
from app.demo.visits import Visits
from app.demo.world import BUSINESSES, SITES
from app.demo.world.listing import SEARCHES, TOWN, places

LONGEST_SECONDS = 170
WEB_PORT = 9465
FAILURE, INTERRUPTED = 1, 130


def run_demo(settings: Settings, *, keep: bool, home: Path | None = None) -> int:
    """0 when the contacts are as good as they should be, and a second run changes nothing; 1 otherwise."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C, with everything stopped
    try:
        return Demo(home or settings.home / "demo", Console(), _given(settings)).run(keep=keep)
    except (StackError, DemoStalled, TimeoutError) as error:
        click.echo(f"The demo came to no end: {error}", err=True)
        return FAILURE
    except KeyboardInterrupt:
        click.echo("stopped")
        return INTERRUPTED


def _given(settings: Settings) -> dict[str, str]:
    """Of the settings that the user gave, those that say how to look at the demo; the others are the demo's own."""
    values = {
        "SCRAPERSKY_WEB_HOST": ("web_host", settings.web_host),
        "SCRAPERSKY_WEB_PORT": ("web_port", settings.web_port),
        "SCRAPERSKY_WEB_TOKEN": ("web_token", settings.web_token.get_secret_value()),
        "SCRAPERSKY_METRICS_HOST": ("metrics_host", settings.metrics_host),
        "SCRAPERSKY_METRICS_PORT": ("metrics_port", settings.metrics_port),
    }
    return {name: str(value) for name, (field, value) in values.items() if field in settings.model_fields_set}


class World(NamedTuple):
    url: str
    queue: Queue
    stack: Stack
    proxy: Proxy
    certificates: Path


@contextmanager
def running_world(home: Path, visits: Visits, settings: Mapping[str, str]) -> Iterator[World]:
    """The small web and, inside it, `scrapersky up` with a database of its own in this home."""
    with ExitStack() as opened:
        url = opened.enter_context(embedded_database(home))
        certificates = home / "ca.pem"
        authority = Authority()
        authority.write(certificates)
        simulator = PlacesSimulator(places(), keys=[KEY])
        proxy = opened.enter_context(Proxy(SITES, authority, simulator.handle, visits))
        stack = opened.enter_context(running_stack(home, proxy.url, certificates, settings))
        yield World(url, opened.enter_context(open_queue(url, stack)), stack, proxy, certificates)


def free_port(wanted: int) -> int:
    """The port that was wanted, or another one when somebody has it."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise StackError("no free port on 127.0.0.1 for the dashboard")


class Demo:
    def __init__(self, home: Path, console: Console, given: Mapping[str, str] | None = None) -> None:
        self.home = home
        self.given = given or {}
        self.console = console
        self.began = time.monotonic()
        self.visits = Visits()

    def run(self, *, keep: bool) -> int:
        self.console.print(
            f"[bold]ScraperSky demo[/bold]  {len(BUSINESSES)} businesses, {len(SITES)} sites, no internet"
        )
        port = self.given.get("SCRAPERSKY_WEB_PORT") or str(free_port(WEB_PORT))
        with running_world(self.home, self.visits, {**self.given, "SCRAPERSKY_WEB_PORT": port}) as world:
            if port != "0":
                host = self.given.get("SCRAPERSKY_WEB_HOST", "127.0.0.1")
                self.console.print(f"watch it at http://{host}:{port}/", soft_wrap=True)
            before = self._fill(world.queue)
            watch(self.console, world.queue, world.stack, limit=LONGEST_SECONDS)
            code = self._report(world.queue, before)
            self.console.print(f"log      {world.stack.log}", soft_wrap=True)
            if keep:
                self._keep(world.proxy, world.certificates)
        return code

    def _fill(self, queue: Queue) -> tuple[int, str] | None:
        """Begin; returns what is known from an earlier run, if there was one."""
        queue.hurry()
        before = queue.digest()
        if queue.ask():
            self.console.print(f"asked for {', '.join(SEARCHES)} in {TOWN}")
            return None
        queue.ask_again()
        self.console.print("this is not the first run here: everything is queued once more, and must change nothing")
        return before

    def _report(self, queue: Queue, before: tuple[int, str] | None) -> int:
        console, scores = self.console, score(queue.contacts())
        console.print(workflow_table(queue.progress(), "Every workflow"))
        if refusals := queue.refusals():
            console.print(refusal_table(refusals))
        console.print(score_table(scores))
        show_differences(console, scores)
        seconds = time.monotonic() - self.began
        console.print(f"{len(self.visits):,} requests to {len(self.visits.by_host())} hosts, {seconds:.1f} s in all")
        is_good = all(one.is_good for one in scores.values())
        if before is None:
            return 0 if is_good else FAILURE
        after = queue.digest()
        if after == before:
            console.print(f"nothing changed since the last run: {after[0]} contacts")
        else:
            console.print(f"[red]the contacts changed: {before[0]} before, {after[0]} now[/red]")
        return 0 if is_good and after == before else FAILURE

    def _keep(self, proxy: Proxy, certificates: Path) -> None:
        """Until Ctrl-C."""
        command = Path(sys.argv[0]).name or "scrapersky"
        site = SITES[-1].url
        for line in (
            "",
            "still running; look around from another terminal:",
            f"  export SCRAPERSKY_HOME={self.home}",
            f"  {command} status --watch",
            f"  {command} psql -c 'table contacts'",
            f"  curl -x {proxy.url} --cacert {certificates} {site}",
            "Ctrl-C stops it",
        ):
            self.console.print(line, soft_wrap=True, highlight=False, markup=False)
        threading.Event().wait()
