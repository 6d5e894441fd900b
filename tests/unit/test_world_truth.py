"""How the demo judges itself."""

import pytest

from app.demo.truth import Found, score
from app.demo.world import SITES

EVERYTHING = [Found(site.domain, email, None) for site in SITES for email in sorted(site.emails)] + [
    Found(site.domain, None, phone) for site in SITES for phone in sorted(site.phones)
]


def test_the_whole_truth_is_perfect():
    scores = score(EVERYTHING)

    assert [(one.precision, one.recall, one.is_good) for one in scores.values()] == [(1, 1, True)] * 2


def test_nothing_at_all_is_not_good():
    scores = score([])

    assert not any(one.is_good for one in scores.values())


def test_an_address_at_the_wrong_domain_is_both_wrong_and_missed():
    first, *others = EVERYTHING

    emails = score([first._replace(domain="elsewhere.com"), *others])["e-mail addresses"]

    assert [item.value for item in emails.wrong] == [item.value for item in emails.missed] == [first.email]
    assert emails.precision == pytest.approx(emails.recall) == pytest.approx(1 - 1 / len(emails.truth))


def test_a_contact_with_address_and_number_counts_for_both():
    scores = score([Found("gemini-brothers.com", "castor@gemini-brothers.com", "+15129588701")])

    assert [len(one.right) for one in scores.values()] == [1, 1]


def test_a_few_misses_are_forgiven_and_many_are_not():
    tenth = [contact for number, contact in enumerate(EVERYTHING) if number % 10]
    all_but_one = EVERYTHING[1:]

    assert score(all_but_one)["e-mail addresses"].is_good
    assert not score(tenth)["e-mail addresses"].is_good
