"""The boundary: what a parser process answers, and what becomes of a document that is too much for it."""

import gzip
import os
import socket
import threading
from collections import deque
from contextlib import closing
from pathlib import Path

import pytest

from actors.errors import Unusable
from actors.parse.contact_page import read_contact_page
from actors.parse.home_page import read_home, read_sitemap_links
from actors.parse.readers import NAMES, READERS, STREAM_READERS
from actors.parse.robots_reading import ask_robots, read_named_sitemaps, read_robots_text
from actors.parse.sitemap_reading import read_site_urls, survey_sitemap
from actors.parse.wire_body import TooLarge, WireBody, WireHead, WireStream
from actors.sandbox.reader import Reader
from app.demo.world import SITES
from app.demo.world.site import Reply
from tests.process_support import wait_until
from tests.sandbox_support import PAGE, URL, body, new_reader, parsers_of, pool_of

ARGUMENTS = {
    read_contact_page: {"region": "DE"},
    read_home: {"region": None, "hops": [URL], "headers": {"server": "nginx"}},
    read_sitemap_links: {"url": URL},
    read_robots_text: {},
    ask_robots: {"target": URL, "agent": "ScraperSky"},
    read_named_sitemaps: {"agent": "ScraperSky"},
    survey_sitemap: {"headers": {}},
    read_site_urls: {"headers": {}, "domain": "acme-bau.de", "asked_for": URL, "most_chosen": 5},
}
OF_ROBOTS = {read_robots_text, ask_robots, read_named_sitemaps}
CHARSETS = ["utf-8", "utf-16", "koi8-r", "gb18030", "shift_jis", "euc-kr", "big5", "cp1251", "iso-8859-15", "macintosh"]


def world_pages() -> list[WireBody]:
    replies = [(site, page) for site in SITES for page in site.pages.values() if isinstance(page, str | Reply)]
    plain = [(site.url, page if isinstance(page, Reply) else Reply(page)) for site, page in replies]
    return [WireBody(WireHead(url, None, page.kind or "", 50_000_000), page.content) for url, page in plain]


def in_process(reader, stream, arguments):
    batches = []
    reading = STREAM_READERS[NAMES[reader]](stream, **arguments)
    while True:
        try:
            batches.append(next(reading))
        except StopIteration as end:
            return batches, end.value


def test_every_reader_answers_in_a_parser_process_as_it_does_here():
    reader, pages = new_reader(), world_pages()

    assert len(pages) > 100
    assert {*ARGUMENTS} == {*READERS.values(), *STREAM_READERS.values()}
    for page in pages:
        is_html = "html" in page.head.content_type
        for read in [each for each in READERS.values() if is_html or each in OF_ROBOTS]:
            assert reader.read(read, [page], **ARGUMENTS[read]) == read([page], **ARGUMENTS[read]), page.head.url
        for read in [] if is_html else STREAM_READERS.values():
            batches = []
            chunks = [page.content[at : at + 1000] for at in range(0, len(page.content), 1000)]
            answer = reader.stream(read, WireStream(page.head, chunks), batches.append, **ARGUMENTS[read])
            assert (batches, answer) == in_process(read, WireStream(page.head, chunks), ARGUMENTS[read])


@pytest.mark.parametrize("charset", CHARSETS)
def test_a_parser_process_has_every_codec_at_hand(charset):
    page = body(
        "<p>Привет 你好 日本 anna@acme-bau.de".encode(charset, "replace"), content_type=f"text/html; charset={charset}"
    )

    assert new_reader().read(read_contact_page, [page], region=None).cards[0].email == "anna@acme-bau.de"


@pytest.mark.parametrize("region", ["AT", "JP", "BR", "NZ", "KE", "IN"])
def test_a_parser_process_has_the_numbers_of_every_country_at_hand(region):
    page = body(b"<p>Tel. 01 234 5678, 03-1234-5678, (11) 2345-6789, 04 123 4567, 020 7946000, 022 2345 6789")

    answer = new_reader().read(read_contact_page, [page], region=region)

    assert answer == read_contact_page([page], region=region)


def test_half_a_surrogate_pair_in_structured_data_does_not_stop_the_answer():
    script = (
        b'<script type="application/ld+json">{"@type": "Organization", "name": "A\\ud800", "email": "a@acme-bau.de"}'
    )

    reading = new_reader().read(read_home, [body(script)], **ARGUMENTS[read_home])

    assert reading.emails == ("a@acme-bau.de",)


