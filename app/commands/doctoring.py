"""One examination, or two with the repairs between them; told to a person or to a machine."""

import json
import sys
import time
from collections.abc import Sequence
from typing import Any

import click

from app.config import ConfigurationError, Settings, load_settings
from app.database import database
from app.doctor.examination import DATABASE, Examined, examine, worst
from app.doctor.finding import Repair, Verdict, by_hand, by_service, failure
from app.doctor.fixing import Applied, fix
from app.doctor.patient import Patient
from app.doctor.registry import CHECKS
from app.doctor.screen import show
from app.logs import configure_logging
from db.embedded import EmbeddedPostgres

SETTINGS = CHECKS[0]


def run_doctor(*, as_json: bool, fixing: bool, yes: bool) -> int:
    began = time.monotonic()
    applied: list[Applied] = []
    try:
        settings = load_settings()
    except ConfigurationError as error:
        found = _mistakes(error)
    else:
        configure_logging(settings)
        found, applied = _examine(settings, fixing=fixing, yes=yes, quiet=as_json)
    seconds = time.monotonic() - began
    if as_json:
        click.echo(json.dumps(_told(found, applied, seconds), indent=2))
    else:
        show(found, applied, seconds)
    return 1 if worst(found) is Verdict.FAIL else 0


def _examine(settings: Settings, *, fixing: bool, yes: bool, quiet: bool) -> tuple[list[Examined], list[Applied]]:
    if not settings.database_url and not _is_made(settings):
        return [_nothing_there(settings)], []
    with database(settings) as url:
        patient = Patient(settings, url)
        found = examine(patient)
        if not fixing:
            return found, []
        applied = fix(patient, found, lambda repair: yes or _agrees(repair, quiet=quiet))
        return (examine(patient) if any(one.done for one in applied) else found), applied


def _agrees(repair: Repair, *, quiet: bool) -> bool:
    """Nobody is asked where nobody can answer."""
    return not quiet and sys.stdin.isatty() and click.confirm(f"{repair.text}\nDo this?", err=True)


def _is_made(settings: Settings) -> bool:
    try:
        return EmbeddedPostgres(settings.home).data.exists()
    except PermissionError:  # there, and another user's: the next step tells whose
        return True


def _nothing_there(settings: Settings) -> Examined:
    finding = failure(
        f"DATABASE_URL is empty, and there is no database in {settings.home} yet",
        "The first start makes one.",
        by_service("scrapersky up"),
    )
    return Examined(DATABASE, finding, 0.0)


def _mistakes(error: ConfigurationError) -> list[Examined]:
    means = "Nothing starts with such settings."
    advice = by_hand("correct it in .env or in the environment")
    return [Examined(SETTINGS, failure(line, means, advice), 0.0) for line in str(error).splitlines()]


def _told(found: Sequence[Examined], applied: Sequence[Applied], seconds: float) -> dict[str, Any]:
    return {
        "verdict": worst(found),
        "seconds": round(seconds, 3),
        "fixed": [{"text": one.repair.text, "done": one.done, "said": one.said} for one in applied],
        "findings": [
            {
                "group": one.check.group,
                "check": one.check.name,
                "verdict": one.finding.verdict,
                "seen": one.finding.seen,
                "means": one.finding.means,
                "repairs": [
                    {"kind": repair.kind, "text": repair.text, "safe": repair.safe} for repair in one.finding.repairs
                ],
                "seconds": round(one.seconds, 3),
            }
            for one in found
        ],
    }
