"""Real sitemaps and the number of URLs in each, which live beside the repository, not in it."""

import json
from pathlib import Path

import pytest

from actors.parse.sitemaps import Sitemap, count_urls

CORPUS = Path(__file__).parents[3] / "shared" / "corpora" / "sitemaps"
KINDS = {"urlset": "urlset", "sitemapindex": "index", "rss": "rss", "atom": "atom", "txt": "text", "html": "html"}


@pytest.fixture
def manifest():
    if not CORPUS.exists():
        pytest.skip(f"the sitemaps are not at {CORPUS}: nothing was checked")
    return json.loads((CORPUS / "manifest.json").read_text(encoding="utf-8"))


def test_every_url_of_every_real_sitemap_is_found(manifest):
    sitemaps = [entry for entry in manifest if entry["kind"] in {"urlset", "sitemapindex"}]

    wrong = [
        (entry["file"], expected(entry), found) for entry in sitemaps if not is_right(entry, found := count(entry))
    ]

    assert sitemaps
    assert wrong == []


def test_every_real_file_is_taken_for_what_it_is(manifest):
    read = {entry["file"]: Sitemap([content(entry)], url="https://site.example/sitemap.xml") for entry in manifest}
    counts = {file: len(list(sitemap)) for file, sitemap in read.items()}

    kinds = {entry["file"]: (KINDS[entry["kind"]], read[entry["file"]].kind) for entry in manifest}

    assert [(file, kind) for file, kind in kinds.items() if kind[0] != kind[1]] == []
    assert all(counts[entry["file"]] > 0 for entry in manifest if entry["kind"] in {"rss", "atom"})


def count(entry):
    return count_urls(content(entry), "https://site.example/sitemap.xml")


def content(entry):
    return (CORPUS / entry["file"]).read_bytes()


def expected(entry):
    """A template that was never filled in names no URL."""
    return 0 if any("{{" in url for url in entry["first"]) else entry["urls_by_regex"]


def is_right(entry, found):
    """Where the file was cut off, the last URL may be half."""
    return abs(found - expected(entry)) <= ("truncated" in entry["file"])
