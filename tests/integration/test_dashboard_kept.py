"""One slow question does not take all threads of the dashboard."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from werkzeug.exceptions import ServiceUnavailable

from app.web import reader as reading
from tests.dashboard_support import site_on


@pytest.fixture
def site(database):
    with site_on(database) as site:
        yield site


@pytest.fixture
def slow(site):
    """Somebody asks a question of the reader that does not come to an end before the test does."""
    asked, may_end = threading.Event(), threading.Event()

    def ask():
        asked.set()
        may_end.wait(60)
        return "new"

    with ThreadPoolExecutor() as threads:

        def begin():
            answer = threads.submit(site.extensions["reader"].kept, "figures", 60, ask)
            assert asked.wait(10)
            return answer

        yield begin, may_end
        may_end.set()


def test_while_one_asks_the_others_get_the_older_answer(site, slow):
    reader, (begin, may_end) = site.extensions["reader"], slow
    assert reader.kept("figures", -1, lambda: "old") == "old"
    answer = begin()

    assert reader.kept("figures", 60, lambda: "asked twice") == "old"

    may_end.set()
    assert answer.result(10) == "new"
    assert reader.kept("figures", 60, lambda: "asked twice") == "new"


def test_who_has_no_older_answer_waits_for_a_while_and_no_longer(site, slow, monkeypatch):
    monkeypatch.setattr(reading, "LONGEST_WAIT", 0.01)
    begin, _ = slow
    begin()

    with pytest.raises(ServiceUnavailable):
        site.extensions["reader"].kept("figures", 60, lambda: "asked twice")


def test_an_answer_from_before_a_change_is_not_kept_after_it(site, slow):
    reader, (begin, may_end) = site.extensions["reader"], slow
    answer = begin()

    reader.forget()
    may_end.set()

    assert answer.result(10) == "new"
    assert reader.kept("figures", 60, lambda: "asked after the change") == "asked after the change"


def test_that_the_process_lives_is_said_without_any_connection(site):
    pool = site.extensions["reader"].pool
    with ExitStack() as stack:
        for _ in range(pool.max_size):
            stack.enter_context(pool.connection())

        assert site.test_client().get("/livez").status_code == 200
