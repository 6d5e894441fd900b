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
APPLICATION = "application"  # the name that Compose gives is the one of the test server's own user


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
def cluster() -> Iterator[EmbeddedPostgres]:
    """As the postgres image has just made it."""
    home = Path(tempfile.mkdtemp(prefix="scrapersky-compose-"))
    home.chmod(0o711)
    server = EmbeddedPostgres(home)
    with server.use():
        yield server
    shutil.rmtree(home)


def prepare(cluster: EmbeddedPostgres, password: Path) -> subprocess.CompletedProcess[str]:
    """Run the script that the postgres image runs."""
    known = conninfo_to_dict(cluster.url)
    environment = {
        "PATH": f"{bin_directory()}:{os.environ['PATH']}",
        "PGHOST": str(known["host"]),
        "POSTGRES_USER": str(known["user"]),
        "POSTGRES_DB": str(known["dbname"]),
        "APPLICATION": APPLICATION,
        "DATABASE_PASSWORD_FILE": str(password),
    }
    [script] = (ROOT / "deploy" / "postgres").iterdir()
    return subprocess.run([script], env=environment, check=False, capture_output=True, text=True)


def application_url(cluster: EmbeddedPostgres, password: str) -> str:
    host = urlencode({"host": str(conninfo_to_dict(cluster.url)["host"])})
    return f"postgresql://{APPLICATION}:{password}@/{APPLICATION}?{host}"


def is_let_in(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError as error:
        assert "password authentication failed" in str(error)  # noqa: PT017 - any other reason is no answer
        return False
    return True


@pytest.fixture
def database(cluster: EmbeddedPostgres, secrets: Path) -> str:
    """A database that nobody has migrated yet, and that asks for the password as the postgres image does."""
    prepared = prepare(cluster, secrets / "database-password")
    assert prepared.returncode == 0, prepared.stderr
    access = cluster.data / "pg_hba.conf"
    access.write_text(f"local {APPLICATION} {APPLICATION} scram-sha-256\n{access.read_text()}")
    with psycopg.connect(cluster.url) as db:
        db.execute("select pg_reload_conf()")
    wait_until(lambda: not is_let_in(application_url(cluster, "wrong")))
    return application_url(cluster, (secrets / "database-password").read_text())


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
        wait_until(lambda name=name, environment=environment: services.is_healthy(name, environment), 60)


@pytest.mark.parametrize("content", ["", None])
def test_no_role_is_made_without_a_password(cluster, tmp_path, content):
    password = tmp_path / "database-password"
    if content is not None:
        password.write_text(content)

    refused = prepare(cluster, password)

    assert refused.returncode == 1
    assert "DATABASE_PASSWORD_FILE: expected a readable file with the password for application" in refused.stderr
    with psycopg.connect(cluster.url) as db:
        assert db.execute("select from pg_roles where rolname = %s", [APPLICATION]).fetchone() is None


def test_redis_with_its_secret_lets_in_only_who_knows_it(secrets):
    with RedisWithSecret(secrets) as server:
        assert server.client.ping()
        with pytest.raises(redis.AuthenticationError):
            redis.Redis.from_url(f"redis://127.0.0.1:{server.port}/0").ping()
