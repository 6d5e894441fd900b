"""All checks, one after the other. One that can not look says so and does not stop the others."""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import psycopg

from app.doctor.finding import MIGRATE, Finding, Repair, Verdict, by_hand, failure, warning
from app.doctor.patient import Patient
from app.doctor.registry import CHECKS, Check, Needs
from app.logs import redact

OLD_SCHEMA = (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn, psycopg.errors.UndefinedFunction)


@dataclass(frozen=True)
class Examined:
    check: Check
    finding: Finding
    seconds: float


def examine(patient: Patient, checks: Sequence[Check] = CHECKS) -> list[Examined]:
    """Every finding, in the order of the checks; what can not be looked at without a database is left out."""
    found = [one for check in checks if check.needs is Needs.NOTHING for one in _look(check, patient)]
    with ExitStack() as stack:
        try:
            stack.enter_context(patient.connected())
        except psycopg.OperationalError as error:
            return [*found, Examined(DATABASE, _no_answer(error), 0.0)]
        available = Needs.ENGINE if patient.one("applied").engine else Needs.DATABASE
        for check in checks:
            if Needs.NOTHING < check.needs <= available:
                found += _look(check, patient)
    return found


DATABASE = Check("The server", "database", lambda _: iter(()), Needs.NOTHING)


def _look(check: Check, patient: Patient) -> Iterator[Examined]:
    began = time.monotonic()
    findings: list[Finding] = []
    try:
        findings.extend(check.look(patient))
    except OLD_SCHEMA as error:
        findings.append(failure(_told(error), "The database is older than this program.", MIGRATE))
    except psycopg.errors.InsufficientPrivilege as error:
        findings.append(warning(_told(error), "This role may not look there.", _as_the_owner()))
    except (psycopg.Error, OSError) as error:
        findings.append(failure(_told(error), "It could not be looked at.", by_hand("look at the rest first")))
    seconds = time.monotonic() - began
    return (Examined(check, finding, seconds) for finding in findings)


def _as_the_owner() -> Repair:
    return by_hand("let DATABASE_URL name the role that migrated this database")


def _no_answer(error: psycopg.Error) -> Finding:
    return failure(
        _told(error),
        "Nothing runs without it. Workers keep what they have finished until it is back.",
        by_hand("start the database, or correct DATABASE_URL"),
    )


def _told(error: Exception) -> str:
    return " ".join(redact(str(error)).split()) or type(error).__name__


def worst(found: Sequence[Examined]) -> Verdict:
    verdicts = {one.finding.verdict for one in found}
    return next((verdict for verdict in (Verdict.FAIL, Verdict.WARN) if verdict in verdicts), Verdict.OK)
