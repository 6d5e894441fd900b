"""Servers that drip, flood or lie: each ends as an error with a type, in bounded time and memory."""

import gzip
import tracemalloc
import zlib
from itertools import chain, repeat
from threading import Event

import pytest

from actors.errors import TooSlow, Unreachable, Unusable
from actors.fetch.coding import refuse_a_lie
from actors.fetch.web import Patience
from actors.parse.contact_page import read_contact_page
from actors.parse.wire_body import plain_bytes
from tests.sandbox_support import new_reader
from tests.web_support import LocalWeb, MemoryRobots, Raw, Reply, client_for, web_for

HOME = "http://clinic.example/"
# Without the time of packing: every process must see the same test.
HELLO = gzip.compress(b"hello", mtime=0)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


@pytest.fixture
def over():
    event = Event()
    yield event
    event.set()


def impatient(local, *, read=2, request=0.4):
    """The robots.txt is known already: the little time there is goes to the page."""
    patience = Patience(connect=2, read=read, request=request, stream=1)
    return web_for(local, MemoryRobots("http://clinic.example"), patience=patience)


def drip(over, piece):
    """One piece every now and then, until the test is over."""
    while not over.wait(0.02):
        yield piece


def test_a_head_that_drips_cannot_stretch_the_deadline(over):
    page = Raw(chain([b"HTTP/1.1 200 OK\r\nX: "], drip(over, b"a")))

    with LocalWeb({HOME: lambda _: page}) as local, pytest.raises(TooSlow, match=r"no answer within 0\.4 s") as failed:
        impatient(local).get(HOME)

    assert failed.value.kind == "deadline"


@pytest.mark.parametrize("head", [HEAD + b"Content-Length: 100000\r\n\r\n", HEAD + b"\r\n"])
def test_a_body_that_drips_cannot_stretch_the_deadline(over, head):
    page = Raw(chain([head], drip(over, b"a")))

    with LocalWeb({HOME: lambda _: page}) as local, pytest.raises(TooSlow) as failed:
        impatient(local).get(HOME)

    assert failed.value.kind == "deadline"


def test_informational_answers_without_end_cannot_stretch_the_deadline(over):
    page = Raw(drip(over, b"HTTP/1.1 100 Continue\r\n\r\n"))

    with LocalWeb({HOME: lambda _: page}) as local, pytest.raises(TooSlow):
        impatient(local).get(HOME)


def test_a_stream_that_drips_ends_while_it_is_read(over):
    page = Raw(chain([HEAD + b"\r\n", b"a" * 70_000], drip(over, b"a")))

    with (
        LocalWeb({HOME: lambda _: page}) as local,
        pytest.raises(TooSlow),
        impatient(local).stream(HOME, most=1_000_000) as stream,
    ):
        list(stream)

    assert stream.received == 64 * 1024


def test_redirects_share_one_deadline(over):
    def slowly(_):
        over.wait(0.15)
        return Reply(302, headers={"Location": f"{HOME}{len(local.urls)}"})

    pages = {HOME: slowly, **{f"{HOME}{number}": slowly for number in range(10)}}

    with LocalWeb(pages) as local, pytest.raises(TooSlow):
        impatient(local).get(HOME)

    assert len(local.urls) <= 4


def test_a_server_that_falls_silent_is_too_slow(over):
    page = Raw(chain([HEAD], (b"" for _ in repeat(0, 1) if over.wait(5))))

    with LocalWeb({HOME: lambda _: page}) as local, pytest.raises(TooSlow, match="fell silent") as failed:
        impatient(local, read=0.2, request=5).get(HOME)

    assert failed.value.kind == "silent"


def bomb():
    """A megabyte that unpacks to a gigabyte: the same packed block of zeros, over and over."""
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    head = packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(bytes(1_000_000)) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + block * 1000


def test_a_gzip_bomb_is_too_large_and_takes_little_memory():
    packed = bomb()
    reply = Reply(200, packed, {"Content-Encoding": "gzip"})

    with LocalWeb({HOME: reply}) as local:
        web, reader = web_for(local), new_reader()
        tracemalloc.start()
        with pytest.raises(Unusable, match="more than 5,000,000 bytes") as failed:
            reader.read(read_contact_page, [web.get(HOME, most=5_000_000).wire], region=None)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert len(packed) < 1_100_000
    assert failed.value.kind == "too_large"
    assert peak < 30_000_000


def test_an_api_that_sends_a_gzip_bomb_is_unusable_and_takes_little_memory():
    with LocalWeb({HOME: Reply(200, bomb(), {"Content-Encoding": "gzip"})}) as local:
        client = client_for(local)
        tracemalloc.start()
        with pytest.raises(Unusable, match="more than 5,000,000 bytes"):
            client.ask("GET", HOME, headers={})
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert peak < 30_000_000


def test_an_api_whose_answer_is_damaged_is_unusable():
    damaged = HELLO[:10] + b"\xff" * 20

    with (
        LocalWeb({HOME: Reply(200, damaged, {"Content-Encoding": "gzip"})}) as local,
        pytest.raises(Unusable, match="not encoded as it says"),
    ):
        client_for(local).ask("GET", HOME, headers={})


def test_an_api_that_drips_packed_bytes_cannot_stretch_the_deadline(over):
    packed = gzip.compress(bytes(4_000_000), mtime=0)
    head = HEAD + b"Content-Encoding: gzip\r\n\r\n"
    page = Raw(
        chain([head, packed[:1000]], (packed[n : n + 1] for n in range(1000, len(packed)) if not over.wait(0.02)))
    )

    with LocalWeb({HOME: page}) as local, pytest.raises(TooSlow):
        client_for(local, patience=Patience(connect=2, read=2, request=0.4, stream=1)).ask("GET", HOME, headers={})


