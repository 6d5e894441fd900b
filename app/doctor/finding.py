"""What a check says: how it is, what that means, and exactly what to type."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import LiteralString

from psycopg import sql


class Verdict(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class Kind(StrEnum):
    SQL = "sql"
    SQL_BY_HAND = "sql_by_hand"
    COMMAND = "command"
    SERVICE = "service"
    SETTING = "setting"
    ADVICE = "advice"


@dataclass(frozen=True)
class Repair:
    """One thing to do: one statement, a command that ends, one that stays, a line of `.env`, or a person's work.

    A statement by hand is shown and never run by `--fix`, not even with a yes: it may cost what somebody still needs.
    """

    kind: Kind
    text: str
    safe: bool = False
    """Whether `--fix` may do it without asking: it only restores what migrate made, or what the sweep does anyway."""


@dataclass(frozen=True)
class Finding:
    verdict: Verdict
    seen: str
    means: str = ""
    repairs: tuple[Repair, ...] = ()


def well(seen: str) -> Finding:
    return Finding(Verdict.OK, seen)


def warning(seen: str, means: str, *repairs: Repair) -> Finding:
    return Finding(Verdict.WARN, seen, means, repairs)


def failure(seen: str, means: str, *repairs: Repair) -> Finding:
    return Finding(Verdict.FAIL, seen, means, repairs)


def by_sql(text: LiteralString, **names: sql.Composable) -> Repair:
    """One statement, its {names} filled in."""
    return statement(sql.SQL(text).format(**names).as_string(None))


def statement(text: str) -> Repair:
    return Repair(Kind.SQL, f"{' '.join(text.split()).removesuffix(';')};")


def only_by_hand(repair: Repair) -> Repair:
    return replace(repair, kind=Kind.SQL_BY_HAND)


def by_service(text: str) -> Repair:
    return Repair(Kind.SERVICE, text)


def by_setting(text: str) -> Repair:
    return Repair(Kind.SETTING, text)


def by_hand(text: str) -> Repair:
    return Repair(Kind.ADVICE, text)


def end_session(pid: int) -> Repair:
    return only_by_hand(by_sql("SELECT pg_terminate_backend({pid})", pid=sql.Literal(pid)))


MIGRATE = Repair(Kind.COMMAND, "scrapersky migrate", safe=True)
SWEEP = Repair(Kind.COMMAND, "scrapersky sweep", safe=True)
