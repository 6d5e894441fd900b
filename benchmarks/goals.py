"""What is to be reached, and what the last figures say to it."""

from collections.abc import Callable, Mapping

Values = Mapping[str, Mapping[str, float]]

CEILING = "pgbench, the same in pure SQL by 100"


def _pair(section: str, name: str, form: str = "{:.2f} / {:.2f}") -> Callable[[Values], str]:
    return lambda values: form.format(values[section][f"{name}, 1"], values[section][f"{name}, 2"])


def _one(section: str, name: str, form: str = "{:.2f}") -> Callable[[Values], str]:
    return lambda values: form.format(values[section][name])


def _two(section: str, first: str, second: str, form: str) -> Callable[[Values], str]:
    return lambda values: form.format(values[section][first], values[section][second])


GOALS: tuple[tuple[str, str, Callable[[Values], str]], ...] = (
    ("crawl, default settings against the best one", ">= 0.9", _one("crawl", "default to best")),
    ("crawl, best setting against two Scrapy processes", ">= 2", _one("crawl", "best to Scrapy")),
    ("CPU per page, workers + parsers + Postgres", "<= 6 ms", _one("crawl", "cpu", "{:.1f} ms")),
    ("transactions per page", "<= 0.2", _one("crawl", "transactions", "{:.3f}")),
    ("no-op rows against pure SQL, one / two processes", ">= 0.85 / >= 0.65", _pair("rows", CEILING)),
    ("against PgQueuer, own table only", ">= 1.5 / >= 1.5", _pair("rows", "PgQueuer, own table only")),
    ("against PgQueuer, the same status written", ">= 8", _pair("rows", "PgQueuer, status on the business row")),
    ("against awa, own table only", ">= 4", _pair("rows", "awa, own table only")),
    ("a worker's processor time per no-op row", "<= 20 µs", _one("rows", "worker_us, 1", "{:.0f} µs")),
    (
        "pickup at idle, p50 / p99",
        "<= 1.5 / <= 3 ms",
        _two("pickup", "at idle, p50", "at idle, p99", "{:.1f} / {:.1f} ms"),
    ),
    ("pickup with half the load, p99", "<= 20 ms", _one("pickup", "with half the load, p99", "{:.1f} ms")),
    ("16 committers of single rows, with trigger against without", ">= 0.55", _one("trigger", "single, 16")),
    ("unrelated UPDATE of the same table", ">= 0.95", _one("trigger", "other, 4")),
    ("UPDATE of 100,000 rows", "<= 1.5", _one("trigger", "bulk")),
    ("10,000,000 business rows against 10,000", ">= 0.9", _one("size", "large to small")),
    (
        "five minutes sustained / with a pinned snapshot",
        ">= 0.9 / >= 0.7",
        _two("sustained", "sustained", "pinned", "{:.2f} / {:.2f}"),
    ),
    ("`scrapersky status` at a prompt", "<= 0.5 s", _one("startup", "status", "{:.2f} s")),
    ("a worker process until it is registered", "<= 1 s", _one("startup", "worker, until registered", "{:.2f} s")),
)


def judged(values: Values) -> list[list[str]]:
    rows = []
    for words, goal, reached in GOALS:
        try:
            rows.append([words, goal, reached(values)])
        except KeyError:
            rows.append([words, goal, "not measured yet"])
    return rows
