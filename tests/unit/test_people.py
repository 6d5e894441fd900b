import pytest

from actors.parse.contacts import find_contacts
from actors.parse.people import is_name, is_role


def people(html):
    found = find_contacts(html, url="https://acme.com/", region="US").emails
    return {email.address: (email.name, email.role) for email in found}


@pytest.mark.parametrize(
    ("html", "name", "role"),
    [
        ("<p>Anna Huber, Managing Director, a@acme.com</p>", "Anna Huber", "Managing Director"),
        ("<p>Owner: Anna Huber.</p><p>a@acme.com</p>", "Anna Huber", "Owner"),
        ("<h3>Anna Huber</h3><p>Geschäftsführerin</p><p>a@acme.com</p>", "Anna Huber", "Geschäftsführerin"),
        ("<p>Owner: Anna Huber</p><p>a@acme.com</p>", "Anna Huber", "Owner"),
        ("<tr><td>Kasserer<td>Anna Huber<td><a href='mailto:a@acme.com'>Mail</a>", "Anna Huber", "Kasserer"),
        ("<p>Dr. Anna Huber</p><p>huber@acme.com</p>", "Anna Huber", None),
        ("<p>Jürgen Größl</p><p>groessl@acme.com</p>", "Jürgen Größl", None),
        ("<p><a href='mailto:office@acme.com'>Anna Huber</a></p>", "Anna Huber", None),
    ],
)
def test_a_name_beside_an_address_is_its_owners_when_a_role_or_the_address_says_so(html, name, role):
    assert list(people(f"<table>{html}</table>" if html.startswith("<tr") else html).values()) == [(name, role)]


@pytest.mark.parametrize(
    "html",
    [
        "<p>Anna Huber</p><p>info@acme.com</p>",
        "<h2>Contact Us</h2><p>info@acme.com</p>",
        "<h2>Our Team</h2><p>Managing Director</p><p>info@acme.com</p>",
        "<p>Acme Dental Clinic</p><p>clinic@acme.com</p>",
        "<p>Amber Acupuncture Wellness</p><p>amberacupuncturewellness@gmail.com</p>",
        "<p>Anna Huber, Owner</p><p>other@acme.com is here</p><p>third@acme.com</p>",
    ],
)
def test_a_name_that_the_page_does_not_tie_to_an_address_is_left(html):
    assert list(people(html).values())[-1] == (None, None)


def committee(*members):
    return "".join(f"<p><b>{role}</b><br>{name}: {box}@hillrovers.org</p>" for role, name, box in members)


def test_a_role_above_a_name_is_that_names_and_the_address_of_another_line_is_anothers():
    html = committee(("Secretary", "Paul Hill", "sec"), ("Treasurer", "Mary Field", "treasurer"))

    assert list(people(html).values()) == [("Paul Hill", "Secretary"), ("Mary Field", "Treasurer")]


@pytest.mark.parametrize(
    ("html", "name", "role"),
    [
        (
            "<table><tr><td>Secretary/League Delegate<td>Anna Brandt<td>030 98765<td>anna_brandt@acme.com</table>",
            "Anna Brandt",
            "Secretary/League Delegate",
        ),
        (
            "<table><tr><td>Director/Womens Football Manager<td>Eva Lang<td>030 98765<td>e@acme.com</table>",
            "Eva Lang",
            "Director/Womens Football Manager",
        ),
        (
            "<h2>Crew Committee</h2><p><b>Crew Leader</b><br>Anna Brandt: crewleader@acme.com</p>",
            "Anna Brandt",
            "Crew Leader",
        ),
        (
            "<p>Hartfield Parish Council</p><h3>Parish Clerk:</h3><p>Mr A Brandt - parishclerk@acme.com</p>",
            "A Brandt",
            "Parish Clerk",
        ),
        ("<h2>Vorstand</h2><h3>Nils Brandt</h3><h4>Präsident</h4><p>brandt@acme.com</p>", "Nils Brandt", "Präsident"),
        (
            "<b>Izleyici Temsilcisi</b><p>Deniz Kara<br>Genel Yay\u0131n Yönetmeni<br>izleyicitemsilcisi@acme.com</p>",
            "Deniz Kara",
            "Genel Yay\u0131n Yönetmeni",
        ),
        ("<h3>Rector</h3><p>The Rev. Paul C. Hill<br>Email: paul@acme.com</p>", "Paul C. Hill", "Rector"),
        ("<p>Salgssjef:<br>Nils Bjørnsen - 900 00 000 - nils.bjornsen@acme.com</p>", "Nils Bjørnsen", "Salgssjef"),
        ("<p>Daglig leder og sekretær:<br>Nils Brandt - nils@acme.com</p>", "Nils Brandt", "Daglig leder og sekretær"),
        ("<p>President: Paul Hill, Secretary: Mary Field, m@acme.com</p>", "Mary Field", "Secretary"),
        ("<p>Paul Hill, Mary Field, Chair: field@acme.com</p>", "Mary Field", "Chair"),
        ("<p>Konateľ: Peter Brandt</p><p>E-mail: peter@acme.com</p>", "Peter Brandt", "Konateľ"),
        ("<p>Президент клуба: Олег Брандт</p><p>club@acme.com</p>", "Олег Брандт", "Президент клуба"),
        ("<p>Müdür: Ayşe Kara</p><p>a@acme.com</p>", "Ayşe Kara", "Müdür"),
        ("<p>Mary Field <a href='mailto:field@acme.com'>field@acme.com</a></p>", "Mary Field", None),
        ("<h3>Anna Brandt</h3><p>anna.brandt@acme.com</p>", "Anna Brandt", None),
        ("<h3>Anna Brandt</h3><p>Owner</p><p>annabrandt@acme.com</p>", "Anna Brandt", "Owner"),
        ("<h3>Ms. Anna Brandt</h3><p>Owner</p><p>a@acme.com</p>", "Anna Brandt", "Owner"),
    ],
)
def test_the_nearest_name_and_role_of_a_layout_are_taken(html, name, role):
    assert list(people(html).values()) == [(name, role)]


