"""Whether a pooler stands between, and whether the listener would hear through it."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from psycopg import Connection, sql

from app.doctor.finding import Finding, by_setting, failure, well
from app.doctor.patient import Patient

TRIES = 10


def pooler(patient: Patient) -> Iterator[Finding]:
    with patient.connect(patient.url) as voice, patient.connect(patient.listen_url) as ear:
        pooled, pooled_ear = _is_pooled(voice), _is_pooled(ear)
        heard = _hears(voice, ear, patient)
        if heard:
            yield well(_way(pooled=pooled, pooled_ear=pooled_ear))
        elif pooled_ear:
            yield failure(
                "LISTEN goes through a pooler in transaction mode",
                f"No doorbell arrives; work starts by polling, every {patient.settings.poll.total_seconds():g} s. "
                "Give the listener a direct way, with a password if it needs one:",
                by_setting(f"LISTEN_DATABASE_URL={_direct(voice)}"),
            )
        else:
            yield failure(
                "what DATABASE_URL says is not heard at LISTEN_DATABASE_URL",
                "They lead to different databases: no doorbell arrives. Empty means the same as DATABASE_URL:",
                by_setting("LISTEN_DATABASE_URL="),
            )


def is_pooled(patient: Patient) -> bool:
    return patient.connection is not None and _is_pooled(patient.connection)


def _is_pooled(connection: Connection[Any]) -> bool:
    """A pooler makes up the process id of the handshake."""
    row = connection.execute("select pg_backend_pid()").fetchone()
    return row is None or row[0] != connection.info.backend_pid


def _hears(voice: Connection[Any], ear: Connection[Any], patient: Patient) -> bool:
    channel = f"doctor_{uuid4().hex}"
    ear.execute(sql.SQL("listen {}").format(sql.Identifier(channel)))
    try:
        voice.execute("select pg_notify(%s, '')", [channel])
        return any(ear.notifies(timeout=patient.limits.doorbell.total_seconds(), stop_after=1))
    finally:
        _forget(ear, channel)


def _forget(ear: Connection[Any], channel: str) -> None:
    """Behind a pooler the next transaction may be on another connection of the server: look for the right one."""
    for _ in range(TRIES):
        with ear.transaction():
            there = ear.execute("select 1 from pg_listening_channels() as name where name = %s", [channel]).fetchone()
            ear.execute(sql.SQL("unlisten {}").format(sql.Identifier(channel)))
        if there:
            return


def _way(*, pooled: bool, pooled_ear: bool) -> str:
    if not pooled:
        return "direct, and a notification is heard"
    kind = "the listener goes through it too and hears" if pooled_ear else "the listener's own way is direct"
    return f"DATABASE_URL leads to a pooler; {kind}"


def _direct(connection: Connection[Any]) -> str:
    """The server behind the pooler, as the server itself knows it."""
    row = connection.execute(
        "select session_user as user, current_database() as database, host(inet_server_addr()) as host, "
        "current_setting('port') as port, "
        "(select setting from pg_settings where name = 'unix_socket_directories') as sockets"
    ).fetchone()
    if row is None:
        return ""
    user, database = quote(row.user, safe=""), quote(row.database, safe="")
    if row.host:
        return f"postgresql://{user}@{row.host}:{row.port}/{database}"
    directory = (row.sockets or "").split(",")[0].strip()
    return f"postgresql://{user}@:{row.port}/{database}?host={quote(directory, safe='')}"
