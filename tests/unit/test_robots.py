"""One robots.txt: whom it means, what it forbids, and what is not a robots.txt at all."""

import codecs
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.fetch.robots import product_token
from actors.parse.robots import MOST_BYTES, Robots, robots_allows, robots_text

URL = "https://clinic.example/robots.txt"
AGENT = "ScraperSky/1.0"


def robots(text):
    return Robots(text, url=URL, agent=AGENT)


def test_a_group_with_our_name_holds_before_the_one_for_everybody():
    rules = robots("User-agent: *\nDisallow: /\n\nUser-agent: scrapersky\nDisallow: /private\n")

    assert rules.allows("https://clinic.example/")
    assert not rules.allows("https://clinic.example/private/x")


@pytest.mark.parametrize("name", ["ScraperSky", "scrapersky", "ScraperSky/1.0", "ScraperSky (the bot) # us"])
def test_we_are_meant_with_and_without_version_and_more_words(name):
    assert not robots_allows(f"User-agent: {name}\nDisallow: /".encode(), AGENT, "https://clinic.example/")


def test_the_longest_rule_wins_and_wildcards_work():
    rules = robots("User-agent: *\nDisallow: /*?\nAllow: /a\nDisallow: /a/b$\n")

    assert rules.allows("https://clinic.example/a/bc")
    assert not rules.allows("https://clinic.example/a/b")
    assert not rules.allows("https://clinic.example/x?y")


def test_sitemaps_are_absolute_and_named_once():
    rules = robots(
        "Sitemap: /a.xml\nsitemap: https://clinic.example/a.xml\nSitemap: https://cdn.example/b.xml\n"
        "Sitemap: ftp://x/\nSitemap: http://[\nUser-agent: *\nSitemap: c d.xml\n"
    )

    assert rules.sitemaps == (
        "https://clinic.example/a.xml",
        "https://cdn.example/b.xml",
        "https://clinic.example/c%20d.xml",
    )


@pytest.mark.parametrize(("value", "delay"), [("10", 10), ("0.5", 0.5), ("x", None), ("inf", None), ("-1", None)])
def test_the_crawl_delay_is_a_number_of_seconds_or_nothing(value, delay):
    assert robots(f"User-agent: *\nCrawl-delay: {value}\n").crawl_delay == delay


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbfUser-agent: *\nDisallow: /",
        codecs.BOM_UTF16_LE + "User-agent: *\nDisallow: /".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "User-agent: *\nDisallow: /".encode("utf-16-be"),
        b"User-agent: *\r\rDisallow: /\0\r",
    ],
)
def test_marks_and_odd_characters_do_not_hide_a_rule(body):
    assert not robots_allows(body, AGENT, "https://clinic.example/")


@pytest.mark.parametrize(
    "page", [b"<!DOCTYPE html><p>User-agent: *\nDisallow: /", b"\n <html>\nUser-agent: *\nDisallow: /"]
)
def test_a_page_for_people_has_no_rules(page):
    assert robots_allows(page, AGENT, "https://clinic.example/")


def test_what_stands_after_500_kib_is_not_read():
    padding = b"#" * (MOST_BYTES - 20) + b"\n"

    assert robots_allows(padding + b"User-agent: *\nDisallow: /", AGENT, "https://clinic.example/")


def agents(count, between=""):
    return "".join(f"User-agent: bot{number:x}\n{between}" for number in range(count))


def rules(count):
    return "".join(f"Disallow: /{number:x}\n" for number in range(count))


@pytest.mark.parametrize(
    "text",
    [
        agents(10_000) + rules(10_000),
        agents(10_000, "Sitemap: /a.xml\n") + rules(10_000),
        agents(10_000, "user-agent bot: x\n").replace("User-agent: ", "useragent ") + rules(10_000),
        agents(20_000) * 2,
    ],
    ids=["one group", "sitemaps between", "odd spellings", "named twice"],
)
def test_a_file_that_multiplies_agents_with_rules_forbids_all_and_takes_little_memory(text):
    tracemalloc.start()
    overgrown = robots(text[:MOST_BYTES])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert not overgrown.allows("https://clinic.example/")
    assert peak < 20_000_000


@pytest.mark.parametrize(
    "text",
    [
        agents(1000, "Disallow: /\n"),
        agents(1000, "Crawl-delay: 10\n\n"),
        agents(3000) + "Disallow: /\n",
        agents(1000) + "Disallow: /\n" + "Sitemap: /a.xml\n" * 500,
        "User-agent: *\n" + rules(20_000),
    ],
)
def test_a_long_file_of_an_honest_site_is_read(text):
    assert robots(text).allows("https://clinic.example/")


def test_no_nul_is_left_for_the_database():
    assert "\0" not in robots_text(b"a\0b")


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [("ScraperSky/1.0 (+https://x.example; a@x.example)", "ScraperSky/1.0"), ("Bot", "Bot"), ("(odd)", "(odd)")],
)
def test_our_name_is_what_the_user_agent_begins_with(user_agent, token):
    assert product_token(user_agent) == token


@settings(deadline=None)
@given(st.binary(max_size=2000), st.text(max_size=50))
def test_no_file_and_no_path_is_an_error(body, path):
    assert robots_allows(body, AGENT, f"https://clinic.example/{path}") in {True, False}
