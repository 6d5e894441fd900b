"""Columns of a parent row, read with the claim: a page knows the domain and the country of its site."""

from typing import NamedTuple
from uuid import UUID

import pytest

from actors._workflow import Found, Words, Workflow
from db.declaration import DeclarationError
from db.lifecycle import Claimer
from db.migrate import migrate
from db.models import Page
from tests.lifecycle_support import guarded
from tests.stage_support import TENANT

WORDS = Words("Queued", "Processing", "Complete", "Error")


class Borrowing(NamedTuple):
    url: str
    domain: str
    region: str | None


def read_page(_: Borrowing) -> Found:
    return Found()


def reading(**declared):
    return Workflow(
        name="page_reading",
        table=Page,
        status="page_processing_status",
        error="page_processing_error",
        words=WORDS,
        **declared,
    )


def test_a_claim_brings_the_borrowed_columns_of_the_parent_row(database, db):
    workflow = reading(borrowed={"domain": "domain_id", "region": "domain_id"})
    workflow.run(read_page)
    migrate(database, [workflow], TENANT)
    query = "insert into domains (domain, region) values ('smile.example', 'AT') returning id"
    (domain,) = db.execute(query).fetchone()
    db.execute(
        "insert into pages (domain_id, url, page_processing_status) values (%s, 'https://smile.example/', 'Queued')",
        [domain],
    )
    worker = UUID(int=1)
    db.execute("insert into engine.worker (id, host, pid, version) values (%s, 'here', 1, 'test')", [worker])

    with guarded(db):
        batch = Claimer(workflow, workflow.columns).claim(db, worker, 10)

    assert [workflow.reads(*row.values) for row in batch.rows] == [
        Borrowing("https://smile.example/", "smile.example", "AT")
    ]


@pytest.mark.parametrize(
    ("borrowed", "mistake"),
    [
        ({"domain": "url"}, "page_reading: 'domain' is borrowed through 'url', which is no foreign key"),
        ({"colour": "domain_id"}, "page_reading: domains has no column 'colour'; it has "),
        ({"domain": "site_id"}, "page_reading: pages has no column 'site_id'; it has "),
    ],
)
def test_what_can_not_be_borrowed_is_refused_at_import(borrowed, mistake):
    with pytest.raises(DeclarationError) as refusal:
        reading(borrowed=borrowed).run(read_page)

    assert str(refusal.value).startswith(mistake)
