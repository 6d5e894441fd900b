"""The machine, and the versions of everything that was measured on it: figures mean nothing without them."""

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from db.embedded import bin_directory

ROOT = Path(__file__).parents[1]
PEERS = {
    ".venv-bench": ("pgqueuer", "awa-pg", "procrastinate", "dramatiq"),
    ".venv-bench-scrapy": ("scrapy", "twisted"),
}
VERSIONS = (
    "from importlib.metadata import version; import sys; print(*(f'{n} {version(n)}' for n in sys.argv[1:]), sep=', ')"
)


def describe() -> dict[str, str]:
    memory = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[1]) / 2**20
    return {
        "measured": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": _said(["git", "-C", ROOT, "describe", "--always", "--dirty"]),
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": f"{memory:.0f} GB",
        "system": f"{platform.system()} {platform.release()}",
        "load before": f"{os.getloadavg()[0]:.1f}",
        "Postgres": _said([bin_directory() / "postgres", "--version"]).rpartition(" ")[2],
        "Python": platform.python_version(),
        "peers": ", ".join(filter(None, (_versions(name, packages) for name, packages in PEERS.items()))),
    }


def _processor() -> str:
    found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    return found[1] if found else platform.machine()


def _versions(environment: str, packages: tuple[str, ...]) -> str:
    python = ROOT / environment / "bin" / "python"
    return _said([python, "-c", VERSIONS, *packages]) if python.exists() else ""


def _said(command: list[object]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
