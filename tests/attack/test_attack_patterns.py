"""Every regular expression of the project, tried with texts that are made from its own pieces."""

import json
import subprocess
import sys

import pytest

from tests.attack.measure import ROOT
from tests.attack.patterns import expressions
from tests.attack.pumping import CONTROLS
from tests.attack.pumps import pumps


def problems(size, *options):
    """What is found at a size, by the place of the expression."""
    command = [sys.executable, "-m", "tests.attack.pumping", str(size), *options]
    answers = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return {where: problem for where, problem in map(json.loads, answers) if problem}


def test_the_expressions_of_modules_data_and_functions_are_found():
    found = {expression.where for expression in expressions()}

    assert len(found) > 150
    assert "actors.parse.obfuscation._SPOKEN" in found
    assert "actors.parse.technologies._RULES['WordPress'].version" in found
    assert any(where.startswith("config.py:") for where in found)


def test_an_expression_has_pumps_of_its_own_pieces():
    texts = {pump.text(100) for expression in expressions() for pump in pumps(expression.pattern)}

    assert len(texts) > 1_000


def test_no_expression_needs_more_than_its_share_of_time():
    assert problems(20_000) == {}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_no_expression_needs_more_than_its_share_of_time_at_a_hundred_kilobytes():
    assert problems(100_000) == {}


@pytest.mark.timeout(600)
def test_expressions_that_are_known_to_be_slow_are_found():
    assert set(problems(20_000, "--controls")) == set(CONTROLS)
