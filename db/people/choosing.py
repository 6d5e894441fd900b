"""Which rows of a workflow an operator means, and a status for all of them, batch by batch."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg import Connection, sql

from db.people.actions import count_action, record_action
from db.people.conditions import MISTAKES, ConditionError, check, explained, written
from db.people.leisure import Source, lent
from db.statements import statements

if TYPE_CHECKING:
    from db.declaration import Declaration  # with all of SQLAlchemy behind it

BATCH: Final = 2000
NOTED_KEYS: Final = 100
LONGEST: Final = "60s"
JOBS: Final = {
    True: "select pk from engine.job where workflow = {workflow} and dead",
    False: """select pk from engine.job where workflow = {workflow} and token is null and not dead
              union all select pk from engine.job where workflow = {workflow} and token is not null""",
}

Tell = Callable[[int, int], None]


class SteeringError(ValueError):
    """What was asked for can not be done; the message names the value, the rule and the remedy."""


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """Which of a workflow's rows. All that is given must fit, and nothing given means all of them."""

    error: str | None = None
    """A folded error, whole, as `failures` tells it."""

    where: str | None = None
    """A condition on the table's columns, as a person typed it."""

    pks: Sequence[str] | None = None
    limit: int | None = None
    part: str | None = None
    """Somewhere in the folded error, in any case."""

    by_job: bool = False
    """Only rows of which the engine has a job: they are reached from there, whatever the size of the table."""

    def given(self) -> dict[str, Any]:
        """What a person said."""
        return {name: value for name, value in asdict(self).items() if value is not None and name != "by_job"}


class Rows:
    """The chosen rows of a workflow that have one of these words."""

    def __init__(self, source: Source, declaration: "Declaration", chosen: Chosen, words: Sequence[str]) -> None:
        self.source = source
        self.declaration = declaration
        self.chosen = chosen
        self.parameters: dict[str, Any] = {"words": list(words), "limit": chosen.limit}
        self.sql = statements("steering.sql", **declaration.names, condition=self._condition())
        if chosen.where is not None:
            with lent(source, LONGEST) as connection:
                check(connection, chosen.where, declaration.names["table"])

    def count(self) -> int:
        found = int(self._ask("count")[0][0])
        return found if self.chosen.limit is None else min(found, self.chosen.limit)

    def write(
        self,
        action: str,
        word: str | None,
        *,
        operator: str,
        reason: str | None = None,
        rate: float | None = None,
        tell: Tell | None = None,
    ) -> int:
        """Give them the word, each batch in a transaction of its own together with the note of it; how many got it."""
        pks = [pk for (pk,) in self._ask("choose")]
        size = BATCH if rate is None else max(1, min(BATCH, int(rate)))
        note, changed = 0, 0
        for start in range(0, len(pks), size):
            began = time.monotonic()
            batch = {**self.parameters, "pks": pks[start : start + size], "word": word, "reason": reason}
            with lent(self.source, LONGEST) as connection:
                note = note or self._record(connection, action, operator)
                changed += connection.execute(self.sql["set_status"], batch).rowcount
                count_action(connection, note, changed)
            if tell is not None:
                tell(min(start + size, len(pks)), len(pks))
            if rate is not None and start + size < len(pks):
                time.sleep(max(0.0, size / rate - (time.monotonic() - began)))
        return changed

    def _record(self, connection: Connection[Any], action: str, operator: str) -> int:
        detail = self.chosen.given()
        if "pks" in detail:
            detail["pks"] = list(detail["pks"])[:NOTED_KEYS]
        return record_action(
            connection, action, operator=operator, workflow=self.declaration.name, rows=0, detail=detail
        )

    def _ask(self, statement: str) -> list[tuple[Any, ...]]:
        try:
            with lent(self.source, LONGEST) as connection:
                return connection.execute(self.sql[statement], self.parameters).fetchall()
        except MISTAKES as error:
            if self.chosen.where is not None:
                raise ConditionError(explained(error, self.chosen.where)) from None
            if isinstance(error, psycopg.DataError):
                raise no_such_key(self.declaration, error) from None
            raise

    def _condition(self) -> sql.Composable:
        chosen, names = self.chosen, self.declaration.names
        conditions: list[sql.Composable] = [sql.SQL("true")]
        if chosen.error is not None:
            given = {**names, "value": sql.Literal(chosen.error)}
            conditions.append(sql.SQL("engine.folded(item.{error}) = {value}").format(**given))
        if chosen.part is not None:
            given = {**names, "value": sql.Literal(chosen.part)}
            conditions.append(sql.SQL("strpos(lower(engine.folded(item.{error})), lower({value})) > 0").format(**given))
        if chosen.pks is not None:
            given = {**names, "value": sql.Literal(list(chosen.pks))}
            conditions.append(sql.SQL("item.{pk} = any({value}::text[]::{pk_type}[])").format(**given))
        elif chosen.by_job:
            is_dead = self.declaration.words.failed in self.parameters["words"]
            jobs = sql.SQL(JOBS[is_dead]).format(workflow=sql.Literal(self.declaration.name))
            given = {**names, "jobs": jobs}
            conditions.append(sql.SQL("item.{pk} in (select pk::{pk_type} from ({jobs}) as job)").format(**given))
        if chosen.where is not None:
            # A query of its own, so that a bracket in it can not undo the other conditions.
            given = {**names, "value": written(chosen.where)}
            conditions.append(sql.SQL("item.{pk} in (select {pk} from {table} where {value})").format(**given))
        return sql.SQL(" and ").join(conditions)


def no_such_key(declaration: "Declaration", error: psycopg.Error) -> SteeringError:
    return SteeringError(f"{declaration.source.name}: {(error.diag.message_primary or str(error)).strip()}")
