"""A Scrapy process of the crawl, in Scrapy's own environment: `peer_scrapy.py '{"url": …, "share": [0, 2], …}'`.

Set up as Scrapy's guide to broad crawls advises. The manners are those of ScraperSky: robots.txt is obeyed, one
connection to a host, and the pause counts from the end of an answer. Every host is on loopback, so a resolver of two
lines looks names up. Pages are read by the same functions in this process, and rows go to Postgres in batches.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import psycopg
from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler, CrawlerProcess
from scrapy.http import Response
from scrapy.resolver import CachingThreadedResolver
from twisted.internet.defer import Deferred, succeed

sys.path.insert(0, str(Path(__file__).parents[1]))

from actors.parse.contact_page import read_contact_page
from actors.parse.wire_body import WireBody, WireHead

BATCH = 100
MOST_BYTES = 5_000_000
CHOOSE = """
select id, domain_id, url from scrapy.pages
where page_processing_status = 'Queued' and mod(hashtext(domain_id::text)::bigint + 2147483648, %s) = %s
order by number
"""
FIELDS = ("title", "description", "h1", "canonical_url", "meta_robots", "word_count")
COMPLETE = """
update scrapy.pages set page_processing_status = %s, title = %s, description = %s, h1 = %s, canonical_url = %s,
       meta_robots = %s, word_count = %s, last_scan = %s
where id = %s
"""
CONTACT = """
insert into scrapy.contacts (domain_id, page_id, email, email_type, name, role, phone_number, fax_number, source_url,
                             method, context)
values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) on conflict do nothing
"""


class Loopback(CachingThreadedResolver):
    def getHostByName(self, name: str, timeout: Any = ()) -> Deferred[str]:  # noqa: ARG002, N802 - Twisted's names
        return succeed("127.0.0.1")


class LeaveAlone:
    """Scrapy counts its delay from the start of a request; here it counts from the end of it, as ours does."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        crawler.signals.connect(self.opened, signal=signals.spider_opened)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def opened(self) -> None:
        downloader = self.crawler.engine.downloader
        download = downloader.handlers.download_request_async

        async def timed(request: Request) -> Response:
            try:
                return await download(request)
            finally:
                downloader.slots[request.meta["download_slot"]].lastseen = time.monotonic()

        downloader.handlers.download_request_async = timed


class ToPostgres:
    """Rows in batches, written by a thread while the crawl goes on."""

    def __init__(self, crawler: Crawler) -> None:
        self.connection = psycopg.connect(crawler.settings["DATABASE"], autocommit=True)
        self.batch: list[dict[str, Any]] = []
        self.alone = asyncio.Lock()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        self.batch.append(item)
        if len(self.batch) >= BATCH:
            await self.write()
        return item

    async def write(self) -> None:
        batch, self.batch = self.batch, []
        async with self.alone:
            await asyncio.to_thread(self._write, batch)

    def _write(self, batch: list[dict[str, Any]]) -> None:
        with self.connection.transaction(), self.connection.pipeline(), self.connection.cursor() as cursor:
            cursor.executemany(COMPLETE, [item["page"] for item in batch])
            cursor.executemany(CONTACT, [contact for item in batch for contact in item["contacts"]])

    async def close_spider(self) -> None:
        await self.write()
        self.connection.close()


class Pages(Spider):
    name = "pages"

    async def start(self) -> AsyncIterator[Request]:
        share, of = self.settings["SHARE"]
        with psycopg.connect(self.settings["DATABASE"]) as connection:
            rows = connection.execute(CHOOSE, [of, share]).fetchall()
        port = self.settings["ORIGIN_PORT"]
        for page, domain, url in rows:
            scheme, _, rest = url.partition("://")
            host, _, path = rest.partition("/")
            row = {"page": page, "domain": domain, "url": url}
            yield Request(f"{scheme}://{host}:{port}/{path}", cb_kwargs=row, errback=self.failed)

    def parse(self, response: Response, page: Any, domain: Any, url: str) -> Iterator[dict[str, Any]]:
        kind = response.headers.get("Content-Type", b"").decode()
        read = read_contact_page([WireBody(WireHead(url, None, kind, MOST_BYTES), response.body)], region="US")
        described = [getattr(read.description, field) for field in FIELDS]
        contacts = [
            (
                domain,
                page,
                one.email,
                one.email_type,
                one.name,
                one.role,
                one.phone,
                one.fax,
                url,
                one.method,
                one.context,
            )
            for one in read.cards
        ]
        yield {"page": ("Complete", *described, datetime.now(UTC), page), "contacts": contacts}

    def failed(self, failure: Any) -> Iterator[dict[str, Any]]:
        nothing = [None] * len(FIELDS)
        row = failure.request.cb_kwargs
        yield {"page": ("Error", *nothing, datetime.now(UTC), row["page"]), "contacts": []}


def settings(given: dict[str, Any]) -> dict[str, Any]:
    return {
        "DATABASE": given["url"],
        "SHARE": given["share"],
        "ORIGIN_PORT": given["port"],
        "JOBDIR": given.get("jobdir"),
        "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
        "AUTOTHROTTLE_ENABLED": False,
        "CONCURRENT_REQUESTS": given["concurrency"],
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "COOKIES_ENABLED": False,
        "TWISTED_DNS_RESOLVER": Loopback,
        "DOWNLOAD_DELAY": given["pause"],
        "DOWNLOAD_DELAY_JITTER": 0,
        "DOWNLOAD_TIMEOUT": 30,  # as ours has it
        "EXTENSIONS": {LeaveAlone: 0},
        "ITEM_PIPELINES": {ToPostgres: 0},
        "LOG_LEVEL": "WARNING",
        "REACTOR_THREADPOOL_MAXSIZE": 20,
        "ROBOTSTXT_OBEY": True,
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        "TELNETCONSOLE_ENABLED": False,
        "USER_AGENT": "ScraperSky/0.1",
    }


def main() -> None:
    given = json.loads(sys.argv[1])
    process = CrawlerProcess(settings(given))
    process.crawl(Pages)
    print("ready", os.getpid(), flush=True)
    sys.stdin.readline()
    process.start()


if __name__ == "__main__":
    main()
