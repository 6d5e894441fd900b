"""The origin as a process, and what its log says of a crawler's manners."""

import http.client
import json
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
FAST_PYTHON = HERE.parent / ".venv-bench" / "bin" / "python"
ROBOTS = "/robots.txt"


class Visit(NamedTuple):
    host: str
    path: str
    began: float
    ended: float
    status: int
    connection: int


class Manners(NamedTuple):
    shortest_pause: float
    median_pause: float
    at_once: int
    """The most requests that one host had to answer at the same time."""
    in_flight: int
    """The most requests that all hosts together had to answer at the same time."""
    twice: int
    """Requests for pages that had been given before; after an error or a stall another try is none."""
    connections: int


@dataclass
class Origin:
    process: subprocess.Popen[str]
    port: int
    tls_port: int
    ca_file: Path

    @property
    def proxy(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _ask(self, path: str) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", path, headers={"Host": "control", "Connection": "close"})
        body = connection.getresponse().read()
        connection.close()
        return body

    def reset(self) -> None:
        self._ask("/reset")

    def answered(self) -> int:
        return int(self._ask("/count"))

    def visits(self) -> list[Visit]:
        return [Visit(*json.loads(line)) for line in self._ask("/log").splitlines()]


@contextmanager
def origin(options: dict[str, Any], *, https: bool) -> Iterator[Origin]:
    with tempfile.TemporaryDirectory(prefix="scrapersky-bench-") as directory:
        Path(directory).chmod(0o755)
        ca_file = Path(directory) / "ca.pem"
        told = json.dumps({**options, "ca_file": str(ca_file) if https else ""})
        python = FAST_PYTHON if FAST_PYTHON.exists() else sys.executable
        command = [python, "-m", "benchmarks.crawl_origin", told]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE.parent
        ) as process:
            try:
                ports = json.loads(process.stdout.readline())
                yield Origin(process, ports["port"], ports.get("tls_port", 0), ca_file)
            finally:
                process.terminate()


def manners(visits: list[Visit]) -> Manners:
    by_host = defaultdict(list)
    for visit in sorted(visits, key=lambda visit: visit.began):
        by_host[visit.host].append(visit)
    pauses = [later.began - earlier.ended for of_host in by_host.values() for earlier, later in pairwise(of_host)]
    given = Counter((visit.host, visit.path) for visit in visits if visit.status == 200 and visit.path != ROBOTS)
    return Manners(
        shortest_pause=min(pauses, default=0.0),
        median_pause=statistics.median(pauses) if pauses else 0.0,
        at_once=max((_most_at_once(of_host) for of_host in by_host.values()), default=0),
        in_flight=_most_at_once(visits),
        twice=sum(count - 1 for count in given.values()),
        connections=len({visit.connection for visit in visits}),
    )


def _most_at_once(visits: list[Visit]) -> int:
    steps = sorted([(visit.began, 1) for visit in visits] + [(visit.ended, -1) for visit in visits])
    most = now = 0
    for _, step in steps:
        now += step
        most = max(most, now)
    return most
