"""Fixtures of the broker tests, a plugin of those files that name it: one Redis and one RabbitMQ for the whole run."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from psycopg import Connection

from tests.broker_support import System, system_of
from tests.server_support import RabbitMQ, Redis

NAMES = ("in-process", "redis", "rabbitmq")


@pytest.fixture(scope="session")
def redis() -> Iterator[Redis]:
    with Redis() as server:
        yield server


@pytest.fixture(scope="session")
def rabbitmq() -> Iterator[RabbitMQ]:
    logging.getLogger("pika").setLevel(logging.CRITICAL)  # it tells every refused connection in a page of errors
    with RabbitMQ() as server:
        yield server


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.broker(name)) for name in NAMES])
def system(request: pytest.FixtureRequest, db: Connection[Any], database: str, tmp_path: Path) -> Iterator[System]:
    """The product over each broker in turn; queues are empty, no process runs yet."""
    broker: Redis | RabbitMQ | None = None
    if request.param != "in-process":
        broker = request.getfixturevalue(request.param)
        assert broker is not None
        if not broker.runs:  # an earlier test failed while it was away
            broker.start()
        broker.flush()
    with system_of(db, database, broker, tmp_path) as system:
        yield system
