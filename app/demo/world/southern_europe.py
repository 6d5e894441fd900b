"""Sites in French, Spanish, Italian and Portuguese: legal notices, forms that send mail, text sitemaps and feeds."""

from app.demo.world.site import PLAIN, Business, Reply, Site, moved, xml
from app.demo.world.writing import links, page, robots, sitemap_index, urlset

MIRABELLE = "https://www.cabinet-dentaire-mirabelle.fr"

mirabelle = Site(
    host="www.cabinet-dentaire-mirabelle.fr",
    businesses=(Business("Cabinet dentaire Mirabelle", "dentist", "FR", phone="+33 1 00 99 42 17"),),
    emails=frozenset({"accueil@cabinet-dentaire-mirabelle.fr", "dr.fauvel@cabinet-dentaire-mirabelle.fr"}),
    phones=frozenset({"+33100994217"}),
    robots=robots("User-agent: *", "Disallow: /prive/", f"Sitemap: {MIRABELLE}/plan.xml"),
    forbidden=("/prive/",),
    pages={
        "/": Reply(
            page(
                "Cabinet dentaire Mirabelle",
                "<h1>Des soins tout en douceur</h1><p>Bienvenue à nos patients, petits et grands.</p>",
                lang="fr",
                charset="iso-8859-1",
            ),
            "text/html",
            charset="iso-8859-1",
        ),
        "/contactez-nous": page(
            "Contactez-nous",
            """<p>Téléphone : 01 00 99 42 17 - Télécopie : 01 00 99 42 18</p>
<p>accueil [arobase] cabinet-dentaire-mirabelle.fr</p><p>accueil&#64;cabinet-dentaire-mirabelle&#46;fr</p>""",
            lang="fr",
        ),
        "/mentions-legales": page(
            "Mentions légales",
            """<p>Directeur de la publication : Dr Élise Fauvel, dr.fauvel@cabinet-dentaire-mirabelle.fr</p>
<p>SIRET 823 491 057 00021, TVA FR 38 823491057</p>""",
            lang="fr",
        ),
        "/plan.xml": xml(sitemap_index(f"{MIRABELLE}/plan-2.xml")),
        "/plan-2.xml": xml(sitemap_index(f"{MIRABELLE}/plan-3.xml")),
        "/plan-3.xml": xml(urlset(MIRABELLE, ["/", "/contactez-nous", "/mentions-legales", "/prive/contact"])),
    },
)

vauclair = Site(
    host="plomberie-vauclair.fr",
    businesses=(Business("Plomberie Vauclair", "plumber", "FR", phone="+33 3 00 71 18 30"),),
    emails=frozenset({"contact@plomberie-vauclair.fr"}),
    phones=frozenset({"+33300711830"}),
    robots=robots("User-agent: *", "Sitemap: plan/sitemap.xml"),
    pages={
        "/": page("Plomberie Vauclair", "<h1>Dépannage 7j/7</h1>", lang="fr"),
        "/contact.php": page(
            "Contact",
            """<p>Appelez le 03.00.71.18.30 ou écrivez à contact @ plomberie-vauclair.fr</p>
<form><input type="email" placeholder="votre@email.fr"><input placeholder="01 23 45 67 89"></form>""",
            lang="fr",
        ),
        "/plan/sitemap.xml": xml(urlset("https://plomberie-vauclair.fr", ["/", "/contact.php", "/tarifs.php"])),
    },
)

PLUME = "https://petite-plume-bistrot.fr"

plume = Site(
    host="petite-plume-bistrot.fr",
    businesses=(Business("La Petite Plume", "restaurant", "FR", phone="+33 2 00 91 27 60"),),
    emails=frozenset({"bonjour@petite-plume-bistrot.fr"}),
    phones=frozenset({"+33200912760"}),
    pages={
        "/": '<html><head><meta http-equiv="refresh" content="0; url=/fr/accueil.html"></head><body></body></html>',
        "/fr/accueil.html": page(
            "La Petite Plume",
            f"<h1>Bistrot de quartier</h1>{links({'nous-contacter.html': 'Nous contacter'})}<p>02 00 91 27 60</p>",
            lang="fr",
        ),
        "/fr/nous-contacter.html": page(
            "Nous contacter", "<p>bonjour@petite-plume-bistrot.fr ou 02 00 91 27 60</p>", lang="fr"
        ),
    },
)

OLIVAR = "https://www.taberna-el-olivar.es"

olivar = Site(
    host="www.taberna-el-olivar.es",
    businesses=(Business("Taberna El Olivar", "restaurant", "ES", phone="+34 955 01 28 40"),),
    emails=frozenset({"reservas@taberna-el-olivar.es"}),
    phones=frozenset({"+34955012840", "+34655012841"}),
    robots=robots("User-agent: *", f"Sitemap: {OLIVAR}/sitemap.txt"),
    pages={
        "/": page("Taberna El Olivar", "<h1>Tapas y buen aceite</h1>", lang="es"),
        "/contacto": page(
            "Contacto",
            """<p>Reservas:
<a href="mailto:reservas@taberna-el-olivar.es?subject=Mesa">reservas@taberna-el-olivar.es</a></p>
<p>Tel. 955 01 28 40 / móvil 655 012 841</p><form><input placeholder="tu@correo.com"></form>""",
            lang="es",
        ),
        "/sitemap.txt": Reply(f"{OLIVAR}/\n{OLIVAR}/carta\n{OLIVAR}/contacto\n", PLAIN),
    },
)

