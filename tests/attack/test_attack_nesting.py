"""The tree stays within the limit of depth, whichever tags are repeated: the walk has no element open too few."""

import pytest

from tests.attack.depth import BEFORE, DEEPEST_TREE, LIMIT, TAGS, depth, pairs, too_deep, triples


def test_no_pair_of_tags_nests_without_end():
    assert too_deep(pairs(), before="<!doctype html>") == []


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("before", BEFORE)
def test_no_pair_of_tags_nests_without_end_in_another(before):
    assert too_deep(pairs(), before=before) == []


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", TAGS)
def test_no_three_tags_nest_without_end(first):
    assert too_deep(triples(first), before="<!doctype html>") == []


@pytest.mark.parametrize(
    "unit",
    [
        "<p><hr><span>",
        "<p><xmp></xmp><span>",
        "<p><form><span></form>",
        "<p><table></table><span>",
        "<ruby><dd><rtc>",
        "<b><h1></b>",
        "<b><span></b><x-y></span>",
        "<a><span><a><x-y></span>",
        "<b><option></b><x-y></option>",
        "<select><option><hr><span></option>",
    ],
)
def test_what_the_parser_has_ended_already_ends_nothing_else(unit):
    assert max(depth(before + unit * 200) for before in BEFORE) <= DEEPEST_TREE


@pytest.mark.parametrize(
    "before",
    [
        "<template><col><title></template>",
        "<template><col><svg><![CDATA[></template>",
        "<math><mi><mglyph><title></mi></math>",
        "<svg>" + "".join(f"<x{number}>" for number in range(2_100)) + "</svg>",
        "<svg><desc><frameset><![CDATA[>",
    ],
)
def test_what_the_parser_ignores_hides_nothing_from_the_walk(before):
    for unit in ("<div>", "<b>", "<svg><b>", "<frameset>"):
        assert depth(before + unit * 200) <= DEEPEST_TREE


def test_the_depth_is_that_of_the_tree():
    assert depth("<p>") == len(("html", "body", "p"))
    assert depth("<br>" * 9 + "<svg><input><input>") == len(("html", "body", "svg", "input", "input"))
    assert depth("<div>" * 200) in range(LIMIT, LIMIT + 4)
