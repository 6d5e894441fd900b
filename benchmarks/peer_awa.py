"""awa (a Rust core with Python handlers) on the same server: `peer_awa URL ROWS (install|fill|noop|status)`.

`noop` only takes jobs from awa's own tables, `status` writes Done to the business row as well. Jobs come by its COPY.
"""

import asyncio
from dataclasses import dataclass

import asyncpg
import uvloop
from awa import AsyncClient

from benchmarks.peer_worker import DONE, RESET, Handled, arguments, wait_for_the_word

QUEUE = "work"
WORKERS, CLAIMERS, BATCH = 128, 2, 128
AT_ONCE = 5_000


@dataclass
class Work:
    row: str


def client_of(url: str) -> AsyncClient:
    """Its driver wants a host in its place, even where the query names the directory of a socket."""
    return AsyncClient(url.replace("@/", "@localhost/"))


async def install(url: str) -> None:
    client = client_of(url)
    await client.migrate()
    await client.install_queue_storage()


async def fill(url: str, rows: int) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(RESET)
    jobs = [Work(str(row["id"])) for row in await connection.fetch("select id from wide limit $1", rows)]
    await connection.close()
    client = client_of(url)
    for start in range(0, rows, AT_ONCE):
        await client.enqueue_many_copy(jobs[start : start + AT_ONCE], queue=QUEUE)


async def work(url: str, *, writes: bool) -> None:
    client, handled = client_of(url), Handled()
    pool = await asyncpg.create_pool(url, min_size=2, max_size=8)

    @client.task(Work, queue=QUEUE)
    async def run(job: object) -> None:
        if writes:
            await pool.execute(f"{DONE} $1", job.args.row)
        handled.one_more()

    await asyncio.to_thread(wait_for_the_word)
    queue = {"name": QUEUE, "max_workers": WORKERS, "claimers": CLAIMERS, "claim_batch_size": BATCH}
    await client.start([queue])
    await asyncio.Event().wait()


def main() -> None:
    url, rows, step = arguments()
    steps = {
        "install": lambda: install(url),
        "fill": lambda: fill(url, rows),
        "noop": lambda: work(url, writes=False),
        "status": lambda: work(url, writes=True),
    }
    uvloop.run(steps[step]())


main()
