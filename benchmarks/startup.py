"""How long a person waits at the prompt, and how long a worker takes until it is registered.

CPU time is that of the process and, for commands, its children. On a busy machine only it and the number of modules
say anything; wall time needs a quiet one. An environment without bytecode, and without leave to write it, pays for
compiling at each start: `make setup` compiles what it installs.

Example: python -m benchmarks.startup --rounds 11
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from app.config import NAMES
from benchmarks.section import Options, Section, middle
from benchmarks.stage import migrated

COMMANDS: dict[str, list[str]] = {
    "python -c pass": ["-c", "pass"],
    "--help": ["-m", "app.start", "--help"],
    "--version": ["-m", "app.start", "--version"],
    "why --help": ["-m", "app.start", "why", "--help"],
    "status": ["-m", "app.start", "status"],
    "why": ["-m", "app.start", "why", "domains", "smile.com"],
    "history": ["-m", "app.start", "history", "domains", "smile.com"],
    "workflows": ["-m", "app.start", "workflows"],
    "errors": ["-m", "app.start", "errors"],
    "workers": ["-m", "app.start", "workers"],
    "contacts list": ["-m", "app.start", "contacts", "list"],
    "database-url": ["-m", "app.start", "database-url"],
}
WORKER = "worker, until registered"
TICKS = os.sysconf("SC_CLK_TCK")


class Cost(NamedTuple):
    cpu: float
    wall: float


def run(command: Sequence[str], environment: dict[str, str]) -> Cost:
    """Both in milliseconds."""
    before, began = _children(), time.perf_counter()
    subprocess.run([sys.executable, *command], env=environment, capture_output=True, check=False)
    return Cost((_children() - before) * 1000, (time.perf_counter() - began) * 1000)


def start_worker(environment: dict[str, str], connection: psycopg.Connection[Any]) -> Cost:
    """From its start to its row in engine.worker; without the fork server, which is a process of its own."""
    began = time.perf_counter()
    with subprocess.Popen([sys.executable, "-m", "app.worker"], env=environment, stderr=subprocess.DEVNULL) as worker:
        try:
            while not connection.execute("select pid from engine.worker where pid = %s", [worker.pid]).fetchone():
                if worker.poll() is not None:
                    raise SystemExit(f"the worker ended with exit code {worker.returncode}")
                time.sleep(0.002)
            wall = time.perf_counter() - began
            fields = Path(f"/proc/{worker.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            return Cost((int(fields[11]) + int(fields[12])) / TICKS * 1000, wall * 1000)
        finally:
            worker.terminate()


def modules(command: Sequence[str], environment: dict[str, str]) -> int:
    command = [sys.executable, "-X", "importtime", *command]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return sum(line.startswith("import time:") for line in done.stderr.splitlines()) - 1


def measure(options: Options, tell: Callable[[str], None]) -> Section:
    """Rounds beyond the first, which fills the caches."""
    with migrated() as (url, connection):
        kept = {name: value for name, value in os.environ.items() if name not in NAMES}
        environment = {**kept, "DATABASE_URL": url, "SCRAPERSKY_METRICS_PORT": "0"}
        connection.execute("insert into domains (domain) values ('smile.com')")
        kinds: dict[str, Callable[[], Cost]] = {
            name: lambda command=command: run(command, environment) for name, command in COMMANDS.items()
        }
        kinds[WORKER] = lambda: start_worker(environment, connection)
        found: dict[str, list[Cost]] = {name: [] for name in kinds}
        for turn in range(options.rounds + 1):
            tell(f"startup: round {turn}")
            for name, once in kinds.items():
                cost = once()
                if turn:
                    found[name].append(cost)
        counted = {name: modules(command, environment) for name, command in COMMANDS.items()}
        counted[WORKER] = modules(["-c", "import app.worker"], environment)
    made = Section("From the key to the prompt", ["", "modules", "CPU ms", "ms on the clock"], raw={"costs": found})
    for name, costs in found.items():
        cells = [middle([getattr(cost, kind) for cost in costs]) for kind in ("cpu", "wall")]
        made.rows.append([f"`{name}`", str(counted[name]), *cells])
        made.values[name] = statistics.median(cost.wall for cost in costs) / 1000
    return made


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.startup",
        description="CPU and wall time of commands and of a worker's start, on a database of their own.",
        epilog="Example: python -m benchmarks.startup --rounds 11",
    )
    parser.add_argument("--rounds", type=int, default=7, help="rounds that count, after one that does not; default 7")
    made = measure(Options(rounds=parser.parse_args().rounds), lambda _: None)
    print("| " + " | ".join(made.head) + " |\n|---|---:|---:|---:|")
    for row in made.rows:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
