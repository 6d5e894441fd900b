"""Businesses whose website is nobody's, somebody else's, shared, or gone."""

from app.demo.world.site import Business, Site, xml
from app.demo.world.writing import page, robots, urlset

GEMINI = "https://gemini-brothers.com"

gemini = Site(
    host="gemini-brothers.com",
    businesses=(
        Business("Gemini Brothers Plumbing", "plumber", "US", phone="+1 512-958-8701"),
        Business(
            "Gemini Brothers Hardware",
            "store",
            "US",
            website=f"{GEMINI}/hardware?utm_source=maps",
            phone="+1 512-958-8702",
        ),
    ),
    emails=frozenset({"castor@gemini-brothers.com", "pollux@gemini-brothers.com"}),
    phones=frozenset({"+15129588701", "+15129588702"}),
    robots=robots("User-agent: *", f"Sitemap: {GEMINI}/sitemap.xml"),
    pages={
        "/": page("Gemini Brothers", "<h1>Two trades, one family</h1>"),
        "/hardware": page("Hardware", "<h1>Nuts and bolts</h1>"),
        "/contact": page(
            "Contact",
            """<p>Plumbing: Castor, 512-958-8701, castor@gemini-brothers.com</p>
<p>Hardware: Pollux, 512-958-8702, pollux@gemini-brothers.com</p>""",
        ),
        "/sitemap.xml": xml(urlset(GEMINI, ["/", "/hardware", "/contact"])),
    },
)

last_supper = Site(
    host="last-supper-club.com",
    businesses=(
        Business("Last Supper Club", "restaurant", "US", phone="+1 512-958-9393", status="CLOSED_PERMANENTLY"),
    ),
    emails=frozenset({"goodbye@last-supper-club.com"}),
    pages={"/": page("Last Supper Club", "<p>We have closed for good. Vouchers: goodbye@last-supper-club.com</p>")},
)

SITES = (gemini, last_supper)

WITHOUT_SITE = (
    Business("Mama Lina's Kitchen", "restaurant", "US", website="https://www.facebook.com/mamalinaskitchen"),
    Business("Pipe Dreams", "plumber", "US", phone="+1 512-958-2466"),
    Business("Gone With The Drain", "plumber", "US", website="http://www.gone-with-the-drain.com/"),
    Business("Quick Bite Counter", "restaurant", "US", website="https://linktr.ee/quickbitecounter"),
)
