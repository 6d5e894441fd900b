"""Services that run without workers: the listener, the sweeper, and one sweep on demand."""

import contextlib
import difflib
import json
import logging
import signal
import threading
import time
from collections.abc import Sequence

import click
import psycopg

from actors.registry import INTERNAL
from app.broker import Nudger, make_broker
from app.config import Settings
from app.database import database, listen_url, working_database
from app.exposition import metrics_server
from app.giving_up import no_thread_dies_alone
from app.listener import Listener
from app.logs import event
from app.privileges import drop_privileges
from app.supervised import exit_with_parent, is_child
from app.sweeper import Sweeper
from app.workflows import load_workflows
from db.connections import open_pool

log = logging.getLogger(__name__)


def run_listener(settings: Settings) -> int:
    """Until a signal, or until the supervisor is gone."""
    stop = threading.Event()
    _stop_on_signal(stop)
    names = [workflow.name for workflow in (*load_workflows(settings), *INTERNAL)]
    with contextlib.ExitStack() as stack:
        stack.enter_context(no_thread_dies_alone())
        url = stack.enter_context(working_database(settings))
        drop_privileges(settings, counts_alone=not is_child())
        exit_with_parent(stop.set, settings)
        pool = open_pool(url, size=2, name="poller")
        stack.callback(pool.close)
        if not is_child():
            stack.enter_context(metrics_server(settings, pool))
        nudger = Nudger(make_broker(settings), names)
        nudger.start()
        stack.callback(nudger.stop)
        listener = Listener(settings, listen_url(settings, url), pool, nudger)
        listener.start()
        event(log, logging.INFO, "listener.started")
        stop.wait()
        listener.stop()
    return 0


def run_sweeper(settings: Settings) -> int:
    """Until a signal, or until the supervisor is gone."""
    stop = threading.Event()
    _stop_on_signal(stop)
    with contextlib.ExitStack() as stack:
        stack.enter_context(no_thread_dies_alone())
        url = stack.enter_context(working_database(settings))
        drop_privileges(settings, counts_alone=not is_child())
        exit_with_parent(stop.set, settings)
        pool = open_pool(url, size=2, name="sweeper")
        stack.callback(pool.close)
        if not is_child():
            stack.enter_context(metrics_server(settings, pool))
        event(log, logging.INFO, "sweeper.started", every_s=settings.sweep.total_seconds())
        Sweeper(pool, load_workflows(settings), settings).run(stop)
    return 0


def run_sweep(settings: Settings, names: Sequence[str], *, dry_run: bool, as_json: bool) -> int:
    """One whole pass, and what it repaired."""
    workflows = load_workflows(settings)
    chosen = names or [workflow.name for workflow in workflows]
    _check_names(chosen, [workflow.name for workflow in workflows])
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(database(settings))
        psycopg.connect(url).close()  # whoever waits at a prompt wants to hear at once that nobody answers
        pool = open_pool(url, size=2, name="sweep")
        stack.callback(pool.close)
        sweeper = Sweeper(pool, workflows, settings, dry_run=dry_run)
        if not dry_run:
            _wait_for_suspects(sweeper, settings)
        counts = {name: sweeper.sweep(name, whole=True).counts() for name in chosen}
    if as_json:
        click.echo(json.dumps(counts))
        return 0
    for name, repaired in counts.items():
        verb = "would repair" if dry_run else "repaired"
        told = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in repaired.items())
        click.echo(f"{name}: {verb} {told}")
    return 0


def _wait_for_suspects(sweeper: Sweeper, settings: Settings) -> None:
    """A counter must be seen standing still for a lease. Only wait when somebody's last beat looks old."""
    query = "select count(*) from engine.worker where last_beat < clock_timestamp() - %s"
    with sweeper.pool.connection() as connection:
        row = connection.execute(query, [settings.lease]).fetchone()
    if not row or not row[0]:
        return
    click.echo(f"{row[0]} worker(s) look silent; watching them for {settings.lease.total_seconds():g} s", err=True)
    deadline = time.monotonic() + settings.lease.total_seconds()
    while time.monotonic() <= deadline and not sweeper.watch():
        time.sleep(min(1.0, settings.beat.total_seconds()))
    sweeper.watch()


def _check_names(chosen: Sequence[str], known: Sequence[str]) -> None:
    for name in chosen:
        if name not in known:
            guess = difflib.get_close_matches(name, known, n=1)
            hint = f", did you mean '{guess[0]}'?" if guess else f"; known are {', '.join(known)}"
            raise click.UsageError(f"unknown workflow '{name}'{hint}")


def _stop_on_signal(stop: threading.Event) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
