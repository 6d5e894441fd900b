"""Contacts on labelled pages: precision, recall, and what should never have come out."""

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from actors.parse.contacts import find_contacts
from actors.parse.encoding import decode

Labels = dict[str, Any]
Prediction = dict[str, list[str]]

SHORTEST_TAIL, SHORTEST_NUMBER = 8, 6


def evaluate_html(folder: Path) -> dict[str, Any]:
    pages: list[Labels] = json.loads((folder / "labels.json").read_text(encoding="utf-8"))["pages"]
    predictions: dict[str, Prediction] = {}
    seconds: dict[str, float] = {}
    exceptions: list[str] = []
    for page in pages:
        started = time.perf_counter()
        try:
            predictions[page["file"]] = predict((folder / page["file"]).read_bytes(), page.get("region"))
        except Exception as error:  # noqa: BLE001 - any exception at all is what is counted
            exceptions.append(f"{page['file']}: {type(error).__name__}: {error}")
        seconds[page["file"]] = time.perf_counter() - started
    slowest = max(seconds, key=lambda file: seconds[file], default=None)
    return {
        "pages": len(pages),
        **_scored(folder, pages, predictions),
        "exceptions": exceptions,
        "slowest_page": slowest,
        "slowest_page_seconds": round(seconds[slowest], 3) if slowest else None,
    }


def predict(body: bytes, region: str | None) -> Prediction:
    # Nobody noted where the pages stood; without an address, what they say of it themselves is taken.
    contacts = find_contacts(decode(body), url="", region=region)
    return {
        "emails": [email.address for email in contacts.emails],
        "phones": [phone.number for phone in contacts.phones],
        "fax": [phone.number for phone in contacts.faxes],
    }


def _scored(folder: Path, pages: list[Labels], predictions: dict[str, Prediction]) -> dict[str, Any]:
    """By the corpus' own scorer where there is one, else by the same arithmetic."""
    scorer = folder / "score.py"
    result = _by_scorer(scorer, predictions) if scorer.exists() else score(pages, predictions)
    return {
        "emails": result["email"],
        "phones": result["phone"],
        "rejected_let_out": result["rejected_but_output"],
        "pages_perfect": result["pages_perfect"],
        "false_positives": result["fp"],
        "missed": result["fn"],
        "rejected": result["rej"],
    }


def _by_scorer(scorer: Path, predictions: dict[str, Prediction]) -> dict[str, Any]:
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(predictions, file)
        file.flush()
        command = [sys.executable, str(scorer), file.name, "-v"]
        answer = subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")
    if answer.returncode != 0:
        last = (answer.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise ValueError(f"{scorer} failed: {last}")
    result: dict[str, Any] = json.loads(answer.stdout)
    return result


def score(pages: list[Labels], predictions: dict[str, Prediction]) -> dict[str, Any]:
    """E-mails compare without case, numbers by their last digits; what is labelled accept or fax is neutral."""
    counts = {"email": [0, 0, 0], "phone": [0, 0, 0]}
    said: dict[str, list[tuple[str, ...]]] = {"fp": [], "fn": [], "rej": []}
    perfect = 0
    for page in pages:
        file, found = page["file"], predictions.get(page["file"], {})
        verdicts = {"email": _emails(page, found), "phone": _phones(page, found)}
        for kind, (hits, wrong, missed, rejected) in verdicts.items():
            for place, number in enumerate((hits, len(wrong), len(missed))):
                counts[kind][place] += number
            said["fp"] += [(kind[0].upper(), file, text) for text in wrong]
            said["fn"] += [(kind[0].upper(), file, text) for text in missed]
            said["rej"] += [(file, text) for text in rejected]
        perfect += not any(wrong or missed for _, wrong, missed, _ in verdicts.values())
    rates = {kind: _rates(*numbers) for kind, numbers in counts.items()}
    totals = {"pages_perfect": f"{perfect}/{len(pages)}", "rejected_but_output": len(said["rej"])}
    return {**rates, **totals, **said}


def _emails(page: Labels, found: Prediction) -> tuple[int, list[str], list[str], list[str]]:
    addresses = {address.lower().strip() for address in found.get("emails", [])}
    wanted = set(page["emails"])
    wrong = addresses - wanted - set(page["accept_emails"])
    return (
        len(addresses & wanted),
        sorted(wrong),
        sorted(wanted - addresses),
        sorted(addresses & set(page["reject_emails"])),
    )


def _phones(page: Labels, found: Prediction) -> tuple[int, list[str], list[str], list[str]]:
    numbers = list(dict.fromkeys(found.get("phones", [])))
    hits = [label for label in page["phones"] if any(_is_same(_key(label), number) for number in numbers)]
    neutral = [*page["phones"], *page["accept_phones"], *page["fax"]]
    wrong = [number for number in numbers if not _is_one_of(neutral, number)]
    missed = [label["raw"] for label in page["phones"] if label not in hits]
    return len(hits), wrong, missed, [number for number in wrong if _is_one_of(page["reject_phones"], number)]


def _is_one_of(labels: Iterable[Labels], number: str) -> bool:
    return any(_is_same(_key(label), number) for label in labels)


def _key(label: Labels) -> str:
    return str(label.get("e164") or label["raw"])


def _is_same(one: str, other: str) -> bool:
    first, second = (re.sub(r"\D", "", text) for text in (one, other))
    shorter = min(len(first), len(second))
    return (
        first == second
        or (shorter >= SHORTEST_TAIL and first[-SHORTEST_TAIL:] == second[-SHORTEST_TAIL:])
        or (shorter >= SHORTEST_NUMBER and (first.endswith(second) or second.endswith(first)))
    )


def _rates(hits: int, wrong: int, missed: int) -> dict[str, float]:
    precision = hits / (hits + wrong) if hits + wrong else 1.0
    recall = hits / (hits + missed) if hits + missed else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    rates = {"precision": round(precision, 3), "recall": round(recall, 3), "f1": round(f1, 3)}
    return {"tp": hits, "fp": wrong, "fn": missed, **rates}
