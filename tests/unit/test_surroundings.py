import pytest

from actors.parse.contacts import find_contacts

OWN = "<p>Acme Bau, Tel. 07231 154873, info@acme-bau.de</p>"


def found(html, region="DE"):
    contacts = find_contacts(html, url="https://www.acme-bau.de/", region=region)
    return [email.address for email in contacts.emails], [phone.number for phone in contacts.phones]


@pytest.mark.parametrize(
    "others",
    [
        "<h3>Zuständige Aufsichtsbehörde</h3><p>Landratsamt Enzkreis</p><p>Tel. 07231 930870</p>",
        "<p>Zuständige Kammer: Ärztekammer Nordbaden, Tel. 0721 596187, post@aek-nordbaden.de</p>",
        "<p>Hessische Architektenkammer<br>Bahnhofstraße 3<br>Tel. 0611 173841<br>post@akhessen.de</p>",
        "<p>Die Landesnotarkammer Franken<br>Ringstraße 10<br>Telefon 0911 551667<br>post@notarkammer-franken.de</p>",
        "<p>Der Landesbeauftragte für den Datenschutz<br>Königstraße 9<br>Tel. 0711 615541<br>post@lfd-bw.de</p>",
        "<h4>Berufshaftpflichtversicherung</h4><p>Nordstern AG, Hannover, Tel. 0511 645187, post@nordstern-ag.de</p>",
        "<p>Hébergement<br>IONOS SARL<br>7, place de la Gare<br>Sarreguemines<br>+33 9 70 80 89 11</p>",
        "<p>Le site est hébergé par la société Nuage. E-mail : aide@nuage-web.fr</p>",
        "<p>Médiateur de la consommation : Entente, 14 rue Saint Jean, ecrire@entente-conso.fr</p>",
        "<p>Legal Ombudsman, PO Box 68, Wolverhampton, +44 300 555 0333, help@ombudsman-legal.uk</p>",
        "<h3>Externer Datenschutzbeauftragter</h3><p>Voss GmbH<br>Tel. 030 74825614<br>dsb@voss-recht.de</p>",
        "<h3>Site Tasar\u0131mc\u0131s\u0131</h3><p>Deniz Kaya</p><p>deniz@kaya-web.com</p>",
    ],
)
def test_an_authority_a_chamber_a_host_and_an_insurer_are_not_the_organisation(others):
    assert found(OWN + others) == (["info@acme-bau.de"], ["+497231154873"])


@pytest.mark.parametrize(
    "others",
    [
        "<footer>Nettside levert av Pikselbygg, 07231 748256, post@pikselbygg.no</footer>",
        "<footer>Laget av Pikselbygg, 07231 748256, post@pikselbygg.no</footer>",
        "<footer>Hemsidan är gjord av Pixelbygg, 07231 748256, post@pixelbygg.se</footer>",
        "<footer>Webbdesign: Pixelbygg, 07231 748256, post@pixelbygg.se</footer>",
        "<footer>Lavet af Pixelbyg, 07231 748256, post@pixelbyg.dk</footer>",
        "<footer>Site maintained by Anna Field, 07231 748256, anna@fieldweb.co.uk</footer>",
        "<p>Buiten openingstijden: Huisartsenpost Best, tel. 07231 748256</p>",
        "<p>Legevakt: 07231 748256</p>",
        "<p>Lægevagten, tlf. 07231 748256</p>",
        "<p>Apotheken-Notdienst 07231 748256</p>",
        "<p>Giftzentrale 07231 748256</p>",
        "<p>mail@demolink.org, +1 800 603 6035</p>",
    ],
)
def test_whoever_made_the_site_and_a_service_for_emergencies_are_not_the_organisation(others):
    assert found(OWN + others) == (["info@acme-bau.de"], ["+497231154873"])


def test_a_heading_of_others_holds_for_the_second_of_them_too():
    page = (
        "<h2>Aufsichtsbehörden:</h2>"
        "<p>Kammer der Bauleute<br>Ottostraße 9<br>Telefon 089 551667<br>Fax 089 551668<br>a<br>b<br>c</p>"
        "<p>Der Vorsitzende der Stelle<br>Maxstraße 2<br>Telefon 0871 846187<br>stelle@aufsicht-la.de</p>"
    )

    assert found(OWN + page) == (["info@acme-bau.de"], ["+497231154873"])


def test_the_organisations_own_title_ends_what_was_said_of_others():
    page = "<h3>Hosting</h3><p>Hetzner Online</p><p>Kontakt</p><p>Tel. 07231 154873</p>"

    assert found(page) == ([], ["+497231154873"])


@pytest.mark.parametrize(
    "text",
    [
        "<p>Mitglied der Handwerkskammer Karlsruhe</p><p>Tel. 07231 154873</p>",
        "<p>Wir nehmen nicht an der Verbraucherschlichtung teil. Unser Telefon: 07231 154873</p>",
        "<h1>Speisekammer</h1><p>Speisekammer am Markt<br>Marktplatz 3<br>Tel. 07231 154873</p>",
        "<h1>Architektenkammer Enz</h1><p>Architektenkammer Enz<br>Marktplatz 3<br>Tel. 07231 154873</p>",
        "<title>Acme, Webdesign aus Pforzheim</title><h2>Webdesign</h2><p>Tel. 07231 154873</p>",
    ],
)
def test_to_name_a_chamber_or_a_trade_is_not_to_be_one(text):
    assert found(text) == ([], ["+497231154873"])


LEGAL = "<title>Impressum</title><h1>Acme Bau</h1><h2>1. Kontakt</h2>" + OWN


@pytest.mark.parametrize(
    "others",
    [
        "<h2>2. Hébergeur du site</h2><p>Nom : Nuage SAS<br>Téléphone : +33 1 84 16 27 48</p>",
        "<h2>II. Hébergement</h2><p>Nuage SAS</p><p>Ring 3</p><p>+33 1 84 16 27 48, aide@nuage-sas.fr</p>",
        "<h3>Article 2 \u2013 Hébergement</h3><p>Nuage SAS, +33 1 84 16 27 48, aide@nuage-sas.fr</p>",
        "<h2>§ 4 Hosting</h2><p>Wolke GmbH, Tel. 030 74825614, post@wolke-gmbh.de</p>",
        "<h3>3.1 Externes Hosting</h3><p>Wolke GmbH<br>Telefon: 0221 748256<br>post@wolke-gmbh.de</p>",
        "<h3>Konzeption, Design & Programmierung</h3><p>Studio Nord<br>0221 748256<br>hallo@studio-nord.de</p>",
        "<h2>7. Médiation</h2><p>Entente Conso, +33 1 89 47 31 26, ecrire@entente-conso.fr</p>",
        "<h3>Bildnachweise</h3><p>Anna Berg, anna@berg-foto.de</p>",
    ],
)
def test_a_page_of_legal_notices_numbers_its_headings_and_names_whoever_built_and_hosts_it(others):
    assert found(LEGAL + others) == (["info@acme-bau.de"], ["+497231154873"])


def test_on_another_page_such_a_heading_is_the_trade_of_the_house():
    html = "<h1>Acme Bau</h1><h2>Création et design</h2><p>Tel. 07231 154873, acme-bau@gmx.de</p>"

    assert found(html) == (["acme-bau@gmx.de"], ["+497231154873"])
