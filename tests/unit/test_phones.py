import pytest

from actors.parse.contacts import find_contacts


def numbers(html, region="DE", url="https://www.acme-bau.com/"):
    found = find_contacts(html, url=url, region=region)
    return [phone.number for phone in found.phones], [fax.number for fax in found.faxes]


@pytest.mark.parametrize(
    ("region", "written", "number"),
    [
        ("DE", "Telefon: 089 / 54 39 10-0", "+49895439100"),
        ("DE", "+49 (0) 30 98 76 54", "+4930987654"),
        ("AT", "Tel. 01 / 587 43 21", "+4315874321"),
        ("CH", "044 668 18 00", "+41446681800"),
        ("FR", "Tél : 04.72.33.49.55", "+33472334955"),
        ("FR", "Tél : 06\u00b771\u00b724\u00b758\u00b793", "+33671245893"),
        ("US", "Tel: 43-1-4277-54901", "+431427754901"),
        ("IT", "Cell. 347 1294598", "+393471294598"),
        ("ES", "Tlf. 91 349 67 21", "+34913496721"),
        ("PT", "Telef. 21 394 67 21", "+351213946721"),
        ("GB", "Call 01865 243789", "+441865243789"),
        ("IE", "Ph: 01 679 4210", "+35316794210"),
        ("US", "(512) 345-9876 ext. 12", "+15123459876"),
        ("CA", "416.345.9876", "+14163459876"),
        ("AU", "(03) 9349 6781", "+61393496781"),
        ("NL", "020 - 349 67 81", "+31203496781"),
        ("BE", "02 349 67 81", "+3223496781"),
        ("DK", "Tlf. 33 49 67 81", "+4533496781"),
        ("NO", "970 19 400", "+4797019400"),
        ("SE", "08-349 67 81", "+4683496781"),
        ("FI", "Puh. 09 349 6781", "+35893496781"),
        ("PL", "tel. 22 349 67 81", "+48223496781"),
        ("CZ", "Telefon: 224 349 678", "+420224349678"),
        ("HU", "Tel.: 06 1 349 6781", "+3613496781"),
        ("GR", "Τηλ: 210 349 6781", "+302103496781"),
        ("GR", "κιν. 6947482561 καθημερινά", "+306947482561"),
        ("ID", "Telp. 0217482561 ext. 3", "+62217482561"),
        ("RU", "Тел.: 8 (495) 239-56-71", "+74952395671"),
        ("BR", "(43) 9.9980-9716", "+5543999809716"),
        ("AT", "Tel. +43/1/5874321", "+4315874321"),
        ("DE", "Tel.: 0140 2349678", "+491402349678"),
        ("IN", "022-23496781", "+912223496781"),
        ("JP", "TEL\uff1a03-3459-7821", "+81334597821"),
        ("CN", "电话\uff1a010-62349678", "+861062349678"),
        ("KR", "전화 02-3459-7821", "+82234597821"),
    ],
)
def test_a_number_is_read_as_its_country_writes_it(region, written, number):
    assert numbers(f"<p>{written}</p>", region) == ([number], [])


