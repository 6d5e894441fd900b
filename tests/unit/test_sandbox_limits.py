"""Beyond a limit a document fails alone; a process that is killed is replaced, and its document is not to blame."""

import os
import signal
from contextlib import closing
from pathlib import Path

import pytest

from actors.errors import RetryLater, Unusable
from actors.parse.contact_page import read_contact_page
from actors.parse.sitemap_reading import survey_sitemap
from actors.parse.wire_body import WireStream
from actors.sandbox import fork_server, pool
from actors.sandbox.pool import usable_cores
from actors.sandbox.reader import ParserLost, Reader
from tests.process_support import wait_until
from tests.sandbox_support import PAGE, URL, body, parsers_of, pool_of


def test_a_document_that_needs_too_much_time_fails_alone_and_costs_its_process():
    with closing(pool_of(seconds=0.2)) as pool:
        reader = Reader(pool)
        with pytest.raises(Unusable, match=rf"^{URL}: needs more than 0\.2 s to read$") as failed:
            reader.read(read_contact_page, [body(PAGE * 20_000)], region="DE")
        answer = reader.read(read_contact_page, [body(PAGE)], region="DE")

    assert failed.value.kind == "parser_time"
    assert [card.email for card in answer.cards] == ["info@acme-bau.de"]
    assert len(pool.watch.missing) == 2
    assert [failure[1] for failure in pool.watch.failures] == ["time"]


def test_a_document_that_needs_too_much_memory_fails_alone_and_costs_its_process():
    with closing(pool_of(memory_mb=110)) as pool:
        reader = Reader(pool)
        with pytest.raises(Unusable, match=rf"^{URL}: needs more than 110 MB to read$") as failed:
            reader.read(read_contact_page, [body(b"<p>a" * 1_000_000)], region="DE")
        answer = reader.read(read_contact_page, [body(PAGE)], region="DE")

    assert failed.value.kind == "parser_memory"
    assert len(answer.cards) == 1
    assert len(pool.watch.missing) == 2


def test_a_process_that_makes_no_progress_is_killed_when_its_wall_time_is_over():
    with closing(pool_of(seconds=0.1, patience=2)) as pool:
        reader = Reader(pool)
        reader.read(read_contact_page, [body(PAGE)], region="DE")
        os.kill(parsers_of(pool)[0], signal.SIGSTOP)
        with pytest.raises(Unusable, match=r"needs more than 2\.3 s to read"):
            reader.read(read_contact_page, [body(PAGE)], region="DE")

        assert reader.read(read_contact_page, [body(PAGE)], region="DE").addresses == 1


def test_a_parser_that_crashes_fails_its_document_for_good():
    def crash():
        yield b"<urlset>"
        os.kill(parsers_of(pool)[0], signal.SIGSEGV)
        yield b"<url>"

    stream = WireStream(body(b"").head, crash())
    with closing(pool_of()) as pool, pytest.raises(Unusable, match=r"its parser crashed \(SIGSEGV\)") as failed:
        Reader(pool).stream(survey_sitemap, stream, bool, headers={})

    assert failed.value.kind == "parser_crash"


def test_a_document_whose_parser_was_killed_from_outside_is_read_once_more():
    with closing(pool_of()) as pool:
        reader = Reader(pool)
        reader.read(read_contact_page, [body(PAGE)], region="DE")
        os.kill(parsers_of(pool)[0], signal.SIGKILL)
        answer = reader.read(read_contact_page, [body(PAGE)], region="DE")

    assert answer.addresses == 1
    assert [failure[1] for failure in pool.watch.failures] == ["killed"]


def test_a_stream_whose_parser_was_killed_from_outside_is_no_fault_of_its_document():
    def kill():
        yield b"<urlset>"
        os.kill(parsers_of(pool)[0], signal.SIGKILL)
        yield b"<url>"

    with closing(pool_of()) as pool, pytest.raises(ParserLost, match="killed from outside"):
        Reader(pool).stream(survey_sitemap, WireStream(body(b"").head, kill()), bool, headers={})


