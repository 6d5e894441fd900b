"""Each service of docker-compose.yml, run by hand as it stands there, with its secrets by file and real servers."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

import psycopg
import pytest
import redis
from psycopg.conninfo import conninfo_to_dict

from app.secret_files import FILE_NAMES
from db.embedded import EmbeddedPostgres
from db.embedded_files import bin_directory
from tests.compose_support import ROOT, compose, ours
from tests.process_support import Processes, Started, free_port, processes_in, wait_until
from tests.server_support import RabbitMQ, Redis

OURS = ours(compose(COMPOSE_PROFILES="rabbitmq"))


class RabbitMQWithSecret(RabbitMQ):
    """Configured by the file that Compose mounts into the container."""

    def __init__(self, secrets: Path) -> None:
        super().__init__()
        (self.directory / "secret.conf").write_text((secrets / "rabbitmq.conf").read_text())
        self.url = at(f"127.0.0.1:{self.port}", secrets / "broker-url-rabbitmq")

    def environment(self) -> Mapping[str, str]:
        return {**super().environment(), "RABBITMQ_CONFIG_FILE": str(self.directory / "secret.conf")}


class RedisWithSecret(Redis):
    def __init__(self, secrets: Path) -> None:
        super().__init__()
        self.conf = secrets / "redis.conf"
        self.client = redis.Redis.from_url(at(f"127.0.0.1:{self.port}", secrets / "broker-url-redis"))

    def command(self) -> Sequence[str]:
        return (self.program, str(self.conf), "--bind", "127.0.0.1", "--port", str(self.port))


def at(address: str, url: Path) -> str:
    """The URL of a secret, led to a server of the test."""
    return re.sub(r"@[^/\s]+", f"@{address}", url.read_text().strip())


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made by the script that makes them for Compose."""
    root = tmp_path_factory.mktemp("deploy")
    script = root / "make-secrets"
    script.write_text((ROOT / "deploy" / "make-secrets").read_text())
    subprocess.run(["sh", script], check=True, capture_output=True)
    return root / "secrets"


@pytest.fixture(scope="module")
def rabbitmq(secrets: Path) -> Iterator[RabbitMQWithSecret]:
    with RabbitMQWithSecret(secrets) as server:
        yield server


class Services:
    """Starts services by their names; the mounted secrets are files in a directory, the ports are free ones."""

    def __init__(self, processes: Processes, mounted: Path) -> None:
        self.processes = processes
        self.mounted = mounted

    def start(self, name: str) -> tuple[Started, dict[str, str]]:
        environment = {
            key: str(value).replace("/run/secrets", str(self.mounted)) if key in FILE_NAMES else str(value)
            for key, value in OURS[name]["environment"].items()
        }
        ports = {key: str(free_port()) for key in environment if key.endswith("_PORT")}
        quick = {"SCRAPERSKY_DRAIN_SECONDS": "3"}
        environment = {**environment, **ports, **quick, "SCRAPERSKY_METRICS_HOST": "127.0.0.1"}
        if "SCRAPERSKY_WEB_HOST" in environment:
            environment["SCRAPERSKY_WEB_HOST"] = "127.0.0.1"  # no test listens beyond it
        return self.processes.start("app.cli", *OURS[name]["command"], **environment), environment

    def is_healthy(self, name: str, environment: dict[str, str]) -> bool:
        """By the check that stands in the file."""
        _, program, *arguments = OURS[name]["healthcheck"]["test"]
        assert program == "python"
        checked = subprocess.run(
            [sys.executable, *arguments], env={**environment, "PYTHONPATH": str(ROOT)}, check=False, capture_output=True
        )
        return checked.returncode == 0


@pytest.fixture
def database(secrets: Path) -> Iterator[str]:
    """Made by the script that the postgres image runs, in a cluster that nobody has migrated yet."""
    home = Path(tempfile.mkdtemp(prefix="scrapersky-compose-"))
    home.chmod(0o711)
    server = EmbeddedPostgres(home)
    with server.use() as url:
        known = conninfo_to_dict(url)
        environment = {
            "PATH": f"{bin_directory()}:{os.environ['PATH']}",
            "PGHOST": str(known["host"]),
            "POSTGRES_USER": str(known["user"]),
            "POSTGRES_DB": str(known["dbname"]),
            "APPLICATION": "application",  # the server's own user has the name that Compose gives
            "DATABASE_PASSWORD_FILE": str(secrets / "database-password"),
        }
        for script in sorted((ROOT / "deploy" / "postgres").iterdir()):
            subprocess.run([script], env=environment, check=True, capture_output=True)
        yield f"postgresql://application@/application?{urlencode({'host': str(known['host'])})}"
    shutil.rmtree(home)


@pytest.fixture
def services(database: str, rabbitmq: RabbitMQWithSecret, secrets: Path, tmp_path: Path) -> Iterator[Services]:
    mounted = tmp_path / "run"
    mounted.mkdir()
    (mounted / "database-url").write_text(f"{database}\n")
    (mounted / "broker-url").write_text(f"{rabbitmq.url}\n")
    (mounted / "google-maps-api-key").write_text("")
    (mounted / "web-token").write_text((secrets / "web-token").read_text())
    with processes_in(tmp_path) as processes:
        yield Services(processes, mounted)


def test_the_services_migrate_get_healthy_and_complete_a_row_without_a_superuser(services, database):
    migrated, _ = services.start("migrate")
    assert migrated.exit_code(60) == 0

    started = {name: services.start(name) for name in OURS if name != "migrate"}
    with psycopg.connect(database, autocommit=True) as db:
        db.execute("update engine.workflow set paused = true where name <> 'domain_extraction'")
        db.execute(
            "insert into local_businesses (business_name, website_url, domain_extraction_status) "
            "values ('Blue Bakery', 'https://www.blue-bakery.com/', 'Queued')"
        )
        done = "select domain from local_businesses where domain_extraction_status = 'Completed'"
        found = wait_until(lambda: db.execute(done).fetchone(), 60)

        is_superuser = db.execute("show is_superuser").fetchone()

    assert found == ("blue-bakery.com",)
    assert is_superuser == ("off",)
    assert "roles_skipped" not in migrated.output()
    for name, (_, environment) in started.items():
        wait_until(lambda name=name, environment=environment: services.is_healthy(name, environment), 30)


def test_redis_with_its_secret_lets_in_only_who_knows_it(secrets):
    with RedisWithSecret(secrets) as server:
        assert server.client.ping()
        with pytest.raises(redis.AuthenticationError):
            redis.Redis.from_url(f"redis://127.0.0.1:{server.port}/0").ping()