@pytest.mark.parametrize(
    "html",
    [
        "<p>Secretary<br>Paul Hill</p><p>Mary Field: office@acme.com</p>",
        "<p>Secretary<br>Paul Hill <a href='mailto:sec@acme.com'>Mail</a></p><p>Mary: office@acme.com</p>",
        "<p>Paul Hill, Chair, 030 1<br>Mary Field, Secretary, 030 2</p><p>Contact<br>info@acme.com</p>",
        "<h2>Dream Nails</h2><p>dreamnails@gmail.com</p>",
        "<h2>Blue Acme</h2><p>acme@blueacme.com</p>",
    ],
)
def test_nobody_is_better_than_the_wrong_person(html):
    found = find_contacts(html, url="https://blueacme.com/", region="US").emails

    assert (found[-1].name, found[-1].role) == (None, None)


def test_the_role_of_the_person_above_is_not_that_of_the_next():
    html = "<p>Paul Hill, Secretary</p><p>Mary Field</p><p>mfield@acme.com</p>"

    assert people(html) == {"mfield@acme.com": ("Mary Field", None)}


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("Green Spring Healing Arts", "greenspringarts@juno.com"),
        ("Pizzeria Roma", "pizzeriaroma@gmail.com"),
        ("Bar Sport", "barsport@libero.it"),
        ("Trattoria Bella Vista", "bellavista@libero.it"),
        ("Ferramenta Bianchi", "ferramentabianchi@libero.it"),
        ("Casa Rural El Olivo", "elolivo@gmail.com"),
        ("Peluquería Carmen", "peluqueriacarmen@gmail.com"),
        ("Parroquia San Isidro", "parroquiaisidro@gmail.com"),
        ("Nuestra Señora del Valle", "colegiodelvalle@gmail.com"),
        ("Padaria Central", "padariacentral@gmail.com"),
        ("Junta de Freguesia de Montelobo", "junta.montelobo@gmail.com"),
        ("Odontologia Sorriso Feliz", "sorrisofeliz@gmail.com"),
        ("Paroisse Saint Martin", "paroisse.martin@orange.fr"),
        ("Mairie de Valbois", "mairie.valbois@orange.fr"),
        ("Boulangerie Dupré", "boulangerie.dupre@orange.fr"),
        ("Garage Lambert", "garage.lambert@orange.fr"),
        ("Gîte Les Lavandes", "leslavandes@orange.fr"),
        ("Tischlerei Brandt", "tischlerei.brandt@web.de"),
        ("Physiotherapiepraxis Brandt", "brandt@web.de"),
        ("Bakkerij De Linde", "delinde@ziggo.nl"),
        ("Frisør Lykke", "lykke@mail.dk"),
        ("Bilverkstad Nordin", "nordin@telia.se"),
        ("Kukkakauppa Ruusu", "ruusu@gmail.com"),
        ("Salon Kosmetyczny Iris", "salon.iris@wp.pl"),
        ("Autoškola Zeman", "autoskola.zeman@seznam.cz"),
        ("Penzion Slunce", "penzionslunce@seznam.cz"),
        ("Reštaurácia Lipa", "lipa@azet.sk"),
        ("Zöld Kert Vendéglő", "vendeglo@gmail.com"),
        ("Yeşil Bahçe Restoran", "restoran@gmail.com"),
        ("Pensiunea Bradul", "bradul@gmail.com"),
        ("Frizerski Atelje Ana", "atelje.ana@gmail.com"),
        ("Школа Радуга", "радуга@почта.рф"),
        ("Ταβέρνα Ελιά", "elia@gmail.com"),
        ("Green Valley Lodge", "lodge@gmail.com"),
        ("Lost Property", "lost.property@gmail.com"),
        ("Junior Section", "section@gmail.com"),
        ("Youth Ministry", "ministry@gmail.com"),
        ("Board Members", "members@gmail.com"),
    ],
)
def test_a_small_firm_a_body_or_a_heading_is_no_person(name, address):
    assert not is_name(name)
    assert people(f"<p>{name}</p><p>{address}</p>").get(address, (None, None)) == (None, None)


