"""The registry as this installation runs it: the old scheduler settings may override batch and in-flight limit."""

import copy

from actors._workflow import Workflow
from actors.registry import WORKFLOWS
from app.config import Settings


def load_workflows(settings: Settings) -> tuple[Workflow, ...]:
    return tuple(_overridden(workflow, settings) for workflow in WORKFLOWS)


def _overridden(workflow: Workflow, settings: Settings) -> Workflow:
    override = settings.overrides.get(workflow.name)
    if override is None:
        return workflow
    changed = copy.copy(workflow)
    changed.batch = override.batch or workflow.batch
    changed.max_in_flight = override.max_in_flight or workflow.max_in_flight
    return changed
