"""The registry as this installation runs it: settings may override batches, limits, pauses and retry delays."""

import copy
from dataclasses import replace

from actors._workflow import Workflow
from actors.registry import WORKFLOWS
from app.config import Settings

# Workflows that crawl share this group of politeness keys: one request at a time per host, whatever its purpose.
HOST = "host"


def load_workflows(settings: Settings) -> tuple[Workflow, ...]:
    return tuple(_overridden(workflow, settings) for workflow in WORKFLOWS)


def _overridden(workflow: Workflow, settings: Settings) -> Workflow:
    changed = copy.copy(workflow)
    if workflow.politeness is not None and workflow.politeness.group == HOST:
        changed.politeness = replace(workflow.politeness, spacing=settings.crawl_pause)
    if settings.backoff is not None:
        changed.backoff = replace(workflow.backoff, base=settings.backoff)
    override = settings.overrides.get(workflow.name)
    if override is not None:
        changed.batch = override.batch or workflow.batch
        changed.max_in_flight = override.max_in_flight or workflow.max_in_flight
    return changed
