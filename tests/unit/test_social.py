import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.parse.html import Document
from actors.parse.social import profile, social_profiles

URL = "https://acme.example/"


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("https://www.facebook.com/acme.dental/", ("facebook", "https://www.facebook.com/acme.dental")),
        ("http://m.facebook.com/acme?ref=bookmarks", ("facebook", "https://facebook.com/acme")),
        ("https://de-de.facebook.com/acme", ("facebook", "https://de-de.facebook.com/acme")),
        ("https://facebook.com/profile.php?id=100063", ("facebook", "https://facebook.com/profile.php?id=100063")),
        ("https://www.facebook.com/pages/Acme/12345", ("facebook", "https://www.facebook.com/pages/Acme/12345")),
        ("https://www.facebook.com/acme/reviews/", ("facebook", "https://www.facebook.com/acme")),
        ("https://twitter.com/acme?lang=en", ("twitter", "https://twitter.com/acme")),
        ("https://x.com/@acme", ("twitter", "https://x.com/@acme")),
        ("https://www.linkedin.com/company/acme/about/", ("linkedin", "https://www.linkedin.com/company/acme")),
        ("https://uk.linkedin.com/in/jane-doe", ("linkedin", "https://uk.linkedin.com/in/jane-doe")),
        ("https://instagram.com/acme#x", ("instagram", "https://instagram.com/acme")),
        ("https://www.youtube.com/@acme/videos", ("youtube", "https://www.youtube.com/@acme")),
        ("https://www.youtube.com/channel/UCabc", ("youtube", "https://www.youtube.com/channel/UCabc")),
        ("https://www.tiktok.com/@acme?lang=de", ("tiktok", "https://www.tiktok.com/@acme")),
        ("https://www.pinterest.de/acme/", ("pinterest", "https://www.pinterest.de/acme")),
        ("https://www.xing.com/companies/acmegmbh", ("xing", "https://www.xing.com/companies/acmegmbh")),
        ("https://bsky.app/profile/acme.example", ("bluesky", "https://bsky.app/profile/acme.example")),
    ],
)
def test_a_profile_is_known_and_cut_down_to_itself(address, found):
    assert profile(address) == found


@pytest.mark.parametrize(
    "address",
    [
        "https://www.facebook.com/sharer/sharer.php?u=https://acme.example/",
        "https://www.facebook.com/sharer.php?u=x",
        "https://www.facebook.com/share.php?u=x",
        "https://www.facebook.com/dialog/share",
        "https://www.facebook.com/plugins/like.php?href=x",
        "https://www.facebook.com/tr?id=1",
        "https://www.facebook.com/",
        "https://www.facebook.com/profile.php",
        "https://www.facebook.com/events/123",
        "https://www.facebook.com/acme/posts/123",
        "https://www.facebook.com/wordpress",
        "https://developers.facebook.com/docs",
        "https://facebook.com.evil.example/acme",
        "https://twitter.com/intent/tweet?text=x",
        "https://twitter.com/share",
        "https://twitter.com/acme/status/123",
        "https://twitter.com/hashtag/acme",
        "https://x.com/{{handle}}",
        "https://www.linkedin.com/shareArticle?mini=true",
        "https://www.linkedin.com/company/",
        "https://www.instagram.com/p/Cabc/",
        "https://www.youtube.com/watch?v=abc",
        "https://www.youtube.com/embed/abc",
        "https://www.youtube.com/@",
        "https://pinterest.com/pin/create/button/",
        "https://t.me/share/url?url=x",
        "mailto:facebook@acme.example",
        "https://acme.example/facebook.com/acme",
        "not an address",
    ],
)
def test_what_shares_embeds_or_belongs_to_the_network_is_nobodys_profile(address):
    assert profile(address) is None


def test_the_first_profile_of_a_network_counts():
    html = """<a href="https://www.facebook.com/sharer.php?u=x">Share</a>
        <a href="//facebook.com/first">f</a> <a href="https://facebook.com/second">f</a> <a href="https://x.com/acme">x</a>"""

    profiles = social_profiles(Document(html), URL)

    assert profiles == {"facebook": "https://facebook.com/first", "twitter": "https://x.com/acme"}


def test_what_the_organisation_says_of_itself_comes_before_its_links():
    data = {"@type": "Dentist", "sameAs": ["https://www.facebook.com/real", 7, "https://acme.example/"]}
    person = {"@type": "Person", "sameAs": "https://x.com/the-author"}
    html = f"""<script type="application/ld+json">{json.dumps([person, data])}</script>
        <a href="https://www.facebook.com/somebody">f</a>"""

    assert social_profiles(Document(html), URL) == {"facebook": "https://www.facebook.com/real"}


@given(st.text(max_size=80).map("https://www.facebook.com/{}".format) | st.text(max_size=80))
def test_a_profile_is_its_own_profile(address):
    found = profile(address)

    assert found is None or profile(found[1]) == found
