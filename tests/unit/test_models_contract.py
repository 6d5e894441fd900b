"""What the engine and the operators rely on in every table, whoever adds one."""

import pytest
from sqlalchemy import Column, Enum, Index, Table, UniqueConstraint

from db.models import Base, Contact

MAPPED = [mapper.class_ for mapper in Base.registry.mappers]
MODELS = sorted((model for model in MAPPED if model.metadata is Base.metadata), key=lambda model: model.__tablename__)
TABLES = [model.__table__ for model in MODELS]
PROCESSING = {"processing", "Processing"}


@pytest.mark.parametrize("model", MODELS)
def test_the_natural_key_is_unique_in_the_database(model):
    key = set(model.__natural_key__)

    unique = [set(constraint.columns.keys()) for constraint in unique_constraints(model.__table__)]

    assert key in unique


def test_a_contact_without_an_address_is_unique_by_its_phone():
    key = Contact.__fallback_key__

    found = [index for index in Contact.__table__.indexes if tuple(index.columns.keys()) == key.columns]

    assert [(index.unique, str(condition(index))) for index in found] == [(True, key.condition)]


@pytest.mark.parametrize("model", MODELS)
def test_what_is_set_once_is_a_column_outside_the_natural_key(model):
    once = set(model.__set_once__)

    assert once <= set(model.__table__.columns.keys())
    assert not once & set(model.__natural_key__)


@pytest.mark.parametrize("model", MODELS)
def test_an_upsert_never_overwrites_a_decision_or_the_state_of_another_workflow(model):
    statuses = {column.name for column in words_of(model.__table__)}

    assert statuses <= set(model.__set_once__)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_no_status_is_indexed(table):
    indexed = {column.name for index in table.indexes for column in index.columns}
    indexed |= {column.name for constraint in unique_constraints(table) for column in constraint.columns}

    assert not indexed & {column.name for column in words_of(table)}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_processing_status_has_an_error_and_a_result_beside_it_and_room_to_change(table):
    statuses = [column.name for column in words_of(table) if set(column.type.enums) & PROCESSING]

    for status in statuses:
        assert companion(table, status, "error") in table.columns
        assert companion(table, status, "result") in table.columns
        assert table.columns[status].nullable
    assert table.dialect_options["postgresql"]["with"] == ({"fillfactor": 85} if statuses else None)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_reference_but_the_tenant_can_be_followed_backwards_by_an_index(table):
    leading = {column.name for index in table.indexes for column in list(index.columns)[:1]}
    leading |= {next(iter(constraint.columns)).name for constraint in unique_constraints(table)}

    references = {column.name for column in table.columns if column.foreign_keys} - {"tenant_id"}

    assert references <= leading


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_moments_know_their_time_zone(table):
    naive = [column.name for column in table.columns if getattr(column.type, "timezone", None) is False]

    assert naive == []


def words_of(table: Table) -> list[Column]:
    return [column for column in table.columns if isinstance(column.type, Enum)]


def unique_constraints(table: Table) -> list:
    return [table.primary_key, *(found for found in table.constraints if isinstance(found, UniqueConstraint))]


def condition(index: Index):
    return index.dialect_options["postgresql"]["where"]


def companion(table: Table, status: str, kind: str) -> str:
    """deep_scan_status has deep_scan_error; a column called just status has status_error, or error if it is alone."""
    if status != "status":
        return status.removesuffix("status") + kind
    return f"status_{kind}" if f"status_{kind}" in table.columns else kind