def test_a_fork_server_that_is_killed_takes_its_parsers_along_and_is_started_again():
    with closing(pool_of()) as pool:
        reader = Reader(pool)
        reader.read(read_contact_page, [body(PAGE)], region="DE")
        server, (parser,) = pool.server_pid, parsers_of(pool)
        os.kill(server, signal.SIGKILL)
        wait_until(lambda: not Path(f"/proc/{parser}").exists())
        answer = reader.read(read_contact_page, [body(PAGE)], region="DE")

        assert answer.addresses == 1
        assert pool.server_pid != server


def test_without_a_fork_server_the_row_is_tried_later_and_burns_no_attempt(monkeypatch, tmp_path):
    monkeypatch.setattr(fork_server.sys, "executable", str(tmp_path / "gone"))

    with closing(pool_of()) as pool, pytest.raises(RetryLater, match="can not be started"):
        Reader(pool).read(read_contact_page, [body(PAGE)], region="DE")

    assert [failure[1] for failure in pool.watch.failures] == ["unavailable"]


def test_a_parser_is_replaced_after_its_share_of_documents():
    with closing(pool_of(documents=3)) as pool:
        reader = Reader(pool)
        for _ in range(7):
            reader.read(read_contact_page, [body(PAGE)], region="DE")

    assert len(pool.watch.missing) == 3
    assert pool.watch.reads == ["contact_page"] * 7


def test_closing_leaves_no_process():
    pool = pool_of()
    Reader(pool).read(read_contact_page, [body(PAGE)], region="DE")
    processes = [pool.server_pid, *parsers_of(pool)]

    pool.close()

    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in processes))


@pytest.mark.parametrize(
    ("number", "words"), [(signal.SIGSEGV, "SIGSEGV"), (signal.SIGRTMIN + 1, f"signal {signal.SIGRTMIN + 1}")]
)
def test_a_process_that_was_killed_by_any_signal_is_described(number, words):
    assert fork_server.described(int(number)) == words


def test_a_fork_server_that_failed_in_one_thread_does_not_cost_the_one_that_took_its_place():
    with closing(pool_of()) as pool:
        reader = Reader(pool)
        reader.read(read_contact_page, [body(PAGE)], region="DE")
        failed, (parser,) = pool._server, parsers_of(pool)  # noqa: SLF001 - what another thread would hold
        os.kill(failed.pid, signal.SIGKILL)
        wait_until(lambda: not Path(f"/proc/{parser}").exists())
        reader.read(read_contact_page, [body(PAGE)], region="DE")
        server = pool.server_pid
        pool._end(failed)  # noqa: SLF001 - what the other thread does next
        answer = reader.read(read_contact_page, [body(PAGE)], region="DE")

        assert answer.addresses == 1
        assert pool.server_pid == server != failed.pid
        assert len(pool.watch.missing) == 2


@pytest.mark.parametrize(
    ("quota", "cores"), [("max 100000", None), ("100000 100000", 1), ("50000 100000", 1), ("", None)]
)
def test_a_cgroups_share_of_processor_time_limits_the_cores(monkeypatch, tmp_path, quota, cores):
    (tmp_path / "own").write_text("1:name=systemd:/x\n0::/a.slice/b.service\n")
    (tmp_path / "a.slice" / "b.service").mkdir(parents=True)
    (tmp_path / "a.slice" / "b.service" / "cpu.max").write_text(quota)
    monkeypatch.setattr(pool, "_OWN_CGROUP", tmp_path / "own")
    monkeypatch.setattr(pool, "_CGROUPS", tmp_path)

    assert usable_cores() == (cores or len(os.sched_getaffinity(0)))


def test_where_memory_is_short_a_parser_is_ended_before_its_worker():
    with closing(pool_of()) as parsers:
        Reader(parsers).read(read_contact_page, [body(PAGE)], region="DE")
        (parser,) = parsers_of(parsers)

        assert Path(f"/proc/{parser}/oom_score_adj").read_text() == "1000\n"
