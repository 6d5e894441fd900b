"""What the boundary around the parsers costs: `python -m benchmarks.sandbox`.

A page of 50 kB read here and in a parser process, a new parser process, and a sitemap of 50 MB streamed through one.
"""

import resource
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from actors.parse.contact_page import read_contact_page
from actors.parse.sitemap_reading import SiteUrls, read_site_urls
from actors.parse.wire_body import WireBody, WireHead, WireStream
from actors.sandbox.limits import Limits
from actors.sandbox.pool import ParserPool
from actors.sandbox.reader import Reader

ROUNDS, FORKS = 300, 30
PAGE_BYTES, SITEMAP_BYTES, CHUNK = 50_000, 50 * 1024 * 1024, 64 * 1024
URL = "https://acme-bau.de/kontakt"
PARAGRAPH = (
    "<div class='entry'><h3>Abteilung {0}</h3><p>Wir planen und bauen Hallen, Häuser und Brücken in der Region, seit "
    "vierzig Jahren und in der dritten Generation.</p><ul><li><a href='/leistungen/{0}'>Leistung {0}</a></li>"
    "<li><img src='/bilder/{0}.jpg' alt='Baustelle {0}'></li></ul></div>\n"
)


class Silence:
    """Watches nothing."""

    def started(self, missing: list[str]) -> None: ...

    def read(self, reader: str, seconds: float) -> None: ...

    def failed(self, reader: str, limit: str, url: str, words: str) -> None: ...

    def unavailable(self, words: str) -> None: ...


def page() -> WireBody:
    html = "<!doctype html><title>Kontakt</title><h1>Kontakt</h1><p>info@acme-bau.de</p><p>Tel. 030 987651</p>\n"
    number = 0
    while len(html.encode()) < PAGE_BYTES:
        html += PARAGRAPH.format(number)
        number += 1
    return WireBody(WireHead(URL, None, "text/html; charset=utf-8", 5_000_000), html.encode())


def sitemap() -> Iterator[bytes]:
    """50 MB in chunks, made as they are asked for: 50,000 entries with a comment each."""
    held = b"<urlset>"
    filling = "x" * (SITEMAP_BYTES // 50_000 - 110)
    for number in range(50_000):
        url = f"https://acme-bau.de/referenzen/{number % 400}/projekt-{number}"
        held += f"<url><loc>{url}</loc><lastmod>2026-03-01</lastmod><!--{filling}--></url>".encode()
        while len(held) >= CHUNK:
            yield held[:CHUNK]
            held = held[CHUNK:]
    yield held + b"</urlset>"


def milliseconds(call: Callable[[], object], rounds: int) -> float:
    """The median: other work on the machine makes single ones slower, and none faster."""
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return 1000 * statistics.median(taken)


def peak_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    pool = ParserPool(Limits(seconds=30, documents=1_000_000), 1, Silence())
    reader, body = Reader(pool), page()
    began = time.perf_counter()
    reader.read(read_contact_page, [body], region="DE")
    print(f"fork server and first document {time.perf_counter() - began:8.2f} s")
    here = milliseconds(lambda: read_contact_page([body], region="DE"), ROUNDS)
    there = milliseconds(lambda: reader.read(read_contact_page, [body], region="DE"), ROUNDS)
    nothing = WireBody(body.head._replace(content_type="image/png"), body.content)
    bare = milliseconds(lambda: reader.read(read_contact_page, [nothing], region="DE"), ROUNDS)
    print(f"a page of {len(body.content) // 1000} kB, in this process {here:8.2f} ms")
    print(f"the same in a parser process    {there:8.2f} ms  ({there / here:.2f} times)")
    print(f"the boundary alone              {bare:8.2f} ms")
    print(f"a new parser process            {milliseconds(lambda: _new(pool), FORKS):8.2f} ms")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = 0

    def count(batch: SiteUrls) -> None:
        nonlocal found
        found += len(batch.pages)

    began = time.perf_counter()
    stream = WireStream(WireHead(URL, None, "text/xml", SITEMAP_BYTES * 2), sitemap())
    arguments = {"headers": {}, "domain": "acme-bau.de", "asked_for": URL, "most_chosen": 20}
    reader.stream(read_site_urls, stream, count, **arguments)  # type: ignore[arg-type]
    seconds = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    (parser,) = Path(f"/proc/{pool.server_pid}/task/{pool.server_pid}/children").read_text(encoding="utf-8").split()
    print(f"a sitemap of 50 MB, {found:,} URLs {seconds:8.2f} s")
    print(f"  peak of the worker            {before:8.1f} MB before, {after:.1f} MB after")
    print(f"  peak of the parser process    {peak_mb(int(parser)):8.1f} MB")
    reader.close()
    pool.close()


def _new(pool: ParserPool) -> None:
    holder = object()
    pool.borrow(holder)
    pool.discard(holder)


if __name__ == "__main__":
    main()
