"""Sites whose sitemaps loop, lie, explode or are no sitemaps at all."""

import zlib
from functools import cache

from app.demo.world.site import Business, Reply, Request, Site, xml
from app.demo.world.writing import links, page, robots, sitemap_index, urlset

KESTREL = "https://kestrel-plumbing.com"

kestrel = Site(
    host="kestrel-plumbing.com",
    businesses=(Business("Kestrel Plumbing", "plumber", "US", phone="+1 512-958-6645"),),
    emails=frozenset({"jobs@kestrel-plumbing.com"}),
    phones=frozenset({"+15129586645"}),
    robots=robots("User-agent: *", f"Sitemap: {KESTREL}/sitemap.xml"),
    pages={
        "/": page("Kestrel Plumbing", "<h1>Swift and steady</h1>"),
        "/company/contact-us": page("Contact us", "<p>jobs@kestrel-plumbing.com, 512-958-6645</p>"),
        "/sitemap.xml": xml(sitemap_index(f"{KESTREL}/sitemap.xml", f"{KESTREL}/a.xml", f"{KESTREL}/pages.xml")),
        "/a.xml": xml(sitemap_index(f"{KESTREL}/b.xml")),
        "/b.xml": xml(sitemap_index(f"{KESTREL}/a.xml", f"{KESTREL}/sitemap.xml")),
        "/pages.xml": xml(urlset(KESTREL, ["/", "/company/contact-us"])),
    },
)

HARVEST = "https://www.harvest-hall-market.com"

harvest = Site(
    host="www.harvest-hall-market.com",
    businesses=(Business("Harvest Hall Market", "store", "US", phone="+1 512-958-7004"),),
    emails=frozenset({"hall@harvest-hall-market.com"}),
    phones=frozenset({"+15129587004"}),
    robots=robots("User-agent: *", f"Sitemap: {HARVEST}/sitemap.xml"),
    pages={
        "/": page("Harvest Hall Market", "<h1>Three thousand good things</h1>"),
        "/contact-us": page("Contact us", "<p>hall@harvest-hall-market.com<br>(512) 958-7004</p>"),
        "/sitemap.xml": xml(
            urlset(HARVEST, [*(f"/products/item-{number:04}" for number in range(1, 3000)), "/contact-us"])
        ),
    },
)

copper_kettle = Site(
    host="copperkettle-diner.com",
    businesses=(Business("Copper Kettle Diner", "restaurant", "US", phone="+1 512-958-7390"),),
    emails=frozenset({"kettle@copperkettle-diner.com"}),
    phones=frozenset({"+15129587390"}),
    robots=robots("User-agent: *", "Disallow: /admin"),
    forbidden=("/admin",),
    missing=page("Oops!", "<h1>Page not found</h1><p>The page you are looking for does not exist.</p>"),
    pages={
        "/": page("Copper Kettle Diner", f"<h1>Pie first</h1>{links({'/contact': 'Contact', '/menu': 'Menu'})}"),
        "/contact": page("Contact", "<p>kettle@copperkettle-diner.com</p><p>(512) 958-7390</p>"),
    },
)

BLUEGATE = "https://bluegate-dental.com"

bluegate = Site(
    host="bluegate-dental.com",
    businesses=(Business("Bluegate Dental", "dentist", "US", phone="+1 512-958-4252"),),
    emails=frozenset({"hello@bluegate-dental.com"}),
    phones=frozenset({"+15129584252"}),
    robots=robots("User-agent: *", f"Sitemap: {BLUEGATE}/sitemap.xml"),
    pages={
        "/": page("Bluegate Dental", "<h1>Behind the blue gate</h1>"),
        "/contact": page("Contact", "<p>hello@bluegate-dental.com, (512) 958-4252</p>"),
        "/sitemap.xml": xml(
            urlset(
                "",
                [f"{BLUEGATE}/", "/contact", f"{KESTREL}/company/contact-us", "https://www.lumen-smiles.com/contact"],
            )
        ),
    },
)

ENTITIES = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * 10}">' for level in range(1, 10))

QUARRYSTONE = "https://quarrystone-law.com"

quarrystone = Site(
    host="quarrystone-law.com",
    businesses=(Business("Quarrystone Law", "lawyer", "US", phone="+1 512-958-8811"),),
    emails=frozenset({"office@quarrystone-law.com"}),
    phones=frozenset({"+15129588811"}),
    pages={
        "/": page("Quarrystone Law", f"<h1>Firm ground</h1>{links({'/contact': 'Contact'})}"),
        "/contact": page("Contact", "<p>office@quarrystone-law.com or 512-958-8811</p>"),
        "/sitemap.xml": xml(sitemap_index(f"{QUARRYSTONE}/cases.xml")),
        "/cases.xml": xml(
            f'<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY e0 "ha">{ENTITIES}]>'
            '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>&e9;</loc></url></urlset>'
        ),
    },
)


@cache
def packed_spaces(megabytes: int) -> bytes:
    """Gzip that grows a thousand times when it is unpacked."""
    pack = zlib.compressobj(1, wbits=31)
    return b"".join([*(pack.compress(b" " * 2**20) for _ in range(megabytes)), pack.flush()])


def bomb(_: Request) -> Reply:
    return Reply(packed_spaces(200), "application/x-gzip")


FERNCROFT = "https://ferncroft-plumbers.co.uk"

ferncroft = Site(
    host="ferncroft-plumbers.co.uk",
    businesses=(Business("Ferncroft Plumbers", "plumber", "GB", phone="+44 20 1946 0450"),),
    emails=frozenset({"office@ferncroft-plumbers.co.uk"}),
    phones=frozenset({"+442019460450"}),
    robots=robots("User-agent: *", f"Sitemap: {FERNCROFT}/sitemap.xml"),
    pages={
        "/": page("Ferncroft Plumbers", f"<h1>Drips end here</h1>{links({'/contact-us': 'Contact us'})}"),
        "/contact-us": page("Contact us", "<p>office@ferncroft-plumbers.co.uk, 020 1946 0450</p>"),
        "/sitemap.xml": xml(sitemap_index(f"{FERNCROFT}/jobs.xml.gz")),
        "/jobs.xml.gz": bomb,
    },
)

SITES = (kestrel, harvest, copper_kettle, bluegate, quarrystone, ferncroft)
