"""The manifests in docs/kubernetes.md stay true to the settings, the commands and the image."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from actors.registry import WORKFLOWS
from actors.sandbox.pool import FEWEST
from app.commands import COMMANDS
from app.config import NAMES
from app.secret_files import FILE_NAMES
from tests.compose_support import compose, megabytes, ours, workers_megabytes

PAGE = (Path(__file__).parents[2] / "docs" / "kubernetes.md").read_text(encoding="utf-8")
MANIFESTS: list[dict[str, Any]] = [
    manifest for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) for manifest in yaml.safe_load_all(block)
]
PODS = {one["metadata"]["name"]: one["spec"]["template"]["spec"] for one in MANIFESTS if "template" in one["spec"]}
CONTAINERS = [(pod, container) for pod in PODS.values() for container in pod["containers"]]
EACH_CONTAINER = pytest.mark.parametrize(("pod", "container"), CONTAINERS, ids=[one["name"] for _, one in CONTAINERS])
AFTER_DRAINING = 15


def test_all_parts_are_there():
    assert [one["kind"] for one in MANIFESTS] == ["Job", "Deployment", "PodDisruptionBudget", "Deployment", "Service"]
    assert {container["args"][0] for _, container in CONTAINERS} == {"migrate", "work", "listen", "sweeper", "web"}


@EACH_CONTAINER
def test_a_container_runs_a_command_of_ours_with_settings_that_exist(pod, container):
    names = {variable["name"] for variable in container["env"]}

    assert container["args"][0] in COMMANDS
    assert names <= {*NAMES, *FILE_NAMES}
    assert pod["enableServiceLinks"] is False, "or Kubernetes sets SCRAPERSKY_WEB_PORT to something else"


@EACH_CONTAINER
def test_a_container_has_no_rights_and_limits(pod, container):
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["automountServiceAccountToken"] is False
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert "memory" in container["resources"]["limits"]


@EACH_CONTAINER
def test_secrets_are_files_and_the_image_is_ours(pod, container):
    (image,) = {service["image"] for service in ours(compose()).values()}
    secrets = [variable["value"] for variable in container["env"] if variable["name"] in FILE_NAMES]

    assert container["image"].endswith(f"/{image}")
    assert secrets
    assert all(path.startswith("/run/secrets/scrapersky/") for path in secrets)


def test_the_memory_of_the_workers_has_room_for_their_parsers():
    (workers,) = PODS["scrapersky-workers"]["containers"]
    processes = next(int(one["value"]) for one in workers["env"] if one["name"] == "SCRAPERSKY_PROCESSES")

    assert megabytes(workers["resources"]["limits"]["memory"]) >= workers_megabytes(processes)
    assert int(workers["resources"]["limits"]["cpu"]) <= processes * FEWEST, "more cores, more parsers"


def test_a_rollout_waits_for_the_longest_row():
    pod = PODS["scrapersky-workers"]
    (workers,) = pod["containers"]
    drain = next(float(one["value"]) for one in workers["env"] if one["name"] == "SCRAPERSKY_DRAIN_SECONDS")

    assert drain >= max(workflow.time_limit.total_seconds() for workflow in WORKFLOWS)
    assert pod["terminationGracePeriodSeconds"] >= drain + AFTER_DRAINING


def test_containers_of_one_pod_do_not_fight_for_a_port():
    for pod in PODS.values():
        ports = [
            variable["value"]
            for container in pod["containers"]
            for variable in container["env"]
            if variable["name"] == "SCRAPERSKY_METRICS_PORT"
        ]
        assert len(ports) == len(set(ports))
