"""A name that leads to a private address ends as a clear error on the row, however innocent it looked before."""

from actors.domain_metadata import domain_metadata
from tests.web_support import LocalWeb, client_for, redirect

pytest_plugins = ["tests.runner_support"]


def turning_private(local):
    """The first answer is public, as far as the guard is concerned; every later one is the router at home."""
    answers = iter([local.resolve])
    return lambda host, port: next(answers, lambda *_: [("192.168.1.1", port)])(host, port)


def test_a_name_that_turns_private_between_two_requests_is_refused_on_the_row(database, db, run_once):
    db.execute("insert into domains (domain, status) values ('smile-studio.com', 'pending')")
    with LocalWeb({"https://smile-studio.com/": redirect("https://www.smile-studio.com/")}) as local:
        run_once(database, domain_metadata, client=client_for(local, resolve=turning_private(local)))

    status, error = db.execute("select status, status_error from domains").fetchone()
    assert status == "error"
    assert "192.168.1.1" in error
    assert "private" in error
