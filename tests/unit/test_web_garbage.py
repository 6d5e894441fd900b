"""Whatever a server writes, the error is one of ours."""

import random

import pytest

from actors.errors import FetchError
from actors.fetch.answer import Answer
from actors.fetch.web import Patience
from tests.web_support import LocalWeb, Raw, web_for

HOME = "http://clinic.example/"
OK = b"HTTP/1.1 200 OK\r\n"

GARBAGE = [
    b"",
    b"\r\n",
    b"\x00" * 100,
    b"SSH-2.0-OpenSSH_9.6\r\n",
    b"<html>no head at all</html>",
    b"HTTP/9.9 200 OK\r\n\r\n",
    b"HTTP/1.1 OK\r\n\r\n",
    b"HTTP/1.1 2000 OK\r\n\r\n",
    b"HTTP/1.1 000 X\r\n\r\n",
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nxyz",
    b"HTTP/1.1 100 Continue\r\n\r\n",
    b"HTTP/1.1 103 Early Hints\r\n\r\n",
    b"HTTP/0.9 200 OK\r\n\r\n",
    b"HTTP/1.0 200 OK\r\n\r\nold but fine",
    b"ICY 200 OK\r\n\r\n",
    OK,
    OK + b"Content-Length: -1\r\n\r\n",
    OK + b"Content-Length: ten\r\n\r\n",
    OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    OK + b"Content-Length: " + b"9" * 400 + b"\r\n\r\n",
    OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
    OK + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
    OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello",
    OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nBad Trailer\r\n\r\n",
    OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    OK + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    OK + b"No colon here\r\n\r\n",
    OK + b": no name\r\n\r\n",
    OK + b"Bad Name: x\r\n\r\n",
    OK + b"X: \x00\x01\x02\r\n\r\n",
    OK + b"X: \xff\xfe\xfd\r\n\r\n",
    OK + b"X: " + b"a" * 200_000 + b"\r\n\r\n",
    OK + b"A: b\r\n" * 50_000 + b"\r\n",
    OK + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00truncated",
    OK + b"Content-Encoding: deflate\r\n\r\n\x78\x9cnonsense",
    OK + b"Content-Encoding: gzip\r\nContent-Length: 0\r\n\r\n",
    OK + b"Content-Encoding: \xff\xfe, ,,\r\nContent-Length: 0\r\n\r\n",
    OK + b"Content-Type: text/html; charset=\xff\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
    b"HTTP/1.1 304 Not Modified\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: \xff\xfe\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: http://[\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: \r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: a\r\nLocation: b\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: " + b"a" * 50_000 + b"\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: http://user:pass@clinic.example:99999/\r\n\r\n",
    b"HTTP/1.1 429 Wait\r\nRetry-After: Mon, 99 Foo 99999 99:99:99 GMT\r\n\r\n",
    b"HTTP/1.1 503 Wait\r\nRetry-After: \xd9\xa3\r\n\r\n",
]


def outcome(web, url):
    """What came of it; anything but an answer or an error of ours fails the test by itself."""
    try:
        return web.get(url)
    except FetchError as error:
        return error


def is_in_order(result):
    return isinstance(result, Answer) or bool(str(result) and result.kind and result.url)


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_an_answer_that_is_none_ends_as_an_error_of_ours(garbage):
    with LocalWeb({HOME: Raw([garbage])}) as local:
        result = outcome(web_for(local), HOME)

    assert is_in_order(result)


def test_a_garbled_robots_txt_ends_as_an_error_of_ours():
    pages = {f"http://clinic{number}.example/robots.txt": Raw([garbage]) for number, garbage in enumerate(GARBAGE)}

    with LocalWeb(pages) as local:
        web = web_for(local)
        results = [outcome(web, url.removesuffix("robots.txt")) for url in pages]

    assert all(map(is_in_order, results))


def test_random_changes_to_a_good_answer_end_as_an_answer_or_an_error_of_ours():
    good = OK + b"Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    dice = random.Random(1)  # noqa: S311 - the same bytes on every run

    def garbled(_):
        answer = bytearray(good)
        for _ in range(dice.randint(1, 6)):
            answer[dice.randrange(len(answer))] = dice.randrange(256)
        return Raw([bytes(answer[: dice.randint(1, len(answer) * 2)])])

    with LocalWeb({HOME: garbled}) as local:
        web = web_for(local, patience=Patience(connect=1, read=1, request=2, stream=2))
        results = [outcome(web, HOME) for _ in range(300)]

    assert len(results) == 300
    assert all(map(is_in_order, results))
