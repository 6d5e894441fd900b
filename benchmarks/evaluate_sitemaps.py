"""Sitemaps: as many URLs as the manifest counted."""

import json
import time
from pathlib import Path
from typing import Any

from actors.parse.sitemaps import count_urls

# Whoever made the manifest counted the <loc> elements: of other formats it is only asked that they can be read.
COUNTED = {"urlset", "sitemapindex"}
UNRENDERED = ("{{", "{%", "<%", "${")


def evaluate_sitemaps(folder: Path) -> dict[str, Any]:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    exact, slowest = 0, 0.0
    mismatches: list[dict[str, Any]] = []
    exceptions: list[str] = []
    others: dict[str, int] = {}
    for entry in manifest:
        path = folder / entry["file"]
        started = time.perf_counter()
        try:
            found = count_urls(path.read_bytes(), f"https://sitemap.invalid/{path.name}")
        except Exception as error:  # noqa: BLE001 - any exception at all is what is counted
            exceptions.append(f"{path.name}: {type(error).__name__}: {error}")
            continue
        slowest = max(slowest, time.perf_counter() - started)
        expected = _expected(entry)
        if entry["kind"] not in COUNTED:
            others[path.name] = found
        elif found == expected:
            exact += 1
        else:
            mismatches.append({"file": path.name, "expected": expected, "found": found, "note": entry.get("note", "")})
    return {
        "files": len(manifest),
        "counted": exact + len(mismatches),
        "exact": exact,
        "mismatches": mismatches,
        "exceptions": exceptions,
        "other_formats": others,
        "slowest_seconds": round(slowest, 3),
    }


def _expected(entry: dict[str, Any]) -> int:
    """What the manifest counted; a template that nobody filled in names no URL at all."""
    is_template = any(mark in url for url in entry.get("first", ()) for mark in UNRENDERED)
    return 0 if is_template else entry["urls_by_regex"]
