"""The URL vectors of web-platform-tests, which live beside the repository, not in it."""

import json
from pathlib import Path

import pytest

from actors.parse.urls import parse_url

CORPUS = Path(__file__).parents[3] / "shared" / "corpora" / "url"


def cases(name):
    if not (CORPUS / name).exists():
        pytest.skip(f"the URL vectors are not at {CORPUS / name}: nothing was checked")
    # A string among the cases is a comment.
    return [case for case in json.loads((CORPUS / name).read_text(encoding="utf-8")) if isinstance(case, dict)]


def concerns_the_web(case):
    """A result that is http(s), or a failure without a base or on an http(s) base: this reading counts 504."""
    if case.get("failure"):
        return case["base"] is None or case["base"].startswith("http")
    return case["protocol"] in {"http:", "https:"}


def is_as_expected(case):
    url = parse_url(case["input"], case["base"])
    if case.get("failure") or url is None:
        return url is None and case.get("failure", False)
    port = "" if url.port is None else str(url.port)
    found = (url.href, f"{url.scheme}:", url.host, port, url.path, url.query)
    parts = ("href", "protocol", "hostname", "port", "pathname")
    return found == (*(case[part] for part in parts), case["search"].removeprefix("?"))


def test_urls_are_read_as_browsers_read_them():
    every_case = cases("urltestdata.json")
    web_cases = [case for case in every_case if concerns_the_web(case)]

    wrong = [case for case in every_case if not is_as_expected(case)]

    assert (len(web_cases), len(every_case)) == (504, 891)
    assert wrong == []


def test_international_hosts_become_the_punycode_that_browsers_send():
    every_case = cases("toascii.json")

    hosts = [parse_url(f"https://{case['input']}/x") for case in every_case]

    expected = [case["output"] for case in every_case]
    assert len(every_case) == 87
    assert [url and url.host for url in hosts] == expected
