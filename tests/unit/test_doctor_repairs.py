"""The doctor's repairs are written from the models, which other code goes on using."""

from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

from app.doctor.indexes import of_business_tables
from db.models import Base


def test_writing_repairs_down_leaves_the_models_as_they_are():
    before = tables()

    assert any("PRIMARY KEY" in wanted.statement for wanted in of_business_tables())

    assert tables() == before


def tables():
    return [str(CreateTable(table).compile(dialect=postgresql.dialect())) for table in Base.metadata.sorted_tables]
