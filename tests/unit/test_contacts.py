from actors.parse.cards import cards_of
from actors.parse.contacts import find_contacts


def cards(html):
    found = find_contacts(html, url="https://acme.de/", region="DE")
    return [(card.email, card.phone, card.fax) for card in cards_of(found)]


def test_one_address_and_one_number_are_one_contact():
    html = "<header>info@acme.de</header><main><p>Text</p></main><footer>030 987654</footer>"

    assert cards(html) == [("info@acme.de", "+4930987654", None)]


def test_an_address_takes_the_number_of_its_own_block():
    html = "<div><p>a@acme.de</p><p>030 987651</p></div><div><p>030 987652</p><p>b@acme.de</p></div><p>030 987650</p>"

    assert cards(html) == [
        ("a@acme.de", "+4930987651", None),
        ("b@acme.de", "+4930987652", None),
        (None, "+4930987650", None),
    ]


def test_in_a_flat_list_each_address_takes_the_number_next_to_it():
    html = "<p>030 987651</p><p>a@acme.de</p><p>030 987652</p><p>b@acme.de</p>"

    assert cards(html) == [("a@acme.de", "+4930987651", None), ("b@acme.de", "+4930987652", None)]


def test_in_doubt_numbers_stand_for_themselves():
    html = "<p>a@acme.de</p><p>b@acme.de</p><p>030 987651</p><p>030 987652</p>"

    assert cards(html) == [
        ("a@acme.de", None, None),
        ("b@acme.de", None, None),
        (None, "+4930987651", None),
        (None, "+4930987652", None),
    ]


def test_a_fax_goes_with_the_first_contact():
    html = "<p>a@acme.de</p><p>b@acme.de</p><p>Fax: 030 987659</p>"

    assert cards(html) == [("a@acme.de", None, "+4930987659"), ("b@acme.de", None, None)]


def test_a_fax_alone_is_no_contact():
    assert cards("<p>Fax: 030 987659</p>") == []
