"""Every metric that processes count, on one screen. Labels are closed sets: never an id, a URL or an error text.

With PROMETHEUS_MULTIPROC_DIR set before this module is imported, the processes of one supervisor add up.
What the database knows is read at scrape time instead: app/figures.py. docs/metrics.md lists both.
"""

from collections.abc import Iterable

from app.counting import count_with_siblings

count_with_siblings()

from prometheus_client import Counter, Gauge, Histogram  # noqa: E402 - it decides at import how to count

from app.histograms import BatchHistogram  # noqa: E402

WAITS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800, 7200)
TIMES = (0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900)
READS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20)
ECHOES = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5)

VERDICTS = ("completed", "retried", "failed", "released", "superseded", "cancelled", "deleted", "unwritable", "stale")
RESCUED = ("retried", "failed", "released", "superseded", "cancelled", "deleted", "unwritable")
REPAIRS = ("lost_claims", "overdue_claims", "missed_rows", "orphaned_rows", "idle_jobs")
CLEARED = ("contacts", "domains", "local_businesses")
FETCHED = ("ok", "unreachable", "too_slow", "server_fault", "busy", "denied", "not_there", "unusable")
BLOCKS = ("address", "scheme", "port", "robots", "crawl_delay", "too_large", "redirects", "proxy", "forbidden", "busy")
QUESTIONS = ("search", "locate", "details")
DOCUMENTS = (
    "contact_page",
    "home_page",
    "sitemap_links",
    "robots_text",
    "robots_rules",
    "robots_sitemaps",
    "sitemap",
    "site_urls",
)
LIMITS = ("time", "memory", "size", "coding", "crash", "answer", "error", "killed")
ANSWERS = ("ok", "refused", "quota", "fault", "unreachable")

outcomes = Counter(
    "scrapersky_attempts", "Attempts ended, by outcome; stale is a refused late result", ["workflow", "outcome"]
)
wait = BatchHistogram("scrapersky_wait_seconds", "From due to claimed", ["workflow"], buckets=WAITS)
work = BatchHistogram("scrapersky_work_seconds", "Run time of one row", ["workflow"], buckets=TIMES)
claims = Counter(
    "scrapersky_claims",
    "Claims, by whether they found rows; in_doubt was committed unheard and given back",
    ["workflow", "result"],
)
pushed_back = Counter("scrapersky_rows_pushed_back", "Claimed rows whose update the database refused", ["workflow"])
overruns = Counter("scrapersky_time_limits_exceeded", "Rows stopped at their time limit", ["workflow"])

doorbells = Counter("scrapersky_doorbells", "Notifications heard", ["workflow"])
polls = Counter("scrapersky_polled_workflows", "Polls that found due work", ["workflow"])
nudges = Counter("scrapersky_nudges", "Nudges, by what became of them", ["workflow", "result"])
listeners = Gauge("scrapersky_listeners", "Listeners that run, deaf or not", multiprocess_mode="livesum")
listener_connected = Gauge(
    "scrapersky_listener_connected", "Listeners that hear their own echo", multiprocess_mode="livesum"
)
listener_awake = Gauge(
    "scrapersky_listener_awake",
    "Listeners that look every few milliseconds, so that nobody rings",
    multiprocess_mode="livesum",
)
listener_reconnects = Counter("scrapersky_listener_reconnects", "Listener connections lost")
echo = Histogram("scrapersky_listener_echo_seconds", "From a listener's own call to hearing it", buckets=ECHOES)

swept = Counter("scrapersky_swept", "Rows and jobs that the sweep had to repair", ["workflow", "kind"])
suppressed_cleared = Counter(
    "scrapersky_suppressed_cleared", "Rows that named a suppressed person past the triggers, by table", ["table"]
)
rescues = Counter("scrapersky_rescues", "Claims taken back from dead workers", ["workflow", "outcome"])
workers_buried = Counter("scrapersky_workers_buried", "Worker processes declared dead", ["by"])
self_fenced = Counter("scrapersky_self_fenced", "Workers that found themselves declared dead and began anew")
gave_up = Counter("scrapersky_gave_up", "Processes that ended themselves, or stood still and were killed", ["reason"])

fetches = Counter("scrapersky_fetches", "What workflows asked of the web, by how it ended", ["workflow", "result"])
blocks = Counter("scrapersky_fetch_blocks", "Fetches refused, by our own guard or by the site", ["workflow", "reason"])
documents = Histogram(
    "scrapersky_read_seconds", "From a document handed to a parser process to its answer", ["document"], buckets=READS
)
parse_failures = Counter(
    "scrapersky_parse_failures", "Documents that were refused, or cost their parser process", ["limit"]
)
parsers_started = Counter("scrapersky_parsers_started", "Parser processes started")
places_calls = Counter("scrapersky_places_calls", "Calls of the Places API", ["kind", "result"])
places_cost = Counter("scrapersky_places_cost_units", "What they cost, in thousandths of a US dollar", ["kind"])


def begin_at_zero(workflows: Iterable[str]) -> None:
    """Make every series exist: without a zero before it, Prometheus does not see the first event as an increase."""
    for name in workflows:
        for metric in (wait, work, overruns, pushed_back, doorbells, polls):
            metric.labels(name)
        for metric, values in (
            (outcomes, VERDICTS),
            (claims, ("rows", "empty", "in_doubt")),
            (nudges, ("sent", "folded", "failed")),
            (swept, REPAIRS),
            (rescues, RESCUED),
            (fetches, FETCHED),
            (blocks, BLOCKS),
        ):
            for value in values:
                metric.labels(name, value)
    single: tuple[tuple[Counter | Histogram, tuple[str, ...]], ...] = (
        (workers_buried, ("supervisor", "sweeper")),
        (gave_up, ("time_limit", "thread", "frozen")),
        (suppressed_cleared, CLEARED),
        (documents, DOCUMENTS),
        (parse_failures, LIMITS),
        (places_cost, QUESTIONS),
    )
    for by_value, given in single:
        for value in given:
            by_value.labels(value)
    for kind in QUESTIONS:
        for answer in ANSWERS:
            places_calls.labels(kind, answer)
