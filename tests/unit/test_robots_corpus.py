"""The vectors of the reference parser and hard real files, which live beside the repository, not in it."""

import json
from collections import Counter
from pathlib import Path

import pytest

from actors.parse.robots import Robots, robots_allows, robots_text

CORPUS = Path(__file__).parents[3] / "shared" / "corpora" / "robots"

# Where protego is known to differ from the reference: what is asked with an agent of two words, which no product token
# has, unescaped characters in URLs, which our parsed URLs never have, and an unknown line between two user agents.
KNOWN_WRONG = {"GoogleOnly_AcceptUserAgentUpToFirstSpace": 1, "ID_Encoding": 3, "ID_LineSyntax_Groups_OtherRules": 1}
AGENT = "ScraperSky/1.0"


def corpus(name):
    if not (CORPUS / name).exists():
        pytest.skip(f"the robots corpus is not at {CORPUS}: nothing was checked")
    return CORPUS / name


def test_the_reference_vectors_hold_but_for_what_the_library_is_known_for():
    vectors = json.loads(corpus("google_vectors.json").read_text(encoding="utf-8"))

    wrong = [
        vector
        for vector in vectors
        if robots_allows(vector["robots"].encode(), vector["agent"], vector["url"]) != vector["allowed"]
    ]

    assert len(vectors) == 140
    assert Counter(vector["test"] for vector in wrong) <= Counter(KNOWN_WRONG)


def test_real_files_are_read_without_an_exception():
    files = [file for file in corpus("selected").iterdir() if file.is_file()]

    for file in files:
        robots = Robots(robots_text(file.read_bytes()), url="https://clinic.example/robots.txt", agent=AGENT)
        assert robots.allows("https://clinic.example/contact") in {True, False}
        assert all(sitemap.startswith("http") for sitemap in robots.sitemaps)

    assert len(files) >= 40
