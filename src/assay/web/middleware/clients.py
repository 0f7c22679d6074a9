"""The address of a request's client, behind trusted proxies."""

import ipaddress
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from starlette.datastructures import Headers
from starlette.types import Scope

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address

UNKNOWN = "unknown"
_FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip", "via")


def client_address(scope: Scope, trusted: Sequence[Network]) -> str:
    """The address of the client; UNKNOWN when the server does not know it.

    trusted: proxies whose X-Forwarded-For is used. The rightmost address that is not a trusted proxy is the client: a
        client can forge everything left of it.
    """
    address = _peer(scope)
    if address is None:
        return UNKNOWN
    forwarded = ",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")
    while _is_in(address, trusted) and forwarded:
        before = parse_address(forwarded.pop())
        if before is None:
            break
        address = before
    return str(address)


def is_local_request(scope: Scope) -> bool:
    """Whether the request comes over loopback, without a proxy and not from a web page."""
    address = _peer(scope)
    headers = Headers(scope=scope)
    return (
        address is not None
        and address.is_loopback
        and "origin" not in headers
        and not any(name in headers for name in _FORWARDED)
    )


def has_untrusted_proxy(scope: Scope, trusted: Sequence[Network]) -> bool:
    """Whether a peer that is not trusted sends X-Forwarded-For."""
    address = _peer(scope)
    return address is not None and "x-forwarded-for" in Headers(scope=scope) and not _is_in(address, trusted)


def rate_limit_client(address: str) -> str:
    """The name under which an address's requests are counted: an IPv6 address by its /64, which one site shares."""
    parsed = parse_address(address)
    if isinstance(parsed, IPv6Address):
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return address


def parse_address(text: str) -> Address | None:
    """Parse an address of X-Forwarded-For, with or without a port; None if it is not an address."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _peer(scope: Scope) -> Address | None:
    client = scope.get("client")
    return parse_address(client[0]) if client else None


def _is_in(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)
