"""Hosts that not every reader reaches: placeholders, names reserved for examples, private networks."""

import ipaddress
from urllib.parse import urlsplit

from assay.model.ids import is_placeholder

_RESERVED = ("example", "test", "invalid", "example.com", "example.net", "example.org")
"""Names of RFC 2606, which lead nowhere; so do their subdomains."""


def private_reach(host: str) -> str | None:
    """The place from which a private host can be reached; None for a public host."""
    if host == "localhost" or host.endswith(".localhost"):
        return "on this machine"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    if address.is_loopback:
        return "on this machine"
    return "within its network" if address.is_private else None


def is_provisional(url: str) -> bool:
    """Whether a URL has a host that a site gets before its real one."""
    host = urlsplit(url).hostname or ""
    is_reserved = any(host == name or host.endswith(f".{name}") for name in _RESERVED)
    return is_placeholder(url) or is_reserved or private_reach(host) is not None
