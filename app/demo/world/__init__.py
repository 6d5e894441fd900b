"""A web of small businesses, all invented, and the truth about each: what a person would write down as its contacts."""

from app.demo.world import (
    broken,
    builders,
    central_europe,
    hidden,
    manners,
    odd_businesses,
    odd_sitemaps,
    southern_europe,
    wordpress,
)
from app.demo.world.site import Business, Site

SITES: tuple[Site, ...] = (
    *broken.SITES,
    *wordpress.SITES,
    *builders.SITES,
    *central_europe.SITES,
    *southern_europe.SITES,
    *hidden.SITES,
    *odd_sitemaps.SITES,
    *manners.SITES,
    *odd_businesses.SITES,
)
BUSINESSES: tuple[tuple[Business, str | None], ...] = (
    *((business, business.website or site.url) for site in SITES for business in site.businesses),
    *((business, business.website) for business in odd_businesses.WITHOUT_SITE),
)
"""Each business with the website that Places knows of."""
