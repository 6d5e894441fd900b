"""Documents by grammar: nothing raises, nothing needs more than its share of time, nothing grows beyond its columns."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.attack.grammars import pages, robots, sitemaps, structured
from tests.attack.growth import MOST_CPU
from tests.attack.readers import READERS

LONGEST_RESULT = 500_000
documents = st.one_of(
    st.tuples(st.just("page"), pages | structured),
    st.tuples(st.just("sitemap"), sitemaps),
    st.tuples(st.just("robots"), robots),
)


def thorough(examples):
    return settings(deadline=None, max_examples=examples, suppress_health_check=list(HealthCheck))


def check(document):
    kind, body = document
    for read in READERS[kind]:
        started = time.process_time()

        result = read(body)

        assert time.process_time() - started < MOST_CPU
        assert len(repr(result)) < LONGEST_RESULT


@thorough(150)
@given(documents)
def test_any_document_is_read_within_limits(document):
    check(document)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@thorough(8_000)
@given(documents)
def test_thousands_of_documents_are_read_within_limits(document):
    check(document)


def test_a_reader_that_gives_too_much_is_found(monkeypatch):
    monkeypatch.setitem(READERS, "page", (lambda body: body * LONGEST_RESULT,))

    with pytest.raises(AssertionError):
        check(("page", b"x"))
