"""A parser process that was taken over, and a row that is stopped in the middle: the worker stays in order."""

import json
import os
import pickle
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress

import pytest
from dramatiq.middleware import TimeLimitExceeded

from actors.errors import Unusable
from actors.parse.contact_page import read_contact_page
from actors.parse.sitemap_reading import survey_sitemap
from actors.parse.wire_body import WireBody, WireHead, WireStream
from actors.sandbox import frames, reader
from actors.sandbox.fork_server import Parser
from actors.sandbox.limits import Limits
from actors.sandbox.pool import ParserPool
from actors.sandbox.reader import ParserFailed, Reader
from app.deadline import Watchdog
from tests.process_support import wait_until
from tests.sandbox_support import Noted, parsers_of

HEAD = WireHead("https://acme-bau.de/kontakt", None, "text/html", 5_000_000)
PAGE = WireBody(HEAD, b"<p>info@acme-bau.de")


class TakenOver(ParserPool):
    """A pool whose parser processes say what an attacker wants them to say."""

    def __init__(self, says: Callable[[socket.socket], object], limits: Limits | None = None) -> None:
        super().__init__(limits or Limits(), 1, Noted())
        self.says = says
        self.threads: list[threading.Thread] = []

    def _fork(self) -> Parser:
        ours, theirs = socket.socketpair()
        lifeline, their_lifeline = socket.socketpair()
        self.threads.append(threading.Thread(target=self._play, args=(theirs, their_lifeline)))
        self.threads[-1].start()
        return Parser(ours, lifeline)

    def _play(self, documents: socket.socket, lifeline: socket.socket) -> None:
        with documents, lifeline:
            with suppress(OSError):  # the worker has had enough
                self.says(documents)
            lifeline.recv(1)

    def close(self) -> None:
        super().close()
        for thread in self.threads:
            thread.join()


def answering(kind: bytes, content: bytes) -> Callable[[socket.socket], None]:
    return lambda documents: documents.sendall(frames.framed(kind, content))


def for_ever(frame: bytes) -> Callable[[socket.socket], None]:
    def say(documents: socket.socket) -> None:
        while True:
            documents.sendall(frame)

    return say


class Payload:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (pytest.fail, ("code of a parser process ran in the worker",))


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps(Payload()),
        b"",
        b"null",
        b"[]",
        b'{"unreadable": 7}',
        b'{"cards": [["too", "few"]]}',
        b"[" * 100_000,
        json.dumps({"unreadable": None, "addresses": "many"}).encode(),
    ],
    ids=["pickle", "nothing", "null", "list", "number", "short card", "nested", "word"],
)
def test_an_answer_of_another_shape_is_refused_and_its_process_ended(content):
    with closing(TakenOver(answering(frames.ANSWER, content))) as pool:
        reader = Reader(pool)
        with pytest.raises(Unusable, match="an answer of the wrong shape") as failed:
            reader.read(read_contact_page, [PAGE], region=None)
        assert pool._places[0].parser is None  # noqa: SLF001 - nobody else can see it

    assert failed.value.kind == "parser_answer"


@pytest.mark.parametrize(
    "says",
    [
        lambda documents: documents.sendall(b"a\xff\xff\xff\xff"),
        for_ever(frames.framed(frames.MORE)),
        for_ever(frames.framed(frames.BATCH, b"null")),
        for_ever(frames.framed(frames.HELLO, b"[]")),
        for_ever(b"?"),
    ],
    ids=["endless answer", "never enough", "batches", "greetings", "garbage"],
)
def test_a_process_that_does_not_keep_to_the_protocol_is_ended(says):
    with closing(TakenOver(says)) as pool, pytest.raises(Unusable, match="does not answer as it should"):
        Reader(pool).read(read_contact_page, [PAGE], region=None)


def test_batches_without_end_are_stopped():
    big = frames.framed(frames.BATCH, b"null" + b" " * (frames.MOST_ANSWERED - 4))

    with closing(TakenOver(for_ever(big))) as pool, pytest.raises(Unusable, match="does not answer as it should"):
        Reader(pool).stream(survey_sitemap, WireStream(HEAD, []), bool, headers={})


@pytest.mark.parametrize("content", [b'["error", "KeyError: x (html.py:7)"]', b'["other", ""]'])
def test_a_mistake_of_ours_in_a_parser_is_told_and_tried_again(content):
    with closing(TakenOver(answering(frames.FAILURE, content))) as pool, pytest.raises(ParserFailed):
        Reader(pool).read(read_contact_page, [PAGE], region=None)


@pytest.mark.parametrize("content", [b"", b"[]", b'["error"]', b'{"a": 1}', b"\xff", b'["error", 5]'])
def test_a_failure_of_another_shape_is_refused(content):
    with closing(TakenOver(answering(frames.FAILURE, content))) as pool, pytest.raises(Unusable, match="wrong shape"):
        Reader(pool).read(read_contact_page, [PAGE], region=None)


