"""A site that answers with the worst documents costs its own rows, and nobody else's; whoever dies is not missed."""

import gzip
import os
import re
import signal
from pathlib import Path

import pytest

from app.demo.world.site import Reply, Site, xml
from tests.process_support import registered, wait_until

pytest_plugins = ["tests.acceptance.crawl_support"]

# Small limits, so that documents of an ordinary kind go beyond them, whatever the parsers learn.
SECONDS, MEGABYTES = "0.3", "128"
SITEMAP_SECONDS = "1.2"
HOSTILE = "hostile-site.com"
INNOCENT_SITES, PAGES_EACH = 20, 24
TELLING = "<p>Tel. 030 98{0:05}, info{0}@hostile-site.com <a href=/x{0}>kontakt</a></p>"
LONG_TO_READ = "".join(TELLING.format(number) for number in range(20_000))
LONGER_TO_READ = "".join(TELLING.format(number) for number in range(60_000))
# Four bytes a character once it is decoded, and no tags that would take time: 170 MB within a tenth of a second.
LARGE_TO_READ = "\N{GRINNING FACE}<p>" + "a " * 2_450_000
LONG_LIST = "".join(f"<url><loc>https://hostile-site.com/a{n % 300}/projekt-{n}</loc></url>" for n in range(50_000))
PACKED = {"Content-Encoding": "gzip"}
BAD_PAGES = {
    "/large": (LARGE_TO_READ, f"needs more than {MEGABYTES} MB to read"),
    "/bomb": (Reply(gzip.compress(bytes(100 * 2**20)), headers=PACKED), "more than 5,000,000 bytes"),
    "/thrice": (
        Reply(gzip.compress(gzip.compress(gzip.compress(b"x"))), headers={"Content-Encoding": "gzip,gzip,gzip"}),
        "encoded 3 times over (gzip,gzip,gzip), and one coding is read at most",
    ),
}
PAGE_ROWS = """
insert into pages (domain_id, url, page_processing_status)
select id, 'https://' || domain || path, 'Queued' from domains, unnest(%s::text[]) as path where domain = any(%s)
"""

SITEMAP_ROW = """
insert into sitemap_files (domain_id, url, sitemap_import_status)
select id, 'https://' || domain || '/sitemap.xml', 'Queued' from domains where domain = %s
"""
DONE = """
select (select count(*) from pages where contact_scrape_status = 'ContactFound'),
       (select count(*) from domains where status = 'completed')
"""


def innocent(number: int) -> Site:
    host = f"innocent-{number}.com"
    pages = {f"/p{page}": f"<title>Page</title><p>office{page}@{host}" for page in range(PAGES_EACH)}
    return Site(host, (), pages={"/": f"<title>Home</title><p>hello@{host}", **pages})


