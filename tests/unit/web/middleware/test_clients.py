"""Whose request it is."""

from ipaddress import ip_network
from typing import Any

import pytest

from assay.web.middleware.clients import (
    client_address,
    has_untrusted_proxy,
    is_local_request,
    parse_address,
    rate_limit_client,
)

PROXIES = [ip_network("10.0.0.0/8"), ip_network("127.0.0.1"), ip_network("fd00::/8")]


def scope(peer: str | None, **headers: str) -> dict[str, Any]:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "client": (peer, 4711) if peer else None, "headers": raw}


def test_without_a_trusted_proxy_the_client_is_who_connected() -> None:
    assert client_address(scope("203.0.113.5", x_forwarded_for="198.51.100.1"), []) == "203.0.113.5"
    assert client_address(scope("203.0.113.5", x_forwarded_for="198.51.100.1"), PROXIES) == "203.0.113.5"


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ("198.51.100.1", "198.51.100.1"),
        ("198.51.100.1, 10.1.1.1", "198.51.100.1"),
        ("1.2.3.4, 198.51.100.1, 10.1.1.1,10.2.2.2", "198.51.100.1"),
        ("127.0.0.1, 198.51.100.1", "198.51.100.1"),
        ("198.51.100.1:51234", "198.51.100.1"),
        ("2001:db8::7", "2001:db8::7"),
        ("[2001:db8::7]:443, fd00::1", "2001:db8::7"),
        ("::ffff:198.51.100.1", "198.51.100.1"),
        ("10.3.3.3", "10.3.3.3"),
        ("", "10.0.0.9"),
        ("nonsense", "10.0.0.9"),
        ("198.51.100.1, nonsense", "10.0.0.9"),
        ("198.51.100.1, nonsense, 10.1.1.1", "10.1.1.1"),
        ("unknown", "10.0.0.9"),
        ("198.51.100.1,", "10.0.0.9"),
        ("999.1.1.1", "10.0.0.9"),
    ],
)
def test_behind_trusted_proxies_the_last_address_that_is_none_of_them_is_the_client(
    forwarded: str, client: str
) -> None:
    assert client_address(scope("10.0.0.9", x_forwarded_for=forwarded), PROXIES) == client


def test_several_headers_are_read_as_one() -> None:
    asked = scope("10.0.0.9", x_forwarded_for="1.2.3.4")
    asked["headers"].append((b"x-forwarded-for", b"198.51.100.1"))
    assert client_address(asked, PROXIES) == "198.51.100.1"


def test_a_connection_without_an_address_is_unknown() -> None:
    assert client_address(scope(None, x_forwarded_for="198.51.100.1"), PROXIES) == "unknown"
    assert client_address(scope("testclient"), PROXIES) == "unknown"
    assert not is_local_request(scope(None))


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_a_program_of_this_machine_comes_over_loopback_and_from_no_page_or_proxy(peer: str) -> None:
    assert is_local_request(scope(peer))
    for header in ("origin", "x_forwarded_for", "forwarded", "x_real_ip", "via"):
        assert not is_local_request(scope(peer, **{header: ""}))


@pytest.mark.parametrize("peer", ["10.0.0.9", "203.0.113.5", "fe80::1%eth0", "2001:db8::1"])
def test_another_machine_is_not_this_one(peer: str) -> None:
    assert not is_local_request(scope(peer))


def test_an_untrusted_proxy_is_distinguished_from_a_trusted_one() -> None:
    assert has_untrusted_proxy(scope("203.0.113.5", x_forwarded_for="x"), PROXIES)
    assert not has_untrusted_proxy(scope("10.0.0.9", x_forwarded_for="x"), PROXIES)
    assert not has_untrusted_proxy(scope("203.0.113.5"), PROXIES)


def test_ipv6_is_counted_by_its_64_and_ipv4_by_itself() -> None:
    assert rate_limit_client("2001:db8:1:2:3:4:5:6") == rate_limit_client("2001:db8:1:2::ffff") == "2001:db8:1:2::/64"
    assert rate_limit_client("2001:db8:1:3::1") != rate_limit_client("2001:db8:1:2::1")
    assert rate_limit_client("198.51.100.1") == "198.51.100.1"
    assert rate_limit_client("unknown") == "unknown"


def test_what_is_no_address_is_none() -> None:
    for text in ("", " ", "a", "1.2.3", "1.2.3.4.5", "[", "[]", "[1", "::1::2", "1.2.3.4/8"):
        assert parse_address(text) is None
