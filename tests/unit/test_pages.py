import tomllib
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.parse.page_keys import page_key
from actors.parse.pages import categorise, honeybee, is_contact_like
from actors.parse.urls import parse_url
from db.models.page import PAGE_TYPES

WORDS = tomllib.loads((files("actors.parse") / "page_words.toml").read_text(encoding="utf-8"))
EXCLUSIONS = tomllib.loads((files("actors.parse") / "page_exclusions.toml").read_text(encoding="utf-8"))


def at(path):
    return categorise(f"https://clinic.example{path}")


CONTACT_PAGES = """
    /contact /contact/ /contact.php /contactus /contact_us /contact-us.html /ContactUs.aspx /contact_en.html
    /en/contact /de-at/kontakt /pt_BR/contato /about/contact /index.php/contact /contact-form-2 /about-us-and-contact
    /kontakt /kontaktformular /contacto /contatti /contactez-nous /nous-contacter /fale-conosco /dove-siamo
    /yhteystiedot /kapcsolat /kontakty /iletisim /bize-ulasin /lien-he /liên-hệ /kontaktai /kontakt-impressum
    /%E3%81%8A%E5%95%8F%E3%81%84%E5%90%88%E3%82%8F%E3%81%9B /お問い合わせフォーム /連絡先 /联系我们 /문의하기
    /контакты.html /%EA%EE%ED%F2%E0%EA%F2%FB /xn--80atbkezc6e /επικοινωνία /צור-קשר /اتصل-بنا /our-contact-details
    /wie-sie-uns-erreichen.htm /kontaktne-informacije /svyazatsya-s-nami /오시는-길
    /index.php?page=contact /?p=kontakt /index.php?option=com_contact /index.php?q=contact
"""


@pytest.mark.parametrize("path", CONTACT_PAGES.split())
def test_a_contact_page_is_recognised(path):
    category = at(path)

    assert category.page_type == "contact_root"
    assert is_contact_like(category)
    assert category.priority == 1


@pytest.mark.parametrize(
    ("path", "page_type"),
    [
        ("/", "home_root"),
        ("/index.html", "home_root"),
        ("/en/", "home_root"),
        ("/impressum", "legal_root"),
        ("/mentions-legales", "legal_root"),
        ("/privacy-policy", "legal_root"),
        ("/legal/terms", "legal_root"),
        ("/AGB.htm", "legal_root"),
        ("/about-us", "about_root"),
        ("/%FCber-uns", "about_root"),
        ("/xn--ber-uns-m2a", "about_root"),
        ("/qui-sommes-nous", "about_root"),
        ("/hakkimizda", "about_root"),
        ("/za-nas.html", "about_root"),
        ("/colophon", "legal_root"),
        ("/bestuur", "team_root"),
        ("/meet-the-team", "team_root"),
        ("/notre-équipe", "team_root"),
        ("/jobs/apply", "career_contact"),
        ("/stellenangebote", "career_contact"),
        ("/services", "services_root"),
        ("/speisekarte", "menu_root"),
        ("/pricing", "pricing_root"),
        ("/?p=123", "wp_prospect"),
        ("/?page_id=7", "wp_prospect"),
        ("/?step=3", "unknown"),
        ("/our-new-building", "unknown"),
    ],
)
def test_a_page_has_a_type(path, page_type):
    assert at(path).page_type == page_type
    assert at(path).decision == "include"


LOOKALIKES = """
    /contact-lenses /blog/contact /blog/how-to-contact-us /2024/05/our-team /products/about /contact/thank-you
    /services /team/jane-doe /about/history-of-dentistry /a/b/c/contact /how-to-contact-aliens-from-space
    / /contact.pdf /tag/contact
"""


@pytest.mark.parametrize("path", LOOKALIKES.split())
def test_what_only_sounds_like_a_contact_page_is_not_chosen(path):
    assert not is_contact_like(at(path))


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("/files/Brochure.PDF", "file"),
        ("/wp-content/uploads/2024/x", "wordpress internals"),
        ("/wp-json/", "wordpress internals"),
        ("/blog/feed/", "feed"),
        ("/?feed=rss2", "feed"),
        ("/tag/teeth", "archive"),
        ("/2024/05/", "archive"),
        ("/shop/cart", "shop"),
        ("/product?add-to-cart=5", "shop"),
        ("/kalender/2026-05", "calendar"),
        ("/events?tribe-bar-date=2026-05-01", "calendar"),
        ("/post?replytocom=9", "comment reply"),
        ("/a?PHPSESSID=abc", "session"),
        ("/?s=teeth", "search"),
        ("/shoes?filter_colour=red", "facet"),
        ("/blog/page/7", "pagination"),
        ("/a/b/a/b/a/b", "repeated segments"),
        ("/1/2/3/4/5/6/7/8/9", "too deep"),
        ("/x?a&b&c&d&e&f", "too many parameters"),
    ],
)
def test_what_is_not_worth_reading_is_skipped_by_a_rule_that_has_a_name(path, rule):
    category = at(path)

    assert (category.decision, category.confidence, category.priority) == ("skip", 0, 5)
    assert category.matched == rule
    assert honeybee(category)["exclusions"] == [rule]


