"""`python -m app.healthy`: whether the service in this container is well; for HEALTHCHECK, Compose and Kubernetes.

It asks the service itself: named gauges of its /metrics have to be 1, and `web` means that the dashboard is ready.
Quick and plain, because it runs every few seconds: no settings are read but the two ports.
"""

import os
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence

SECONDS = 5
DATABASE = "scrapersky_database_up"


def what_is_wrong(wanted: Sequence[str]) -> str | None:
    try:
        if wanted == ["web"]:
            return _dashboard(os.environ.get("SCRAPERSKY_WEB_PORT") or "9465")
        return _gauges(os.environ.get("SCRAPERSKY_METRICS_PORT") or "9464", wanted or [DATABASE])
    except (OSError, ValueError) as error:
        return f"no answer: {error}"


def _dashboard(port: str) -> str | None:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=SECONDS):
            return None
    except urllib.error.HTTPError as error:
        return f"/readyz answers {error.code}"


def _gauges(port: str, wanted: Sequence[str]) -> str | None:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=SECONDS) as answer:
        told = dict(line.rsplit(" ", 1) for line in answer.read().decode().splitlines() if not line.startswith("#"))
    low = [name for name in wanted if float(told.get(name, 0)) < 1]
    return f"{', '.join(low)}: not 1" if low else None


def main() -> int:
    wrong = what_is_wrong(sys.argv[1:])
    if wrong:
        sys.stderr.write(f"unhealthy: {wrong}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
