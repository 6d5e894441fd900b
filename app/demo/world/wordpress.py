"""Sites that run on WordPress, with the sitemaps of Yoast and of WordPress itself."""

from app.demo.world.site import Business, Reply, Site, xml
from app.demo.world.writing import linked_data, links, page, robots, sitemap_index, urlset, wordpress

CEDARLINE = "https://www.cedarline-dental.com"
CEDARLINE_HEAD = wordpress("cedarline", plugins=["contact-form-7", "wordpress-seo"]) + linked_data(
    **{"@graph": [{"@type": "WebSite", "name": "Cedarline Dental", "url": f"{CEDARLINE}/"}]}
)
CEDARLINE_MENU = links({"/": "Home", "/our-team/": "Our team", "/services/": "Services", "/contact-us/": "Contact"})

cedarline = Site(
    host="www.cedarline-dental.com",
    businesses=(Business("Cedarline Dental", "dentist", "US", phone="+1 512-958-2310"),),
    emails=frozenset(
        {"smile@cedarline-dental.com", "m.okafor@cedarline-dental.com", "j.lindqvist@cedarline-dental.com"}
    ),
    phones=frozenset({"+15129582310", "+15129582311"}),
    robots=robots(
        "User-agent: *",
        "Disallow: /wp-admin/",
        "Allow: /wp-admin/admin-ajax.php",
        "",
        f"Sitemap: {CEDARLINE}/sitemap_index.xml",
    ),
    pages={
        "/": page(
            "Cedarline Dental | Family dentistry",
            f"""{CEDARLINE_MENU}<h1>Gentle care for the whole family</h1>
<img src="/wp-content/uploads/hero@2x.jpg" srcset="/wp-content/uploads/hero@2x.jpg 2x" alt="">
<p>Call us at <a href="tel:+15129582310">(512) 958-2310</a>.</p>
<footer>&copy; 2026 Cedarline Dental <a href="https://www.facebook.com/cedarlinedental">Facebook</a></footer>""",
            head=CEDARLINE_HEAD,
        ),
        "/contact-us/": page(
            "Contact us - Cedarline Dental",
            f"""{CEDARLINE_MENU}<h1>Contact us</h1>
<p>Cedarline Dental, 410 Alder Walk, Skyport, TX 78799</p>
<p>Phone: (512) 958-2310<br>After hours: 512.958.2311</p>
<p>E-mail: <a href="mailto:smile@cedarline-dental.com?subject=New%20patient">smile@cedarline-dental.com</a></p>
<form class="wpcf7-form"><input type="email" placeholder="you@example.com"></form>""",
            head=CEDARLINE_HEAD,
        ),
        "/our-team/": page(
            "Our team - Cedarline Dental",
            f"""{CEDARLINE_MENU}<h1>Our team</h1>
<div class="member"><h3>Dr. Miriam Okafor</h3><p>Dentist, owner</p>
<a href="mailto:m.okafor@cedarline-dental.com">m.okafor@cedarline-dental.com</a></div>
<div class="member"><h3>Jonas Lindqvist</h3><p>Practice manager</p>
<a href="mailto:j.lindqvist@cedarline-dental.com">j.lindqvist@cedarline-dental.com</a></div>""",
            head=CEDARLINE_HEAD,
        ),
        "/services/": page("Services - Cedarline Dental", f"{CEDARLINE_MENU}<h1>Services</h1>", head=CEDARLINE_HEAD),
        "/sitemap_index.xml": xml(
            sitemap_index(
                f"{CEDARLINE}/page-sitemap.xml",
                f"{CEDARLINE}/post-sitemap.xml",
                comment='<?xml-stylesheet type="text/xsl" href="/wp-content/plugins/wordpress-seo/sitemap.xsl"?>\n',
            )
        ),
        "/page-sitemap.xml": xml(urlset(CEDARLINE, ["/", "/our-team/", "/services/", "/contact-us/"])),
        "/post-sitemap.xml": xml(urlset(CEDARLINE, [f"/blog/tip-{number}/" for number in range(1, 9)])),
    },
)

BRAMBLE = "https://brambleandrye.co.uk"
BRAMBLE_HEAD = wordpress("hello-elementor", plugins=["elementor"])
BRAMBLE_MENU = links({"/": "Home", "/menu/": "Menu", "/find-us/": "Find us", "/contact/": "Contact"})

