"""Numbers that cannot be dialled as they are written, and what is meant by them."""

import pytest

from actors.parse.contacts import find_contacts


def phones(html, region):
    return [phone.number for phone in find_contacts(html, url="", region=region).phones]


@pytest.mark.parametrize(
    ("region", "written", "number"),
    [
        ("PL", "tel. (022) 238-94-56", "+48222389456"),
        ("PL", "tel. 0-22 238 94 56", "+48222389456"),
        ("PL", "tel. +48 (0) 22 238 94 56", "+48222389456"),
        ("PL", "kom. 0501 238 945", "+48501238945"),
        ("CZ", "tel. 0602 238 945", "+420602238945"),
        ("ID", "Telp: 62-21-5238945", "+62215238945"),
        ("CO", "Tel. (57-301) 238 9456", "+573012389456"),
        ("BE", "Tél. 32/2/238.94.56", "+3222389456"),
        ("MX", "Tel. +52 1 55 5238 9456", "+525552389456"),
        ("MX", "+52 1 55 5238 9456", "+525552389456"),
        ("MX", "Cel. 044 55 1238 9456", "+525512389456"),
        ("MX", "Cel: (045) 241 238 94 56", "+522412389456"),
        ("MX", "Tel: 01 800 238 9456", "+528002389456"),
        ("BR", "+55 (48) 9832-7091", "+5548998327091"),
        ("BR", "Fone: (48) 9832-7091", "+5548998327091"),
        ("CO", "Tel: +57 (1) 668 3901", "+576016683901"),
        ("FR", "04/72/38/94/51", "+33472389451"),
    ],
)
def test_a_number_is_given_as_it_is_dialled_now(region, written, number):
    assert phones(f"<p>{written}</p>", region) == [number]


@pytest.mark.parametrize(
    ("region", "href", "number"),
    [
        ("MX", "https://wa.me/5215552389456", "+525552389456"),
        ("MX", "tel:5215552389456", "+525552389456"),
        ("MX", "tel:0445552389456", "+525552389456"),
        ("BR", "https://wa.me/554898327091", "+5548998327091"),
        ("BR", "https://api.whatsapp.com/send?phone=551132389456", "+551132389456"),
        ("PL", "tel:+480222389456", "+48222389456"),
    ],
)
def test_so_is_the_number_of_a_link(region, href, number):
    assert phones(f"<a href='{href}'>Chat</a>", region) == [number]


def test_a_zero_too_many_counts_for_the_second_number_of_a_line_too():
    assert phones("<p>tel. (022) 238 94 56 lub 0501 238 945, 602 238 945</p>", "PL") == [
        "+48222389456",
        "+48501238945",
        "+48602238945",
    ]


@pytest.mark.parametrize(
    ("region", "written"),
    [
        ("PL", "Nr 0501 238 945"),
        ("MX", "Folio 044 55 1238 9456"),
        ("BR", "Pedido 4898327091"),
        ("ID", "62-21-5238945"),
        ("FR", "Le 04/12/24 et le 05/12/24"),
    ],
)
def test_without_a_label_or_a_plus_such_digits_are_nothing(region, written):
    assert phones(f"<p>{written}</p>", region) == []


@pytest.mark.parametrize(
    ("region", "html", "found"),
    [
        ("AU", "<p>Ph 9412 9937</p>", []),
        ("AU", "<p>Ph 9412 9937</p><p>Ph (03) 9412 9941</p>", ["+61394129937", "+61394129941"]),
        ("AU", "<p>Ph 9412 9937</p><p>Ph (03) 9412 9941, (02) 9412 9941</p>", ["+61394129941", "+61294129941"]),
        ("AU", "<p>Ph 9412 9937</p><p>Mob 0412 993 714</p>", ["+61412993714"]),
        ("US", "<p>Phone: 538-2291</p><p>Phone: (416) 538-2297</p>", ["+14165382291", "+14165382297"]),
        ("US", "<p>Order 538-2291</p><p>Phone: (416) 538-2297</p>", ["+14165382297"]),
        ("AU", "<p>Ph <a href='tel:+61394129937'>9412 9937</a></p>", ["+61394129937"]),
    ],
)
def test_an_area_code_is_taken_from_the_page_where_it_has_but_one(region, html, found):
    assert phones(html, region) == found