def test_a_packed_page_is_unpacked_there_within_its_limit():
    packed = gzip.compress(PAGE + b" " * 10_000_000)

    with pytest.raises(Unusable, match=f"{URL}: more than 5,000,000 bytes") as large:
        new_reader().read(read_contact_page, [body(packed, coding="gzip")], region="DE")
    with pytest.raises(Unusable, match="not encoded as it says") as damaged:
        new_reader().read(read_contact_page, [body(b"\x1f\x8b nonsense", coding="gzip")], region="DE")
    answer = new_reader().read(read_contact_page, [body(gzip.compress(PAGE), coding="gzip")], region="DE")

    assert (large.value.kind, damaged.value.kind, answer.addresses) == ("too_large", "encoding", 1)


def test_a_stream_that_is_cut_off_keeps_what_it_had():
    def cut():
        yield b"<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url>" + b" " * 70_000
        raise TooLarge

    batches = deque()
    stream = WireStream(body(b"").head, cut())
    read = new_reader().stream(read_site_urls, stream, batches.append, **ARGUMENTS[read_site_urls])

    assert (read.facts.is_too_large, read.facts.count) == (True, 2)
    assert [page[0] for page in batches[0].pages] == ["https://acme-bau.de/a", "https://acme-bau.de/b"]


def test_the_fork_server_imports_nothing_from_the_working_directory(monkeypatch, tmp_path):
    for name in ("json", "socket", "lxml", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    with closing(pool_of()) as pool:
        assert Reader(pool).read(read_contact_page, [body(PAGE)], region="DE").addresses == 1

    assert not (tmp_path / "ran").exists()


def test_the_fork_server_has_none_of_our_environment(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")

    with closing(pool_of()) as pool:
        pool.start()
        wait_until(lambda: b"actors" in Path(f"/proc/{pool.server_pid}/cmdline").read_bytes())
        environment = Path(f"/proc/{pool.server_pid}/environ").read_bytes()

    assert environment.split(b"\0") == [b"LANG=C.UTF-8", b""]


def test_who_waits_for_a_parser_has_it_in_turn():
    order = []

    def read(number):
        reader = Reader(pool)
        reader.read(read_contact_page, [body(PAGE)], region="DE")
        order.append(number)
        reader.close()

    with closing(pool_of()) as pool:
        holder, threads = object(), []
        pool.borrow(holder)
        for number in range(5):
            threads.append(threading.Thread(target=read, args=(number,)))
            threads[-1].start()
            wait_until(lambda number=number: len(pool._waiting) == number + 1)  # noqa: SLF001 - nobody else can see who waits
        pool.give_back(holder)
        for thread in threads:
            thread.join()

    assert order == [0, 1, 2, 3, 4]


def test_no_document_waits_for_a_stream_that_drips():
    rules, over = body(b"User-agent: *"), threading.Event()
    dripping = threading.Barrier(4)

    def drip():
        yield b"<urlset>"
        dripping.wait(60)
        over.wait(60)
        yield b"</urlset>"

    def survey():
        reader = Reader(pool)
        reader.stream(survey_sitemap, WireStream(body(b"").head, drip()), bool, headers={})
        reader.close()

    with closing(pool_of()) as pool:
        threads = [threading.Thread(target=survey) for _ in range(3)]
        for thread in threads:
            thread.start()
        dripping.wait(60)
        answer = Reader(pool).read(ask_robots, [rules], target=URL, agent="ScraperSky")
        over.set()
        for thread in threads:
            thread.join()
        Reader(pool).stream(survey_sitemap, WireStream(body(b"").head, [b"<urlset></urlset>"]), bool, headers={})

        assert answer.allowed
        assert len(pool.watch.missing) == 4


@pytest.mark.skipif(os.getuid() != 0, reason="only root may look at the open files of a process that locked itself in")
def test_a_socket_of_ours_is_not_passed_to_the_fork_server():
    with socket.socket() as ours, closing(pool_of()) as pool:
        os.set_inheritable(ours.fileno(), True)
        Reader(pool).read(read_contact_page, [body(PAGE)], region="DE")
        (parser,) = parsers_of(pool)
        of_server, of_parser = open_files(pool.server_pid), open_files(parser)

        assert str(Path(f"/proc/self/fd/{ours.fileno()}").readlink()) not in of_server

    assert sorted(name.partition(":")[0] for name in of_parser) == ["/dev/null", "/dev/null", "/dev/null", "socket"]


def open_files(pid: int) -> list[str]:
    return [str(path.readlink()) for path in Path(f"/proc/{pid}/fd").iterdir()]