def test_structured_data_names_people_with_their_addresses():
    html = """<script type="application/ld+json">{"@type": "Dentist", "email": "info@acme.com", "employee": [
        {"@type": "Person", "name": "Anna Huber", "jobTitle": "Owner", "email": "a@acme.com"}],
        "review": {"@type": "Review", "author": {"@type": "Person", "name": "Tim Guest"}}}</script>
        <div class="vcard"><span class="fn">Eva Lang</span> <span class="title">Manager</span>
        <a href="mailto:e@acme.com">Mail</a></div>"""

    found = find_contacts(html, url="https://acme.com/", region="US")

    assert people(html) == {
        "e@acme.com": ("Eva Lang", "Manager"),
        "info@acme.com": (None, None),
        "a@acme.com": ("Anna Huber", "Owner"),
    }
    assert [person.name for person in found.people] == ["Anna Huber", "Eva Lang"]


def test_whoever_only_signs_an_article_is_not_among_the_people():
    html = "<div itemscope itemtype='https://schema.org/Person'><span itemprop='name'>Anna Huber</span></div>"

    assert find_contacts(html, url="https://acme.com/", region="US").people == ()


@pytest.mark.parametrize(
    "text",
    [
        *("Anna Huber", "Dr. med. Anna Huber", "Jean-Luc de la Tour", "José Claudio da Rosa Junior"),
        "Anna O\u2019Neil",
        *("Anna Bäcker", "Eva Koch", "Paul Cook", "Mary Baker", "Lena Müller", "Tom Becker"),
        *("Ida Schneider", "Jo Bishop"),
        *("Ana Iglesias", "David Villa", "Marta del Castillo", "Luca Chiesa", "Nora Garland"),
        *("Jan Kramer", "Ole Burmeister"),
    ],
)
def test_a_name_has_the_form_of_one(text):
    assert is_name(text)


@pytest.mark.parametrize(
    "text",
    [
        *("Anna", "anna huber", "Acme GmbH", "Contact Us", "Opening Hours", "Anna Huber 7", "A" * 90, ""),
        *("Sales Manager", "Oficina Norte", "Naam Eva Lang"),
        *("Womens Football Manager", "League Delegate", "Villa Rosa", "Iglesia de Valbois", "Santa Clara", "Zur Linde"),
        *(
            "개인정보 담당 홍길동 이메일",
            "홍길동 사업자등록번호",
            "Kantor Kementerian Agama",
            "Írok Gmailben",
            "Schreib Uns",
        ),
    ],
)
def test_other_text_is_no_name(text):
    assert not is_name(text)


@pytest.mark.parametrize(
    "text",
    [
        *("Owner", "Managing Director", "Geschäftsführer", "Head of Sales", "Président", "院長"),
        "Service Co-ordinator",
        *("Obfrau", "Aktuarin", "Beisitzer", "Ordförande", "Kassör", "Nestleder", "Bestuurslid"),
        *("Registrar", "Konateľ"),
        *("Kulüp Başkan\u0131", "Председатель", "Maire", "Adjoint au maire", "Alcalde", "Sindaco"),
        *("Starosta", "Vedoucí"),
        *("Burmistrz", "Wójt", "Kantor", "Kapitan drużyny", "Hovedtrener", "Jugendleiterin", "Πρόεδρος", "Elnök"),
    ],
)
def test_a_role_has_a_word_for_one(text):
    assert is_role(text)


@pytest.mark.parametrize(
    "text", ["", "Anna", "We are the owner of everything that you can see here and far beyond it too"]
)
def test_other_text_is_no_role(text):
    assert not is_role(text)


def test_a_postal_address_and_numbers_may_stand_between_a_name_and_its_address():
    block = "Anna Brandt<br>Seeweg 4<br>12345 Ort<br>Tel. 030 901820<br>Mobil 0170 2024161<br>Fax 030 901821<br>"

    assert people(f"<p>{block}a.brandt@gmx.de</p>") == {"a.brandt@gmx.de": ("Anna Brandt", None)}
    assert people(f"<p>{block}</p><p>a.brandt@gmx.de</p>") == {"a.brandt@gmx.de": (None, None)}


def test_whoever_stands_above_the_title_of_the_contact_is_not_its_owner():
    html = "<p>Trésorier : Luc Rivière</p><p>Contactez Nous :</p><ul><li>Par email : club.valbois@gmail.com</li></ul>"

    assert people(html) == {"club.valbois@gmail.com": (None, None)}


@pytest.mark.parametrize("address", ["wender@firma-x.be", "wm@firma-x.be"])
def test_a_mailbox_may_be_a_first_name_or_initials_where_the_name_stands_beside_it(address):
    assert people(f"<p>Wender Maes - {address}</p>") == {address: ("Wender Maes", None)}
    assert people(f"<p>Wender Maes</p><p>{address}</p>") == {address: (None, None)}
