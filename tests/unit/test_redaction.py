"""What `redact` masks, and what it leaves alone."""

import pytest

from app.logs import redact

GOOGLE_KEY = "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("postgresql://me:hidden@db:5432/leads", "postgresql://me:***@db:5432/leads"),
        ("postgresql://me:hid@d/en@db/leads", "postgresql://me:***@db/leads"),
        ("postgresql+psycopg://me:1234@db", "postgresql+psycopg://me:***@db"),
        ("redis://:hidden@cache:6379/0 is gone", "redis://:***@cache:6379/0 is gone"),
        ("https://me:hidden@site.example/a?to=b@c.example", "https://me:***@site.example/a?to=b@c.example"),
        ("GET /json?key=hidden&page=2 failed", "GET /json?key=***&page=2 failed"),
        ("access_token=hidden apiKey=hidden", "access_token=*** apiKey=***"),
        ("host=db password='hid den' user=me", "host=db password=*** user=me"),
        ("Authorization: Bearer hidden status=401", "Authorization: *** status=401"),
        ("authorization=Basic aGlkZGVu", "authorization=***"),
        ('Authorization: Digest username="me", response="hidden"', "Authorization: ***"),
        ("{'Authorization': 'Bearer hidden', 'Accept': '*/*'}", "{'Authorization': ***, 'Accept': '*/*'}"),
        ("[(b'Authorization', b'Bearer hidden.hidden')]", "[(b'Authorization', b'Bearer ***')]"),
        ("X-Goog-Api-Key: hidden", "X-Goog-Api-Key: ***"),
        ("Set-Cookie: session=hidden; path=/", "Set-Cookie: ***"),
        ("""{'password': "it's hidden", 'user': 'me'}""", "{'password': ***, 'user': 'me'}"),
        ('{"client_secret":"hidden","id":1}', '{"client_secret":***,"id":1}'),
        (f"key {GOOGLE_KEY} rejected", "key *** rejected"),
    ],
)
def test_a_secret_is_masked_and_what_stands_around_it_is_kept(said, kept):
    assert redact(said) == kept
    assert redact(kept) == kept


@pytest.mark.parametrize(
    "text",
    [
        "row.completed workflow=deep_scan row=7f3c took_s=0.012",
        "postgresql://db:5432,other:5432/leads",
        "https://site.example:8443/@author/post",
        "http://[::1]:9464/metrics",
        "mailto:info@site.example",
        "monkey=5 tokens=7 keyboard=qwerty",
        "unknown key: colour",
        "Key (place_id)=(abc) already exists.",
        "if key == other:",
    ],
)
def test_what_is_no_secret_is_left_alone(text):
    assert redact(text) == text


@pytest.mark.timeout(20)
@pytest.mark.parametrize("half", ["postgresql://", "redis://a:", "key='", "://a:", "bearer ", "authorization: '"])
def test_a_page_that_repeats_half_a_secret_does_not_hold_the_thread(half):
    assert redact(half * 20_000)