bramble = Site(
    host="brambleandrye.co.uk",
    businesses=(Business("Bramble & Rye", "restaurant", "GB", phone="+44 20 1946 0112"),),
    emails=frozenset({"hello@brambleandrye.co.uk", "events@brambleandrye.co.uk"}),
    phones=frozenset({"+442019460112"}),
    robots=robots("User-agent: *", "Disallow: /wp-admin/", f"Sitemap: {BRAMBLE}/wp-sitemap.xml"),
    pages={
        "/": page("Bramble &amp; Rye", f"{BRAMBLE_MENU}<h1>A bakery by day, a table by night</h1>", head=BRAMBLE_HEAD),
        "/contact/": page(
            "Contact | Bramble &amp; Rye",
            f"""{BRAMBLE_MENU}<div class="elementor-widget-text-editor"><h2>Book a table</h2>
<p>Ring 020 1946 0112 or write to
&#104;&#101;&#108;&#108;&#111;&#64;&#98;&#114;&#97;&#109;&#98;&#108;&#101;&#97;&#110;&#100;&#114;&#121;&#101;&#46;&#99;&#111;&#46;&#117;&#107;.</p>
<p>Parties of eight or more:
<a href="&#x6d;&#x61;&#x69;&#x6c;&#x74;&#x6f;&#x3a;events&#x40;brambleandrye.co.uk">our events desk</a></p></div>
<p>Company no. 09482716. VAT GB 287 4410 93.</p>""",
            head=BRAMBLE_HEAD,
        ),
        "/menu/": page("Menu", f"{BRAMBLE_MENU}<h1>Menu</h1><p>Rye loaf 4.20, soup 7.50</p>", head=BRAMBLE_HEAD),
        "/find-us/": page("Find us", f"{BRAMBLE_MENU}<p>9 Orchard Row, Skyport SK1 4AB</p>", head=BRAMBLE_HEAD),
        "/wp-sitemap.xml": xml(sitemap_index(f"{BRAMBLE}/wp-sitemap-posts-page-1.xml")),
        "/wp-sitemap-posts-page-1.xml": xml(urlset(BRAMBLE, ["/", "/menu/", "/find-us/", "/contact/"])),
    },
)

IRONBARK = "https://ironbarkplumbing.com"
IRONBARK_HEAD = wordpress("Divi", plugins=["wpforms-lite"]) + '<script src="https://js.intercomcdn.com/w.js"></script>'

ironbark = Site(
    host="ironbarkplumbing.com",
    businesses=(Business("Ironbark Plumbing", "plumber", "US", phone="+1 737-958-3401"),),
    emails=frozenset({"dispatch@ironbarkplumbing.com"}),
    phones=frozenset({"+17379583401"}),
    pages={
        "/": page(
            "Ironbark Plumbing",
            """<div id="et-main-area"><h1>Pipes that hold</h1><img src="/wp-content/uploads/logo@2x.png" alt="">
<a href="/contact/">Get in touch</a></div>
<script>Sentry.init({dsn: "https://8f1c2ab04d5e6f708192a3b4c5d6e7f8@o450021.ingest.sentry.io/12"});</script>""",
            head=IRONBARK_HEAD,
        ),
        "/contact/": page(
            "Contact",
            """<h1>Contact</h1><p>Dispatch: 737-958-3401, dispatch@ironbarkplumbing.com</p>
<form><input name="email" placeholder="jane@yourcompany.com"><input name="phone" placeholder="(123) 456-7890"></form>
<!-- old office: 737-958-9988, old@ironbarkplumbing.com -->""",
            head=IRONBARK_HEAD,
        ),
        "/wp-sitemap.xml": xml(sitemap_index(f"{IRONBARK}/wp-sitemap-posts-page-1.xml")),
        "/wp-sitemap-posts-page-1.xml": xml(urlset(IRONBARK, ["/", "/contact/"])),
    },
)

HOLLOWAY = "https://www.hollowaykeane-law.co.uk"
HOLLOWAY_CREDIT = (
    '<footer>Website by <a href="mailto:studio@pixelfoundry-studio.co.uk">Pixel Foundry Studio</a></footer>'
)
HOLLOWAY_HEAD = wordpress("astra", version="6.7.2", plugins=["wordpress-seo"])

