"""Who works, listens and sweeps: there, alive, of this version."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from app import VERSION
from app.doctor.finding import SWEEP, Finding, by_hand, by_service, failure, warning, well
from app.doctor.patient import Patient

UP = by_service("scrapersky up")


def living(patient: Patient) -> list[Any]:
    """Workers whose last beat is younger than the lease. The server wrote it, and the server compares."""
    lease = patient.settings.lease.total_seconds()
    return [row for row in patient.look("workers") if row.silent <= lease]


def workers(patient: Patient) -> Iterator[Finding]:
    alive = living(patient)
    silent = [row for row in patient.look("workers") if row.silent > patient.settings.lease.total_seconds()]
    if silent:
        told = ", ".join(f"{row.pid} on {row.host} for {row.silent:.0f} s" for row in silent[:3])
        yield warning(
            f"{len(silent)} registered and silent: {told}",
            "They died or sleep, and no sweeper has given their rows back yet.",
            SWEEP,
        )
    if not alive:
        yield failure("no worker process runs", "Queued rows wait.", UP)
        return
    old = Counter(row.version for row in alive if row.version != VERSION)
    if old:
        told = ", ".join(f"{count} of version {version}" for version, count in old.items())
        yield warning(
            f"{told}, and this is {VERSION}",
            "A deploy is under way, or some host was forgotten.",
            by_hand("restart those workers with this version; they finish what they run first"),
        )
    draining = sum(row.draining for row in alive)
    hosts = len({row.host for row in alive})
    if not old and not silent:
        yield well(f"{len(alive)} processes on {hosts} host(s), {draining} of them draining, all of {VERSION}")


def sweeper(patient: Patient) -> Iterator[Finding]:
    row = patient.one("sweeping")
    ago = "no pass yet" if row.last_pass is None else f"last pass {row.last_pass:.0f} s ago"
    if row.sessions or row.is_recent:
        yield well(f"{row.sessions} connected, {ago}")
        return
    yield warning(
        f"no sweeper runs, {ago}",
        "Rows of a lost host stay in processing, and what was queued past the trigger is not found.",
        by_service("scrapersky sweeper"),
    )


def listener(patient: Patient) -> Iterator[Finding]:
    """Each listener calls itself every few seconds and writes down whether it heard that."""
    rows = patient.look("listeners")
    deaf = [row for row in rows if not row.hears and (row.trouble or not row.is_new)]
    if not rows:
        alone = by_service("scrapersky listen") if patient.settings.broker_url else UP
        yield failure("nobody listens", "No doorbell is heard; while workers run, rows start by polling.", alone)
    elif deaf:
        told = "; ".join(f"{row.pid} on {row.host}: {row.trouble or 'its own echo did not arrive'}" for row in deaf[:3])
        yield (failure if len(deaf) == len(rows) else warning)(
            f"{len(deaf)} of {len(rows)} are deaf: {told}",
            f"They look for work every {patient.settings.poll.total_seconds():g} s instead of hearing the doorbell.",
            by_hand("see pooler above; a listener that can connect again needs nothing else"),
        )
    else:
        awake = [f"; {row.pid} on {row.host} is awake, and nobody rings" for row in rows if row.is_awake]
        yield well(f"{len(rows)} hear their own echo{''.join(awake)}")