ribera = Site(
    host="abogados-ribera.es",
    businesses=(Business("Abogados Ribera", "lawyer", "ES", phone="+34 911 30 48 26"),),
    emails=frozenset({"despacho@abogados-ribera.es"}),
    phones=frozenset({"+34911304826"}),
    pages={
        "/": page(
            "Abogados Ribera",
            f"<h1>Defensa cercana</h1>{links({'/quienes-somos': 'Quiénes somos', '/aviso-legal': 'Aviso legal'})}",
            lang="es",
        ),
        "/quienes-somos": page(
            "Quiénes somos",
            """<div itemscope itemtype="https://schema.org/LegalService"><span itemprop="name">Abogados Ribera</span>
<meta itemprop="email" content="despacho@abogados-ribera.es"><meta itemprop="telephone" content="+34 911 30 48 26">
</div>""",
            lang="es",
        ),
        "/aviso-legal": page("Aviso legal", "<p>Abogados Ribera S.L.P., CIF B-84730162</p>", lang="es"),
        "/sitemap.xml": moved("https://abogados-ribera.es/mapa/sitemap.xml", 302),
        "/mapa/sitemap.xml": xml(urlset("https://abogados-ribera.es", ["/", "/quienes-somos", "/aviso-legal"])),
    },
)

GLICINI = "https://www.trattoria-dei-glicini.it"

glicini = Site(
    host="www.trattoria-dei-glicini.it",
    businesses=(Business("Trattoria dei Glicini", "restaurant", "IT", phone="+39 055 264 0187"),),
    emails=frozenset({"info@trattoria-dei-glicini.it", "trattoriaglicini@pec.it"}),
    phones=frozenset({"+390552640187"}),
    robots=robots("User-agent: *", f"Sitemap: {GLICINI}/sitemap.xml"),
    pages={
        "/": page("Trattoria dei Glicini", "<h1>Cucina di casa</h1>", lang="it"),
        "/contatti": page(
            "Contatti",
            """<p>Telefono: 055 264 0187 - Fax: 055 264 0188</p><p>info@trattoria-dei-glicini.it</p>
<p>PEC: trattoriaglicini@pec.it</p><p>P.IVA 04827160483 - REA FI-518204</p>""",
            lang="it",
        ),
        "/sitemap.xml": xml("\n\n" + urlset(GLICINI, ["/", "/menu", "/contatti"])),
    },
)

fontanella = Site(
    host="studio-fontanella.it",
    businesses=(Business("Studio dentistico Fontanella", "dentist", "IT", phone="+39 041 528 9931"),),
    emails=frozenset({"segreteria@studio-fontanella.it"}),
    phones=frozenset({"+390415289931"}),
    pages={
        "/": page(
            "Studio dentistico Fontanella",
            f"<h1>Sorrisi sani</h1>{links({'/dove-siamo.html': 'Dove siamo', '/contattaci.html': 'Contattaci'})}",
            lang="it",
        ),
        "/contattaci.html": page(
            "Contattaci",
            """<form action="MAILTO:segreteria@studio-fontanella.it" method="post">
<input name="nome" placeholder="Nome"></form>
<p>Chiamate lo 041 528 99 31</p>""",
            lang="it",
        ),
        "/dove-siamo.html": page("Dove siamo", "<p>Campo dei Fiori 3</p>", lang="it"),
    },
)

LIGEIRINHO = "https://encanador-ligeirinho.com.br"

ligeirinho = Site(
    host="encanador-ligeirinho.com.br",
    businesses=(Business("Encanador Ligeirinho", "plumber", "BR", phone="+55 11 3041-2287"),),
    emails=frozenset({"encanadorligeirinho@gmail.com"}),
    phones=frozenset({"+551130412287", "+5511970411286"}),
    robots=robots("User-agent: *", f"Sitemap: {LIGEIRINHO}/feed.xml"),
    pages={
        "/": page("Encanador Ligeirinho", "<h1>Vazou? Chame!</h1>", lang="pt-BR"),
        "/fale-conosco": page(
            "Fale conosco",
            """<p>Telefone: (11) 3041-2287</p><p><a href="https://wa.me/5511970411286">WhatsApp (11) 97041-1286</a></p>
<p>encanadorligeirinho@gmail.com</p><p>CNPJ 27.318.604/0001-52</p>""",
            lang="pt-BR",
        ),
        "/feed.xml": Reply(
            f"""<?xml version="1.0"?><rss version="2.0"><channel><title>Paginas</title><link>{LIGEIRINHO}/</link>
<item><title>Fale conosco</title><link>{LIGEIRINHO}/fale-conosco</link></item>
<item><title>Dicas</title><link>{LIGEIRINHO}/dicas/vazamento</link></item></channel></rss>""",
            "application/rss+xml",
        ),
    },
)

SITES = (mirabelle, vauclair, plume, olivar, ribera, glicini, fontanella, ligeirinho)
