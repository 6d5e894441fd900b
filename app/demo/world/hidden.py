"""Sites whose addresses a person finds at once and a naive program does not; and one that has none at all."""

from app.demo.world.site import Business, Reply, Site, xml
from app.demo.world.writing import cloudflare_hidden, linked_data, links, page, robots, urlset

ORCHARD = "https://orchard-street-dental.com"

orchard = Site(
    host="orchard-street-dental.com",
    businesses=(Business("Orchard Street Dental", "dentist", "US", phone="+1 512-958-3388"),),
    emails=frozenset({"appointments@orchard-street-dental.com", "billing@orchard-street-dental.com"}),
    phones=frozenset({"+15129583388"}),
    robots=robots("User-agent: *", "Disallow: /cdn-cgi/", f"Sitemap: {ORCHARD}/sitemap.xml"),
    forbidden=("/cdn-cgi/",),
    pages={
        "/": page("Orchard Street Dental", f"<h1>Apples are not enough</h1>{links({'/contact': 'Contact'})}"),
        "/contact": page(
            "Contact",
            f"""<p>Call (512) 958-3388.</p>
<p><span class="__cf_email__"
data-cfemail="{cloudflare_hidden("appointments@orchard-street-dental.com")}">[email]</span></p>
<p><a href="/cdn-cgi/l/email-protection#{cloudflare_hidden("billing@orchard-street-dental.com", 0x91)}">Billing</a></p>
<p><a href="/cdn-cgi/l/email-protection#{cloudflare_hidden("?subject=Hello", 0x17)}">Share this page</a></p>""",
        ),
        "/sitemap.xml": xml(urlset(ORCHARD, ["/", "/contact"])),
    },
)

vespera = Site(
    host="www.vespera-restaurant.com",
    businesses=(Business("Vespera", "restaurant", "US", phone="+1 512-958-4914"),),
    emails=frozenset({"table@vespera-restaurant.com"}),
    phones=frozenset({"+15129584914"}),
    pages={
        "/": page(
            "Vespera",
            "<h1>Vespera</h1><p>Supper from six.</p>",
            head=linked_data(
                **{
                    "@type": "Restaurant",
                    "name": "Vespera",
                    "email": "mailto:table@vespera-restaurant.com",
                    "telephone": "+1-512-958-4914",
                    "address": {"@type": "PostalAddress", "addressCountry": "US"},
                }
            ),
        ),
    },
)

TIDEWATER = "https://tidewater-attorneys.com"

tidewater = Site(
    host="tidewater-attorneys.com",
    businesses=(Business("Tidewater Attorneys", "lawyer", "US", phone="+1 512-958-5031"),),
    emails=frozenset(
        {
            "intake@tidewater-attorneys.com",
            "clerk@tidewater-attorneys.com",
            "lena.marsh@tidewater-attorneys.com",
            "omar.reyes@tidewater-attorneys.com",
        }
    ),
    phones=frozenset({"+15129585031", "+15129585032"}),
    robots=robots("User-agent: *", f"Sitemap: {TIDEWATER}/sitemap.xml"),
    pages={
        "/": page("Tidewater Attorneys", f"<h1>Maritime law</h1>{links({'/our-team': 'Attorneys'})}"),
        "/contact.html": page(
            "Contact",
            """<p><a
href="mailto:intake@tidewater-attorneys.com,clerk%40tidewater-attorneys.com?subject=A%20case&amp;body=Hi">
Write to the office</a> or call +1 (512) 958-5031.</p>
<p>Fax: (512) 958-5039</p>""",
        ),
        "/our-team": page(
            "Our team",
            """<section class="vcard"><h2 class="fn">Lena Marsh</h2><p class="title">Attorney</p>
<a class="email" href="mailto:lena.marsh@tidewater-attorneys.com">lena.marsh@tidewater-attorneys.com</a>
<span class="tel">512-958-5032</span></section>
<section class="vcard"><h2 class="fn">Omar Reyes</h2><p class="title">Paralegal</p>
<a class="email" href="mailto:omar.reyes@tidewater-attorneys.com">omar.reyes@tidewater-attorneys.com</a></section>""",
        ),
        "/sitemap.xml": xml(urlset(TIDEWATER, ["/", "/contact.html", "/our-team", "/cases?page=2"])),
    },
)

clearbrook = Site(
    host="clearbrook-plumbing.com",
    businesses=(Business("Clearbrook Plumbing", "plumber", "US"),),
    pages={
        "/": page(
            "Clearbrook Plumbing",
            f"""<h1>Use our form</h1>{links({"/contact": "Contact"})}<img src="/img/badge@2x.png" alt="">
<p>License TX-38120447. Since 1998. Part no. 512-5550-99.</p>""",
        ),
        "/contact": page(
            "Contact",
            """<form><label>E-mail <input type="email" placeholder="name@domain.com"></label>
<label>Phone <input placeholder="(123) 456-7890"></label></form>
<p>Example: john.doe@example.com</p><img src="icon@3x.webp" alt="">
<script>var dsn = "https://aa11bb22cc33dd44ee55ff6677889900@o99.ingest.sentry.io/7";</script>
<footer>Design: <a href="mailto:hello@brightpixel-agency.com">Bright Pixel Agency</a></footer>""",
        ),
    },
)

spaced = Site(
    host="larkspur-kitchen.co.uk",
    businesses=(Business("Larkspur Kitchen", "restaurant", "GB", phone="+44 20 1946 0781"),),
    emails=frozenset({"cook@larkspur-kitchen.co.uk"}),
    phones=frozenset({"+442019460781"}),
    pages={
        "/": page("Larkspur Kitchen", f"<h1>Home cooking</h1>{links({'/contact-us.html': 'Contact us'})}"),
        "/contact-us.html": page(
            "Contact us",
            "<p>Our address: cook (at) larkspur-kitchen (dot) co (dot) uk</p><p>+44 (0)20 1946 0781</p>",
        ),
    },
)

SAKURADAI = "https://xn--y8jl1n870lktyhbs.jp"

sakuradai = Site(
    host="xn--y8jl1n870lktyhbs.jp",
    businesses=(
        Business("さくら台歯科", "dentist", "JP", website="https://さくら台歯科.jp/", phone="+81 75-221-0478"),
    ),
    emails=frozenset({"uketsuke@sakuradai-shika.jp"}),
    phones=frozenset({"+81752210478"}),
    robots=robots("User-agent: *", f"Sitemap: {SAKURADAI}/sitemap.xml"),
    pages={
        "/": Reply(
            page("さくら台歯科", "<h1>やさしい歯医者さん</h1>", lang="ja", charset="Shift_JIS"),
            "text/html",
            charset="shift_jis",
        ),
        "/%E3%81%8A%E5%95%8F%E3%81%84%E5%90%88%E3%82%8F%E3%81%9B/": Reply(
            page(
                "お問い合わせ",
                "<h1>お問い合わせ</h1><p>電話 075-221-0478</p><p>メール uketsuke@sakuradai-shika.jp</p>",
                lang="ja",
                charset="Shift_JIS",
            ),
            "text/html",
            charset="shift_jis",
        ),
        "/sitemap.xml": xml(urlset(SAKURADAI, ["/", "/%E3%81%8A%E5%95%8F%E3%81%84%E5%90%88%E3%82%8F%E3%81%9B/"])),
    },
)

SITES = (orchard, vespera, tidewater, clearbrook, spaced, sakuradai)
