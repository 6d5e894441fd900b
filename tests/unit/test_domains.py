import tomllib
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.parse.domains import WebsiteDomain, registrable_domain, website_domain

DATA = tomllib.loads((files("actors.parse") / "shared_hosts.toml").read_text(encoding="utf-8"))
LISTS = {"own_subdomain": DATA["own_subdomain"], **DATA["shared"]}

labels = st.text(alphabet="abcxyz09-éß食。_,", min_size=1, max_size=12)
suffixes = st.sampled_from(["com", "co.uk", "example", "wixsite.com", "weebly.com", "facebook.com", "公司.cn", "c.mm"])
websites = st.builds(
    "{}{}.{}{}".format,
    st.sampled_from(["", "https://", "HTTP://www.", "//", "user@", "https://user@"]),
    st.lists(labels, min_size=1, max_size=3).map(".".join),
    suffixes,
    st.sampled_from(["", ".", ":8080", "/maps", "/a b", "?q=1"]),
)


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("example.com", "example.com"),
        ("WWW.Shop.Example.CO.UK", "example.co.uk"),
        ("example.com.", "example.com"),
        ("straße.de", "xn--strae-oqa.de"),
        ("www.食狮.公司.cn", "xn--85x722f.xn--55qx5d.cn"),
        ("a.b.example.unlisted", "example.unlisted"),
        ("my_shop.example.com", "example.com"),
        ("acme.wixsite.com", "acme.wixsite.com"),
        ("www.acme.weebly.com", "acme.weebly.com"),
        ("www.facebook.com", "facebook.com"),
    ],
)
def test_a_host_belongs_to_the_domain_that_someone_registered(host, domain):
    assert registrable_domain(host) == domain


@pytest.mark.parametrize(
    "host",
    [
        "",
        ".",
        "com",
        "co.uk",
        "weebly.com",
        "localhost",
        "192.0.2.7",
        "0x7f.1",
        "[2001:db8::7]",
        ".example.com",
        "example.com..",
        "exa mple.com",
        "a.com,b.com",
        "-example.com",
        "my_shop.com",
        f"{'a' * 64}.com",
        "https://example.com",
        "example.com/path",
        "example.com:80",
        "user@example.com",
    ],
)
def test_what_nobody_can_register_has_no_domain(host):
    assert registrable_domain(host) is None


@pytest.mark.parametrize(
    ("website", "domain"),
    [
        ("https://www.acme-plumbing.com/contact?utm_source=gmb", "acme-plumbing.com"),
        ("ACME.co.uk", "acme.co.uk"),
        ("shop.acme.de:8080", "acme.de"),
        ("http://www.straße.de", "xn--strae-oqa.de"),
        ("acme.com.", "acme.com"),
        ("https://bank.com@evil.com/", "evil.com"),
        ("www.acme.test", "acme.test"),
    ],
)
def test_a_website_gives_its_domain(website, domain):
    assert website_domain(website) == WebsiteDomain(domain, reason=None)


@pytest.mark.parametrize(
    ("website", "domain"),
    [
        ("https://acme.wixsite.com/my-site", "acme.wixsite.com"),
        ("acme.myshopify.com", "acme.myshopify.com"),
        ("https://acme.business.site/?utm_source=gmb", "acme.business.site"),
        ("http://www.acme.weebly.com", "acme.weebly.com"),
        ("acme.wordpress.com/about", "acme.wordpress.com"),
        ("acme.squarespace.com", "acme.squarespace.com"),
        ("acme.godaddysites.com", "acme.godaddysites.com"),
        ("acme.jimdofree.com", "acme.jimdofree.com"),
        ("acme.my.canva.site", "acme.my.canva.site"),
        ("acme.home.blog", "acme.home.blog"),
        ("acme.tumblr.com", "acme.tumblr.com"),
        ("acme.en.alibaba.com", "acme.en.alibaba.com"),
    ],
)
def test_a_customers_own_subdomain_is_its_domain(website, domain):
    assert website_domain(website) == WebsiteDomain(domain, reason=None)


