"""The connection breaks at the worst moment of a record. The caller must hear of it as an outage, and try again."""

from typing import Any

import psycopg
import pytest
from psycopg import Connection

from tests.lifecycle_support import wait_until

pytest_plugins = ["tests.stage_support"]


class CutConnection(Connection[Any]):
    """Its session is ended right after the answer to the one statement that deletes jobs."""

    ended_by: Connection[Any]

    def execute(self, query: Any, *arguments: Any, **options: Any) -> Any:
        answer = super().execute(query, *arguments, **options)
        if isinstance(query, bytes) and query.startswith(b"with ended as"):
            self.ended_by.execute("select pg_terminate_backend(%s)", [self.info.backend_pid])
            alive = "select count(*) from pg_stat_activity where pid = %s"
            wait_until(lambda: self.ended_by.execute(alive, [self.info.backend_pid]).fetchone() == (0,))
        return answer


def test_a_session_that_ends_while_a_batch_is_undone_is_an_outage_and_the_record_is_made_again(stage):
    (pk,) = stage.add()
    batch = stage.claim()
    stage.set(pk, status="Queued")  # queued again: the quick way finds another generation, and undoes
    broken = stage.connect(CutConnection)
    broken.ended_by = stage.user

    with pytest.raises(psycopg.OperationalError):
        stage.record(batch, by=broken)
    ended = stage.record(batch)

    assert ended[pk].verdict == "superseded"
    assert stage.job(pk).token is None
