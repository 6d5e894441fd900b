"""Does what the findings advise: the safe repairs at once, the others when somebody says yes."""

import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import psycopg

from app.doctor.examination import Examined
from app.doctor.finding import Kind, Repair
from app.doctor.patient import Patient
from app.logs import redact

DOABLE = (Kind.SQL, Kind.COMMAND)


@dataclass(frozen=True)
class Applied:
    repair: Repair
    done: bool
    said: str = ""


def fix(patient: Patient, found: Sequence[Examined], may: Callable[[Repair], bool]) -> list[Applied]:
    """Each repair once, in the order of the findings. All but plain SQL and commands is left to people."""
    return [_apply(patient, repair) if repair.safe or may(repair) else _refused(repair) for repair in _wanted(found)]


def _wanted(found: Sequence[Examined]) -> Iterator[Repair]:
    repairs = (repair for one in found for repair in one.finding.repairs if repair.kind in DOABLE)
    yield from dict.fromkeys(repairs)


def _refused(repair: Repair) -> Applied:
    return Applied(repair, done=False, said="not without a yes")


def _apply(patient: Patient, repair: Repair) -> Applied:
    try:
        said = _command(repair.text) if repair.kind is Kind.COMMAND else _statement(patient, repair.text)
    except (psycopg.Error, OSError, subprocess.SubprocessError) as error:
        return Applied(repair, done=False, said=redact(str(error)))
    return Applied(repair, done=True, said=said)


def _statement(patient: Patient, text: str) -> str:
    with patient.connect(patient.url) as connection:
        return connection.execute(text.encode()).statusmessage or ""


def _command(text: str) -> str:
    """`scrapersky …` as it stands, by the Python that runs us: the one on the path may be another."""
    _, *arguments = shlex.split(text)
    command = [sys.executable, "-m", "app.cli", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)  # noqa: S603 - ours
    if done.returncode:
        raise subprocess.SubprocessError(done.stderr.strip() or f"exit code {done.returncode}")
    return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else ""
