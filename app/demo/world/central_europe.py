"""Sites in German, Dutch, Polish and Swedish: imprints, register numbers, odd encodings and packed sitemaps."""

from app.demo.world.site import Business, Reply, Site, packed, xml
from app.demo.world.writing import cloudflare_hidden, links, page, robots, urlset

LINDENHOF_MENU = links({"praxis.html": "Praxis", "sprechzeiten.html": "Sprechzeiten", "impressum.html": "Impressum"})


def windows_1252(html: str) -> Reply:
    """As an old editor saved it: umlauts in windows-1252, and nobody says so."""
    return Reply(html, "text/html", charset="windows-1252")


lindenhof = Site(
    host="www.zahnarzt-lindenhof.de",
    scheme="http",
    businesses=(Business("Zahnarztpraxis Lindenhof", "dentist", "DE", phone="+49 30 23125 117"),),
    emails=frozenset({"praxis@zahnarzt-lindenhof.de"}),
    phones=frozenset({"+493023125117"}),
    pages={
        "/": windows_1252(
            page(
                "Zahnarztpraxis Lindenhof",
                f"{LINDENHOF_MENU}<h1>Zahnärztin für Groß und Klein</h1><p>Schöne Zähne, gute Laune. Öffnungszeiten "
                "täglich außer sonntags. Wir freuen uns über Ihren Besuch in unseren Räumen.</p>",
                lang="de",
                charset=None,
            )
        ),
        "/impressum.html": windows_1252(
            page(
                "Impressum",
                """<h1>Impressum</h1><p>Dr. med. dent. Käthe Brügge<br>Lindenhof 4, 12099 Skyport</p>
<p>Telefon: 030 / 23125-117<br>Telefax: 030 / 23125-118<br>E-Mail: praxis[at]zahnarzt-lindenhof.de</p>
<p>Zuständige Kammer: Zahnärztekammer. USt-IdNr.: DE298765432, IBAN DE02 1203 0000 0000 2020 51</p>""",
                lang="de",
                charset=None,
            )
        ),
        "/praxis.html": windows_1252(page("Praxis", "<p>Räume für Große und Kleine</p>", lang="de", charset=None)),
        "/sprechzeiten.html": windows_1252(page("Sprechzeiten", "<p>8-12 Uhr</p>", lang="de", charset=None)),
    },
)

WIESENECK = "https://www.kanzlei-wieseneck.de"

wieseneck = Site(
    host="www.kanzlei-wieseneck.de",
    businesses=(Business("Kanzlei Wieseneck", "lawyer", "DE", phone="+49 89 99998 240"),),
    emails=frozenset(
        {"kanzlei@kanzlei-wieseneck.de", "t.reinfeld@kanzlei-wieseneck.de", "a.ozturk@kanzlei-wieseneck.de"}
    ),
    phones=frozenset({"+498999998240"}),
    robots=robots("User-agent: *", "Disallow: /intern/", f"Sitemap: {WIESENECK}/sitemap.xml.gz"),
    forbidden=("/intern/",),
    pages={
        "/": page("Kanzlei Wieseneck", f"<h1>Arbeitsrecht</h1>{links({'/intern/akten': 'Mandanten'})}", lang="de"),
        "/kontakt": page(
            "Kontakt",
            """<h1>So erreichen Sie uns</h1><p>Tel. 089 99998-240 &middot; Fax 089 99998-241</p>
<p>kanzlei (at) kanzlei-wieseneck (dot) de</p>""",
            lang="de",
        ),
        "/anwaelte": page(
            "Unsere Anwälte",
            """<h1>Unsere Anwälte</h1>
<div><h3>Thilo Reinfeld</h3><p>Rechtsanwalt</p><p>t.reinfeld {at} kanzlei-wieseneck.de</p></div>
<div><h3>Aylin Öztürk</h3><p>Fachanwältin für Arbeitsrecht</p><p>a.ozturk [at] kanzlei-wieseneck [dot] de</p></div>""",
            lang="de",
        ),
        "/impressum": page("Impressum", "<p>Kanzlei Wieseneck, Tel. 089 99998-240, HRB 218744</p>", lang="de"),
        "/sitemap.xml.gz": packed(
            urlset(WIESENECK, ["/", "/kontakt", "/anwaelte", "/team", "/impressum", "/intern/akten"])
        ),
        "/team": page(
            "Team",
            '<p>Siehe <a href="/anwaelte">Anwälte</a>: t.reinfeld[at]kanzlei-wieseneck.de,'
            " a.ozturk[at]kanzlei-wieseneck.de</p>",
            lang="de",
        ),
    },
)

nordufer = Site(
    host="klempner-nordufer.de",
    scheme="http",
    businesses=(Business("Klempner Nordufer", "plumber", "DE", phone="+49 40 66969 512"),),
    emails=frozenset({"notdienst@klempner-nordufer.de"}),
    phones=frozenset({"+494066969512"}),
    pages={
        "/": Reply(
            '<html><head><title>Klempner Nordufer</title></head><frameset cols="20%,80%">'
            '<frame src="menu.htm" name="menu"><frame src="start.htm" name="inhalt">'
            "<noframes>Ihr Browser kennt keine Frames.</noframes></frameset></html>",
            "text/html; charset=iso-8859-1",
        ),
        "/menu.htm": page("Menü", '<a href="start.htm" target="inhalt">Start</a>', lang="de"),
        "/start.htm": page(
            "Start",
            "<h1>Notdienst rund um die Uhr</h1><p>Telefon 040 66969512</p><p>notdienst@klempner-nordufer.de</p>",
            lang="de",
        ),
    },
)