def family_of(pid: int) -> list[int]:
    """Processes below this one, children first."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [each for child in map(int, children) for each in (child, *family_of(child))]


def state_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "Z"


def is_alive(pid: int) -> bool:
    return state_of(pid) != "Z"


def test_the_worst_documents_fail_alone_while_500_innocent_rows_finish(crawl):
    innocents = [innocent(number) for number in range(INNOCENT_SITES)]
    bad_home = Site("hostile-home.com", (), pages={"/": LONG_TO_READ})
    bad_sitemap = xml(f"<urlset>{LONG_LIST}</urlset>")
    bad_pages = {path: page for path, (page, _) in BAD_PAGES.items()}
    bad_site = Site(HOSTILE, (), pages={**bad_pages, "/sitemap.xml": bad_sitemap})
    run = crawl(bad_home, bad_site, *innocents)
    limits = {"SCRAPERSKY_PARSE_SECONDS": SECONDS, "SCRAPERSKY_PARSE_MEMORY_MB": MEGABYTES}
    hosts = [site.host for site in innocents]
    run.db.execute("insert into domains (domain) select unnest(%s::text[])", [[HOSTILE, *hosts]])
    run.db.execute(PAGE_ROWS, [[*BAD_PAGES], [HOSTILE]])
    run.db.execute(SITEMAP_ROW, [HOSTILE])
    run.db.execute(PAGE_ROWS, [[f"/p{page}" for page in range(PAGES_EACH)], hosts])
    supervisor = run.work("app.cli", "work", SCRAPERSKY_PROCESSES="2", AUTO_SELECT="none", **limits)
    run.work("app.cli", "sweeper", **limits)
    workers = wait_until(lambda: registered(run.db) if len(registered(run.db)) == 2 else None)
    run.db.execute("update domains set status = 'pending' where domain <> %s", [HOSTILE])
    run.queue(bad_home.host)
    run.wait(150)

    assert run.value(DONE) == (INNOCENT_SITES * PAGES_EACH, INNOCENT_SITES)
    failed = run.db.execute("select url, page_processing_error from pages where page_processing_status = 'Error'")
    bad = {f"https://{HOSTILE}{path}": words for path, (_, words) in BAD_PAGES.items()}
    assert dict(failed.fetchall()) == {url: f"{url}: {words} (attempt 1 of 5)" for url, words in bad.items()}
    home = run.value("select status_error from domains where status = 'error'")
    assert home == f"https://{bad_home.host}/: needs more than {SECONDS} s to read (attempt 1 of 5)"
    sitemap = run.value("select sitemap_import_error from sitemap_files where sitemap_import_status = 'Error'")
    assert sitemap == f"https://{HOSTILE}/sitemap.xml: needs more than {SITEMAP_SECONDS} s to read (attempt 1 of 5)"
    assert registered(run.db) == workers
    assert "process.died" not in supervisor.output()
    assert re.search(rf"document\.refused .*limit=memory host={HOSTILE}", supervisor.output())


@pytest.mark.parametrize("victim", ["parser", "fork server", "worker"])
def test_nothing_is_lost_and_nothing_left_behind_when_somebody_is_killed_while_parsing(crawl, victim):
    run = crawl(Site(HOSTILE, (), pages={f"/{number}": LONGER_TO_READ for number in range(6)}))
    run.db.execute("insert into domains (domain) values (%s)", [HOSTILE])
    run.db.execute(PAGE_ROWS, [[f"/{number}" for number in range(6)], [HOSTILE]])
    supervisor = run.work("app.cli", "work", SCRAPERSKY_PROCESSES="1", SCRAPERSKY_PARSE_SECONDS="60")
    run.work("app.cli", "sweeper")
    (worker,) = wait_until(lambda: registered(run.db))

    parser = wait_until(lambda: next((one for one in family_of(worker)[1:] if state_of(one) == "R"), None))
    family = family_of(worker)
    server = family[0]
    os.kill({"parser": parser, "fork server": server, "worker": worker}[victim], signal.SIGKILL)
    if victim == "worker":
        wait_until(lambda: not any(map(is_alive, family)))
    elif victim == "fork server":
        wait_until(lambda: not is_alive(parser))
    run.wait(150)

    assert run.value("select count(*) from pages where page_processing_status = 'Complete'") == 6
    if "parsers.unavailable" in supervisor.output():  # who has dropped root may not read the interpreter any more
        (successor,) = wait_until(lambda: registered(run.db))
        assert successor != worker
        assert "process.died" in supervisor.output()
    everybody = family_of(supervisor.pid)
    supervisor.send(signal.SIGTERM)
    supervisor.exit_code(40)
    wait_until(lambda: not any(map(is_alive, everybody)))


def test_a_worker_that_is_told_to_stop_takes_its_parsers_along(crawl):
    run = crawl(innocent(1))
    worker = run.work()
    wait_until(lambda: registered(run.db))
    run.queue("innocent-1.com")
    run.wait()
    family = family_of(worker.pid)

    worker.send(signal.SIGTERM)
    worker.exit_code(40)

    assert len(family) >= 2
    wait_until(lambda: not any(map(is_alive, family)))
