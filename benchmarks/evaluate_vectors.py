"""robots.txt, public suffixes and URLs: vectors of their authors, right or wrong."""

import json
import time
from pathlib import Path
from typing import Any

from actors.parse.domains import registrable_domain
from actors.parse.robots import robots_allows
from actors.parse.urls import parse_url


def evaluate_robots(folder: Path) -> dict[str, Any]:
    vectors = folder / "google_vectors.json"
    result = _robots_vectors(json.loads(vectors.read_text(encoding="utf-8"))) if vectors.exists() else {}
    return {**result, "real_files": _real_robots_files(folder / "selected")}


def _robots_vectors(vectors: list[dict[str, Any]]) -> dict[str, Any]:
    wrong = [vector for vector in vectors if _allows(vector) != vector["allowed"]]
    return {
        "vectors": len(vectors),
        "right": len(vectors) - len(wrong),
        "wrong": len(wrong),
        "forbidden_but_allowed": sum(not vector["allowed"] for vector in wrong),
        "wrong_vectors": [{key: vector[key] for key in ("test", "agent", "url", "allowed")} for vector in wrong],
    }


def _allows(vector: dict[str, Any]) -> bool:
    return robots_allows(vector["robots"].encode(), vector["agent"], vector["url"])


def _real_robots_files(folder: Path) -> dict[str, Any]:
    exceptions: list[str] = []
    slowest = 0.0
    files = sorted(path for path in folder.glob("*") if path.is_file() and path.name != "manifest.json")
    for path in files:
        started = time.perf_counter()
        try:
            robots_allows(path.read_bytes(), "ScraperSky", f"https://{path.name}/contact")
        except Exception as error:  # noqa: BLE001 - any exception at all is what is counted
            exceptions.append(f"{path.name}: {type(error).__name__}: {error}")
        slowest = max(slowest, time.perf_counter() - started)
    return {"files": len(files), "exceptions": exceptions, "slowest_seconds": round(slowest, 3)}


def evaluate_psl(folder: Path) -> dict[str, Any]:
    lines = (folder / "tests.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split() for line in lines if line.strip() and not line.startswith("//")]
    # The first vector, null for null, asks about a language in which a host can be missing.
    vectors = [(host, _punycode(domain)) for host, domain in pairs if host != "null"]
    wrong = [
        {"host": host, "expected": domain, "found": registrable_domain(host)}
        for host, domain in vectors
        if registrable_domain(host) != domain
    ]
    return {"right": len(vectors) - len(wrong), "total": len(vectors), "wrong": wrong}


def _punycode(domain: str) -> str | None:
    url = parse_url(f"https://{domain}") if domain != "null" else None
    return url.host if url else None


def evaluate_url(folder: Path) -> dict[str, Any]:
    cases = json.loads((folder / "urltestdata.json").read_text(encoding="utf-8"))
    # A string among the cases is a comment.
    web = [case for case in cases if isinstance(case, dict) and _concerns_the_web(case)]
    wrong = [case["input"] for case in web if not _is_as_expected(case)]
    return {"right": len(web) - len(wrong), "total": len(web), "wrong": wrong}


def _concerns_the_web(case: dict[str, Any]) -> bool:
    """A result that is http(s), or a failure without a base or on an http(s) base."""
    if case.get("failure"):
        return case["base"] is None or case["base"].startswith("http")
    return case["protocol"] in {"http:", "https:"}


def _is_as_expected(case: dict[str, Any]) -> bool:
    url = parse_url(case["input"], case["base"])
    if case.get("failure") or url is None:
        return url is None and case.get("failure", False)
    port = "" if url.port is None else str(url.port)
    found = (url.href, f"{url.scheme}:", url.host, port, url.path, url.query)
    parts = ("href", "protocol", "hostname", "port", "pathname")
    return found == (*(case[part] for part in parts), case["search"].removeprefix("?"))
