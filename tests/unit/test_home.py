import pytest

from actors.parse.home import home_addresses


@pytest.mark.parametrize(
    ("domain", "hosts"),
    [
        ("acme.com", ["acme.com", "www.acme.com"]),
        ("acme.co.uk", ["acme.co.uk", "www.acme.co.uk"]),
        ("www.acme.com", ["www.acme.com", "acme.com"]),
        ("acme.uk.com", ["acme.uk.com", "www.acme.uk.com"]),
        ("acme.wixsite.com", ["acme.wixsite.com"]),
        ("acme.weebly.com", ["acme.weebly.com"]),
        ("shop.acme.com", ["shop.acme.com"]),
        ("xn--strae-oqa.de", ["xn--strae-oqa.de", "www.xn--strae-oqa.de"]),
    ],
)
def test_https_comes_before_http_and_the_domain_before_its_www(domain, hosts):
    assert home_addresses(domain) == tuple(f"{scheme}://{host}/" for scheme in ("https", "http") for host in hosts)
