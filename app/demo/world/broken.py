"""Sites that moved, were given up, or would hurt a careless visitor."""

from app.demo.world.odd_sitemaps import packed_spaces
from app.demo.world.site import Business, Certificate, Reply, Request, Site, moved
from app.demo.world.writing import links, page

# Another company's domain: its contacts are not this business's without a person's word.
old_harbor = Site(
    host="old-harbor-dental.com",
    businesses=(Business("Old Harbor Dental", "dentist", "US", phone="+1 512-958-2729"),),
    pages={"/": moved("https://www.harbor-dental-group.com/locations/")},
)

harbor_group = Site(
    host="www.harbor-dental-group.com",
    businesses=(),
    pages={
        "/": page("Harbor Dental Group", "<p>group@harbor-dental-group.com</p>"),
        "/locations/": page("Locations", "<p>group@harbor-dental-group.com, (512) 958-2700</p>"),
    },
)

carousel = Site(
    host="carousel-cafe-skyport.com",
    businesses=(Business("Carousel Cafe", "restaurant", "US", phone="+1 512-958-3116"),),
    pages={
        "/": moved("https://carousel-cafe-skyport.com/home", 302),
        "/home": moved("https://carousel-cafe-skyport.com/", 302),
    },
)

hightower = Site(
    host="hightower-pipes.com",
    businesses=(Business("Hightower Pipes", "plumber", "US", phone="+1 512-958-9021"),),
    pages={"/": moved("http://169.254.169.254/latest/meta-data/", 302)},
)

parked = Site(
    host="bellweather-dental.com",
    businesses=(Business("Bellweather Dental", "dentist", "US", phone="+1 512-958-4308"),),
    missing=page("bellweather-dental.com", "<h1>This domain is parked free of charge.</h1><p>Related links</p>"),
    pages={
        "/": page(
            "bellweather-dental.com",
            """<h1>This domain is parked free, courtesy of the registrar.</h1>
<p>Related searches: dentists, implants. Contact abuse@parking-registrar.com</p>""",
        )
    },
)

for_sale = Site(
    host="grandpiazza-ristorante.com",
    businesses=(Business("Grand Piazza Ristorante", "restaurant", "US", phone="+1 512-958-7461"),),
    pages={
        "/": page(
            "grandpiazza-ristorante.com is for sale",
            """<h1>The domain grandpiazza-ristorante.com is for sale!</h1><p>Buy this domain: make an offer.</p>
<p>broker@domain-brokers-intl.com, +1 512-958-0199</p>""",
        )
    },
)

shutters = Site(
    host="shutters-down-diner.com",
    businesses=(Business("Shutters Down Diner", "restaurant", "US", phone="+1 512-958-8322"),),
    refuses=True,
)

empty_plate = Site(
    host="empty-plate-cafe.co.uk",
    businesses=(Business("Empty Plate", "restaurant", "GB", phone="+44 20 1946 0977"),),
)

five_hundred = Site(
    host="crumbling-pillar-law.com",
    businesses=(Business("Crumbling Pillar Law", "lawyer", "US", phone="+1 512-958-5009"),),
    pages={"/": Reply("<h1>Internal Server Error</h1>", status=500)},
    missing=Reply("<h1>Internal Server Error</h1>", status=500),
)

slow_simmer = Site(
    host="slow-simmer-kitchen.com",
    businesses=(Business("Slow Simmer Kitchen", "restaurant", "US", phone="+1 512-958-6160"),),
    phones=frozenset({"+15129586160"}),
    pages={
        "/": page("Slow Simmer", f"<h1>Good things take time</h1><p>512-958-6160</p>{links({'/contact': 'Contact'})}"),
        "/contact": Reply(page("Contact", "<p>patience@slow-simmer-kitchen.com</p>"), drips=True),
    },
)


def twenty_megabytes(_: Request) -> Reply:
    return Reply(page("Every case we won", "<p>Another case.</p>" * (20 * 2**20 // 20) + "all@bigbook-law.com"))


bigbook = Site(
    host="bigbook-law.com",
    businesses=(Business("Bigbook Law", "lawyer", "US", phone="+1 512-958-8484"),),
    emails=frozenset({"desk@bigbook-law.com"}),
    phones=frozenset({"+15129588484"}),
    pages={
        "/": page(
            "Bigbook Law",
            f"""<h1>We wrote the book</h1><p>desk@bigbook-law.com, 512-958-8484</p>{links({"/about": "About us"})}""",
        ),
        "/about": twenty_megabytes,
    },
)


def popcorn(_: Request) -> Reply:
    return Reply(packed_spaces(200), headers={"Content-Encoding": "gzip"})


popcorn_palace = Site(
    host="popcorn-palace-skyport.com",
    businesses=(Business("Popcorn Palace", "store", "US", phone="+1 512-958-7557"),),
    pages={"/": popcorn},
)

lapsed = Site(
    host="lapsed-lantern-dental.com",
    businesses=(Business("Lapsed Lantern Dental", "dentist", "US", phone="+1 512-958-3590"),),
    emails=frozenset({"lamp@lapsed-lantern-dental.com"}),
    phones=frozenset({"+15129583590"}),
    certificate=Certificate.EXPIRED,
    pages={"/": page("Lapsed Lantern Dental", "<p>lamp@lapsed-lantern-dental.com, 512-958-3590</p>")},
)

borrowed_badge = Site(
    host="borrowed-badge-law.com",
    businesses=(Business("Borrowed Badge Law", "lawyer", "US", phone="+1 512-958-4646"),),
    emails=frozenset({"badge@borrowed-badge-law.com"}),
    phones=frozenset({"+15129584646"}),
    certificate=Certificate.WRONG_NAME,
    pages={"/": page("Borrowed Badge Law", "<p>badge@borrowed-badge-law.com, 512-958-4646</p>")},
)

MOVED = (old_harbor, harbor_group, carousel, hightower)
GIVEN_UP = (parked, for_sale, shutters, empty_plate, five_hundred)
HARMFUL = (slow_simmer, bigbook, popcorn_palace, lapsed, borrowed_badge)
SITES = MOVED + GIVEN_UP + HARMFUL
