"""The workflows by name, in the order a lead travels, and the table of each. Known without importing any of them."""

from collections.abc import Mapping
from typing import Final

TABLES: Final[Mapping[str, str]] = {
    "place_search": "place_searches",
    "deep_scan": "places_staging",
    "domain_extraction": "local_businesses",
    "domain_metadata": "domains",
    "sitemap_discovery": "domains",
    "sitemap_import": "sitemap_files",
    "page_curation": "pages",
}
