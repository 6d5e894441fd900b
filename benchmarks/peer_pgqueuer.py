"""PgQueuer on the same server, in its own environment: `peer_pgqueuer URL ROWS (install|fill|noop|status)`.

`noop` only takes jobs from PgQueuer's own table. `status` also writes Done to the business row that the job stands
for, which is what a user of a status column sees. asyncpg, uvloop and batches of 100 as its benchmark has them.
"""

import asyncio

import asyncpg
import uvloop
from pgqueuer import AsyncpgDriver, AsyncpgPoolDriver, Job, PgQueuer, Queries
from pgqueuer.domain.types import QueueExecutionMode

from benchmarks.peer_worker import DONE, RESET, Handled, arguments, wait_for_the_word

BATCH = 100


async def install(url: str) -> None:
    connection = await asyncpg.connect(url)
    await Queries(AsyncpgDriver(connection)).install()
    await connection.close()


async def fill(url: str, rows: int) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(RESET)
    await connection.execute("truncate pgqueuer, pgqueuer_log")
    ids = [str(row["id"]).encode() for row in await connection.fetch("select id from wide limit $1", rows)]
    queries = Queries(AsyncpgDriver(connection))
    for start in range(0, rows, 10_000):
        part = ids[start : start + 10_000]
        await queries.enqueue(["work"] * len(part), list(part), [0] * len(part))
    await connection.close()


async def work(url: str, *, writes: bool) -> None:
    pool = await asyncpg.create_pool(url, min_size=2, max_size=8)
    queuer, handled = PgQueuer(AsyncpgPoolDriver(pool)), Handled()

    @queuer.entrypoint("work")
    async def run(job: Job) -> None:
        if writes and job.payload:
            await pool.execute(f"{DONE} $1", job.payload.decode())
        handled.one_more()

    await asyncio.to_thread(wait_for_the_word)
    await queuer.run(batch_size=BATCH, mode=QueueExecutionMode.drain)


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
