"""Listening sockets: opening one, and whether other machines can reach it."""

import errno
import ipaddress
import socket
import sys

from assay.app import Assay
from assay.errors import ConfigurationError

BACKLOG = 2_048
"""Connections that wait to be accepted."""


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host name. Raises ConfigurationError."""
    addresses = {str(info[4][0]) for info in _resolve(host, 0)}
    return all(ipaddress.ip_address(address.partition("%")[0]).is_loopback for address in addresses)


def check_public(assay: Assay, host: str, *, allow_public: bool) -> None:
    """Raise ConfigurationError without --public, or without an API key with scope `admin`."""
    has_key = assay.parts.keys.has_admin()
    if allow_public and has_key:
        return
    reasons, remedies = [], []
    if not has_key:
        reasons.append("there is no API key with the scope `admin`, so nobody could administer it")
        remedies.append("create a key with `assay keys add NAME --scope admin`")
    if not allow_public:
        readers = "anyone with a key" if assay.settings.server.search == "key" else "anyone who reaches it"
        reasons.append(f"{readers} can read what is indexed")
        remedies.append("pass --public to allow that")
    raise ConfigurationError(
        f"Other machines can reach the address {host!r}: {', and '.join(reasons)}.",
        hint=f"Listen on 127.0.0.1 behind a proxy that authenticates clients, or {' and '.join(remedies)}.",
    )


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket, before the index, so that early connections wait instead of being refused.

    Raises ConfigurationError.
    """
    family, kind, protocol, _, address = _resolve(host, port)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise ConfigurationError(
            f"Cannot listen on port {port} of {host}: {_reason(error)}.", hint=_remedy(error)
        ) from None
    return listener


def _resolve(host: str, port: int) -> list[tuple[int, int, int, str, tuple[object, ...]]]:
    """The addresses of a host name; an empty name means every address of the machine."""
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError) as error:
        raise ConfigurationError(
            f"Cannot resolve the address {host!r}: {error}.", hint="Use 127.0.0.1, or a name of this machine."
        ) from None
    return [(*info[:4], tuple(info[4])) for info in found]


def _reason(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "another program is already listening there"
    return (error.strerror or str(error)).lower()


def _remedy(error: OSError) -> str:
    if error.errno == errno.EACCES:
        return "Ports below 1024 need special rights; choose another with --port."
    return "Choose another with --port, or --port 0 for any free one."


def url_of(listener: socket.socket) -> str:
    """The URL of a listening socket."""
    address, port, *_ = listener.getsockname()
    return f"http://[{address}]:{port}" if listener.family == socket.AF_INET6 else f"http://{address}:{port}"


def write_line(line: str) -> None:
    """Print a line to standard output at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
