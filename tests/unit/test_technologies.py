import re
import tomllib
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.parse.html import Document
from actors.parse.technologies import find_technologies

DATA = tomllib.loads((files("actors.parse") / "technologies.toml").read_text(encoding="utf-8"))
URL = "https://www.acme.example/"

headers = st.dictionaries(st.sampled_from(["server", "set-cookie", "x-powered-by", "link"]), st.text(max_size=60))


def stack(html, **headers):
    return find_technologies(
        Document(html), url=URL, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )


def names(html, **headers):
    return [technology.name for technology in stack(html, **headers).technologies]


def page(head="", body=""):
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"


def test_a_wordpress_tells_its_version_and_theme():
    html = page(
        '<meta name="Generator" content="WordPress 6.4.2">'
        '<link rel="stylesheet" href="/wp-content/themes/Divi/style.css?ver=4.23.1">'
        '<link rel="stylesheet" href="/wp-content/themes/acme-child/style.css">'
    )

    found = stack(html)

    assert found.cms.name == "WordPress"
    assert found.version("WordPress") == "6.4.2"
    assert found.version("Divi") == "4.23.1"
    assert found.wordpress_theme == "acme-child"


def test_a_wordpress_that_hides_its_generator_tells_its_version_by_its_own_files():
    html = page('<link rel="stylesheet" href="/wp-includes/css/dist/block-library/style.min.css?ver=6.5.3">')

    assert stack(html).version("WordPress") == "6.5.3"


@pytest.mark.parametrize(
    ("html", "name"),
    [
        (page(body='<div class="elementor-section"></div>'), "Elementor"),
        (page('<meta name="generator" content="Elementor 3.18.3; features: x">'), "Elementor"),
        (page(body='<div class="et_pb_section"></div>'), "Divi"),
        (page(body='<div class="vc_row wpb_row"></div>'), "WPBakery"),
        (page('<script src="/wp-content/plugins/woocommerce/assets/a.js?ver=8.4.0"></script>'), "WooCommerce"),
        (page('<link rel="preconnect" href="https://cdn.shopify.com/s/x">'), "Shopify"),
        (page('<script>Shopify.shop = "x.myshopify.com";</script>'), "Shopify"),
        (page('<meta name="generator" content="Wix.com Website Builder">'), "Wix"),
        (page("<!-- This is Squarespace. -->"), "Squarespace"),
        ('<html data-wf-page="1"><body></body></html>', "Webflow"),
        (page('<meta name="generator" content="Joomla! - Open Source Content Management">'), "Joomla"),
        (page('<meta name="Generator" content="Drupal 10 (https://www.drupal.org)">'), "Drupal"),
        (page("<!-- This website is powered by TYPO3 - inspiring people to share! -->"), "TYPO3"),
        (page('<script src="https://www.googletagmanager.com/gtag/js?id=G-ABC"></script>'), "Google Analytics"),
        (page("<script>j.src='https://www.googletagmanager.com/gtm.js?id='+i</script>"), "Google Tag Manager"),
        (page("<script>fbq('init', '123');</script>"), "Meta Pixel"),
        (page("<script>s1.src='https://embed.tawk.to/1/default';</script>"), "Tawk.to"),
        (page(body='<form class="wpcf7-form init"></form>'), "Contact Form 7"),
        (page("<!-- This site is optimized with the Yoast SEO plugin v21.5 -->"), "Yoast SEO"),
        (page(body='<form action="https://acme.us1.list-manage.com/subscribe"></form>'), "Mailchimp"),
        (page(body='<iframe src="https://www.opentable.com/widget/reservation"></iframe>'), "OpenTable"),
        (page('<script src="/_next/static/chunks/main.js"></script>'), "Next.js"),
        (page(body="<form><input name=__VIEWSTATE type=hidden></form>"), "ASP.NET"),
    ],
)
def test_a_technology_is_known_by_one_sure_sign(html, name):
    assert name in names(html)


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ({"server": "cloudflare"}, "Cloudflare"),
        ({"Server": "nginx/1.24"}, "nginx"),
        ({"X-Powered-By": "PHP/8.1"}, "PHP"),
        ({"x-wix-request-id": "1"}, "Wix"),
        ({"set-cookie": "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT, PHPSESSID=2; Path=/"}, "PHP"),
        ({"set-cookie": "_shopify_y=1"}, "Shopify"),
    ],
)
def test_headers_and_cookies_tell_as_much_as_the_page(answer, name):
    assert name in names(page(), **answer)


@pytest.mark.parametrize(
    "html",
    [
        page(),
        page(body="<p>We build WordPress, Shopify and Wix sites with Elementor.</p>"),
        page(body='<a href="https://www.wix.com/">Wix</a> <a href="/wp-content/uploads/menu.pdf">Menu</a>'),
        page(body='<img src="https://other.example/wp-content/uploads/logo.png">'),
        page('<link rel="canonical" href="https://cdn.shopify.com/s/x">'),
        page('<meta name="description" content="WordPress 6.4">'),
        page(body='<p class="not-elementor elementors">x</p>'),
    ],
)
def test_what_prose_a_link_or_a_borrowed_picture_says_is_no_sign(html):
    assert names(html) == []


def test_a_plugin_brings_what_it_runs_on():
    found = stack(page(body='<div class="wpforms-container"></div>'))

    assert [(technology.name, technology.category) for technology in found.technologies] == [
        ("WordPress", "cms"),
        ("WPForms", "forms"),
    ]


def test_a_shop_on_a_content_management_system_is_named_after_the_latter():
    found = stack(page('<script src="/wp-content/plugins/woocommerce/x.js"></script>'))

    assert found.cms.name == "WordPress"


def test_every_rule_can_be_met():
    categories = {
        word.strip(" \n#") for word in re.search(r"one of:(.*?)# generator", text_of_rules(), re.DOTALL)[1].split(",")
    }
    signs = {"generator", "header", "cookie", "source", "class", "id", "selector", "script", "comment"}

    assert len(DATA) >= 90
    for name, rule in DATA.items():
        assert rule["category"] in categories, name
        assert signs & rule.keys(), name
        assert not rule.keys() - signs - {"category", "version", "implies"}, name
        assert set(rule.get("implies", ())) <= DATA.keys(), name
        for sign in signs - {"selector", "script"}:
            assert all(text == text.lower() for text in rule.get(sign, ())), name
        for selector in rule.get("selector", ()):
            Document("").select(selector)


def text_of_rules():
    return (files("actors.parse") / "technologies.toml").read_text(encoding="utf-8")


@settings(max_examples=60)
@given(st.text(max_size=400), headers)
def test_no_page_and_no_header_is_too_odd(html, answer):
    first = find_technologies(Document(html), url=URL, headers=answer)
    second = find_technologies(Document(html), url=URL, headers=answer)

    assert first == second
