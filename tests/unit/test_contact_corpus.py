"""Real pages with their contacts, which live beside the repository, not in it."""

import importlib.util
import json
import time
from pathlib import Path

import pytest

from actors.parse.contacts import find_contacts
from actors.parse.encoding import decode

CORPUS = Path(__file__).parents[3] / "shared" / "corpora" / "html"


@pytest.fixture(scope="module")
def labels():
    if not CORPUS.exists():
        pytest.skip(f"the labelled pages are not at {CORPUS}: nothing was checked")
    return json.loads((CORPUS / "labels.json").read_text(encoding="utf-8"))["pages"]


@pytest.fixture(scope="module")
def found(labels):
    pages = {page["file"]: (decode((CORPUS / page["file"]).read_bytes()), page["region"]) for page in labels}
    return {file: find_contacts(text, url="", region=region) for file, (text, region) in pages.items()}


@pytest.fixture(scope="module")
def score(found):
    spec = importlib.util.spec_from_file_location("score", CORPUS / "score.py")
    scorer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    predicted = {
        file: {"emails": [each.address for each in page.emails], "phones": [each.number for each in page.phones]}
        for file, page in found.items()
    }
    # The scorer opens its labels without closing them, a warning that is no fault of ours.
    with pytest.warns(ResourceWarning):
        return scorer.score(predicted, verbose=True)


def test_the_contacts_of_real_pages_are_found(score):
    assert score["email"]["precision"] >= 0.95, score["fp"]
    assert score["email"]["recall"] >= 0.95, score["fn"]
    assert score["phone"]["precision"] >= 0.90, score["fp"]
    assert score["phone"]["recall"] >= 0.92, score["fn"]


def test_nothing_comes_out_that_must_not(score):
    assert score["rej"] == []


def test_the_faxes_of_real_pages_are_told_from_telephones(labels, found):
    wanted = {page["file"]: {fax["e164"] for fax in page["fax"]} for page in labels}

    assert {file: {fax.number for fax in page.faxes} for file, page in found.items()} == wanted


def test_the_people_who_are_named_are_people(labels, found):
    known = {page["file"]: {person["name"] for person in page["people"]} for page in labels}
    named = [(file, person.name) for file, page in found.items() for person in page.people]

    assert [(file, name) for file, name in named if name not in known[file]] == []
    assert len(named) >= 8


def test_no_page_takes_a_second(labels):
    slow = []
    for page in labels:
        text = decode((CORPUS / page["file"]).read_bytes())
        started = time.process_time()
        find_contacts(text, url="", region=page["region"])
        slow += [page["file"]] if time.process_time() - started > 1 else []

    assert slow == []
