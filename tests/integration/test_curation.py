"""A person's word becomes work: a change to Selected queues the row, whoever writes it and however."""

import pytest
from psycopg import sql

from actors.registry import WORKFLOWS

CURATED = [workflow for workflow in WORKFLOWS if workflow.curation]


@pytest.fixture(params=CURATED, ids=lambda workflow: workflow.name)
def curated(request, db):
    return Curated(request.param, db)


class Curated:
    """One row of a curated table, as a user of SQL sees it."""

    def __init__(self, workflow, db):
        self.workflow = workflow
        self.words = workflow.words
        self.db = db
        self.columns = ("status", "curation", "error")

    def add(self, **values):
        given = {**self._required(), **{getattr(self.workflow, name): value for name, value in values.items()}}
        query = sql.SQL("insert into {} ({}) values ({}) returning {}").format(
            self.workflow.names["table"],
            sql.SQL(", ").join(map(sql.Identifier, given)),
            sql.SQL(", ").join(sql.Placeholder() * len(given)),
            self.workflow.names["pk"],
        )
        (self.pk,) = self.db.execute(query, list(given.values())).fetchone()
        return self

    def set(self, **values):
        changes = sql.SQL(", ").join(
            sql.SQL("{} = {}").format(sql.Identifier(getattr(self.workflow, name)), sql.Literal(value))
            for name, value in values.items()
        )
        self.db.execute(sql.SQL("update {} set {}").format(self.workflow.names["table"], changes))

    def get(self, name):
        column = sql.Identifier(getattr(self.workflow, name))
        return self.db.execute(sql.SQL("select {} from {}").format(column, self.workflow.names["table"])).fetchone()[0]

    @property
    def jobs(self):
        query = "select count(*) from engine.job where workflow = %s and pk = %s"
        return self.db.execute(query, [self.workflow.name, str(self.pk)]).fetchone()[0]

    def _required(self):
        match self.workflow.source.name:
            case "places_staging" | "local_businesses":
                return {"place_id": "place-1"}
            case "domains":
                return {"domain": "smile.example"}
            case "sitemap_files" | "pages":
                insert = "insert into domains (domain) values ('smile.example') returning id"
                return {"domain_id": self.db.execute(insert).fetchone()[0], "url": "https://smile.example/contact"}


def test_a_row_that_becomes_selected_is_queued_and_loses_its_old_error(curated):
    curated.add(status=curated.words.failed, error="no answer")

    curated.set(curation="Selected")

    assert (curated.get("status"), curated.get("error"), curated.jobs) == (curated.words.queued, None, 1)


def test_a_row_that_is_born_selected_is_queued(curated):
    curated.add(curation="Selected")

    assert (curated.get("status"), curated.jobs) == (curated.words.queued, 1)


def test_a_running_row_is_not_disturbed_by_being_selected(curated):
    curated.add(status=curated.words.processing)

    curated.set(curation="Selected")

    assert (curated.get("status"), curated.jobs) == (curated.words.processing, 0)


@pytest.mark.parametrize("word", ["New", "Maybe", "Not a Fit", "Archived"])
def test_any_other_word_neither_queues_nor_stops(curated, word):
    curated.add(curation="Selected")

    curated.set(curation=word)

    assert curated.get("status") == curated.words.queued


def test_a_second_selected_without_a_change_queues_nothing(curated):
    curated.add(curation="Selected")
    curated.set(status=curated.words.done)

    curated.set(curation="Selected")

    assert curated.get("status") == curated.words.done
