"""Business website -> registrable domain. No network.

in    local_businesses.website_url, country_code
out   domains, one row per registrable domain, queued for domain_metadata; the business links to it
"""

from typing import NamedTuple
from uuid import UUID

from actors._workflow import Found, Words, Workflow
from actors.parse.domains import website_domain
from db.models import Domain, LocalBusiness

domain_extraction = Workflow(
    table=LocalBusiness,
    status="domain_extraction_status",
    error="domain_extraction_error",
    result="domain_extraction_result",
    curation="status",
    words=Words("Queued", "Processing", "Completed", "Error"),
    feeds="domain_metadata",
)


class Business(NamedTuple):
    id: UUID
    website_url: str | None
    country_code: str | None


@domain_extraction.run
def extract_domain(business: Business) -> Found:
    """No website, or one that many businesses share, is done with a reason."""
    website = website_domain(business.website_url)
    if website.domain is None:
        return Found(values={"domain": None}, reason=website.reason)
    domain = Domain(
        domain=website.domain, local_business_id=business.id, region=business.country_code, status="pending"
    )
    return Found(rows=[domain], values={"domain": website.domain})
