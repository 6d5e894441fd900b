"""What the gate lets through, however the address is spelled, and where a name may lead."""

import socket
from ipaddress import ip_network
from threading import Event

import pytest

from actors.errors import Denied, FetchError, NotThere, Unreachable, Unusable
from actors.fetch.deadline import Deadline
from actors.fetch.errand import Errand
from actors.fetch.guard import Guard

REFUSED = {
    "http://127.0.0.1/": "address",
    "http://127.1/": "address",
    "http://0x7f.1/": "address",
    "http://0x7f000001/": "address",
    "http://2130706433/": "address",
    "http://017700000001/": "address",
    "http://0177.0.0.1/": "address",
    "http://00000177.0.0.1/": "address",
    "http://127.0.0.1./": "address",
    "http://127.000.000.001/": "address",
    "http://\uff11\uff12\uff17.0.0.1/": "address",
    "http://①②⑦.⓪.⓪.①/": "address",
    "http://127。0。0。1/": "address",
    "http://%31%32%37.0.0.1/": "address",
    "http://0/": "address",
    "http://0x0/": "address",
    "http://10.1/": "address",
    "http://0xa9fea9fe/": "address",
    "http://169.254.43518/": "address",
    "http://2852039166/latest/meta-data/": "address",
    "http://[::1]/": "address",
    "http://[::]/": "address",
    "http://[0:0:0:0:0:0:0:1]/": "address",
    "http://[::ffff:127.0.0.1]/": "address",
    "http://[::ffff:7f00:1]/": "address",
    "http://[0:0:0:0:0:ffff:a9fe:a9fe]/": "address",
    "http://[64:ff9b::127.0.0.1]/": "address",
    "http://[2002:7f00:1::]/": "address",
    "http://[fe80::1]/": "address",
    "http://[fd00:ec2::254]/": "address",
    "http://[ff02::1]/": "address",
    "http://[fe80::1%25eth0]/": "url",
    "http://[::1%lo]/": "url",
    "http://localhost/": "address",
    "http://LOCALHOST/": "address",
    "http://localhost./": "address",
    "http://\uff4c\uff4f\uff43\uff41\uff4chost/": "address",
    "http://admin.localhost/": "address",
    "http://printer.local/": "address",
    "http://metadata.google.internal/computeMetadata/v1/": "address",
    "http://metadata/": "address",
    "http://example.com@127.0.0.1/": "address",
    "http://example.com:80@localhost/": "address",
    "http://127.0.0.1\\@example.com/": "address",
    "http://127.0.0.1#@example.com/": "address",
    "http:\\\\127.0.0.1\\": "address",
    "http:127.0.0.1/": "address",
    "http:///127.0.0.1/": "address",
    "\thttp://127.0.\n0.1/": "address",
    "https://127.0.0.1:443/": "address",
    "http://example.com:22/": "port",
    "http://example.com:6379/": "port",
    "http://example.com:0/": "port",
    "https://example.com:8081/": "port",
    "http://example.com:99999/": "url",
    "file:///etc/passwd": "scheme",
    "ftp://example.com/": "scheme",
    "gopher://example.com:80/_x": "scheme",
    "data:text/html,x": "scheme",
    "javascript:alert(1)": "scheme",
    "ws://example.com/": "scheme",
    "jar:http://example.com!/": "scheme",
    "http://256.256.256.256/": "url",
    "http://exa mple.com/": "url",
    "http://": "url",
    "//example.com/": "url",
    "": "url",
    f"http://example.com/{'a' * 3000}": "url",
}


@pytest.mark.parametrize(("url", "kind"), REFUSED.items())
def test_a_url_that_leads_inside_or_nowhere_is_refused_before_anything_is_sent(url, kind):
    with pytest.raises(FetchError) as refused:
        Guard().admit(url)

    assert refused.value.kind == kind
    assert isinstance(refused.value, Denied | Unusable)


def test_a_redirect_is_resolved_against_the_page_that_sent_it():
    target = Guard().admit("../b?q=1#c", "https://example.com/a/x/")

    assert (target.url, target.host, target.path) == ("https://example.com/a/b?q=1", "example.com", "/a/b?q=1")


def test_user_name_and_fragment_are_never_sent_or_kept():
    target = Guard().admit("https://someone:secret@example.com:8443/a#b")

    assert target.url == "https://example.com:8443/a"
    assert target.origin == "https://example.com:8443"


@pytest.mark.parametrize("backslash", ["http://example.com\\@127.0.0.1/", "http://example.com/\\@127.0.0.1/"])
def test_only_the_host_that_a_browser_would_ask_counts(backslash):
    assert Guard().admit(backslash).host == "example.com"


def endpoints(guard, host="clinic.example"):
    errand = Errand(f"http://{host}/", Deadline(5), 1000)
    return guard.endpoints(errand, host, 80, 5)


def resolving_to(*addresses):
    return Guard(resolve=lambda _, port: [(address, port) for address in addresses])


def test_a_name_that_leads_only_inside_is_refused_with_the_address_and_the_reason():
    with pytest.raises(
        Denied, match=r"address 10\.0\.0\.1 of clinic\.example is private and is not fetched"
    ) as refused:
        endpoints(resolving_to("10.0.0.1", "fe80::1%eth0"))

    assert refused.value.kind == "address"


def test_of_several_addresses_only_the_public_ones_are_connected_to():
    found = endpoints(resolving_to("127.0.0.1", "93.184.215.14", "::1", "2606:4700::1111"))

    assert found == [("93.184.215.14", 80), ("2606:4700::1111", 80)]


def test_a_literal_address_is_checked_again_when_it_is_connected_to():
    with pytest.raises(Denied):
        endpoints(resolving_to("93.184.215.14"), host="169.254.169.254")


def test_a_trusted_network_is_let_through():
    guard = Guard(resolve=lambda _, port: [("127.0.0.1", port)], trusted=[ip_network("127.0.0.1/32")])

    assert endpoints(guard) == [("127.0.0.1", 80)]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), NotThere),
        (socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"), Unreachable),
        (socket.gaierror(socket.EAI_FAIL, "Non-recoverable failure"), Unreachable),
        (UnicodeError("label too long"), NotThere),
    ],
)
def test_a_name_that_is_not_there_is_told_from_one_that_cannot_be_looked_up_now(error, expected):
    def resolve(*_):
        raise error

    with pytest.raises(expected) as failed:
        endpoints(Guard(resolve=resolve))

    assert failed.value.kind == "dns"


def test_a_resolver_that_keeps_silent_does_not_hold_up_the_errand(request):

    over = Event()
    request.addfinalizer(over.set)
    errand = Errand("http://clinic.example/", Deadline(5), 1000)

    with pytest.raises(Unreachable) as failed:
        Guard(resolve=lambda *_: over.wait() and []).endpoints(errand, "clinic.example", 80, 0.05)

    assert failed.value.kind == "dns"
