"""What people type for somebody who must not be contacted, as the list stores it."""

import pytest

from app.commands.values import suppressible


@pytest.mark.parametrize("text", ["*@smile.com", "%@smile.com", "@smile.com", "*.smile.com", "*@*.smile.com"])
def test_everybody_at_a_domain_is_the_domain_and_no_address_with_a_star(text):
    assert suppressible(text) == ("domain", "smile.com")


@pytest.mark.parametrize("text", ['"Ann Lee" <Ann@smile.com>', "<ann@smile.com>", "mailto:Ann@Smile.com"])
def test_an_address_as_mail_programs_write_it_is_the_address(text):
    assert suppressible(text) == ("email", "ann@smile.com")
