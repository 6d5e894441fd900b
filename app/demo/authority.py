"""The demo's own certificate authority: a certificate for every host of the world, good or bad as the site wants it."""

import ssl
import threading
from datetime import UTC, datetime
from pathlib import Path

import trustme

from app.demo.world.site import Certificate

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
SOMEBODY_ELSE = "shared-hosting-skyport.com"


class Authority:
    def __init__(self) -> None:
        self._authority = trustme.CA()
        self._contexts: dict[tuple[str, Certificate], ssl.SSLContext] = {}
        self._lock = threading.Lock()

    def write(self, path: Path) -> None:
        """The file that the crawler trusts in the demo, and nowhere else."""
        self._authority.cert_pem.write_to_path(path)

    def context(self, host: str, certificate: Certificate = Certificate.GOOD) -> ssl.SSLContext:
        with self._lock:
            if (host, certificate) not in self._contexts:
                self._contexts[host, certificate] = self._issue(host, certificate)
            return self._contexts[host, certificate]

    def _issue(self, host: str, certificate: Certificate) -> ssl.SSLContext:
        name = SOMEBODY_ELSE if certificate is Certificate.WRONG_NAME else host
        not_after = LONG_AGO if certificate is Certificate.EXPIRED else None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(name, not_after=not_after).configure_cert(context)
        return context
