"""Peers on the same server: their processes are started, told to go, and watched until all rows are handled."""

import contextlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from psycopg import Connection

from benchmarks.stage import wait_until
from tests.server_support import PLACES, RabbitMQ

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv-bench" / "bin" / "python"


@dataclass(frozen=True)
class Peer:
    module: str
    label: str
    rows: float
    """Its share of the rows; a slow one gets fewer, and as many seconds."""
    python: Path = PYTHON
    has_own_table: bool = True
    alone: str = "own table only"
    environment: Mapping[str, str] = field(default_factory=dict)


PGQUEUER = Peer("peer_pgqueuer", "PgQueuer", 1)
AWA = Peer("peer_awa", "awa", 1)
PROCRASTINATE = Peer("peer_procrastinate", "Procrastinate", 0.1)
APSCHEDULER = Peer("peer_apscheduler", "the old APScheduler loop", 0.1, Path(sys.executable), has_own_table=False)


@contextlib.contextmanager
def dramatiq_over_rabbitmq() -> Iterator[Peer | None]:
    """With a RabbitMQ of its own, as the tests start it; None where it is not installed."""
    if not shutil.which("rabbitmq-server", path=PLACES):
        yield None
        return
    with RabbitMQ() as server:
        # The prefetch as its guide has it for short tasks.
        environment = {"RABBITMQ_URL": server.url, "dramatiq_queue_prefetch": "1000"}
        yield Peer("peer_dramatiq", "Dramatiq over RabbitMQ", 0.5, alone="messages only", environment=environment)


def step(peer: Peer, url: str, rows: int, what: str) -> list[Any]:
    return [peer.python, "-m", f"benchmarks.{peer.module}", url, str(rows), what]


def prepare(peer: Peer, url: str, user: Connection[Any], rows: int, what: str) -> None:
    environment = {**os.environ, **peer.environment}
    subprocess.run(step(peer, url, rows, what), check=True, cwd=ROOT, stdout=subprocess.DEVNULL, env=environment)
    user.execute("vacuum analyze")


def measure(peer: Peer, url: str, user: Connection[Any], rows: int, processes: int, what: str) -> float:
    """Rows per second from the word to the last row handled; what it acknowledges later is not waited for."""
    rows = int(rows * peer.rows)
    if peer.has_own_table:
        prepare(peer, url, user, rows, "fill")
    else:
        user.execute("alter table wide disable trigger all")
        user.execute("update wide set status = null where status is not null")
        user.execute("update wide set status = 'Queued' where id in (select id from wide limit %s)", [rows])
        user.execute("vacuum analyze")
    with tempfile.TemporaryDirectory(prefix="scrapersky-bench-") as directory:
        files = [Path(directory) / str(number) for number in range(processes)]
        for file in files:
            file.write_bytes(bytes(8))
        started = [
            subprocess.Popen(
                step(peer, url, rows, what),
                cwd=ROOT,
                env={**os.environ, **peer.environment, "BENCH_HANDLED": str(file)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for file in files
        ]
        try:
            for process in started:
                process.stdout.readline()
            began = time.perf_counter()
            for process in started:
                process.stdin.write("go\n")
                process.stdin.flush()
            wait_until(lambda: sum(handled(file) for file in files) >= rows)
            return rows / (time.perf_counter() - began)
        finally:
            for process in started:
                process.terminate()
            for process in started:
                process.communicate()
            user.execute("alter table wide enable trigger all")


def handled(file: Path) -> int:
    return struct.unpack("<Q", file.read_bytes())[0]
