"""A doctor for tests: asks one check at a time, and does what it prints as it stands there."""

import shlex
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from app.cli import cli
from app.config import NAMES, Settings, load_settings
from app.doctor.examination import examine
from app.doctor.finding import Finding, Kind, Repair
from app.doctor.fixing import fix
from app.doctor.patient import Limits, Patient
from app.doctor.registry import CHECKS
from tests.process_support import QUICK

IMPATIENT = Limits(
    forgotten_transaction=timedelta(0),
    long_claim=timedelta(0),
    doorbell=timedelta(seconds=2),
    canary=timedelta(seconds=1),
    dead_rows=50,
)


class Doctor:
    def __init__(self, url: str, limits: Limits = IMPATIENT, **settings: Any) -> None:
        self.url = url
        self.limits = limits
        self.settings = Settings(database_url=url, **settings)

    def findings(self, check: str) -> list[Finding]:
        (chosen,) = [one for one in CHECKS if one.name == check]
        return [one.finding for one in examine(Patient(self.settings, self.url, self.limits), [chosen])]

    def finding(self, check: str) -> Finding:
        """The only one."""
        (finding,) = self.findings(check)
        return finding

    def verdicts(self, check: str) -> list[str]:
        return [finding.verdict.value for finding in self.findings(check)]

    def repair(self, check: str) -> None:
        """Do all that is printed, once each."""
        for repair in dict.fromkeys(repair for finding in self.findings(check) for repair in finding.repairs):
            self.do(repair)

    def fix(self, check: str) -> list[str]:
        """What `--fix --yes` does about this check."""
        (chosen,) = [one for one in CHECKS if one.name == check]
        patient = Patient(self.settings, self.url, self.limits)
        return [one.repair.text for one in fix(patient, examine(patient, [chosen]), lambda _: True)]

    def do(self, repair: Repair) -> None:
        match repair.kind:
            case Kind.SQL | Kind.SQL_BY_HAND:
                with psycopg.connect(self.url, autocommit=True) as connection:
                    connection.execute(repair.text.encode())
            case Kind.COMMAND:
                program, *arguments = shlex.split(repair.text)
                assert program == "scrapersky"
                environment = {**dict.fromkeys(NAMES), **QUICK, "DATABASE_URL": self.url}
                assert CliRunner(env=environment).invoke(cli, arguments, catch_exceptions=False).exit_code == 0
            case Kind.SETTING:
                name, _, value = repair.text.partition("=")
                changed = load_settings({"DATABASE_URL": self.url, name: value}, None)
                field = next(key for key, one in Settings.model_fields.items() if one.alias == name)
                self.settings = self.settings.model_copy(update={field: getattr(changed, field)})
            case Kind.SERVICE | Kind.ADVICE:
                pytest.fail(f"not to be done by a test: {repair.text}")
