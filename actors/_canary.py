"""Proves that a row gets all the way through, and does nothing else.

in    engine.canary, a row that `scrapersky doctor` put there
out   nothing: that the row is done is the message
"""

from typing import NamedTuple
from uuid import UUID

from actors._workflow import Found, Workflow
from db.canary import CANARY

canary = Workflow(
    name=CANARY.name,
    table=CANARY.table,
    status=CANARY.status,
    error=CANARY.error,
    words=CANARY.words,
    max_attempts=CANARY.max_attempts,
)


class Bird(NamedTuple):
    id: UUID


@canary.run
def sing(_bird: Bird) -> Found:
    return Found()