brauhaus = Site(
    host="brauhaus-silbertor.de",
    businesses=(Business("Brauhaus Silbertor", "restaurant", "DE", phone="+49 221 4710 330"),),
    emails=frozenset({"tisch@brauhaus-silbertor.de"}),
    phones=frozenset({"+492214710330"}),
    robots=robots("User-agent: *", "Sitemap: /karte.xml"),
    pages={
        "/": page("Brauhaus Silbertor", "<h1>Frisch vom Fass</h1>", lang="de"),
        "/kontakt-anfahrt/": page(
            "Kontakt und Anfahrt",
            f"""<p>Tischbestellung: <a href="tel:+492214710330">0221 4710 330</a></p>
<p><a href="/cdn-cgi/l/email-protection" class="__cf_email__"
data-cfemail="{cloudflare_hidden("tisch@brauhaus-silbertor.de")}">[email&#160;protected]</a></p>""",
            lang="de",
        ),
        "/karte.xml": xml(urlset("https://brauhaus-silbertor.de", ["/", "/kontakt-anfahrt/", "/speisen/"])),
    },
)

VANDERMEENT = "https://www.loodgieter-vandermeent.nl"

vandermeent = Site(
    host="www.loodgieter-vandermeent.nl",
    businesses=(Business("Loodgieter Van der Meent", "plumber", "NL", phone="+31 20 794 0185"),),
    emails=frozenset({"info@loodgieter-vandermeent.nl"}),
    phones=frozenset({"+31207940185"}),
    robots=robots("User-agent: *", "Disallow:", f"Sitemap: {VANDERMEENT}/atom.xml"),
    pages={
        "/": page("Van der Meent", "<h1>Lekkage? Wij komen.</h1>", lang="nl"),
        "/contact-opnemen": page(
            "Contact opnemen",
            """<p>Bel 020 - 794 01 85 of mail <a href="mailto:info@loodgieter-vandermeent.nl">ons</a>.</p>
<p>KvK 68142093, BTW NL857316420B01, IBAN NL91 ABNA 0417 1643 00</p>""",
            lang="nl",
        ),
        "/atom.xml": Reply(
            f"""<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Pagina's</title>
<id>{VANDERMEENT}/</id><updated>2026-08-02T10:00:00Z</updated>
<entry><title>Contact</title><id>{VANDERMEENT}/contact-opnemen</id><updated>2026-08-02T10:00:00Z</updated>
<link href="{VANDERMEENT}/contact-opnemen"/></entry>
<entry><title>Tarieven</title><id>{VANDERMEENT}/tarieven</id><updated>2026-08-02T10:00:00Z</updated>
<link href="{VANDERMEENT}/tarieven"/></entry></feed>""",
            "application/atom+xml",
        ),
    },
)

BRZOZOWY = "https://stomatolog-brzozowy.pl"

brzozowy = Site(
    host="stomatolog-brzozowy.pl",
    businesses=(Business("Stomatolog Brzozowy", "dentist", "PL", phone="+48 22 601 38 47"),),
    emails=frozenset({"rejestracja@stomatolog-brzozowy.pl", "gabinet.brzozowy@wp.pl"}),
    phones=frozenset({"+48226013847"}),
    robots=robots("User-agent: *", f"Sitemap: {BRZOZOWY}/sitemap.xml"),
    pages={
        "/": page("Stomatolog Brzozowy", "<h1>Zdrowe zęby, spokojny sen</h1>", lang="pl"),
        "/kontakt.html": page(
            "Kontakt",
            """<p>Rejestracja: tel. 22 601 38 47, rejestracja@stomatolog-brzozowy.pl</p>
<p>Zapasowy adres: gabinet.brzozowy@wp.pl</p><p>NIP 525-281-49-03, REGON 147062815</p>""",
            lang="pl",
        ),
        # A bare ampersand and a missing end, as hand-written sitemaps have them.
        "/sitemap.xml": xml(
            f"""<?xml version="1.0"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{BRZOZOWY}/</loc></url>
<url><loc>{BRZOZOWY}/cennik.html?a=1&b=2</loc></url><url><loc>{BRZOZOWY}/kontakt.html</loc></url>"""
        ),
    },
)

BJORKLUND = "https://www.rormokare-bjorklund.se"

bjorklund = Site(
    host="www.rormokare-bjorklund.se",
    businesses=(Business("Rörmokare Björklund", "plumber", "SE", phone="+46 31 390 06 12"),),
    emails=frozenset({"jour@rormokare-bjorklund.se"}),
    phones=frozenset({"+46313900612", "+46701740644"}),
    robots=robots("User-agent: *", f"Sitemap: {BJORKLUND}/sitemap.xml"),
    pages={
        "/": Reply(
            page("Rörmokare Björklund", "<h1>Vi åker till hela Göteborg</h1>", lang="sv", charset=None),
            "text/html",
            charset="utf-16",
        ),
        "/kontakta-oss": page(
            "Kontakta oss",
            "<p>Växel 031-390 06 12, jour 070-174 06 44</p><p>jour@rormokare-bjorklund.se</p><p>Org.nr 556812-4471</p>",
            lang="sv",
        ),
        "/sitemap.xml": xml("\ufeff" + urlset(BJORKLUND, ["/", "/kontakta-oss", "/priser"])),
    },
)

SITES = (lindenhof, wieseneck, nordufer, brauhaus, vandermeent, brzozowy, bjorklund)
