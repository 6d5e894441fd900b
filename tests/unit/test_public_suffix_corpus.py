"""The official test vectors of the public suffix list, which live beside the repository, not in it."""

from pathlib import Path

import pytest
from publicsuffixlist import PublicSuffixList

from actors.parse.domains import registrable_domain
from actors.parse.public_suffixes import public_suffixes
from actors.parse.urls import parse_url

VECTORS = Path(__file__).parents[3] / "shared" / "corpora" / "psl" / "tests.txt"


@pytest.fixture
def vectors():
    if not VECTORS.exists():
        pytest.skip(f"the public suffix vectors are not at {VECTORS}: nothing was checked")
    lines = VECTORS.read_text(encoding="utf-8").splitlines()
    pairs = [tuple(line.split()) for line in lines if line and not line.startswith("//")]
    # The first vector, null for null, asks about a language in which a host can be missing.
    return [(host, None if domain == "null" else punycode(domain)) for host, domain in pairs if host != "null"]


def punycode(domain):
    url = parse_url(f"https://{domain}")
    assert url is not None
    return url.host


def test_the_official_vectors_of_the_public_suffix_list_hold(vectors):
    wrong = [(host, domain, registrable_domain(host)) for host, domain in vectors if registrable_domain(host) != domain]

    assert len(vectors) == 77
    assert wrong == []


@pytest.mark.parametrize("only_icann", [False, True])
def test_the_list_is_taken_in_as_the_library_would_take_it_in(only_icann):
    theirs, ours = PublicSuffixList(only_icann=only_icann), public_suffixes(only_icann=only_icann)

    assert {*vars(theirs)} == {"accept_unknown", "_publicsuffix", "_maxlabel"}
    assert vars(ours) == vars(theirs)
