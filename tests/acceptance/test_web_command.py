"""`scrapersky web` and the dashboard that `scrapersky up` starts: real processes, real sockets."""

import os
import signal
import socket
from http import HTTPStatus
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import psycopg
import pytest

from tests.process_support import free_port, wait_until


def answer(port: int, path: str = "/readyz", host: str = "127.0.0.1") -> int | None:
    """The status, or None while nobody answers."""
    request = Request(f"http://127.0.0.1:{port}{path}", headers={"Host": host})
    try:
        with urlopen(request) as found:  # noqa: S310 - as above
            return found.status
    except HTTPError as error:
        error.close()
        return error.code
    except OSError:
        return None


def test_it_serves_until_it_is_told_to_stop(processes, database):
    port = free_port()
    web = processes.start("app.cli", "web", DATABASE_URL=database, SCRAPERSKY_WEB_PORT=str(port))

    wait_until(lambda: answer(port) == HTTPStatus.OK)
    assert answer(port, "/") == HTTPStatus.OK
    assert answer(port, "/", host="evil.example") == HTTPStatus.MISDIRECTED_REQUEST
    web.send(signal.SIGTERM)

    assert web.exit_code() == 0
    assert "Traceback" not in web.output()


def sign_in(port: int, visitor: str) -> int:
    """With a wrong token, as a proxy on this host passes it on."""
    request = Request(f"http://127.0.0.1:{port}/sign-in", data=b"token=wrong", headers={"X-Forwarded-For": visitor})
    with pytest.raises(HTTPError) as refused:
        urlopen(request)  # noqa: S310 - loopback
    refused.value.close()
    return refused.value.code


@pytest.mark.parametrize(("proxies", "others"), [("127.0.0.1", 401), ("", 429)])
def test_what_a_proxy_says_of_the_visitor_counts_if_the_settings_name_it(processes, database, proxies, others):
    port = free_port()
    given = {"SCRAPERSKY_WEB_TOKEN": "a long enough secret", "SCRAPERSKY_WEB_PROXIES": proxies}
    processes.start("app.cli", "web", DATABASE_URL=database, SCRAPERSKY_WEB_PORT=str(port), **given)
    wait_until(lambda: answer(port) == HTTPStatus.OK)

    assert [sign_in(port, "203.0.113.1") for _ in range(6)] == [401] * 5 + [429]
    assert sign_in(port, "203.0.113.2") == others


def test_it_outlives_a_database_that_goes_away_and_comes_back(processes, database):
    port = free_port()
    processes.start("app.cli", "web", DATABASE_URL=database, SCRAPERSKY_WEB_PORT=str(port))
    wait_until(lambda: answer(port) == HTTPStatus.OK)
    name = database.partition("?")[0].rpartition("/")[2]
    administrator = database.replace(f"/{name}?", "/postgres?")

    with psycopg.connect(administrator, autocommit=True) as connection:
        connection.execute(f"alter database {name} allow_connections false")
        connection.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", [name])
        wait_until(lambda: answer(port) == HTTPStatus.SERVICE_UNAVAILABLE)
        assert answer(port, "/") == HTTPStatus.SERVICE_UNAVAILABLE
        assert answer(port, "/livez") == HTTPStatus.OK
        connection.execute(f"alter database {name} allow_connections true")

    wait_until(lambda: answer(port, "/") == HTTPStatus.OK)


def test_beyond_this_host_it_is_refused_without_a_token(scrapersky, database):
    for command in ("web", "up"):
        done = scrapersky(command, DATABASE_URL=database, SCRAPERSKY_WEB_HOST="0.0.0.0", SCRAPERSKY_WEB_PORT="9465")  # noqa: S104 - it must be refused

        assert done.returncode == 2
        assert "SCRAPERSKY_WEB_TOKEN" in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_port_that_is_taken_is_told_in_one_line(scrapersky, database):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for command in ("web", "up"):
            done = scrapersky(command, DATABASE_URL=database, SCRAPERSKY_WEB_PORT=port)

            assert done.returncode == 1
            assert len(done.stderr.splitlines()) == 1, done.stderr
            assert f"127.0.0.1:{port}" in done.stderr
            assert "SCRAPERSKY_WEB_PORT" in done.stderr


def test_up_names_the_dashboard_and_starts_it_again_when_it_dies(processes, database):
    port = free_port()
    up = processes.start(
        "app.cli", "up", DATABASE_URL=database, SCRAPERSKY_WEB_PORT=str(port), SCRAPERSKY_PROCESSES="1"
    )
    wait_until(lambda: answer(port) == HTTPStatus.OK, timeout=60)
    assert f"http://127.0.0.1:{port}/" in up.output()

    os.kill(dashboard_of(up), signal.SIGKILL)
    wait_until(lambda: answer(port) is None)

    wait_until(lambda: answer(port) == HTTPStatus.OK, timeout=60)


def dashboard_of(up) -> int:
    for child in up.children():
        with open(f"/proc/{child}/cmdline", "rb") as file:  # noqa: PTH123 - no real file
            if file.read().rstrip(b"\0").endswith(b"web"):
                return child
    raise AssertionError("up has no dashboard")
