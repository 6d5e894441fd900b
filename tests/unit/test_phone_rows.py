"""Numbers in a row, and digits that stand before or after a number without being part of it."""

import pytest

from actors.parse.contacts import find_contacts


def numbers(text, region):
    found = find_contacts(f"<p>{text}</p>", url="", region=region)
    return [phone.number for phone in found.phones], [fax.number for fax in found.faxes]


@pytest.mark.parametrize(
    ("region", "written", "phones"),
    [
        ("GB", "01823 339214/5", ["+441823339214", "+441823339215"]),
        ("GB", "01823 339214-5", ["+441823339214", "+441823339215"]),
        ("GB", "Tel: 020 7431 8826/7", ["+442074318826", "+442074318827"]),
        ("ZA", "011 412 9937/8", ["+27114129937", "+27114129938"]),
        ("IN", "022-28774410/11/12", ["+912228774410", "+912228774411", "+912228774412"]),
        ("GR", "Τηλ: 210 2389456-7", ["+302102389456", "+302102389457"]),
        ("TR", "Tel: 0212 238 94 56-57", ["+902122389456", "+902122389457"]),
        ("CH", "Tel. 091 238 94 56/57", ["+41912389456", "+41912389457"]),
        ("BE", "Tél. 02/238.94.56-57", ["+3222389456", "+3222389457"]),
        ("ES", "Tel. 912389456/57", ["+34912389456", "+34912389457"]),
        ("ES", "Tel. 93 238 94 56 / 57", ["+34932389456", "+34932389457"]),
        ("AR", "Tel: 011 4238-9456 / 9457", ["+541142389456", "+541142389457"]),
        ("DE", "Tel. 0441/7728391/92", ["+494417728391", "+494417728392"]),
    ],
)
def test_a_short_tail_that_is_larger_replaces_the_last_digits(region, written, phones):
    assert numbers(written, region) == (phones, [])


@pytest.mark.parametrize(
    ("region", "written", "phones"),
    [
        ("CZ", "Tel. 541 238 945/12", ["+420541238945"]),
        ("CN", "电话\uff1a010-62176655-801", ["+861062176655"]),
        ("HU", "Tel.: 1/238-9456/12", ["+3612389456"]),
        ("DE", "Tel. 0441 77283-0", ["+49441772830"]),
        ("DE", "Tel. 030 2389456-7", ["+493023894567"]),
        ("DE", "Tel. 0211/83921/4517", ["+49211839214517"]),
        ("GB", "Tel 01823 339214/24h", ["+441823339214"]),
        ("GB", "Tel 01823 339214 - 24 hours", ["+441823339214"]),
        ("GB", "Tel 01823 339214/31.12.2024", ["+441823339214"]),
        ("GB", "Tel 01823 339214 / 24 High Street", ["+441823339214"]),
    ],
)
def test_another_tail_is_an_extension_or_no_number_at_all(region, written, phones):
    assert numbers(written, region) == (phones, [])


@pytest.mark.parametrize(
    ("region", "written"),
    [
        ("CZ", "238945612/0100"),
        ("CZ", "Na účet 238945612/5500"),
        ("CZ", "238 941 234/5500"),
        ("SK", "0238945612/1100"),
        ("CZ", "čj. 602 238 945/12"),
        ("GB", "01823 339214-2024"),
        ("GB", "01823 339214/31.12.2024"),
        ("GB", "01823 339214/4417"),
    ],
)
def test_without_a_label_a_number_that_goes_on_is_an_account_or_a_file(region, written):
    assert numbers(written, region) == ([], [])


