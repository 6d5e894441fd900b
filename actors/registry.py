"""Every workflow, in the order a lead travels. A new one is one file beside this one and one line here."""

from actors._workflow import Workflow
from actors.domain_extraction import domain_extraction
from db.declaration import check_together

WORKFLOWS: tuple[Workflow, ...] = (domain_extraction,)

check_together(WORKFLOWS)
