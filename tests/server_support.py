"""Real servers for tests: Redis and RabbitMQ on free ports of the loopback, ended by their process id."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import pika
import psycopg
import pytest
import redis

from tests.process_support import free_port

# Debian keeps servers where an ordinary user's PATH does not lead, and its wrapper for RabbitMQ wants to be root.
PLACES = os.pathsep.join(("/usr/lib/rabbitmq/bin", os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"))


def wait_until(condition: Callable[[], Any], timeout: float, what: str) -> None:
    """Ask every 20 ms until the condition holds; fail with `what` when the time is over."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"not within {timeout:g} s: {what}")
        time.sleep(0.02)


def program(name: str, package: str) -> str:
    """Where a program is. Without it a laptop skips the test and says what to install, and CI fails."""
    if found := shutil.which(name, path=PLACES):
        return found
    missing = f"{name} is not installed; try: apt-get install {package}"
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)


class Server:
    """A server process in a directory of its own, which `with` starts and ends."""

    patience: ClassVar[float] = 60.0

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix=f"{type(self).__name__.lower()}-"))
        self.log = self.directory / "server.log"
        self.process: subprocess.Popen[bytes] | None = None

    def command(self) -> Sequence[str]:
        raise NotImplementedError

    def environment(self) -> Mapping[str, str]:
        return {}

    def user(self) -> int | None:
        return None

    def check(self) -> None:
        """Talk to the server as a client; any error means that it is not ready."""
        raise NotImplementedError

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(),
                env={**os.environ, **self.environment()},
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=self.user(),
                start_new_session=True,
            )
        wait_until(self.is_ready, self.patience, f"{type(self).__name__} answers; its log is {self.log}")

    @property
    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def is_ready(self) -> bool:
        if not self.runs:
            pytest.fail(f"{type(self).__name__} ended at its start:\n{self.log.read_text()[-2000:]}")
        try:
            self.check()
        except (OSError, psycopg.Error, redis.RedisError, pika.exceptions.AMQPError):
            return False
        return True

    def kill(self) -> None:
        """No farewell: what a crash or a power cut leaves."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """The server accepts connections and answers nothing."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)


class Redis(Server):
    def __init__(self) -> None:
        self.program = program("redis-server", "redis-server")
        super().__init__()
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.client = redis.Redis.from_url(self.url)

    def command(self) -> Sequence[str]:
        return (self.program, "--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--appendonly", "no")

    def check(self) -> None:
        self.client.ping()

    def waiting(self, queue: str) -> int:
        length = self.client.llen(f"dramatiq:{queue}")
        assert isinstance(length, int)
        return length

    def flush(self) -> None:
        """Everything, Dramatiq's own scripts included."""
        self.client.flushall()
        self.client.script_flush()

    def wipe(self) -> None:
        """Nothing to do: without persistence every start is empty."""

    def __exit__(self, *details: object) -> None:
        self.client.close()
        super().__exit__(*details)


class RabbitMQ(Server):
    def __init__(self) -> None:
        self.program = program("rabbitmq-server", "rabbitmq-server")
        self.mapper_program = program("epmd", "erlang-base")
        super().__init__()
        self.port, self.mapper_port, self.distribution_port = free_port(), free_port(), free_port()
        self.url = f"amqp://guest:guest@127.0.0.1:{self.port}/%2F"
        self.mapper: subprocess.Popen[bytes] | None = None
        (self.directory / "plugins").write_text("[].")

    def command(self) -> Sequence[str]:
        return (self.program, "-noinput")

    def environment(self) -> Mapping[str, str]:
        here = str(self.directory)
        return {
            "HOME": here,
            "ERL_EPMD_PORT": str(self.mapper_port),
            "RABBITMQ_ALLOW_INPUT": "yes",  # the script becomes the server, so that killing it kills the server
            "RABBITMQ_NODENAME": "tests@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self.distribution_port),
            "RABBITMQ_MNESIA_BASE": f"{here}/data",
            "RABBITMQ_LOG_BASE": here,
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{here}/plugins",
            "RABBITMQ_CONFIG_FILE": f"{here}/none",
            "RABBITMQ_CONF_ENV_FILE": f"{here}/none",
            "RABBITMQ_PID_FILE": f"{here}/pid",
            # Idle threads that spin would take the two cores away from what is tested.
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+sbwt none +sbwtdcpu none +sbwtdio none",
        }

    def start(self) -> None:
        if self.mapper is None:  # else Erlang starts one as a daemon that nobody ends
            mapper = (self.mapper_program, "-port", str(self.mapper_port), "-address", "127.0.0.1")
            self.mapper = subprocess.Popen(mapper, stdin=subprocess.DEVNULL, start_new_session=True)
        super().start()

    def connect(self) -> pika.BlockingConnection:
        return pika.BlockingConnection(pika.URLParameters(self.url))

    def check(self) -> None:
        socket.create_connection(("127.0.0.1", self.port), 1).close()  # because pika logs every refusal at length
        self.connect().close()

    def open_connections(self, log_start: int) -> set[str]:
        """Those of which this part of the log tells the beginning and not yet the end."""
        log = self.log.read_text()[log_start:]
        accepted, closed = (re.findall(rf"{verb} AMQP connection (<[\d.]+>)", log) for verb in ("accepting", "closing"))
        return set(accepted) - set(closed)

    def waiting(self, queue: str) -> int:
        with contextlib.closing(self.connect()) as connection:
            try:
                return int(connection.channel().queue_declare(queue, passive=True).method.message_count)
            except pika.exceptions.ChannelClosedByBroker:
                return 0  # not declared yet

    def flush(self) -> None:
        """Everything, the queues themselves included."""
        with contextlib.closing(self.connect()) as connection:
            for queue in ("domain_extraction", "domain_extraction.DQ", "domain_extraction.XQ"):
                connection.channel().queue_delete(queue)

    def wipe(self) -> None:
        """Forget all data of the stopped server."""
        shutil.rmtree(self.directory / "data", ignore_errors=True)

    def __exit__(self, *details: object) -> None:
        super().__exit__(*details)
        if self.mapper is not None:
            self.mapper.kill()
            self.mapper.wait()
