import pytest
from email_validator import EmailNotValidError, validate_email
from hypothesis import given
from hypothesis import strategies as st

from actors.parse.mail_addresses import valid

NAME_PARTS = st.lists(st.sampled_from([*"aZ0.%&'+-_", "info", ".."]), min_size=1, max_size=8)
DOMAIN_PARTS = st.lists(st.sampled_from([*"aZ0-.ü", "--", "xn--", "acme", ".co"]), min_size=1, max_size=8)
ENDINGS = st.sampled_from(["", ".de", ".COM", ".test", ".LOCAL", ".x", ".c0m", ".0"])


def by_the_library(address):
    try:
        checked = validate_email(address, check_deliverability=False, allow_smtputf8=False)
    except EmailNotValidError:
        return None
    return (checked.ascii_email or checked.normalized).lower()


@given(NAME_PARTS, DOMAIN_PARTS, ENDINGS)
def test_an_address_is_valid_when_the_library_says_so(name, domain, ending):
    address = f"{''.join(name)}@{''.join(domain)}{ending}"

    assert valid(address) == by_the_library(address)


@pytest.mark.parametrize("address", ["a" * 65 + "@acme.de", "a@" + "b" * 64 + ".de", "a@" + "b." * 130 + "de"])
def test_an_address_that_is_too_long_is_what_the_library_says(address):
    assert valid(address) == by_the_library(address)
