"""What the trigger costs users who queue single rows, update other columns, or queue many rows in one UPDATE."""

import re
import statistics
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

from psycopg import Connection

from benchmarks import bulk_update
from benchmarks.crawl_run import postmaster
from benchmarks.processes import family, processor_seconds
from benchmarks.rows import pgbench
from benchmarks.section import Options, Plot, Section, middle, ratio
from benchmarks.stage import pause, stage, workers

CLIENTS = (1, 4, 16)
# Each client goes through rows of its own, so that every statement queues a row that was not queued.
OWN_ROW = "\\set k :k + 1\n\\set n :client_id * :each + :k\n"
QUEUE = OWN_ROW + "update wide set status = 'Queued' where id = md5((:n)::text)::uuid;\n"
OTHER = OWN_ROW + "update wide set picked_up_at = :k where id = md5((:n)::text)::uuid;\n"
OTHER_BULK = "update wide set picked_up_at = coalesce(picked_up_at, 0) + 1"
WITHOUT, WITH = "without", "with"
DEAF, AT_WORK = "with, nobody listens", "with, a worker takes the rows"


class Commits(NamedTuple):
    rate: float
    processor: float
    """Microseconds of the server's processor for each."""


def commits(url: str, user: Connection[Any], script: str, clients: int, rows: int, *, trigger: bool) -> Commits:
    user.execute(bulk_update.RESET)
    user.execute(f"alter table wide {'enable' if trigger else 'disable'} trigger all")
    user.execute("vacuum analyze wide, engine.job")
    each = rows // clients
    count = min(each, 3_000)
    numbers = ["-D", "k=0", "-D", f"each={each}", "-c", str(clients), "-j", str(min(clients, 2)), "-t", str(count)]
    server = postmaster(user)
    used = processor_seconds(family(server))
    told = pgbench(url, script, *numbers)
    processor = (processor_seconds(family(server)) - used) / (count * clients) * 1e6
    user.execute("alter table wide enable trigger all")
    return Commits(float(re.search(r"tps = ([\d.]+)", told)[1]), processor)


def measure(options: Options, tell: Callable[[str], None]) -> Section:
    single: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    other: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    bulk: dict[str, list[bulk_update.Cost]] = defaultdict(list)
    other_bulk: dict[str, list[bulk_update.Cost]] = defaultdict(list)
    with stage(options.bulk) as (url, user):
        for turn in range(options.rounds):
            for clients in CLIENTS:
                tell(f"trigger: round {turn + 1}, {clients} clients")
                pause(user, paused=True)
                deaf = commits(url, user, QUEUE, clients, options.bulk, trigger=True)
                with workers(url, user, 1):
                    for name in (WITHOUT, WITH):
                        for rates, script in ((single, QUEUE), (other, OTHER)):
                            found = commits(url, user, script, clients, options.bulk, trigger=name == WITH)
                            rates[name][clients].append(found.rate)
                    user.execute(bulk_update.RESET)
                    pause(user, paused=False)
                    working = commits(url, user, QUEUE, clients, options.bulk, trigger=True)
                single[DEAF][clients].append(deaf.rate)
                single[AT_WORK][clients].append(working.rate)
            pause(user, paused=True)
            tell(f"trigger: round {turn + 1}, {options.bulk:,} rows")
            for name, session in ((WITHOUT, "no trigger"), (WITH, "fresh")):
                bulk[name].append(bulk_update.measure(url, user, options.bulk, session))
                other_bulk[name].append(bulk_update.measure(url, user, options.bulk, session, OTHER_BULK))
    return section(options, single, other, bulk, other_bulk)


def section(options: Options, single: Any, other: Any, bulk: Any, other_bulk: Any) -> Section:
    made = Section(
        "What the trigger costs",
        ["", WITHOUT, WITH, "with to without", DEAF, AT_WORK],
        raw={"single": single, "other": other, "bulk": bulk, "other_bulk": other_bulk},
    )
    for words, key, rates in (("queue single rows", "single", single), ("update another column", "other", other)):
        for clients in CLIENTS:
            kept = ratio(rates[WITH][clients], rates[WITHOUT][clients])
            made.values[f"{key}, {clients}"] = kept
            cells = {
                name: middle(rates[name][clients], unit="commits/s") if name in rates else ""
                for name in (WITHOUT, WITH, DEAF, AT_WORK)
            }
            first = [cells[WITHOUT], cells[WITH], f"{kept:.2f}"]
            made.rows.append([f"{words}, {clients} client(s)", *first, cells[DEAF], cells[AT_WORK]])
    for words, key, costs in (("queue", "bulk", bulk), ("update another column of", "other bulk", other_bulk)):
        seconds = {name: [cost.milliseconds / 1000 for cost in costs[name]] for name in (WITHOUT, WITH)}
        processor = {name: [cost.processor for cost in costs[name]] for name in (WITHOUT, WITH)}
        made.values[key] = ratio(seconds[WITH], seconds[WITHOUT])
        made.values[f"{key}, processor"] = ratio(processor[WITH], processor[WITHOUT])
        cells = [middle(seconds[name], ".2f", "s") for name in (WITHOUT, WITH)]
        made.rows.append([f"{words} {options.bulk:,} rows in one UPDATE", *cells, f"{made.values[key]:.2f}", "", ""])
    by_processor = (
        f"By the server's processor time the UPDATE of {options.bulk:,} rows costs "
        f"{made.values['bulk, processor']:.2f} times as much with the trigger, and "
        f"{made.values['other bulk, processor']:.2f} times where it changes another column."
    )
    made.notes = [by_processor]
    lines = {
        name: [(clients, statistics.median(single[name][clients])) for clients in CLIENTS]
        for name in (WITHOUT, WITH, DEAF, AT_WORK)
    }
    made.plots = [Plot("trigger", "single rows queued, by clients", "commits/s", lines=lines)]
    return made