@pytest.mark.parametrize(
    ("region", "written", "phones"),
    [
        ("DE", "Tel. 0441 7728391/7728392", ["+494417728391", "+494417728392"]),
        ("DE", "Tel. 04402 8392/8391", ["+4944028392", "+4944028391"]),
        ("IN", "Mob: 9820144372/9820144373", ["+919820144372", "+919820144373"]),
        ("GB", "07711 412993/07711 412994", ["+447711412993", "+447711412994"]),
        ("IT", "Tel. 051 293191 / 245029", ["+39051293191", "+39051245029"]),
        ("IT", "Tel. 051 - 293.191 / 245.029", ["+39051293191", "+39051245029"]),
        ("AR", "Tel. (0261) 423-8945 / 423-8946", ["+542614238945", "+542614238946"]),
        ("RU", "Тел. 8(4852) 23-89-45, 23-89-46", ["+74852238945", "+74852238946"]),
        ("IN", "Ph: 0124-4283391, 4283392, 4283393", ["+911244283391", "+911244283392", "+911244283393"]),
        ("ID", "Telp. (0361) 238945, 238946", ["+62361238945", "+62361238946"]),
        ("CL", "Fonos: 32 223 8945 / 223 8946", ["+56322238945", "+56322238946"]),
        ("VE", "Tel: (0212) 238.9456 / 238.9457", ["+582122389456", "+582122389457"]),
        ("BR", "Tel. (11) 3238-9456 | 98238-9457", ["+551132389456", "+5511982389457"]),
        ("BR", "(11) 3238-9456 / 3238-9457", ["+551132389456", "+551132389457"]),
        ("DE", "Tel. 0441 77283-11 oder -12", ["+494417728311", "+494417728312"]),
    ],
)
def test_a_long_tail_shares_the_area_code(region, written, phones):
    assert numbers(written, region) == (phones, [])


@pytest.mark.parametrize(
    ("region", "written", "phones"),
    [
        ("IT", "Tel. 051 293191, 40121 Bologna", ["+39051293191"]),
        ("IN", "Ph: 0361-238945, 781001 Guwahati", ["+91361238945"]),
        ("DE", "Tel. 0441 7728391 / 12.03.2024", ["+494417728391"]),
        ("RU", "Тел. 8(4852) 23-89-45, 12-03-2024", ["+74852238945"]),
        ("AR", "011 4238-9456 / 9999", ["+541142389456"]),
        ("DE", "Tel. 0441 7728391, 1.500,00 Euro", ["+494417728391"]),
    ],
)
def test_a_postcode_a_date_or_a_price_after_a_number_is_no_second_one(region, written, phones):
    assert numbers(written, region) == (phones, [])


@pytest.mark.parametrize(
    ("region", "written", "phone", "fax"),
    [
        ("DE", "Tel. 0441 77283-0, Fax -29", "+49441772830", "+494417728329"),
        ("DE", "Tel: 0441 77283-0 / Fax: -29", "+49441772830", "+494417728329"),
        ("GB", "Tel 01823 339214 (Fax 339215)", "+441823339214", "+441823339215"),
        ("DE", "Tel. 0441 7728391, Fax 7728392", "+494417728391", "+494417728392"),
    ],
)
def test_the_fax_of_a_row_leaves_out_what_it_shares_with_the_telephone(region, written, phone, fax):
    assert numbers(written, region) == ([phone], [fax])


@pytest.mark.parametrize(
    ("region", "written", "number"),
    [
        ("DE", "Tel. Handy D2 0172/ 4418273", "+491724418273"),
        ("DE", "Tel 1 0441 7728391", "+494417728391"),
        ("DE", "Hauptstr. 12 <b>0441 7728391</b>", "+494417728391"),
        ("DE", "Mo-Fr 8-17 0441 7728391", "+494417728391"),
        ("DE", "Mo-Fr 8.00-17.00 0441 7728391", "+494417728391"),
        ("DE", "26122 0441 7728391", "+494417728391"),
        ("GB", "Open 24/7 01823 339214", "+441823339214"),
        ("GB", "Unit 2 (01823) 339214", "+441823339214"),
        ("SE", "Lag 1 070-291 44 83", "+46702914483"),
        ("IT", "Via Roma 12 051 293191", "+39051293191"),
        ("DK", "28 07 03 73", "+4528070373"),
        ("DK", "Tlf. 51 02 30 44", "+4551023044"),
        ("BY", "8 029 238-94-56", "+375292389456"),
        ("RU", "8 (495) 239-56-71", "+74952395671"),
        ("IT", "Tel. 39 02 23894561", "+390223894561"),
        ("IT", "347 051 2938", "+393470512938"),
        ("AT", "Tel. 43 0664 2389456", "+436642389456"),
    ],
)
def test_digits_before_a_number_are_left_where_it_is_one_without_them(region, written, number):
    assert numbers(written, region) == ([number], [])


@pytest.mark.parametrize(
    "written",
    [
        "BE71 0961 2389 6769",
        "DE89 3704 0044 0532 0130 00",
        "12 03 2024 18 00",
        "2 004512893716 Schrauben",
        "Kto. 12 0441 772839",
        "Mo 8-12 09.00-17.00",
    ],
)
def test_accounts_dates_and_parts_are_no_number_behind_a_house_number(written):
    assert numbers(written, "DE") == ([], [])
