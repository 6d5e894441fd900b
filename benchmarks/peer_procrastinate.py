"""Procrastinate on the same server: `peer_procrastinate URL ROWS (install|fill|noop|status)`.

`noop` only takes jobs from its own tables, `status` writes Done to the business row as well. An asynchronous worker
with psycopg's pool, jobs deferred in batches, and finished jobs deleted, which is the faster of its settings.
"""

import asyncio
import logging

import uvloop
from procrastinate import App, PsycopgConnector
from psycopg_pool import AsyncConnectionPool

from benchmarks.peer_worker import DONE, RESET, Handled, arguments, wait_for_the_word

CONCURRENCY = 30
AT_ONCE = 5_000


async def install(app: App) -> None:
    await app.schema_manager.apply_schema_async()


async def fill(app: App, pool: AsyncConnectionPool, rows: int) -> None:
    async with pool.connection() as connection:
        await connection.execute(RESET)
        await connection.execute("truncate procrastinate_jobs cascade")
        ids = await (await connection.execute("select id from wide limit %s", [rows])).fetchall()
    jobs = [{"row": str(one[0])} for one in ids]
    for start in range(0, rows, AT_ONCE):
        await app.configure_task("work").batch_defer_async(*jobs[start : start + AT_ONCE])


async def work(app: App) -> None:
    await asyncio.to_thread(wait_for_the_word)
    await app.run_worker_async(concurrency=CONCURRENCY, wait=False, delete_jobs="successful")


async def main() -> None:
    url, rows, step = arguments()
    app = App(connector=PsycopgConnector(conninfo=url, min_size=4, max_size=16))
    async with app.open_async(), AsyncConnectionPool(url, min_size=2, max_size=8) as pool:
        if step == "install":
            await install(app)
            return
        handled = None if step == "fill" else Handled()

        @app.task(name="work")
        async def run(row: str) -> None:
            if step == "status":
                async with pool.connection() as connection:
                    await connection.execute(f"{DONE} %s", [row])
            handled.one_more()

        await (fill(app, pool, rows) if step == "fill" else work(app))


logging.disable(logging.WARNING)  # that its app is made in the main module
uvloop.run(main())
