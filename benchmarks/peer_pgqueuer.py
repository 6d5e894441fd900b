"""PgQueuer on the same server, in its own environment: `peer_pgqueuer.py URL ROWS (install|fill|noop|status)`.

`noop` only takes jobs from PgQueuer's own table. `status` also writes Done to the business row that the job stands
for, which is what a user of a status column sees.
"""

import asyncio
import sys

import asyncpg
import uvloop
from pgqueuer import AsyncpgDriver, AsyncpgPoolDriver, Job, PgQueuer, Queries
from pgqueuer.domain.types import QueueExecutionMode

BATCH = 100


async def install(url: str) -> None:
    connection = await asyncpg.connect(url)
    await Queries(AsyncpgDriver(connection)).install()
    await connection.close()


async def fill(url: str, rows: int) -> None:
    connection = await asyncpg.connect(url)
    ids = [str(row["id"]).encode() for row in await connection.fetch("select id from wide limit $1", rows)]
    queries = Queries(AsyncpgDriver(connection))
    for start in range(0, rows, 10_000):
        part = ids[start : start + 10_000]
        await queries.enqueue(["work"] * len(part), list(part), [0] * len(part))
    await connection.close()


async def work(url: str, *, writes: bool) -> None:
    pool = await asyncpg.create_pool(url, min_size=2, max_size=8)
    queuer = PgQueuer(AsyncpgPoolDriver(pool))

    @queuer.entrypoint("work")
    async def run(job: Job) -> None:
        if writes and job.payload:
            await pool.execute("update wide set status = 'Done' where id = $1", job.payload.decode())

    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    await queuer.run(batch_size=BATCH, mode=QueueExecutionMode.drain)
    print("done", flush=True)


def main() -> None:
    # asyncpg looks for a host before the port; ours is in the query.
    url, rows, what = sys.argv[1].replace("@:5432/", "@/"), int(sys.argv[2]), sys.argv[3]
    steps = {
        "install": lambda: install(url),
        "fill": lambda: fill(url, rows),
        "noop": lambda: work(url, writes=False),
        "status": lambda: work(url, writes=True),
    }
    uvloop.run(steps[what]())


main()