@pytest.mark.parametrize(
    ("html", "phones", "faxes"),
    [
        ("<p>Fon 030 987654 Fax 030 987655</p>", ["+4930987654"], ["+4930987655"]),
        ("<p>T +49 30 987654 | F +49 30 987655</p>", ["+4930987654"], ["+4930987655"]),
        ("<p>030 987655 (Fax)</p>", [], ["+4930987655"]),
        ("<div>Telefax</div><div>030 987655</div>", [], ["+4930987655"]),
        ("<table><tr><td>Fax:</td><td>030 987655</td></tr></table>", [], ["+4930987655"]),
        ("<p>Fax: <a href='tel:030987655'>030 987655</a></p>", [], ["+4930987655"]),
        ("<p>Fax: 030 987655, 030 987656</p>", [], ["+4930987655", "+4930987656"]),
        (
            "<p><i class='fa fa-fax'></i> 030 987655 <i class='fa fa-phone'></i> 030 987654</p>",
            ["+4930987654"],
            ["+4930987655"],
        ),
        ("<p><img alt='Fax' src='f.png'> 030 987655</p>", [], ["+4930987655"]),
        ("<p>\U0001f5b7 030 987655</p>", [], ["+4930987655"]),
        ("<p>Tel./Fax: 030 987654</p>", ["+4930987654"], []),
        ("<p>Tel. und Fax 030 987654</p>", ["+4930987654"], []),
        ("<p>Tel: 030 987654</p><p>Fax: 030 987654</p>", ["+4930987654"], []),
        ('<script type="application/ld+json">{"faxNumber": "030 987655"}</script>', [], ["+4930987655"]),
        ("<span itemprop=faxNumber>030 987655</span>", [], ["+4930987655"]),
    ],
)
def test_a_fax_is_kept_apart(html, phones, faxes):
    assert numbers(html) == (phones, faxes)


@pytest.mark.parametrize(
    "html",
    [
        "<a href='tel:+4930987654'><img></a>",
        "<a href='tel:(030)%20987654'>Call</a>",
        "<a href='callto:0049 30 987654'>Call</a>",
        "<a href='tel:4930987654'>Call</a>",
        "<a href='https://wa.me/4930987654?text=Hi'>Chat</a>",
        "<a href='https://api.whatsapp.com/send?phone=%2B4930987654&text=Hi'>Chat</a>",
        "<span itemprop='telephone' content='+49 30 987654'>Call</span>",
        '<script type="application/ld+json">{"telephone": ["+49 30 987654"]}</script>',
    ],
)
def test_a_number_is_found_where_no_text_shows_it(html):
    assert numbers(html) == (["+4930987654"], [])


def test_what_the_reader_sees_counts_when_the_link_says_otherwise():
    assert numbers("<a href='tel:+4930111222'>030 987654</a>") == (["+4930987654"], [])


def test_a_number_written_in_two_ways_is_one():
    html = "<a href='tel:+49-30-987654'>030 / 98 76 54</a><p>+49 (30) 987654</p>"

    assert numbers(html) == (["+4930987654"], [])


@pytest.mark.parametrize(
    ("region", "text"),
    [
        ("DE", "IBAN DE12 5001 0517 0648 4898 90"),
        ("DE", "USt-IdNr. 246 292 916, Steuernummer 143/123/45678"),
        ("DE", "am 12.03.2024 von 10.30 - 18.30 Uhr"),
        ("DE", "Position 48.137154, 11.576124"),
        ("FR", "SIRET 512 345 678 00012 RCS Lyon 512 345 678"),
        ("FR", "01 23 45 67 89"),
        ("IT", "P. IVA 02345670890"),
        ("US", "(123) 456-7890 or (212) 555-0187 or 555-555-5555"),
        ("US", "Order 4153459876 of 2024"),
        ("US", "License # 512-345-9876"),
        ("GB", "020 7946 0123"),
        ("DK", "CVR-nr. 33 49 67 81, 2012 - 2024"),
        ("NO", "Org. nr. 970 19 400"),
        ("NO", "Pris 22 34 96 78 kr"),
        ("PL", "NIP 522-349-67-81"),
        ("BR", "CNPJ 12.345.678/0001-90"),
        ("SE", "12 349 678 kr"),
        ("IT", "Aperto 0900-1700"),
        ("FR", "Le 01.01.1970 00:00:00"),
        ("DE", "Mitglied seit 04/1998 07/2003"),
        ("DE", "Bestell-Nr.: 030-4827193"),
        ("DE", "Umsatzsteuer-Identifikationsnummer gemäß Paragraph 27a Umsatzsteuergesetz: 082/317/05946"),
        ("DE", "Umsatzsteuer-Identifikationsnummer gemäß Paragraph 27a Umsatzsteuergesetz:<br>082/317/05946"),
        (None, "030 987654"),
    ],
)
def test_what_is_no_telephone_is_left(region, text):
    assert numbers(f"<p>{text}</p>", region) == ([], [])


