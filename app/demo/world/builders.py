"""Sites made with a builder: Wix, Shopify, Squarespace, Webflow, Joomla and Drupal leave their marks."""

import json

from app.demo.world.site import Business, Site, xml
from app.demo.world.writing import links, page, robots, sitemap_index, urlset

LUMEN = "https://www.lumen-smiles.com"
LUMEN_STATE = json.dumps(
    {
        "siteAssets": {"sentryDsn": "https://605a7baede844d278b89dc95ae0a9123@sentry.wixpress.com/68"},
        "masterPage": {"contact": "demo@mysite.com", "phone": "123-456-7890"},
    }
)
LUMEN_HEAD = (
    '<meta name="generator" content="Wix.com Website Builder">'
    '<link rel="preconnect" href="https://static.parastorage.com">'
    f'<script type="application/json" id="wix-viewer-model">{LUMEN_STATE}</script>'
)

lumen = Site(
    host="www.lumen-smiles.com",
    businesses=(Business("Lumen Smiles", "dentist", "US", phone="+1 512-958-4470"),),
    emails=frozenset({"frontdesk@lumen-smiles.com"}),
    phones=frozenset({"+15129584470"}),
    robots=robots("User-agent: *", "Allow: /", f"Sitemap: {LUMEN}/sitemap.xml"),
    pages={
        "/": page(
            "Lumen Smiles | Dentist",
            f"""<div id="SITE_CONTAINER">{links({f"{LUMEN}/contact": "Contact"})}<h1>Brighter days</h1></div>""",
            head=LUMEN_HEAD,
        ),
        "/contact": page(
            "Contact | Lumen Smiles",
            f"""<div id="SITE_CONTAINER">{" " * 20_000}<div data-testid="richTextElement">
<p><span>512-958-4470</span></p>
<p><span>frontdesk@lumen-smiles.com</span></p></div></div>""",
            head=LUMEN_HEAD,
        ),
        "/sitemap.xml": xml(sitemap_index(f"{LUMEN}/pages-sitemap.xml")),
        "/pages-sitemap.xml": xml(urlset(LUMEN, ["", "/contact", "/services"])),
    },
)

SALTMARSH = "https://saltmarsh-candles.com"
SALTMARSH_HEAD = (
    '<script src="https://cdn.shopify.com/shopifycloud/storefront/assets/main.js"></script>'
    '<script>window.Shopify = {shop: "saltmarsh-candles.myshopify.com"};</script>'
)

saltmarsh = Site(
    host="saltmarsh-candles.com",
    businesses=(Business("Saltmarsh Candles", "store", "US", phone="+1 512-958-7713"),),
    emails=frozenset({"care@saltmarsh-candles.com"}),
    phones=frozenset({"+15129587713"}),
    robots=robots("User-agent: *", "Disallow: /checkout", "Disallow: /cart", f"Sitemap: {SALTMARSH}/sitemap.xml"),
    forbidden=("/checkout", "/cart"),
    pages={
        "/": page(
            "Saltmarsh Candles",
            f"""<div class="shopify-section">{links({"/collections/all": "All candles", "/pages/contact": "Contact"})}
<h1>Poured by hand</h1><form action="/contact"><input type="email" placeholder="email@example.com"></form></div>""",
            head=SALTMARSH_HEAD,
        ),
        "/pages/contact": page(
            "Contact",
            """<h1>Contact</h1><form action="/contact#form"><input name="contact[email]"></form>
<p>Or write to <a href="mailto:Care@Saltmarsh-Candles.com">Care@Saltmarsh-Candles.com</a>
or text <a href="tel:5129587713">512 958 7713</a>.</p>""",
            head=SALTMARSH_HEAD,
        ),
        "/pages/our-story": page("Our story", "<p>It began with a jar and a wick.</p>", head=SALTMARSH_HEAD),
        "/sitemap.xml": xml(
            sitemap_index(
                f"{SALTMARSH}/sitemap_products_1.xml?from=1&amp;to=90",
                f"{SALTMARSH}/sitemap_pages_1.xml?from=1&amp;to=9",
            )
        ),
        "/sitemap_products_1.xml?from=1&to=90": xml(
            urlset(
                SALTMARSH,
                [f"/products/candle-{number}" for number in range(1, 41)],
                namespaces='xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
                extra="<image:image><image:loc>https://cdn.shopify.com/s/files/1/candle.jpg</image:loc></image:image>",
            )
        ),
        "/sitemap_pages_1.xml?from=1&to=9": xml(urlset(SALTMARSH, ["/pages/contact", "/pages/our-story"])),
    },
)

QUIET_FORK = "https://www.thequietfork.com"

