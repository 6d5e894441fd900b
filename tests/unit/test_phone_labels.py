"""What the words before a number call it."""

import pytest

from actors.parse.contacts import find_contacts


def numbers(text, region):
    found = find_contacts(f"<p>{text}</p>", url="", region=region)
    return [phone.number for phone in found.phones], [fax.number for fax in found.faxes]


@pytest.mark.parametrize(
    ("region", "written", "number"),
    [
        ("IT", "Tel. 02.23894561", "+390223894561"),
        ("IT", "02.23894561", "+390223894561"),
        ("IT", "Cell. 338.2389451", "+393382389451"),
        ("ES", "Tel. 912.389.456", "+34912389456"),
        ("VN", "ĐT: 028.38238945", "+842838238945"),
        ("RO", "Tel: 021.2389456", "+40212389456"),
    ],
)
def test_a_dot_after_the_area_code_makes_no_decimal_of_a_telephone(region, written, number):
    assert numbers(written, region) == ([number], [])


def test_the_fax_beside_it_has_its_dot_too():
    assert numbers("Tel. 02.23894561 - Fax 02.23894562", "IT") == (["+390223894561"], ["+390223894562"])


@pytest.mark.parametrize(
    ("region", "written"),
    [
        ("IT", "Lat 45.4642035, 9.1899823"),
        ("IT", "45.4642035"),
        ("ES", "912.389.456"),
        ("ES", "Presupuesto: 912.389.456 eur"),
        ("DE", "11.5761249"),
    ],
)
def test_a_decimal_that_nobody_calls_a_telephone_is_a_position_or_a_price(region, written):
    assert numbers(written, region) == ([], [])


@pytest.mark.parametrize(
    ("region", "written", "number"),
    [
        ("CO", "PBX 6016683901", "+576016683901"),
        ("CO", "Conmutador: 6016683901", "+576016683901"),
        ("ES", "Tfno. 912389456", "+34912389456"),
        ("ES", "Llámanos al 912389456", "+34912389456"),
        ("PT", "Tlm. 912389456", "+351912389456"),
        ("PT", "Contacto: 912389456", "+351912389456"),
        ("GR", "Τηλέφωνα: 2102389456", "+302102389456"),
        ("CN", "热线\uff1a4002389456", "+864002389456"),
        ("KR", "고객센터 15882389", "+8215882389"),
        ("JP", "電話番号\uff1a03\uff085238\uff099456", "+81352389456"),
        ("VN", "Zalo: 0912389456", "+84912389456"),
        ("IN", "Helpline: 9820144372", "+919820144372"),
        ("IN", "Customer Care 9820144372", "+919820144372"),
        ("IN", "Enquiry: 9820144372", "+919820144372"),
        ("NO", "Ring 91844203", "+4791844203"),
        ("DK", "Vagttelefon 28970373", "+4528970373"),
        ("DK", "T: 28970373", "+4528970373"),
        ("IN", "(M) 9820144372", "+919820144372"),
        ("GR", "\u03a4: 2102389456", "+302102389456"),
        ("RU", "т. 89162389456", "+79162389456"),
    ],
)
def test_digits_in_one_piece_are_a_telephone_where_a_word_says_so(region, written, number):
    assert numbers(written, region) == ([number], [])


@pytest.mark.parametrize(
    ("region", "written"),
    [
        ("JP", "登録番号 T3012389456123"),
        ("IN", "Contact our office with 9820144372"),
        ("IN", "Section M 9820144372"),
        ("NO", "Ring oss om sak 91844203"),
    ],
)
def test_a_letter_or_a_common_word_says_so_only_right_before_the_number(region, written):
    assert numbers(written, region) == ([], [])


@pytest.mark.parametrize("label", ["Facsimile:", "Telecopier", "eFax:"])
def test_a_fax_has_other_names(label):
    assert numbers(f"{label} 416-538-2291", "CA") == ([], ["+14165382291"])


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("9820144372, 9820144373", ["+919820144372", "+919820144373"]),
        ("9820144372 / 9820144373 / 9820144374", ["+919820144372", "+919820144373", "+919820144374"]),
        ("9820144372, 9820144373, 9820144374, 9820144375", []),
        ("9820144372, 9820144373 items", []),
    ],
)
def test_two_or_three_numbers_may_have_a_line_of_their_own(written, found):
    assert numbers(written, "IN") == (found, [])


@pytest.mark.parametrize(
    ("region", "written"),
    [
        ("IT", "C.F. 04127650965"),
        ("IT", "P.I./C.F. 04127650965"),
        ("IT", "Partita I.V.A. 04127650965"),
        ("IT", "C.F. e n. iscr. Reg. Imprese 04127650965"),
        ("ES", "N.I.F. 912384756"),
        ("RO", "C.U.I. 0212389456"),
        ("BE", "N° d'entreprise : 0471.238.965"),
        ("BE", "BCE 0471.238.965"),
        ("BE", "RPM 0471.238.965"),
        ("BE", "Ondernemingsnummer 0471 238 965"),
        ("PT", "Nº de Pessoa Colectiva: 212 389 456"),
        ("PL", "numer rachunku: 501 238 945"),
        ("HU", "Nyilvántartási szám: 06-23-894512"),
        ("HR", "MBS: 040123894"),
        ("UA", "РНОКПП 0501238945"),
        ("UA", "ІПН: 0441238945"),
        ("CN", "账号\uff1a02012389456"),
        ("KR", "계좌번호 02-1238-9456"),
        ("ID", "No. Rek 021-238-9456"),
        ("ID", "No. Rekening: 0212389456"),
        ("VN", "MST: 0312389456"),
        ("VN", "Mã số thuế 0312389456"),
        ("VN", "Giấy chứng nhận ĐKKD số 0312389456 do Sở KHĐT cấp"),
        ("VN", "Số tài khoản: 0312389456"),
        ("DE", "Bankverbindung: 0441772839 bei LzO"),
        ("US", "Lic. # 412-993-7144"),
    ],
)
def test_what_a_page_calls_an_account_or_a_register_is_no_telephone(region, written):
    assert numbers(written, region) == ([], [])


@pytest.mark.parametrize(
    ("region", "written", "number"),
    [
        ("BE", "Entreprise Maes 0471 23 89 65", "+32471238965"),
        ("DE", "MBS Bau 0441 7728391", "+494417728391"),
        ("MX", "Lic. Ana Ruiz 55 5238 9456", "+525552389456"),
        ("IT", "C.F. 04127650965 - Tel. 02 23894561", "+390223894561"),
        ("VN", "MST: 0312389456 - ĐT: 0912389456", "+84912389456"),
    ],
)
def test_such_a_word_further_off_is_a_name(region, written, number):
    assert numbers(written, region) == ([number], [])
