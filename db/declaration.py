"""What the database must know of a workflow: the table, the status column, its four words and the limits."""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import Any

from psycopg import sql
from sqlalchemy import Column, Enum, Integer, Table
from sqlalchemy.dialects import postgresql

from db.models.base import Base, table_of


class DeclarationError(ValueError):
    """A workflow is declared wrongly; the message names the mistake."""


@dataclass(frozen=True, slots=True)
class Words:
    queued: str
    processing: str
    done: str
    failed: str

    def __iter__(self) -> Iterator[str]:
        return iter((self.queued, self.processing, self.done, self.failed))


@dataclass(frozen=True, slots=True)
class Politeness:
    """At most `at_once` rows of a key at a time, starts `spacing` apart, across all workflows of the group."""

    column: str
    group: str
    at_once: int = 1
    spacing: timedelta = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Alike:
    """How many rows of the table share a column with the row, which is one of them; not those whose parent it is."""

    column: str
    parent: str


@dataclass(frozen=True, slots=True)
class Budget:
    """How many rows may be started in a minute and in a day of the zone, by all processes together."""

    per_minute: int | None = None
    per_day: int | None = None
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class Backoff:
    """Exponential with full jitter: attempt n waits anything up to base * 2^(n-1), never more than the cap."""

    base: timedelta = timedelta(seconds=10)
    cap: timedelta = timedelta(hours=1)

    def delay(self, attempt: int) -> float:
        longest = min(self.cap, self.base * 2 ** min(attempt - 1, 30))
        return random.uniform(0, longest.total_seconds())  # noqa: S311 - jitter, not a secret


# A claim begins its last row within a second and then records it; the rest is patience with a slow database.
RECORDING = timedelta(minutes=1)