holloway = Site(
    host="www.hollowaykeane-law.co.uk",
    businesses=(Business("Holloway Keane Solicitors", "lawyer", "GB", phone="+44 161 196 0345"),),
    emails=frozenset(
        {
            "enquiries@hollowaykeane-law.co.uk",
            "r.holloway@hollowaykeane-law.co.uk",
            "s.keane@hollowaykeane-law.co.uk",
            "p.adeyemi@hollowaykeane-law.co.uk",
        }
    ),
    phones=frozenset({"+441611960345", "+441611960346"}),
    robots=robots("User-agent: *", "Disallow:", f"Sitemap: {HOLLOWAY}/sitemap_index.xml"),
    pages={
        "/": page(
            "Holloway Keane Solicitors",
            f"""<h1>Conveyancing, wills and family law</h1>
{links({"/about/our-people/": "Our people", "/contact-us/": "Contact us"})}{HOLLOWAY_CREDIT}""",
            head=HOLLOWAY_HEAD,
        ),
        "/contact-us/": page(
            "Contact us",
            f"""<h1>Contact us</h1><p>T: 0161 196 0345<br>F: 0161 196 0399<br>
E: <a href="mailto:enquiries@hollowaykeane-law.co.uk">enquiries@hollowaykeane-law.co.uk</a></p>
<p>Authorised and regulated by the Solicitors Regulation Authority, no. 612345.</p>{HOLLOWAY_CREDIT}""",
            head=HOLLOWAY_HEAD,
        ),
        "/about/our-people/": page(
            "Our people",
            f"""<h1>Our people</h1>
<article><h3>Rosalind Holloway</h3><p>Partner</p><p>r.holloway@hollowaykeane-law.co.uk</p></article>
<article><h3>Stephen Keane</h3><p>Partner</p><p>s.keane@hollowaykeane-law.co.uk</p></article>
<article><h3>Priya Adeyemi</h3><p>Legal secretary</p><p>p.adeyemi@hollowaykeane-law.co.uk</p>
<p>Direct line 0161 196 0346</p></article>{HOLLOWAY_CREDIT}""",
            head=HOLLOWAY_HEAD,
        ),
        "/sitemap_index.xml": xml(sitemap_index(f"{HOLLOWAY}/page-sitemap.xml")),
        "/page-sitemap.xml": xml(urlset(HOLLOWAY, ["/", "/about/our-people/", "/contact-us/"])),
    },
)

PEDALWORKS = "https://pedalworks-skyport.com"
PEDALWORKS_HEAD = wordpress("storefront", plugins=["woocommerce"])


pedalworks = Site(
    host="pedalworks-skyport.com",
    businesses=(Business("Pedalworks", "store", "US", phone="+1 512-958-6120"),),
    emails=frozenset({"workshop@pedalworks-skyport.com"}),
    phones=frozenset({"+15129586120"}),
    robots=robots("User-agent: *", "Disallow: /cart/", "Disallow: /my-account/"),
    forbidden=("/cart/", "/my-account/"),
    pages={
        "/": page(
            "Pedalworks bicycles",
            f"""<h1>Bicycles, repaired and ridden</h1>
{links({"/shop/": "Shop", "/cart/": "Cart", "/my-account/contact/": "My account", "/about-us/": "About us"})}""",
            head=PEDALWORKS_HEAD,
        ),
        "/about-us/": page(
            "About us",
            "<p>The workshop answers at workshop&nbsp;@&nbsp;pedalworks-skyport.com and (512) 958-6120.</p>",
            head=PEDALWORKS_HEAD,
        ),
        "/my-account/contact/": Reply("<h1>Please sign in</h1>", status=403),
        "/sitemap_index.xml": xml(sitemap_index(f"{PEDALWORKS}/page-sitemap.xml", f"{PEDALWORKS}/product-sitemap.xml")),
        "/page-sitemap.xml": xml(urlset(PEDALWORKS, ["/", "/shop/", "/cart/", "/about-us/"])),
        "/product-sitemap.xml": xml(urlset(PEDALWORKS, [f"/product/bell-{number}/" for number in range(1, 31)])),
    },
)

SITES = (cedarline, bramble, ironbark, holloway, pedalworks)
