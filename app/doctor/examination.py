"""All checks, one after the other. One that can not look says so and does not stop the others."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import psycopg

from app.doctor.finding import MIGRATE, Finding, Verdict, by_hand, failure
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
        denied: dict[str, str] = {}
        for check in checks:
            if Needs.NOTHING < check.needs <= available:
                try:
                    found += _look(check, patient)
                except psycopg.errors.InsufficientPrivilege as error:
                    denied[check.name] = _told(error)
        if denied:
            found.append(Examined(RIGHTS, _not_allowed(patient, denied), 0.0))
    return found


DATABASE = Check("The server", "database", lambda _: iter(()), Needs.NOTHING)
RIGHTS = Check("Not examined", "rights", lambda _: iter(()), Needs.DATABASE)


def _look(check: Check, patient: Patient) -> Iterator[Examined]:
    """Raises InsufficientPrivilege: of what this role may not see nothing can be said."""
    began = time.monotonic()
    findings: list[Finding] = []
    try:
        findings.extend(check.look(patient))
    except OLD_SCHEMA as error:
        findings.append(failure(_told(error), "The database is older than this program.", MIGRATE))
    except psycopg.errors.InsufficientPrivilege:
        raise
    except (psycopg.Error, OSError) as error:
        findings.append(failure(_told(error), "It could not be looked at.", by_hand("look at the rest first")))
    seconds = time.monotonic() - began
    return (Examined(check, finding, seconds) for finding in findings)


def _not_allowed(patient: Patient, denied: Mapping[str, str]) -> Finding:
    roles = patient.one("roles")
    needed = f"{roles.owner}, the role that migrated this database" if roles.owner else "the role that migrates"
    return failure(
        f"{roles.mine} may not look at: {', '.join(denied)} ({next(iter(denied.values()))})",
        "What nobody has looked at may be wrong.",
        by_hand(f"let DATABASE_URL name {needed}"),
    )


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