@pytest.mark.parametrize("codings", ["gzip, gzip", "deflate,gzip", "gzip,gzip,gzip", "gzip, identity, x-gzip"])
def test_more_than_one_coding_is_refused_and_nothing_of_it_is_unpacked(codings):
    twice = gzip.compress(gzip.compress(bytes(50_000_000)))
    reply = Reply(200, twice, {"Content-Encoding": codings})

    with LocalWeb({HOME: reply}) as local, pytest.raises(Unusable, match="one coding is read at most") as failed:
        web_for(local).get(HOME)

    assert failed.value.kind == "encoding"


def test_an_api_may_use_one_coding_only():
    reply = Reply(200, gzip.compress(gzip.compress(b"{}")), {"Content-Encoding": "gzip, gzip"})

    with LocalWeb({HOME: reply}) as local, pytest.raises(Unusable, match="one coding is read at most"):
        client_for(local).ask("GET", HOME, headers={})


def test_a_body_without_end_is_too_large():
    page = Raw(chain([HEAD + b"\r\n"], repeat(b"a" * 50_000)))

    with LocalWeb({HOME: page}) as local, pytest.raises(Unusable, match="more than 200,000 bytes") as failed:
        web_for(local).get(HOME, most=200_000)

    assert failed.value.kind == "too_large"


def test_what_comes_after_the_end_of_a_gzip_is_counted_too():
    page = Raw(chain([HEAD + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(b"x")], repeat(b"a" * 50_000)))

    with LocalWeb({HOME: page}) as local, pytest.raises(Unusable) as failed:
        web_for(local).get(HOME, most=200_000)

    assert failed.value.kind == "too_large"


def test_a_page_of_exactly_the_limit_is_read():
    with LocalWeb({HOME: "a" * 100_000}) as local:
        answer = web_for(local).get(HOME, most=100_000)

    assert len(answer.body) == 100_000


def test_a_stream_comes_in_small_pieces_and_is_counted():
    with LocalWeb({HOME: b"ab" * 500_000}) as local, web_for(local).stream(HOME, most=2_000_000) as stream:
        pieces = list(stream)

    assert b"".join(pieces) == b"ab" * 500_000
    assert max(map(len, pieces)) <= 64 * 1024
    assert stream.received == 1_000_000


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", HELLO),
        ("x-gzip", HELLO),
        ("deflate", zlib.compress(b"hello")),
        ("deflate", zlib.compress(b"hello")[2:-4]),
        ("identity", b"hello"),
        ("utf-8", b"hello"),
        ("none", b"hello"),
    ],
)
def test_an_encoded_page_is_decoded(encoding, body):
    with LocalWeb({HOME: Reply(200, body, {"Content-Encoding": encoding})}) as local:
        answer = web_for(local).get(HOME)
        told = client_for(local).ask("GET", HOME, headers={})

    assert plain_bytes(answer.wire) == b"hello"
    assert told.body == b"hello"


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "gzip, gzip, gzip, gzip, gzip, gzip"])
def test_a_server_that_lies_about_the_encoding_is_asked_again_for_plain_bytes(encoding):
    def page(asked):
        plain = asked.headers["accept-encoding"] == "identity"
        return Reply(200, "plain", {} if plain else {"Content-Encoding": encoding})

    with LocalWeb({HOME: page}) as local:
        answer = web_for(local).get(HOME)

    assert answer.body == b"plain"
    assert len(local.urls) == 2


@pytest.mark.parametrize(
    "body",
    [
        "\N{ZERO WIDTH NO-BREAK SPACE}<p>plain".encode(),
        "<p>plain".encode("utf-16"),
        "<p>größer".encode(),
        ("a" * 31 + "\N{GRINNING FACE}").encode(),
        HELLO,
        b"x^2 is plain",
    ],
    ids=["BOM", "UTF-16", "UTF-8", "cut character", "gzip", "text with a zlib header"],
)
def test_what_says_deflate_and_is_not_is_asked_for_again(body):
    def page(asked):
        plain = asked.headers["accept-encoding"] == "identity"
        return Reply(200, body, {} if plain else {"Content-Encoding": "deflate"})

    with LocalWeb({HOME: page}) as local:
        answer = web_for(local).get(HOME)

    assert answer.body == body
    assert len(local.urls) == 2


@pytest.mark.parametrize("level", range(10))
@pytest.mark.parametrize("size", [0, 1, 5, 50, 5000])
def test_what_says_deflate_and_is_is_asked_for_once(level, size):
    text = ("größer " * size).encode()

    for body in (zlib.compress(text, level), zlib.compress(text, level)[2:-4]):
        refuse_a_lie("deflate", body, HOME)


def test_a_server_that_goes_on_lying_is_unusable():
    reply = Reply(200, "plain", {"Content-Encoding": "gzip"})

    with LocalWeb({HOME: reply}) as local, pytest.raises(Unusable) as failed:
        web_for(local).get(HOME)

    assert failed.value.kind == "encoding"
    assert len(local.urls) == 2


def test_a_body_that_is_cut_off_is_unreachable_and_may_be_tried_again():
    page = Raw([HEAD + b"Content-Length: 100\r\n\r\n", b"half"])

    with LocalWeb({HOME: page}) as local, pytest.raises(Unreachable) as failed:
        web_for(local).get(HOME)

    assert failed.value.kind == "cut_off"
