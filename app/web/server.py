"""`scrapersky web`: the dashboard behind waitress, until a signal or until the supervisor is gone."""

import contextlib
import logging
import signal
import threading

import waitress

from app.config import ConfigurationError, Settings
from app.database import working_database
from app.logs import event
from app.privileges import drop_privileges
from app.supervised import exit_with_parent
from app.web.address import address, check_exposure, listen
from app.web.site import create_site
from app.workflows import load_workflows
from db.connections import open_pool

log = logging.getLogger(__name__)

# A client that never ends its request is let go of, and many of them do not keep the others out.
MOST_CLIENTS = 1000
SILENT_SECONDS = 15
FAREWELL_SECONDS = 2
CONNECTIONS = 6
THREADS = 2 * CONNECTIONS  # who waits for a connection gives up after seconds: threads for /livez come free again
DATABASE_SECONDS = 3


def run_web(settings: Settings) -> int:
    check_exposure(settings)
    if not settings.web_port:
        raise ConfigurationError("SCRAPERSKY_WEB_PORT: expected a port to serve at, got 0, which means none")
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(listen(settings))
        url = stack.enter_context(working_database(settings))
        drop_privileges(settings)
        pool = open_pool(url, size=CONNECTIONS, name="dashboard", timeout=DATABASE_SECONDS, keep_plans=False)
        stack.callback(pool.close)
        site = create_site(settings, pool, load_workflows(settings))
        server = waitress.create_server(
            site,
            sockets=[listening],
            threads=THREADS,
            ident=None,
            clear_untrusted_proxy_headers=not settings.web_proxies,  # else the gate asks who says so
            connection_limit=MOST_CLIENTS,
            channel_timeout=SILENT_SECONDS,
            cleanup_interval=SILENT_SECONDS // 3,
            asyncore_use_poll=True,
        )
        stack.callback(server.close)
        stack.callback(server.task_dispatcher.shutdown, timeout=FAREWELL_SECONDS)  # or an answer meets a closed door
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        exit_with_parent(stop.set, settings)
        threading.Thread(target=server.run, name="dashboard", daemon=True).start()
        event(log, logging.INFO, "web.started", url=address(settings))
        stop.wait()
    return 0
