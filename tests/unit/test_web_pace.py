"""Between two requests to a host there is a pause, and the host is left alone after the run."""

import ctypes
from datetime import timedelta
from itertools import pairwise
from threading import Event, Thread
from time import monotonic

import pytest

from actors.errors import HostResting
from actors.fetch.deadline import Deadline
from actors.fetch.errand import Errand
from actors.fetch.pace import Pace
from tests.sandbox_support import new_reader
from tests.web_support import LocalWeb, MemoryRobots, client_for, web_for

SITE = "http://clinic.example"


class Stopped(BaseException):
    """What a time limit raises in the thread of a run."""


def timed(pages):
    """Pages that note when they were asked for."""
    times = []

    def noting(page):
        def answer(_):
            times.append(monotonic())
            return page

        return answer

    return {url: noting(page) for url, page in pages.items()}, times


def test_requests_to_one_host_are_at_least_the_pause_apart_robots_and_www_included():
    pages, times = timed({f"{SITE}/robots.txt": "", f"{SITE}/": "a", "http://www.clinic.example/robots.txt": ""})

    with LocalWeb(pages) as local:
        web = web_for(local, pause=timedelta(seconds=0.1))
        web.get(f"{SITE}/")
        web.get(f"{SITE}/")
        web.robots("http://www.clinic.example/")

    assert len(times) == 4
    assert all(later - earlier >= 0.1 for earlier, later in pairwise(times))


def test_the_crawl_delay_holds_where_it_is_longer():
    pages, times = timed({f"{SITE}/robots.txt": "User-agent: *\nCrawl-delay: 0.2", f"{SITE}/": "a"})

    with LocalWeb(pages) as local:
        web = web_for(local)
        web.get(f"{SITE}/")

    assert times[1] - times[0] >= 0.2
    assert web.spare == 0.2


def test_after_a_run_the_host_is_left_alone_for_the_pause_at_least():
    with LocalWeb({}) as local:
        web = web_for(local, pause=timedelta(seconds=1.5))

    assert web.spare == 1.5


def test_a_pause_is_not_taken_from_the_deadline():
    pace, deadline = Pace(0.6), Deadline(0.5)
    pace.ended("clinic.example")

    pace.wait("clinic.example", Errand("", deadline, 0))

    assert deadline.left() > 0


def test_a_host_that_was_not_asked_yet_is_asked_at_once():
    pace = Pace(3600)
    pace.ended("clinic.example")

    pace.wait("other.example", Errand("", Deadline(1), 0))

    assert pace.spare == 3600


def test_a_pause_ends_when_the_run_is_stopped_from_outside():
    pace, began, stopped = Pace(3600), Event(), []
    pace.ended("clinic.example")

    def run():
        try:
            began.set()
            pace.wait("clinic.example", Errand("", Deadline(1), 0))
        except Stopped:
            stopped.append(True)

    thread = Thread(target=run, daemon=True)
    thread.start()
    began.wait()
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped))
    thread.join(timeout=60)

    assert stopped == [True]


def test_a_run_steps_aside_after_the_robots_file_of_its_host_and_the_next_asks_for_the_page_at_once():
    pages, times = timed({f"{SITE}/robots.txt": "User-agent: *\nDisallow: /private", f"{SITE}/": "a"})

    with LocalWeb(pages) as local:
        client = client_for(local, pause=timedelta(seconds=3600), steps_aside=True)
        first, second = (local.until_closed(client.open(new_reader())) for _ in range(2))
        with pytest.raises(HostResting) as resting:
            first.get(f"{SITE}/")
        answer = second.get(f"{SITE}/")

    assert answer.body == b"a"
    assert len(times) == 2
    assert 3500 < resting.value.seconds <= 3600
    assert first.spare == 3600


def test_a_run_that_has_fetched_a_page_waits_for_its_host_instead_of_stepping_aside():
    pages, times = timed({f"{SITE}/robots.txt": "", f"{SITE}/": "a", f"{SITE}/b": "b"})

    with LocalWeb(pages) as local:
        robots = MemoryRobots(SITE)
        web = web_for(local, robots, pause=timedelta(seconds=0.2), steps_aside=True)
        web.get(f"{SITE}/")
        web.get(f"{SITE}/b")

    assert len(times) == 2
    assert times[1] - times[0] >= 0.2