@dataclass(kw_only=True, eq=False)
class Declaration:
    """A workflow's contract with the engine; `check` raises an error that names the mistake."""

    name: str = ""
    table: type[Base]
    status: str
    error: str
    result: str | None = None
    curation: str | None = None
    """Becoming Selected here queues the row, by a trigger, whoever writes it."""

    borrowed: Mapping[str, str] = field(default_factory=dict)
    """What is read of a parent row: its column, and the foreign key that leads to it."""

    counted: Mapping[str, Alike] = field(default_factory=dict)
    """What is counted when the row is claimed. The shared column needs an index."""

    words: Words
    priority: str | None = None
    politeness: Politeness | None = None
    budget: Budget = Budget()
    max_in_flight: int | None = None
    feeds: str | None = None
    """The workflow that works on what this one makes."""

    max_downstream: int | None = None
    """No row is begun while as many wait for that workflow."""

    batch: int = 100
    max_attempts: int = 5
    max_lost: int = 3
    time_limit: timedelta = timedelta(minutes=1)
    rescue_after: timedelta | None = None
    backoff: Backoff = Backoff()

    def check(self) -> None:
        if len(self.source.primary_key.columns) != 1:
            columns = len(self.source.primary_key.columns)
            raise DeclarationError(f"{self.name}: {self.source.name} needs a primary key of one column, has {columns}")
        key = self.politeness.column if self.politeness else None
        for column in (self.status, self.error, self.result, self.priority, self.curation, key):
            self.check_column(column)
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", self.name):
            raise DeclarationError(
                f"{self.name!r}: a workflow's name is lower case, digits and _, at most 40 characters"
            )
        for column in self.borrowed:
            self.lender_of(column)
        for alike in self.counted.values():
            self.check_column(alike.column)
            self.check_column(alike.parent)
        self._check_priority()
        self._check_words()
        self._check_limits()

    @cached_property
    def source(self) -> Table:
        return table_of(self.table)

    @cached_property
    def primary_key(self) -> Column[Any]:
        (column,) = self.source.primary_key.columns
        return column

    @property
    def rescue_seconds(self) -> float:
        """When a row still runs after this long, its process gives itself up."""
        return (self.rescue_after or self.time_limit + timedelta(seconds=30)).total_seconds()

    @property
    def longest_claim(self) -> timedelta:
        """No claim lasts as long as this: the process that runs its last row has given itself up by then."""
        return timedelta(seconds=self.rescue_seconds) + RECORDING

    @cached_property
    def names(self) -> dict[str, sql.Composable]:
        """The {names} of the statements in sql/."""
        touch = sql.SQL(", updated_at = clock_timestamp()" if "updated_at" in self.source.columns else "")
        reason = sql.SQL(", {} = ending.reason").format(sql.Identifier(self.result)) if self.result else sql.SQL("")
        return {
            "table": sql.Identifier(*filter(None, (self.source.schema, self.source.name))),
            "table_name": sql.Literal(self.quoted_table),
            "pk": sql.Identifier(self.primary_key.name),
            "pk_type": sql.SQL(type_of(self.primary_key)),
            "job_pk": self._job_pk(),
            "status": sql.Identifier(self.status),
            "status_type": sql.SQL(type_of(self.source.columns[self.status])),
            "error": sql.Identifier(self.error),
            "touch": touch,
            "reason": reason,
            "priority": self.priority_of("item"),
            "key": self.key_of("item"),
        }

    def _job_pk(self) -> sql.Composable:
        """A job's key as the table has it; the table's collation decides, or Postgres would not know which."""
        collation = getattr(self.primary_key.type, "collation", None)
        collate = sql.SQL(" collate {}").format(sql.Identifier(collation)) if collation else sql.SQL("")
        return sql.SQL("job.pk::{}{}").format(sql.SQL(type_of(self.primary_key)), collate)

    @property
    def quoted_table(self) -> str:
        return sql.Identifier(*filter(None, (self.source.schema, self.source.name))).as_string(None)

    def priority_of(self, alias: str) -> sql.Composable:
        """The expression for a job's priority; smaller runs earlier."""
        if self.priority is None:
            return sql.SQL("0")
        return sql.SQL("coalesce({}, 0)").format(sql.Identifier(alias, self.priority))

    def key_of(self, alias: str) -> sql.Composable:
        """The expression for a job's politeness key; a row without a host has one of its own."""
        if self.politeness is None:
            return sql.SQL("null")
        return sql.SQL("{group} || coalesce({column}::text, 'row ' || {pk}::text)").format(
            group=sql.Literal(self.politeness.group + ":"),
            column=sql.Identifier(alias, self.politeness.column),
            pk=sql.Identifier(alias, self.primary_key.name),
        )

    def column_of(self, column: str, alias: str) -> sql.Composable:
        """The expression for a column of the row, of the parent row that it is borrowed from, or for a count."""
        if column in self.counted:
            return self._count_of(self.counted[column], alias)
        if column not in self.borrowed:
            return sql.Identifier(alias, column)
        lender = self.lender_of(column)
        return sql.SQL("(select lender.{column} from {table} as lender where lender.{key} = {own})").format(
            column=sql.Identifier(column),
            table=sql.Identifier(*filter(None, (lender.table.schema, lender.table.name))),
            key=sql.Identifier(lender.name),
            own=sql.Identifier(alias, self.borrowed[column]),
        )

    def _count_of(self, alike: Alike, alias: str) -> sql.Composable:
        return sql.SQL(
            "(select count(*) from {table} as alike"
            " where alike.{column} = {own} and alike.{parent} is distinct from {pk})"
        ).format(
            table=self.names["table"],
            column=sql.Identifier(alike.column),
            own=sql.Identifier(alias, alike.column),
            parent=sql.Identifier(alike.parent),
            pk=sql.Identifier(alias, self.primary_key.name),
        )

    def lender_of(self, column: str) -> Column[Any]:
        """The key of the parent row that a column is borrowed from."""
        own = self.borrowed[column]
        self.check_column(own)
        keys = list(self.source.columns[own].foreign_keys)
        if len(keys) != 1:
            raise DeclarationError(f"{self.name}: {column!r} is borrowed through {own!r}, which is no foreign key")
        lender = keys[0].column
        if column not in lender.table.columns:
            known = ", ".join(lender.table.columns.keys())
            raise DeclarationError(f"{self.name}: {lender.table.name} has no column {column!r}; it has {known}")
        return lender

    def check_column(self, column: str | None) -> None:
        if column is not None and column not in self.source.columns:
            known = ", ".join(self.source.columns.keys())
            raise DeclarationError(f"{self.name}: {self.source.name} has no column {column!r}; it has {known}")

    def _check_words(self) -> None:
        words = list(self.words)
        if len(set(words)) != len(words):
            raise DeclarationError(f"{self.name}: the four words must differ, got {words}")
        kind = self.source.columns[self.status].type
        allowed = kind.enums if isinstance(kind, Enum) else None
        for word in words:
            if allowed is not None and word not in allowed:
                raise DeclarationError(
                    f"{self.name}: {word!r} is not allowed by the check on {self.source.name}.{self.status}; "
                    f"it allows {', '.join(allowed)}"
                )

    def _check_limits(self) -> None:
        if self.rescue_after is not None and self.rescue_after <= self.time_limit:
            raise DeclarationError(
                f"{self.name}: rescue_after ({self.rescue_after}) must be longer than time_limit ({self.time_limit}), "
                "or live rows are given up"
            )
        if self.time_limit <= timedelta(0):
            raise DeclarationError(f"{self.name}: time_limit must be longer than 0, got {self.time_limit}")
        limits = {limit: getattr(self, limit) for limit in ("batch", "max_attempts", "max_lost")}
        if self.politeness is not None:
            limits["politeness.at_once"] = self.politeness.at_once
        given = {
            "budget.per_minute": self.budget.per_minute,
            "budget.per_day": self.budget.per_day,
            "max_downstream": self.max_downstream,
        }
        limits |= {limit: value for limit, value in given.items() if value is not None}
        for limit, value in limits.items():
            if value < 1:
                raise DeclarationError(f"{self.name}: {limit} must be at least 1, got {value}")
        if self.max_in_flight is not None and self.max_in_flight < 1:
            raise DeclarationError(f"{self.name}: max_in_flight must be at least 1 or None, got {self.max_in_flight}")
        if self.max_downstream is not None and self.feeds is None:
            raise DeclarationError(f"{self.name}: max_downstream needs feeds, the workflow whose rows are counted")

    def _check_priority(self) -> None:
        if self.priority is not None and not isinstance(self.source.columns[self.priority].type, Integer):
            kind = type_of(self.source.columns[self.priority])
            raise DeclarationError(
                f"{self.name}: priority must be an integer column, and {self.source.name}.{self.priority} is {kind}"
            )


def type_of(column: Column[Any]) -> str:
    """The type as a cast names it: without the collation, which has no place there."""
    name = str(column.type.compile(dialect=postgresql.dialect()))
    return name.partition(" COLLATE ")[0]
