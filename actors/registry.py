"""Every workflow, in the order a lead travels. A new one is one file beside this one and one line in `names.py`."""

from importlib import import_module

from actors._canary import canary
from actors._workflow import Workflow
from actors.names import TABLES
from db.declarations import check_together

WORKFLOWS: tuple[Workflow, ...] = tuple(getattr(import_module(f"actors.{name}"), name) for name in TABLES)

# Run by every worker, shown in no listing: `scrapersky doctor` sends a row through it.
INTERNAL: tuple[Workflow, ...] = (canary,)

check_together((*WORKFLOWS, *INTERNAL))
