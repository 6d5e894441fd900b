"""Whether the broker answers. Rows wait in Postgres while it is away."""

import logging
from collections.abc import Iterator
from urllib.parse import urlsplit

import pika
import redis

from app.doctor.finding import Finding, by_hand, failure, well
from app.doctor.patient import Patient
from app.logs import redact

SECONDS = 2.0


def broker(patient: Patient) -> Iterator[Finding]:
    url = patient.settings.broker_url
    if not url:
        yield well("none needed: nudges stay inside each worker process")
        return
    parts = urlsplit(url)
    where = f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}"
    try:
        _greet(url)
    except (redis.RedisError, pika.exceptions.AMQPError, OSError) as error:
        yield failure(
            f"{where} does not answer: {redact(str(error)) or type(error).__name__}",
            "No nudge reaches a worker. Queued rows wait in Postgres and start when it is back.",
            by_hand(f"start the broker at {where}, or correct BROKER_URL"),
        )
    else:
        yield well(f"{where} answers")


def _greet(url: str) -> None:
    if url.startswith("redis"):
        with redis.Redis.from_url(url, socket_connect_timeout=SECONDS, socket_timeout=SECONDS) as client:
            client.ping()
        return
    logging.getLogger("pika").setLevel(logging.CRITICAL)  # a refusal is told by us, in one line
    parameters = pika.URLParameters(url)
    parameters.socket_timeout = parameters.stack_timeout = parameters.blocked_connection_timeout = SECONDS
    parameters.connection_attempts = 1
    pika.BlockingConnection(parameters).close()
