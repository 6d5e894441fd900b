"""Between two requests to a host there is a pause, and the host is left alone after the run."""

import ctypes
from datetime import timedelta
from itertools import pairwise
from threading import Event, Thread
from time import monotonic

from actors.fetch.deadline import Deadline
from actors.fetch.pace import Pace
from tests.web_support import LocalWeb, web_for

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

    pace.wait("clinic.example", deadline)

    assert deadline.left() > 0


def test_a_host_that_was_not_asked_yet_is_asked_at_once():
    pace = Pace(3600)
    pace.ended("clinic.example")

    pace.wait("other.example", Deadline(1))

    assert pace.spare == 3600


def test_a_pause_ends_when_the_run_is_stopped_from_outside():
    pace, began, stopped = Pace(3600), Event(), []
    pace.ended("clinic.example")

    def run():
        try:
            began.set()
            pace.wait("clinic.example", Deadline(1))
        except Stopped:
            stopped.append(True)

    thread = Thread(target=run, daemon=True)
    thread.start()
    began.wait()
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped))
    thread.join(timeout=60)

    assert stopped == [True]
