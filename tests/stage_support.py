"""Fixtures that open a stage. A test file takes them with `pytest_plugins = ["tests.stage_support"]`."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any

import psycopg
import pytest

from actors.registry import WORKFLOWS
from app.config import Settings
from db.embedded import EmbeddedPostgres
from db.migrate import migrate
from tests.lifecycle_support import Stage
from tests.samples import create_sample_tables, sample_workflow

NUMBERS = count(1)
TENANT = Settings().default_tenant_id

StageWith = Callable[..., Stage]


@pytest.fixture(scope="session")
def samples_template(server: EmbeddedPostgres, template: str) -> str:
    """A database with the sample table and its triggers, that every stage is a copy of."""
    url = _create_database(server, "template_samples", template)
    create_sample_tables(url)
    migrate(url, [*WORKFLOWS, sample_workflow()], TENANT)
    return "template_samples"


def _create_database(server: EmbeddedPostgres, name: str, template: str) -> str:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"create database {name} template {template}".encode())
    return server.url.replace("/scrapersky?", f"/{name}?")


def _drop_database(server: EmbeddedPostgres, name: str) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"drop database {name} with (force)".encode())


def _open_stage(server: EmbeddedPostgres, template: str, closing: ExitStack, limits: dict[str, Any]) -> Stage:
    name = f"stage_{os.getpid()}_{next(NUMBERS)}"
    url = _create_database(server, name, template)
    closing.callback(_drop_database, server, name)
    workflow = sample_workflow(**limits)
    if limits:
        migrate(url, [*WORKFLOWS, workflow], TENANT)
    return Stage(url, workflow, closing)


@pytest.fixture
def stage_with(server: EmbeddedPostgres, samples_template: str) -> Iterator[StageWith]:
    """Opens a stage whose workflow has the limits of the call."""
    with ExitStack() as closing:
        yield lambda **limits: _open_stage(server, samples_template, closing, limits)


@pytest.fixture
def stage(stage_with: StageWith) -> Stage:
    return stage_with()


@pytest.fixture(scope="module")
def shared_stage_with(server: EmbeddedPostgres, samples_template: str) -> Iterator[StageWith]:
    """The same for all tests of a file, where the data takes long to build."""
    with ExitStack() as closing:
        yield lambda **limits: _open_stage(server, samples_template, closing, limits)
