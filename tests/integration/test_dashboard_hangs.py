"""A database that hangs does not take the dashboard with it."""

import psycopg
import pytest

from db.connections import open_pool, transaction


def test_a_server_that_does_not_answer_is_given_up_and_the_pool_goes_on(database):
    with open_pool(database, size=1, name="test") as pool:
        with pytest.raises(psycopg.OperationalError), transaction(pool, longest=0.2) as connection:
            connection.execute("select pg_sleep(60)")

        with transaction(pool, longest=20) as connection:
            assert connection.execute("select 1").fetchone() == (1,)