def drip(documents: socket.socket) -> None:
    """A long answer, a byte at a time."""
    documents.sendall(frames.framed(frames.ANSWER, b" " * 1000)[:5])
    while True:
        documents.sendall(b" ")
        time.sleep(0.05)


@pytest.mark.parametrize(
    "says", [drip, for_ever(frames.framed(frames.BATCH, b"null"))], ids=["an answer that drips", "a flood of frames"]
)
def test_an_answer_that_keeps_coming_does_not_renew_its_time(says):
    pool = TakenOver(says, Limits(seconds=0.1, patience=0.2))
    with closing(pool), pytest.raises(Unusable, match=r"needs more than 1\.4 s to read") as failed:
        Reader(pool).stream(survey_sitemap, WireStream(HEAD, []), bool, headers={})

    assert failed.value.kind == "parser_time"


def test_the_time_that_the_network_takes_is_not_the_parsers(monkeypatch):
    limits, waited = Limits(), [0.0]
    for module in (reader, frames):
        monkeypatch.setattr(module, "monotonic", lambda: time.monotonic() + sum(waited))

    def slow():
        yield b"<urlset>"
        waited.append(2 * limits.wall(stream=True))
        yield b"</urlset>"

    with closing(ParserPool(limits, 1, Noted())) as pool:
        facts = Reader(pool).stream(survey_sitemap, WireStream(HEAD, slow()), bool, headers={})

    assert facts.problem is None


@pytest.fixture
def watchdog():
    watchdog = Watchdog()
    watchdog.start()
    yield watchdog
    watchdog.stop()


@pytest.mark.parametrize("content", [PAGE.content, PAGE.content * 100_000], ids=["it answers", "it takes the document"])
def test_a_row_whose_parser_stands_still_is_stopped_at_its_time_limit_and_leaves_the_pool_in_order(watchdog, content):
    with closing(ParserPool(Limits(patience=10_000), 1, Noted())) as pool:
        reader, waiter = Reader(pool), Reader(pool)
        waiter.read(read_contact_page, [PAGE], region=None)
        os.kill(parsers_of(pool)[0], signal.SIGSTOP)
        page = WireBody(HEAD, content)
        with pytest.raises(TimeLimitExceeded):
            watchdog.slot.run(
                lambda: reader.read(read_contact_page, [page], region=None), workflow="x", pk="1", limit=0.3, rescue=60
            )
        reader.close()

        assert waiter.read(read_contact_page, [PAGE], region=None).addresses == 1
        assert pool._places[0].holder is None  # noqa: SLF001 - nobody else can see it
        assert not pool._waiting  # noqa: SLF001
        assert len(pool.watch.missing) == 2


def test_a_row_that_is_stopped_while_its_parser_starts_waits_no_longer(watchdog):
    with closing(ParserPool(Limits(), 1, Noted())) as pool:
        pool.start()
        os.kill(pool.server_pid, signal.SIGSTOP)
        reader = Reader(pool)
        with pytest.raises(TimeLimitExceeded):
            watchdog.slot.run(
                lambda: reader.read(read_contact_page, [PAGE], region=None), workflow="x", pk="1", limit=0.3, rescue=60
            )
        os.kill(pool.server_pid, signal.SIGCONT)
        reader.close()


def test_a_stream_that_is_stopped_at_its_time_limit_leaves_the_pool_in_order(watchdog):
    def slow():
        yield b"<urlset>"
        while True:
            time.sleep(0.01)

    with closing(ParserPool(Limits(), 1, Noted())) as pool:
        reader = Reader(pool)
        reader.stream(survey_sitemap, WireStream(HEAD, []), bool, headers={})

        def survey():
            reader.stream(survey_sitemap, WireStream(HEAD, slow()), bool, headers={})

        with pytest.raises(TimeLimitExceeded):
            watchdog.slot.run(survey, workflow="x", pk="1", limit=1, rescue=60)
        reader.close()

        assert [place.holder for place in pool._streams] == [None]  # noqa: SLF001 - nobody else can see it
        wait_until(lambda: parsers_of(pool) == [])


def test_a_row_that_is_stopped_while_it_waits_for_a_parser_does_not_keep_its_turn(watchdog):
    with closing(ParserPool(Limits(), 1, Noted())) as pool:
        first, second, third = object(), Reader(pool), Reader(pool)
        pool.borrow(first)
        with pytest.raises(TimeLimitExceeded):
            watchdog.slot.run(
                lambda: second.read(read_contact_page, [PAGE], region=None), workflow="x", pk="2", limit=0.3, rescue=60
            )
        second.close()
        pool.give_back(first)
        answer = third.read(read_contact_page, [PAGE], region=None)

    assert answer.addresses == 1
    assert not pool._waiting  # noqa: SLF001 - nobody else can see who waits
