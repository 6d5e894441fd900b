"""docker-compose.yml, the Dockerfile and the secrets stay what docs/operations.md says of them."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from actors.registry import WORKFLOWS
from app.cli import cli
from app.commands import COMMANDS
from app.config import NAMES, load_settings
from app.secret_files import FILE_NAMES
from tests.compose_support import ROOT, compose, megabytes, ours, seconds, workers_megabytes

FILE = compose()
SERVICES = FILE["services"]
OURS = ours(FILE)
EACH_SERVICE = pytest.mark.parametrize("name", SERVICES)
EACH_OF_OURS = pytest.mark.parametrize("name", OURS)
# After the drain time a worker interrupts what is left and waits 10 s more; then it leaves, or is given a moment to.
AFTER_DRAINING = 15


def test_the_file_is_valid_for_the_compose_specification():
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    checked = subprocess.run([*command, str(ROOT / "docker-compose.yml")], capture_output=True, text=True, check=False)

    assert checked.returncode == 0, checked.stdout


def test_all_parts_are_there():
    assert set(SERVICES) == {
        *("postgres", "rabbitmq", "redis", "migrate", "listener", "workers", "sweeper", "web", "prometheus", "grafana")
    }
    assert SERVICES["postgres"]["image"].startswith("postgres:18.")


@EACH_SERVICE
def test_nothing_is_published_beyond_loopback(name):
    assert all(port.startswith("127.0.0.1:") for port in SERVICES[name].get("ports", []))
    assert "network_mode" not in SERVICES[name]


@EACH_SERVICE
def test_a_service_runs_without_root_on_a_read_only_disk_and_can_not_win_rights(name):
    service = SERVICES[name]

    assert str(service["user"]).partition(":")[0] not in {"", "0", "root"}
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert "privileged" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert any(mount.startswith("/tmp:") for mount in service["tmpfs"])  # noqa: S108 - a mount of the container


@EACH_SERVICE
def test_a_service_has_limits_a_check_and_somebody_who_restarts_it(name):
    service = SERVICES[name]

    assert {"mem_limit", "cpus", "pids_limit", "stop_grace_period", "healthcheck", "logging"} <= set(service)
    runs_once = name == "migrate"
    assert service["restart"] == ("no" if runs_once else "unless-stopped")
    assert ("test" in service["healthcheck"]) is not runs_once


@EACH_SERVICE
def test_an_image_is_pinned(name):
    tag = SERVICES[name]["image"].partition(":")[2]

    assert re.match(r"v?\d+\.\d+", tag), "name a version that does not move"


@EACH_SERVICE
def test_every_secret_is_a_file_that_the_service_is_given(name):
    service = SERVICES[name]
    given = {secret if isinstance(secret, str) else secret["source"] for secret in service.get("secrets", [])}
    environment = service.get("environment", {})
    words = [*environment.values(), *(service.get("command") or [])]

    read = {word.removeprefix("/run/secrets/") for word in map(str, words) if word.startswith("/run/secrets/")}

    assert read <= given
    assert given <= set(FILE["secrets"])
    by_value = [key for key, value in environment.items() if value and re.search("PASS|TOKEN|KEY|SECRET|URL", key)]
    assert all(key.endswith("_FILE") for key in by_value)


@EACH_OF_OURS
def test_a_command_of_ours_exists_and_its_settings_are_known(name):
    service = OURS[name]
    command, *options = service["command"]

    assert command in COMMANDS
    assert {option for option in options if option.startswith("--")} <= {
        flag for parameter in cli.get_command(click.Context(cli), command).params for flag in parameter.opts
    }
    assert set(service["environment"]) <= {*NAMES, *FILE_NAMES}


@EACH_OF_OURS
def test_the_settings_of_a_service_load_with_secrets_as_they_are_made(name, secrets):
    given = {
        key: str(secrets / value.rpartition("/")[2].replace("broker-url", "broker-url-redis"))
        if key in FILE_NAMES
        else value
        for key, value in OURS[name]["environment"].items()
    }

    settings = load_settings(given, env_file=None)

    assert settings.database_url.startswith("postgresql://scrapersky:")
    assert settings.log_format == "json"


def test_the_memory_of_the_workers_has_room_for_their_parsers():
    assert megabytes(OURS["workers"]["mem_limit"]) >= workers_megabytes()


def test_a_stop_waits_for_the_longest_row_and_for_its_record():
    workers = OURS["workers"]
    drain = float(workers["environment"]["SCRAPERSKY_DRAIN_SECONDS"])
    longest = max(workflow.time_limit.total_seconds() for workflow in WORKFLOWS)

    assert drain >= longest
    assert seconds(workers["stop_grace_period"]) >= drain + AFTER_DRAINING


def test_a_broker_comes_with_its_profile_and_brings_the_listener():
    assert {name: service.get("profiles") for name, service in SERVICES.items() if "profiles" in service} == {
        "rabbitmq": ["rabbitmq"],
        "redis": ["redis"],
        "listener": ["rabbitmq", "redis"],
    }
    for profile in ("rabbitmq", "redis", "none"):
        file = compose(COMPOSE_PROFILES=profile)["secrets"]["broker-url"]["file"]
        assert file == f"./deploy/secrets/broker-url-{profile}"


def test_only_what_needs_the_internet_or_a_published_port_leaves_the_inner_network():
    assert FILE["networks"]["data"]["internal"] is True
    assert [name for name, service in SERVICES.items() if service["networks"] == ["data"]] == [
        *("postgres", "rabbitmq", "redis")
    ]


def test_every_mounted_file_is_in_the_repository():
    mounts = [mount for service in SERVICES.values() for mount in service.get("volumes", [])]

    missing = [mount for mount in mounts if mount.startswith("./") and not (ROOT / mount.partition(":")[0]).exists()]

    assert not missing


def test_the_image_is_of_the_version_that_it_holds():
    version = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)

    assert version is not None
    assert {service["image"] for service in OURS.values()} == {f"scrapersky:{version[1]}"}


def test_the_dockerfile_is_pinned_locked_and_without_root():
    dockerfile = (ROOT / "Dockerfile").read_text()
    bases = re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE)
    installs = [line for line in dockerfile.splitlines() if "uv sync" in line]
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile, re.MULTILINE)

    assert len(bases) == 2
    assert all(re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", base) for base in bases)
    assert all("--frozen" in line and "--no-dev" in line for line in installs)
    assert dockerfile.index("\nUSER 10001:10001\n") < dockerfile.index("\nENTRYPOINT")
    assert "\nHEALTHCHECK " in dockerfile
    assert "PYTHONUNBUFFERED=1" in dockerfile
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert {name for names in copied for name in names.split()} == allowed, "copy what .dockerignore lets in, no more"


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("clone")
    (root / "deploy").mkdir()
    shutil.copy(ROOT / "deploy" / "make-secrets", root / "deploy")
    (root / ".env").write_text("GOOGLE_MAPS_API_KEY=from-the-env-file\n")
    subprocess.run([root / "deploy" / "make-secrets"], check=True, capture_output=True)
    return root / "deploy" / "secrets"


def test_the_secrets_are_made_as_compose_wants_them(secrets):
    wanted = {Path(secret["file"]).name for secret in FILE["secrets"].values()}

    assert wanted <= {file.name for file in secrets.iterdir()}
    assert secrets.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in secrets.iterdir()} == {0o444}
    assert (secrets / "google-maps-api-key").read_text() == "from-the-env-file\n"
    assert len({(secrets / name).read_text() for name in ("postgres-password", "web-token", "grafana-password")}) == 3
    assert re.fullmatch("[0-9a-f]{48}", (secrets / "postgres-password").read_text())


def test_secrets_that_are_there_stay_as_they_are(secrets):
    before = {file.name: file.read_text() for file in secrets.iterdir()}

    again = subprocess.run([secrets.parent / "make-secrets"], check=True, capture_output=True, text=True)

    assert again.stdout == ""
    assert {file.name: file.read_text() for file in secrets.iterdir()} == before


@pytest.fixture
def make_secrets(secrets: Path, tmp_path: Path) -> Callable[[], subprocess.CompletedProcess[str]]:
    """In a clone of its own, where all secrets are there already."""
    shutil.copytree(secrets.parent, tmp_path / "deploy")
    script = tmp_path / "deploy" / "make-secrets"
    return lambda: subprocess.run([script], check=False, capture_output=True, text=True)


def test_secrets_of_a_version_without_a_role_for_the_application_keep_the_password_that_the_database_knows(
    make_secrets, tmp_path
):
    directory = tmp_path / "deploy" / "secrets"
    (directory / "database-password").unlink()
    before = (directory / "database-url").read_text()

    made = make_secrets()

    assert made.returncode == 0, made.stderr
    assert f":{(directory / 'database-password').read_text()}@" in before
    assert (directory / "database-url").read_text() == before


def test_a_url_with_another_password_than_the_role_gets_is_refused_and_the_remedies_help(make_secrets, tmp_path):
    directory = tmp_path / "deploy" / "secrets"
    for remedy in ("database-password", "database-url"):
        (directory / "database-password").unlink()
        (directory / "database-password").write_text("another")

        refused = make_secrets()
        assert refused.returncode == 1
        assert "deploy/secrets/database-url: expected the password of" in refused.stderr

        [command] = re.findall(rf"rm deploy/secrets/{remedy}\b", refused.stderr)
        subprocess.run(command.split(), cwd=tmp_path, check=True)
        assert make_secrets().returncode == 0
        assert (directory / "database-password").read_text() in (directory / "database-url").read_text()


def test_the_secrets_are_kept_out_of_git():
    assert "deploy/secrets/" in (ROOT / ".gitignore").read_text().splitlines()
