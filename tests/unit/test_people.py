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
    ["Anna Huber", "Dr. med. Anna Huber", "Jean-Luc de la Tour", "José Claudio da Rosa Junior", "Anna O\u2019Neil"],
)
def test_a_name_has_the_form_of_one(text):
    assert is_name(text)


@pytest.mark.parametrize(
    "text",
    [
        *("Anna", "anna huber", "Acme GmbH", "Contact Us", "Opening Hours", "Anna Huber 7", "A" * 90, ""),
        *("Sales Manager", "Oficina Norte", "Naam Eva Lang"),
    ],
)
def test_other_text_is_no_name(text):
    assert not is_name(text)


@pytest.mark.parametrize(
    "text", ["Owner", "Managing Director", "Geschäftsführer", "Head of Sales", "Président", "院長"]
)
def test_a_role_has_a_word_for_one(text):
    assert is_role(text)


@pytest.mark.parametrize(
    "text", ["", "Anna", "We are the owner of everything that you can see here and far beyond it too"]
)
def test_other_text_is_no_role(text):
    assert not is_role(text)