def test_a_number_in_a_comment_a_script_or_a_list_of_choices_is_not_shown_to_anybody():
    html = "<!-- 030 987654 --><script>'030 987655'</script><select><option>030 987656</select>"

    assert numbers(html) == ([], [])


def test_digits_in_one_piece_need_a_label_or_a_line_of_their_own():
    html = "<p>Ref 5123459871 x</p><p>Phone: 5123459872</p><p>5123459873</p>"

    assert numbers(html, "US") == (["+15123459872", "+15123459873"], [])


def test_a_list_of_public_services_is_not_the_organisation():
    html = (
        "<ul><li>Police non-emergency: 972-744-4800<li>Fire Department 972-744-5700<li>City Hall: 972-744-4100"
        "<li>Water Utilities 972-744-4120<li>President of the association: 972-234-8965</ul>"
    )

    assert numbers(html, "US") == (["+19722348965"], [])


def test_an_authority_that_a_page_refers_to_is_not_the_organisation():
    html = "<h3>Zuständige Aufsichtsbehörde</h3><p>Kammer<br>Tel. 0221 1470</p><h3>Wir</h3><p>Tel. 030 987654</p>"

    assert numbers(html) == (["+4930987654"], [])


@pytest.mark.parametrize(
    ("html", "url"),
    [
        ("<p>030 987654</p>", "https://acme.de/"),
        ("<html lang='de-DE'><p>030 987654</p>", "https://acme.com/"),
        (
            '<script type="application/ld+json">{"address": {"addressCountry": {"name": "DE"}}}</script>030 987654',
            "https://acme.com/",
        ),
    ],
)
def test_without_a_region_the_page_tells_its_country(html, url):
    assert numbers(html, None, url) == (["+4930987654"], [])


def test_an_international_number_needs_no_region():
    assert numbers("<p>+49 30 987654</p>", None) == (["+4930987654"], [])


@pytest.mark.parametrize(
    ("region", "written", "phones"),
    [
        ("DE", "Telefon: 0871 23041 oder 25317", ["+4987123041", "+4987125317"]),
        ("DE", "Tel. 0871 23041 / 25317", ["+4987123041", "+4987125317"]),
        ("DE", "Tel. 030 / 1839 / 5617", ["+493018395617"]),
        ("DE", "Tel. 07231 154873 / 154879", ["+497231154873", "+497231154879"]),
        ("IN", "Ph: 0484-2487612, 2487619", ["+914842487612", "+914842487619"]),
        ("DE", "Telefon 0871 23041, 84028 Landshut", ["+4987123041"]),
        ("DE", "Telefon 0871 23041 oder 253", ["+4987123041"]),
        ("DE", "Mobil 0171 5439871 oder 5439872", ["+491715439871"]),
        ("DE", "0871 23041 / 25317", ["+4987123041"]),
        ("BR", "Tel. (11) 3748-2561 / 99748-2561", ["+551137482561", "+5511997482561"]),
        ("BR", "Tel. (11) 3748-2561 / 01310-100", ["+551137482561"]),
    ],
)
def test_a_second_number_may_leave_out_the_area_code_that_it_shares(region, written, phones):
    assert numbers(f"<p>{written}</p>", region)[0] == phones


@pytest.mark.parametrize("written", ["Telefon 0941 000000", "Tel. +389 71 123 456"])
def test_a_number_that_ends_as_a_placeholder_is_none(written):
    assert numbers(f"<p>{written}</p>") == ([], [])


def test_a_number_that_costs_nothing_may_end_in_a_row():
    assert numbers("<p>Tel. 0800 9123456</p>") == (["+498009123456"], [])