@pytest.mark.parametrize(
    ("website", "service"),
    [
        ("https://www.facebook.com/acme", "facebook.com is shared by many businesses (social network)"),
        ("m.facebook.com/acme", "facebook.com is shared by many businesses (social network)"),
        ("https://en.yelp.com/biz/acme", "yelp.com is shared by many businesses (directory)"),
        ("https://fr.tripadvisor.ch/x", "tripadvisor.ch is shared by many businesses (directory)"),
        ("linktr.ee/acme", "linktr.ee is shared by many businesses (link page)"),
        ("https://wa.me/49301234", "wa.me is shared by many businesses (messenger)"),
        ("https://bit.ly/3abc", "bit.ly is shared by many businesses (url shortener)"),
        ("https://www.etsy.com/shop/acme", "etsy.com is shared by many businesses (marketplace)"),
        ("https://www.doctolib.de/praxis/acme", "doctolib.de is shared by many businesses (directory)"),
        ("https://www.fresha.com/a/acme", "fresha.com is shared by many businesses (booking portal)"),
        ("order.online/store/acme", "order.online is shared by many businesses (delivery portal)"),
        ("weebly.com", "weebly.com is shared by many businesses (site builder's own page)"),
        ("https://www.weebly.com/x", "www.weebly.com is shared by many businesses (site builder's own page)"),
        ("https://www.tumblr.com/acme", "www.tumblr.com is shared by many businesses (social network)"),
        ("https://www.alibaba.com/acme", "alibaba.com is shared by many businesses (marketplace)"),
    ],
)
def test_a_page_on_a_shared_host_is_nobodys_domain(website, service):
    assert website_domain(website) == WebsiteDomain(None, service)


@pytest.mark.parametrize(
    ("website", "entry"),
    [
        ("https://sites.google.com/view/acme", "sites.google.com"),
        ("https://maps.google.de/?cid=7", "maps.google.de"),
        ("https://business.google.com/acme", "business.google.com"),
        ("https://www.google.com/maps/place/Acme", "google.com/maps"),
        ("https://www.google.co.uk/maps?cid=7", "google.co.uk/maps"),
        ("https://maps.app.goo.gl/7", "goo.gl"),
        ("https://g.page/acme", "g.page"),
        ("https://g.co/kgs/7", "g.co"),
    ],
)
def test_what_google_lends_to_others_is_shared(website, entry):
    found = website_domain(website)

    assert found.domain is None
    assert found.reason is not None
    assert found.reason.startswith(f"{entry} is shared by many businesses")


@pytest.mark.parametrize("website", ["google.com", "https://www.google.com/", "https://www.google.com/mapsearch"])
def test_googles_own_site_is_googles(website):
    assert website_domain(website) == WebsiteDomain("google.com", reason=None)


@pytest.mark.parametrize("website", ["notfacebook.com", "facebook.com.acme.com", "myelp.com", "facebook.restaurant"])
def test_a_name_that_only_looks_like_a_shared_host_is_not_shared(website):
    assert website_domain(website).reason is None


@pytest.mark.parametrize(
    ("website", "reason"),
    [
        (None, "no website"),
        ("", "no website"),
        (" \n", "no website"),
        ("call us", "not a web address: 'call us'"),
        ("info@acme.com", "not a web address: 'info@acme.com'"),
        ("acme\x00.com", r"not a web address: 'acme\x00.com'"),
        ("see " + "x" * 99, "not a web address: 'see " + "x" * 56 + "…'"),
        ("http://192.0.2.7/", "192.0.2.7: an IP address, not a domain"),
        ("http://2130706433/", "127.0.0.1: an IP address, not a domain"),
        ("http://[2001:db8::7]/", "[2001:db8::7]: an IP address, not a domain"),
        ("co.uk", "co.uk: a public suffix, under which others have their domains"),
        ("a.com,b.com", "not a domain name: 'a.com,b.com'"),
        ("acme.com..", "not a domain name: 'acme.com.'"),
    ],
)
def test_a_row_without_a_domain_says_why(website, reason):
    assert website_domain(website) == WebsiteDomain(None, reason)


@settings(deadline=None)
@given(st.text() | websites)
def test_every_text_gives_either_a_domain_or_a_reason(website):
    domain, reason = website_domain(website)

    assert (domain is None) != (reason is None)
    assert reason is None or reason.isprintable()


@settings(deadline=None)
@given(websites)
def test_a_domain_is_its_own_domain(website):
    domain = website_domain(website).domain

    if domain is not None:
        assert website_domain(domain).domain == domain
        assert registrable_domain(domain) == domain


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS.keys())
def test_the_lists_of_shared_hosts_are_sorted(text):
    assert text.split() == sorted(set(text.split()))


def test_the_lists_name_many_services_and_none_under_two_kinds():
    listed = [entry for text in DATA["shared"].values() for entry in text.split()]

    assert len(listed) >= 150
    assert len(listed) == len(set(listed))


def test_every_plain_entry_of_the_lists_does_what_it_says():
    builders = {host for host in DATA["own_subdomain"].split() if "{" not in host}
    shared = {host: kind for kind, text in DATA["shared"].items() for host in text.split() if "{" not in host}

    wrong = [host for host in builders if website_domain(f"https://acme.{host}/").domain != f"acme.{host}"]
    wrong += [
        host
        for host, kind in shared.items()
        if website_domain(f"https://{host}/x").reason != f"{host} is shared by many businesses ({kind})"
        or (host not in builders and website_domain(f"https://m.{host}/x").domain is not None)
    ]

    assert wrong == []
