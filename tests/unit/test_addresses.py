"""Addresses of every network that is not the public internet are known, with the reason."""

from ipaddress import ip_address

import pytest

from actors.fetch.addresses import is_local_name, why_not_public

NOT_PUBLIC = {
    "0.0.0.0": "this network",  # noqa: S104 - nothing is bound to it
    "0.1.2.3": "this network",
    "10.0.0.1": "private",
    "10.255.255.255": "private",
    "100.64.0.1": "shared",
    "100.100.100.200": "shared",
    "100.127.255.255": "shared",
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "168.63.129.16": "cloud metadata",
    "169.254.0.1": "link-local",
    "169.254.169.254": "link-local (cloud metadata)",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.0.0.1": "reserved for protocols",
    "192.0.0.192": "reserved for protocols",
    "192.0.2.1": "documentation",
    "192.31.196.1": "AS112",
    "192.52.193.1": "AMT",
    "192.88.99.1": "6to4 relay",
    "192.168.0.1": "private",
    "192.175.48.1": "AS112",
    "198.18.0.1": "benchmark",
    "198.19.255.255": "benchmark",
    "198.51.100.7": "documentation",
    "203.0.113.7": "documentation",
    "224.0.0.1": "multicast",
    "239.255.255.250": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "reserved",
    "::": "IPv4-compatible",
    "::1": "IPv4-compatible",
    "::127.0.0.1": "IPv4-compatible",
    "::8.8.8.8": "IPv4-compatible",
    "::ffff:127.0.0.1": "IPv4-mapped",
    "::ffff:10.0.0.1": "IPv4-mapped",
    "::ffff:169.254.169.254": "IPv4-mapped",
    "::ffff:8.8.8.8": "IPv4-mapped",
    "::ffff:0:127.0.0.1": "IPv4-translated",
    "64:ff9b::7f00:1": "NAT64",
    "64:ff9b::a9fe:a9fe": "NAT64",
    "64:ff9b::808:808": "NAT64",
    "64:ff9b:1::1": "NAT64",
    "64:ff9b:1:ffff::1": "NAT64",
    "100::1": "discard",
    "100:0:0:1::1": "dummy",
    "2001::1": "reserved for protocols",
    "2001:0:7f00:1::": "Teredo",
    "2001:10::1": "reserved for protocols",
    "2001:20::1": "reserved for protocols",
    "2001:db8::1": "documentation",
    "2002:7f00:1::": "6to4",
    "2002:a00:1::1": "6to4",
    "2620:4f:8000::1": "AS112",
    "3fff::1": "documentation",
    "4000::1": "reserved",
    "5f00::1": "segment routing",
    "fc00::1": "unique local",
    "fd00:ec2::254": "unique local",
    "fdff::1": "unique local",
    "fe80::1": "link-local",
    "fe80::1%eth0": "link-local",
    "febf::1": "link-local",
    "fec0::1": "site-local",
    "feff::1": "site-local",
    "ff02::1": "multicast",
    "ff0e::1": "multicast",
}


@pytest.mark.parametrize(("address", "reason"), NOT_PUBLIC.items())
def test_an_address_outside_the_public_internet_is_refused_with_the_reason(address, reason):
    assert reason in (why_not_public(ip_address(address)) or "")


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "8.8.8.8", "93.184.215.14", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1",
     "198.17.0.1", "198.20.0.1", "223.255.255.254", "2001:4860:4860::8888", "2606:4700::1111", "2a00:1450:4001::1"],
)  # fmt: skip
def test_an_address_of_the_public_internet_is_fetched_from(address):
    assert why_not_public(ip_address(address)) is None


@pytest.mark.parametrize(
    "name",
    ["localhost", "LOCALHOST.", "a.localhost", "printer.local", "metadata.google.internal", "metadata", "router.lan",
     "intranet", "nas.home.arpa", "1.0.0.127.in-addr.arpa", "x.localdomain.", "hidden.onion", "dc1.corp"],
)  # fmt: skip
def test_a_name_that_only_a_local_network_knows_is_local(name):
    assert is_local_name(name)


@pytest.mark.parametrize(
    "name", ["example.com", "local.com", "localhost.com", "internal.org.", "home.pl", "xn--p1ai.рф"]
)
def test_a_name_with_a_public_ending_is_not_local(name):
    assert not is_local_name(name)
