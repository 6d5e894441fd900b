"""What the crawl benchmark says of a crawler comes from the origin's log; here the log is known."""

import gzip
import http.client

from benchmarks.crawl_log import ROBOTS, Visit, manners, origin
from benchmarks.crawl_pages import make_pages
from benchmarks.crawl_run import World

HOST = "bench-host-00001.com"


def visit(path, began, ended, status=200, host=HOST):
    return Visit(host, path, began, ended, status, 1)


def test_a_pause_counts_from_the_end_of_an_answer_to_the_next_request_at_the_same_host():
    visits = [
        visit(ROBOTS, 0.0, 0.5),
        visit("/a", 1.5, 2.0),
        visit("/b", 4.0, 4.5),
        visit("/a", 2.1, 2.2, host="other"),
    ]

    found = manners(visits)

    assert found.shortest_pause == 1.0
    assert found.median_pause == 1.5


def test_requests_at_once_are_counted_for_each_host_and_for_all():
    visits = [visit("/a", 0.0, 2.0), visit("/b", 1.0, 3.0), visit("/c", 1.5, 1.8, host="other")]

    found = manners(visits)

    assert (found.at_once, found.in_flight) == (2, 3)


def test_another_try_after_an_error_is_no_page_fetched_twice():
    tried = [visit("/a", 0.0, 0.1, status=503), visit("/a", 5.0, 5.1), visit("/b", 10.0, 10.1, status=0)]

    assert manners(tried).twice == 0
    assert manners([*tried, visit("/a", 20.0, 20.1), visit(ROBOTS, 30.0, 30.1), visit(ROBOTS, 40.0, 40.1)]).twice == 1


def test_a_packed_page_is_the_plain_page_of_its_host():
    for page in make_pages(seed=7):
        plain = page.plain(HOST.encode())

        assert gzip.decompress(page.gzipped(HOST.encode())) == plain
        assert f"info@{HOST}".encode() in plain


def test_the_origin_remembers_every_request_and_forgets_when_it_is_told():
    world = World(1, 1, 0.0, 0.0, 1.0, 0, 0, 0, 1, False)

    with origin(world.options, https=False) as server:
        answers = [ask(server.port, path) for path in (ROBOTS, "/contact-1")]
        visits = server.visits()
        server.reset()
        forgotten = server.visits()

    assert answers[0].startswith(b"User-agent: *")
    assert f"info@{HOST}".encode() in answers[1]
    assert [(one.host, one.path, one.status) for one in visits] == [(HOST, ROBOTS, 200), (HOST, "/contact-1", 200)]
    assert forgotten == []


def ask(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", f"http://{HOST}{path}", headers={"Host": HOST, "Accept-Encoding": "identity"})
    body = connection.getresponse().read()
    connection.close()
    return body
