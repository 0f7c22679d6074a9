"""Whose request it is: the address that it came from, seen through the proxies that are trusted."""

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
    """The address of the client; UNKNOWN where the server does not know it.

    trusted: proxies whose X-Forwarded-For counts. From its right end, the first address that is not a trusted proxy
        is the client: what stands further left is whatever the client wrote there.
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


def is_own_machine(scope: Scope) -> bool:
    """Whether the request comes from this machine itself: over loopback, from no proxy that says so and no web page."""
    address = _peer(scope)
    headers = Headers(scope=scope)
    return (
        address is not None
        and address.is_loopback
        and "origin" not in headers
        and not any(name in headers for name in _FORWARDED)
    )


def is_forwarded_by_stranger(scope: Scope, trusted: Sequence[Network]) -> bool:
    """Whether a proxy that is not trusted says for whom it asks."""
    address = _peer(scope)
    return address is not None and "x-forwarded-for" in Headers(scope=scope) and not _is_in(address, trusted)


def counted_as(address: str) -> str:
    """Under which name an address is counted: IPv6 by its /64, which is what one household or machine is given."""
    parsed = parse_address(address)
    if isinstance(parsed, IPv6Address):
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return address


def parse_address(text: str) -> Address | None:
    """An address as X-Forwarded-For has it, with or without a port; None for anything else."""
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
