"""Settings that are each fine and do not fit together."""

from collections.abc import Iterator
from ipaddress import ip_address

from app.doctor.finding import Finding, by_setting, failure, warning, well
from app.doctor.patient import Patient
from app.logs import redact


def mistakes(patient: Patient) -> Iterator[Finding]:
    found = [*_two_databases(patient), *_open_to_all(patient)]
    yield from found
    if not found:
        yield well("every setting is known, and they fit together")


def _two_databases(patient: Patient) -> Iterator[Finding]:
    settings = patient.settings
    if settings.listen_database_url and not settings.database_url:
        yield failure(
            "LISTEN_DATABASE_URL is set and DATABASE_URL is not",
            "Work would be in the embedded database, and the listener at another one.",
            by_setting(f"DATABASE_URL={redact(settings.listen_database_url)}"),
        )


def _open_to_all(patient: Patient) -> Iterator[Finding]:
    host, port = patient.settings.metrics_host, patient.settings.metrics_port
    if port and not _is_loopback(host):
        yield warning(
            f"/metrics is served on {host}:{port}, beyond this machine",
            "It needs no password. Fine inside a container or a closed network; else:",
            by_setting("SCRAPERSKY_METRICS_HOST=127.0.0.1"),
        )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