@pytest.mark.parametrize(
    "url", ["mailto:a@clinic.example", "javascript:1", "clinic", "", f"https://clinic.example/{'a' * 2048}"]
)
def test_what_cannot_be_fetched_is_skipped(url):
    assert categorise(url).decision == "skip"


def test_a_judgement_is_stored_with_its_reason():
    assert honeybee(at("/kontakt")) == {
        "v": 2,
        "decision": {"category": "contact_root", "confidence": 0.95, "matched": "contact (de): kontakt"},
        "exclusions": [],
    }


def test_the_text_of_a_link_helps_where_the_address_says_nothing():
    assert categorise("https://clinic.example/page-12", "Kontakt & Anfahrt").page_type == "contact_root"
    assert categorise("https://clinic.example/about", "Contact").page_type == "about_root"
    assert categorise("https://clinic.example/page-12", "Read more").page_type == "unknown"


def test_a_contact_page_is_read_before_the_others():
    order = ["/contact", "/impressum", "/about", "/privacy", "/services", "/x.pdf"]

    priorities = [at(path).priority for path in order]

    assert priorities == sorted(priorities)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://Clinic.example/a#team", "https://clinic.example/a"),
        ("https://clinic.example/a?utm_source=x&utm_medium=y", "https://clinic.example/a"),
        ("https://clinic.example/a?page=2&gclid=1&b=%20", "https://clinic.example/a?page=2&b=%20"),
        ("https://clinic.example/a?", "https://clinic.example/a"),
        ("https://clinic.example/a?utm=1", "https://clinic.example/a?utm=1"),
    ],
)
def test_one_page_has_one_key(url, key):
    assert page_key(parse_url(url)) == key


@pytest.mark.parametrize("group", WORDS["group"], ids=lambda group: group["name"])
def test_every_group_of_words_names_a_page_type_and_speaks_many_languages(group):
    assert group["page_type"] in PAGE_TYPES
    assert len(group["words"]) >= 12


def test_every_word_leads_to_its_group_or_to_one_that_stands_before_it():
    order = [group["name"] for group in WORDS["group"]]

    strays = [
        (group["name"], word, found)
        for group in WORDS["group"]
        for words in group["words"].values()
        for word in words
        if (found := at(f"/{word.replace(' ', '-')}").matched.partition(" ")[0])
        not in order[: order.index(group["name"]) + 1]
    ]

    assert strays == []


def test_every_exclusion_is_used_under_its_name():
    for rule in EXCLUSIONS["skip"]:
        for extension in rule.get("extensions", "").split():
            assert at(f"/a.{extension}").matched == rule["name"]
        for segment in (rule.get("segments", "") + " " + rule.get("last", "")).split():
            assert at(f"/{segment}").matched == rule["name"]
        for parameter in rule.get("parameters", "").split():
            assert at(f"/a?{parameter}=1").matched == rule["name"]


pieces = st.one_of(
    st.sampled_from(
        [
            "contact",
            "kontakt",
            "über",
            "xn--",
            "%",
            "%E3%81",
            "%FC",
            "/",
            "-",
            "?",
            "&",
            "=",
            "#",
            ".php",
            "联系",
            "2024",
        ]
    ),
    st.text(max_size=5),
)
paths = st.lists(pieces, max_size=30).map("".join)


@settings(max_examples=500, deadline=None)
@given(paths, st.text(max_size=20))
def test_nothing_makes_it_raise_and_every_judgement_is_complete(path, text):
    category = categorise(f"https://clinic.example/{path}", text)

    assert category == categorise(f"https://clinic.example/{path}", text)
    assert category.page_type in PAGE_TYPES
    assert 0 <= category.confidence <= 1
    assert 1 <= category.priority <= 5
    assert category.decision in {"include", "skip"}
    assert category.matched


@settings(max_examples=300, deadline=None)
@given(paths)
def test_the_key_of_a_key_is_itself(path):
    url = parse_url(f"https://clinic.example/{path}")
    if url is None:
        return

    key = page_key(url)

    assert page_key(parse_url(key)) == key


@pytest.mark.parametrize(
    "piece", ["contact-", "a/", "event", "%", "%E3", "?a=&", "kontakt", "utm_a=1&", "-", "お", "xn--a"]
)
def test_a_long_address_takes_no_long_time(piece):
    category = categorise("https://clinic.example/" + (piece * 2000)[:2000], piece * 100_000)

    assert category.page_type in PAGE_TYPES
