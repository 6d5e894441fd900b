import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.parse.html import Document
from actors.parse.parked import parked_reason

URL = "https://acme-dental.com/"


def page(title="", body=""):
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>"


def reason(html, url=URL, hops=()):
    return parked_reason(Document(html), url, hops or (url,))


@pytest.mark.parametrize(
    ("html", "word"),
    [
        (page("acme-dental.com is for sale"), "for sale"),
        (page("ACME-DENTAL.COM", "The domain name <b>acme-dental.com</b> is for sale. Make an offer!"), "for sale"),
        (page("acme", "<h1>Buy this domain.</h1><a href=#>Related links</a>"), "for sale"),
        (page("acme-dental.com", "Diese Domain steht zum Verkauf!"), "for sale"),
        (page("", "Ce nom de domaine est à vendre"), "for sale"),
        (page("", "Este dominio está en venta"), "for sale"),
        (page("", "Questo dominio è in vendita"), "for sale"),
        (page("", "Deze domeinnaam is te koop"), "for sale"),
        (page("", "Этот домен продается"), "for sale"),
        (page("Parked Domain name on Hostinger DNS system"), "parked"),
        (page("x", "This Web page is parked for FREE, courtesy of somebody."), "parked"),
        (page("x", "This domain has expired. Is this your domain?"), "expired"),
        (page("Account Suspended", "Contact your hosting provider"), "suspended"),
        (page("Welcome to nginx!", "If you see this page, the nginx web server is …"), "default server page"),
        (
            page("Apache2 Ubuntu Default Page: It works", "This is the default welcome page " * 100),
            "default server page",
        ),
        (page("IIS Windows Server"), "default server page"),
        (page("Default Web Site Page", "SORRY! If you are the owner"), "default server page"),
        (page("x", '<iframe src="https://c.parkingcrew.net/x"></iframe>'), "parked"),
        (
            '<html><head><script>window.onload=function(){window.location.href="/lander"}</script></head></html>',
            "parked",
        ),
    ],
)
def test_a_page_that_stands_in_for_a_site_says_why(html, word):
    assert reason(html).startswith(word)


@pytest.mark.parametrize(
    "html",
    [
        page("Acme Cars", "Used cars for sale. Buy this car now. This house is for sale."),
        page("Acme", "Coming soon! We are working on our new website. Call +1 512 555 0134"),
        page("Acme", "Under construction"),
        page("Hier entsteht eine neue Internetpräsenz", "Praxis Dr. Weber, Tel. 030 1234567"),
        page("Acme Real Estate", "Homes for sale in Austin. Expired listings. Parked cars."),
        page("Domains bought and sold", "This domain is for sale. " + "We broker names for small businesses. " * 60),
        page("Acme", "Welcome"),
        page(),
        "",
    ],
)
def test_a_page_that_somebody_wrote_is_a_site(html):
    assert reason(html) is None


def test_a_redirect_to_a_broker_is_a_parked_domain():
    hops = (URL, "https://www.hugedomains.com/domain_profile.cfm?d=acme-dental.com")

    assert reason(page("Acme"), hops[-1], hops) == "parked: leads to hugedomains.com"


def test_a_brokers_own_site_is_a_site():
    hops = ("https://hugedomains.com/", "https://www.hugedomains.com/")

    assert reason(page("Names for everybody"), hops[-1], hops) is None


@given(st.text(max_size=300), st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_nothing_is_too_odd(html, url, hops):
    assert parked_reason(Document(html), url, hops) == parked_reason(Document(html), url, hops)