quiet_fork = Site(
    host="www.thequietfork.com",
    businesses=(Business("The Quiet Fork", "restaurant", "US", phone="+1 512-958-8086"),),
    emails=frozenset({"reservations@thequietfork.com", "press@thequietfork.com"}),
    phones=frozenset({"+15129588086"}),
    robots=robots(
        "# Squarespace Robots Txt", "User-agent: *", "Disallow: /config", f"Sitemap: {QUIET_FORK}/sitemap.xml"
    ),
    forbidden=("/config",),
    pages={
        "/": page(
            "The Quiet Fork",
            """<!-- This is Squarespace. --><h1>Dinner without the noise</h1>
<footer><p>The Quiet Fork, 77 Lantern Lane, Skyport</p><p>(512) 958-8086</p></footer>""",
            head='<script src="https://static1.squarespace.com/static/vta/scripts/site-bundle.js"></script>',
        ),
        "/visit-us": page(
            "Visit us",
            """<p>Reservations: <a href="mailto:reservations@thequietfork.com">e-mail</a>, tel. (512) 958-8086</p>
<p>Press: <a href="mailto:press@thequietfork.com">e-mail</a></p>""",
        ),
        "/contact": page("Contact", "<p>Write to reservations@thequietfork.com or to press@thequietfork.com.</p>"),
        "/sitemap.xml": xml(urlset(QUIET_FORK, ["/", "/menus", "/visit-us", "/contact"])),
    },
)

NORTHLIGHT = "https://northlight-legal.com"

northlight = Site(
    host="northlight-legal.com",
    businesses=(Business("Northlight Legal", "lawyer", "US", phone="+1 512-958-2964"),),
    emails=frozenset({"intake@northlight-legal.com"}),
    phones=frozenset({"+15129582964"}),
    pages={
        "/": page(
            "Northlight Legal",
            f"""<h1>Counsel for small companies</h1>{links({"/get-in-touch": "Get in touch"})}""",
            head='<meta name="generator" content="Webflow">'
            '<link rel="stylesheet" href="https://assets.website-files.com/css/northlight.webflow.css">',
        ),
        "/get-in-touch": page(
            "Get in touch",
            '<h1>Talk to us</h1><a href="mailto:intake@northlight-legal.com">Email</a> <span>+1 (512) 958-2964</span>',
        ),
        "/sitemap.xml": xml(urlset(NORTHLIGHT, ["/", "/get-in-touch"])),
    },
)

TANNENHOF = "https://www.tannenhof-gasthaus.at"
TANNENHOF_HEAD = '<meta name="generator" content="Joomla! - Open Source Content Management">'

tannenhof = Site(
    host="www.tannenhof-gasthaus.at",
    businesses=(Business("Gasthaus Tannenhof", "restaurant", "AT", phone="+43 662 870412"),),
    emails=frozenset({"stube@tannenhof-gasthaus.at"}),
    phones=frozenset({"+43662870412", "+436645550142"}),
    robots=robots("User-agent: *", "Disallow: /administrator/"),
    forbidden=("/administrator/",),
    pages={
        "/": page(
            "Gasthaus Tannenhof",
            "<h1>Gutes aus der Region</h1>"
            + links(
                {
                    "/index.php/speisekarte": "Karte",
                    "/index.php/kontakt": "Kontakt",
                    "/index.php/impressum": "Impressum",
                }
            ),
            lang="de-AT",
            head=TANNENHOF_HEAD,
        ),
        "/index.php/kontakt": page(
            "Kontakt",
            "<p>Tel.: 0662 / 87 04 12<br>Mobil: 0664 555 01 42<br>E-Mail: stube[at]tannenhof-gasthaus.at</p>",
            lang="de-AT",
            head=TANNENHOF_HEAD,
        ),
        "/index.php/impressum": page(
            "Impressum",
            "<p>Gasthaus Tannenhof, UID: ATU87654321, FN 482910 k, stube (at) tannenhof-gasthaus (dot) at</p>",
            lang="de-AT",
            head=TANNENHOF_HEAD,
        ),
    },
)

HEIRLOOM = "https://heirloom-books.co.uk"

heirloom = Site(
    host="heirloom-books.co.uk",
    businesses=(Business("Heirloom Books", "store", "GB", phone="+44 113 196 0234"),),
    emails=frozenset({"books@heirloom-books.co.uk"}),
    phones=frozenset({"+441131960234"}),
    robots=robots("User-agent: *", "Disallow: /core/", "Disallow: /user/login"),
    forbidden=("/core/", "/user/login"),
    pages={
        "/": page(
            "Heirloom Books",
            """<h1>Second-hand books</h1><a href="/node/7">Where to find us</a> <a href="/user/login">Log in</a>
<p>0113 196 0234</p>""",
            head='<meta name="Generator" content="Drupal 10 (https://www.drupal.org)">'
            '<link rel="sitemap" type="application/xml" href="/books-map.xml">',
        ),
        "/node/7": page("Where to find us", "<p>12 Orchard Row, opposite the library</p>"),
        "/about": page("About", "<p>We buy libraries: books<span>@</span>heirloom-books.co.uk, 0113 196 0234</p>"),
        "/books-map.xml": xml(urlset(HEIRLOOM, ["/", "/about", *(f"/book/{number}" for number in range(1, 61))])),
    },
)

SITES = (lumen, saltmarsh, quiet_fork, northlight, tannenhof, heirloom)
