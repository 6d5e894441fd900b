"""Every workflow, in the order a lead travels. A new one is one file beside this one and one line here."""

from actors._canary import canary
from actors._workflow import Workflow
from actors.deep_scan import deep_scan
from actors.domain_extraction import domain_extraction
from actors.domain_metadata import domain_metadata
from actors.page_curation import page_curation
from actors.place_search import place_search
from actors.sitemap_discovery import sitemap_discovery
from actors.sitemap_import import sitemap_import
from db.declarations import check_together

WORKFLOWS: tuple[Workflow, ...] = (
    place_search,
    deep_scan,
    domain_extraction,
    domain_metadata,
    sitemap_discovery,
    sitemap_import,
    page_curation,
)

# Run by every worker, shown in no listing: `scrapersky doctor` sends a row through it.
INTERNAL: tuple[Workflow, ...] = (canary,)

check_together((*WORKFLOWS, *INTERNAL))
