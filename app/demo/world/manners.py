"""Sites that say what a visitor may do: robots.txt, signs at the door, and requests to come back later."""

from app.demo.world.site import Business, Reply, Request, Site, xml
from app.demo.world.writing import links, page, robots, urlset

MARLOW = "https://marlow-family-dental.co.uk"

# The address stands on a page that robots.txt closes, so it must not be found.
marlow = Site(
    host="marlow-family-dental.co.uk",
    businesses=(Business("Marlow Family Dental", "dentist", "GB", phone="+44 20 1946 0533"),),
    phones=frozenset({"+442019460533"}),
    robots=robots("User-agent: *", "Disallow: /contact", f"Sitemap: {MARLOW}/sitemap.xml"),
    forbidden=("/contact",),
    pages={
        "/": page("Marlow Family Dental", f"<h1>Since 1961</h1><p>020 1946 0533</p>{links({'/contact': 'Contact'})}"),
        "/contact": page("Contact", "<p>reception@marlow-family-dental.co.uk</p>"),
        "/sitemap.xml": xml(urlset(MARLOW, ["/", "/contact"])),
    },
)

ravenhurst = Site(
    host="ravenhurst-legal.com",
    businesses=(Business("Ravenhurst Legal", "lawyer", "US", phone="+1 512-958-9140"),),
    robots=robots("User-agent: *", "Disallow: /"),
    forbidden=("/",),
    pages={"/": page("Ravenhurst Legal", "<p>privacy@ravenhurst-legal.com</p>")},
)

MILL_LANE = "https://mill-lane-bistro.co.uk"

mill_lane = Site(
    host="mill-lane-bistro.co.uk",
    businesses=(Business("Mill Lane Bistro", "restaurant", "GB", phone="+44 161 196 0810"),),
    emails=frozenset({"bistro@mill-lane-bistro.co.uk"}),
    phones=frozenset({"+441611960810"}),
    robots=robots("User-agent: *", "Crawl-delay: 1", f"Sitemap: {MILL_LANE}/sitemap.xml"),
    pages={
        "/": page("Mill Lane Bistro", "<h1>Slow food</h1>"),
        "/contact": page("Contact", "<p>bistro@mill-lane-bistro.co.uk, 0161 196 0810</p>"),
        "/sitemap.xml": xml(urlset(MILL_LANE, ["/", "/contact"])),
    },
)

# Nobody knows what this robots.txt says, so everything is closed.
oldtown = Site(
    host="oldtown-plumbing.com",
    businesses=(Business("Oldtown Plumbing", "plumber", "US", phone="+1 512-958-3975"),),
    robots=Reply("Internal Server Error", status=500),
    forbidden=("/",),
    pages={"/": page("Oldtown Plumbing", "<p>office@oldtown-plumbing.com</p>")},
)

sunny_side = Site(
    host="sunny-side-grill.com",
    businesses=(Business("Sunny Side Grill", "restaurant", "US", phone="+1 512-958-6677"),),
    emails=frozenset({"grill@sunny-side-grill.com"}),
    phones=frozenset({"+15129586677"}),
    robots=Reply(page("Sunny Side Grill", "<h1>Breakfast all day</h1>")),
    pages={
        "/": page("Sunny Side Grill", f"<h1>Breakfast all day</h1>{links({'/about-us/contact': 'Contact'})}"),
        "/about-us/contact": page("Contact", "<p>grill@sunny-side-grill.com | 512.958.6677</p>"),
    },
)

# Other programs are sent away by name; we are not among them.
seaglass = Site(
    host="seaglass-gifts.co.uk",
    businesses=(Business("Seaglass Gifts", "store", "GB", phone="+44 113 196 0871"),),
    emails=frozenset({"shop@seaglass-gifts.co.uk"}),
    phones=frozenset({"+441131960871"}),
    robots=robots("User-agent: BadBot", "Disallow: /", "", "User-agent: *", "Disallow: /*?sort=", "Allow: /"),
    forbidden=("/shop?sort=",),
    pages={
        "/": page(
            "Seaglass Gifts",
            f"<h1>Found on the beach</h1>{links({'/shop?sort=contact': 'By contact', '/contact/': 'Contact'})}",
        ),
        "/contact/": page("Contact", "<p>shop@seaglass-gifts.co.uk</p><p>0113 196 0871</p>"),
    },
)


def busy_at_first(request: Request) -> Reply:
    if request.earlier == 0:
        return Reply("Slow down", status=429, headers={"Retry-After": "1"})
    return Reply(page("Rush Hour Plumbing", f"<h1>Always on the way</h1>{links({'/contact': 'Contact'})}"))


rush_hour = Site(
    host="rushhour-plumbing.com",
    businesses=(Business("Rush Hour Plumbing", "plumber", "US", phone="+1 512-958-2088"),),
    emails=frozenset({"now@rushhour-plumbing.com"}),
    phones=frozenset({"+15129582088"}),
    pages={"/": busy_at_first, "/contact": page("Contact", "<p>now@rushhour-plumbing.com, 512-958-2088</p>")},
)


def broken_at_first(request: Request) -> Reply:
    if request.earlier == 0:
        return Reply("Bad Gateway", status=502)
    return Reply(page("Fennel & Finch", f"<h1>Back again</h1>{links({'/contact': 'Contact'})}"))


fennel = Site(
    host="fennel-finch.co.uk",
    businesses=(Business("Fennel & Finch", "restaurant", "GB", phone="+44 161 196 0222"),),
    emails=frozenset({"eat@fennel-finch.co.uk"}),
    phones=frozenset({"+441611960222"}),
    pages={"/": broken_at_first, "/contact": page("Contact", "<p>eat@fennel-finch.co.uk, 0161 196 0222</p>")},
)

members_only = Site(
    host="members-smile-club.com",
    businesses=(Business("Members Smile Club", "dentist", "US", phone="+1 512-958-5656"),),
    pages={"/": Reply("Sign in", status=401, headers={"WWW-Authenticate": "Basic"})},
)

velvet_rope = Site(
    host="velvet-rope-lounge.com",
    businesses=(Business("Velvet Rope Lounge", "restaurant", "US", phone="+1 512-958-2626"),),
    pages={"/": Reply(page("Forbidden", "<h1>Not with those shoes</h1>"), status=403)},
)

SITES = (marlow, ravenhurst, mill_lane, oldtown, sunny_side, seaglass, rush_hour, fennel, members_only, velvet_rope)
