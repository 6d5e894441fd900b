"""What the simulator knows and the client asks for, against Google's discovery document beside the repository."""

import json
from pathlib import Path

import pytest

from actors.fetch.places import DETAIL_MASK, POSITION_MASK, SEARCH_MASK
from app.demo.places_schema import Schema
from tests.places_support import FULL_PLACE

DISCOVERY = Path(__file__).parents[3] / "shared" / "corpora" / "places" / "places.v1.discovery.json"
PREFIX = "GoogleMapsPlacesV1"


@pytest.fixture(scope="module")
def published():
    if not DISCOVERY.exists():
        pytest.skip(f"the discovery document of the Places API is not at {DISCOVERY}: nothing was checked")
    return json.loads(DISCOVERY.read_text(encoding="utf-8"))["schemas"]


@pytest.mark.parametrize(
    ("part", "root"), [("answers", "SearchTextResponse"), ("answers", "Place"), ("requests", "SearchTextRequest")]
)
def test_the_simulator_knows_the_published_fields_and_no_others(published, part, root):
    known = known_paths(Schema(part), root)

    assert known == published_paths(published, PREFIX + root)


@pytest.mark.parametrize(
    ("mask", "root"),
    [(SEARCH_MASK, "SearchTextResponse"), (POSITION_MASK, "SearchTextResponse"), (DETAIL_MASK, "Place")],
)
def test_every_path_of_the_client_s_masks_is_published(published, mask, root):
    assert set(mask.split(",")) <= published_paths(published, PREFIX + root)


def test_the_sample_place_of_the_tests_is_one_that_google_could_send(published):
    assert used_paths(FULL_PLACE) <= published_paths(published, f"{PREFIX}Place")


def known_paths(schema, root, at=""):
    found = set()
    for name, kind in schema.messages[root].items():
        found |= {at + name} | (known_paths(schema, kind, f"{at}{name}.") if kind else set())
    return found


def published_paths(schemas, root, at=""):
    found = set()
    for name, described in schemas[root].get("properties", {}).items():
        kind = described.get("$ref") or described.get("items", {}).get("$ref")
        found |= {at + name} | (published_paths(schemas, kind, f"{at}{name}.") if kind else set())
    return found


def used_paths(value, at=""):
    if isinstance(value, list):
        return set().union(*(used_paths(item, at) for item in value))
    if not isinstance(value, dict):
        return set()
    return set().union(*({at + name} | used_paths(inner, f"{at}{name}.") for name, inner in value.items()))
