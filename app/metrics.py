"""Every metric, on one screen. Labels are closed sets: never an id, a URL or an error text.

With PROMETHEUS_MULTIPROC_DIR set before this module is imported, the processes of one supervisor add up.
"""

from app.counting import count_with_siblings

count_with_siblings()

from prometheus_client import Counter, Gauge, Histogram  # noqa: E402 - it decides at import how to count

WAITS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800, 7200)
TIMES = (0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900)

outcomes = Counter("scrapersky_attempts", "Attempts ended, by outcome", ["workflow", "outcome"])
wait = Histogram("scrapersky_wait_seconds", "From due to claimed", ["workflow"], buckets=WAITS)
work = Histogram("scrapersky_work_seconds", "Run time of one row", ["workflow"], buckets=TIMES)
claims = Counter("scrapersky_claims", "Claims, by whether they found rows", ["workflow", "result"])
doorbells = Counter("scrapersky_doorbells", "Notifications heard", ["workflow"])
polls = Counter("scrapersky_polled_workflows", "Polls that found due work", ["workflow"])
nudges = Counter("scrapersky_nudges", "Nudges sent to the broker", ["workflow", "result"])
rescues = Counter("scrapersky_rescues", "Claims taken back from dead workers", ["workflow", "outcome"])
swept = Counter("scrapersky_swept", "Rows and jobs that the sweep had to repair", ["workflow", "kind"])
workers_buried = Counter("scrapersky_workers_buried", "Worker processes declared dead", ["by"])
overruns = Counter("scrapersky_time_limits_exceeded", "Rows stopped at their time limit", ["workflow"])
listener_connected = Gauge(
    "scrapersky_listener_connected", "1 while a listener hears its own echo", multiprocess_mode="livesum"
)
listener_reconnects = Counter("scrapersky_listener_reconnects", "Listener connections lost")
last_sweep = Gauge("scrapersky_last_sweep_timestamp_seconds", "When a sweep last ended", multiprocess_mode="mostrecent")
