"""Network connections to checked addresses only: a site cannot make the crawler reach the private network (SSRF).

A host is resolved once per connection, each of its addresses is checked, and the connection goes to a checked address.
The URL's name is used for TLS and the `Host` header. A second, different DNS answer (DNS rebinding) has no effect.
"""

import contextlib
import ipaddress
import socket
import ssl
import threading
import weakref
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

import httpcore2

from assay.adapters.remote.deadline import Deadline
from assay.errors import SourceError

_WEB_PORTS = frozenset({80, 443})
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_LOCAL_NAT64 = ipaddress.ip_network("64:ff9b:1::/48")


class ForbiddenAddress(httpcore2.ConnectError):
    """A host or port that a web site must not make this machine connect to."""


def is_public(text: str) -> bool:
    """Whether an IP address is on the public internet, also when it is embedded in an IPv6 address."""
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address in _LOCAL_NAT64 or address.is_site_local:
            return False
        if address in _NAT64:
            return is_public(str(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)))
        inner = address.ipv4_mapped or address.sixtofour
        if inner is not None:
            return is_public(str(inner))
    return address.is_global and not address.is_multicast and not address.is_unspecified


class SocketGuard:
    """Decides which addresses may be connected to.

    start_url: its host and port are allowed even if private. All other addresses must be public, on port 80 or 443.

    Raises SourceError when the start URL's host cannot be resolved.
    """

    def __init__(self, start_url: str) -> None:
        parts = urlsplit(start_url)
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            addresses = _resolve(self._host, self._port)
        except OSError as error:
            raise SourceError(
                f"The host {self._host} cannot be found: {error.strerror or error}.",
                hint="Check the address and the network.",
            ) from None
        self.private_start = not all(is_public(address) for _, address in addresses)

    def addresses(self, host: str, port: int) -> list[tuple[socket.AddressFamily, str]]:
        """The IP addresses of a host, each checked. Raises ForbiddenAddress, OSError."""
        start = host == self._host and port == self._port
        if not start and port not in _WEB_PORTS:
            raise ForbiddenAddress(f"port {port} of {host} is neither 80, 443 nor the start URL's port")
        found = _resolve(host, port)
        if not (start and self.private_start):
            for _, address in found:
                if not is_public(address):
                    raise ForbiddenAddress(f"{host} resolves to {address}, an address of a private network")
        return found


def _resolve(host: str, port: int) -> list[tuple[socket.AddressFamily, str]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:  # a label that is empty or too long
        raise OSError(f"not a host name ({error})") from None
    return list(dict.fromkeys((family, str(address[0])) for family, _, _, _, address in found))


class GuardedBackend(httpcore2.NetworkBackend):
    """The network backend for httpcore: checked addresses, a deadline for a whole exchange, and immediate abort."""

    def __init__(self, guard: SocketGuard) -> None:
        self._guard = guard
        self.deadline = Deadline("the page took too long")
        self._lock = threading.Lock()
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._aborted = False

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002 - httpcore's signature
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore2.NetworkStream:
        """Connect to the first address of the host that answers. Raises httpcore2.ConnectError, ConnectTimeout."""
        try:
            addresses = self._guard.addresses(host, port)
        except OSError as error:
            raise httpcore2.ConnectError(f"the host {host} cannot be found: {error.strerror or error}") from None
        failure: OSError | None = None
        for family, address in addresses:
            connection = socket.socket(family, socket.SOCK_STREAM)
            try:
                connection.settimeout(self.deadline.left(timeout))
                connection.connect((address, port))
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError as error:
                connection.close()
                failure = error
                continue
            self._track(connection)
            return _Stream(connection, self)
        if isinstance(failure, TimeoutError):
            raise httpcore2.ConnectTimeout(f"connecting to {host}:{port} took too long")
        raise httpcore2.ConnectError(f"cannot connect to {host}:{port}: {getattr(failure, 'strerror', failure)}")

    def abort(self) -> None:
        """Abort all exchanges in all threads, and refuse new connections."""
        with self._lock:
            self._aborted = True
            open_sockets = list(self._sockets)
        for connection in open_sockets:
            with contextlib.suppress(OSError):
                # Not SSLSocket's own, which takes the TLS state away from the thread that is reading.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def _track(self, connection: socket.socket) -> None:
        with self._lock:
            if self._aborted:
                connection.close()
                raise httpcore2.ConnectError("the crawl was stopped")
            self._sockets.add(connection)


class _Stream(httpcore2.NetworkStream):
    """A socket that observes its thread's deadline."""

    def __init__(self, connection: socket.socket, backend: GuardedBackend) -> None:
        self._socket = connection
        self._backend = backend

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._socket.settimeout(self._backend.deadline.left(timeout))
        try:
            return self._socket.recv(max_bytes)
        except TimeoutError:
            raise httpcore2.ReadTimeout("no data within the timeout") from None
        except OSError as error:
            raise httpcore2.ReadError(error.strerror or str(error)) from None

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._socket.settimeout(self._backend.deadline.left(timeout))
        try:
            self._socket.sendall(buffer)
        except TimeoutError:
            raise httpcore2.WriteTimeout("sending the request took too long") from None
        except OSError as error:
            raise httpcore2.WriteError(error.strerror or str(error)) from None

    def close(self) -> None:
        self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        try:
            self._socket.settimeout(self._backend.deadline.left(timeout))
            wrapped = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
        except ssl.SSLCertVerificationError as error:
            self.close()
            raise httpcore2.ConnectError(f"the certificate is not valid: {error.verify_message}") from None
        except TimeoutError:
            self.close()
            raise httpcore2.ConnectTimeout("the TLS handshake took too long") from None
        except OSError as error:
            self.close()
            raise httpcore2.ConnectError(f"the TLS handshake failed: {error.strerror or error}") from None
        self._backend._track(wrapped)  # noqa: SLF001 - same module
        return _Stream(wrapped, self._backend)

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - httpcore's signature
        match info:
            case "socket":
                return self._socket
            case "ssl_object":
                return self._socket if isinstance(self._socket, ssl.SSLSocket) else None
            case "client_addr":
                return self._socket.getsockname()
            case "server_addr":
                return self._socket.getpeername()
            case "is_readable":
                return _is_readable(self._socket)
        return None


def _is_readable(connection: socket.socket) -> bool:
    """Whether there is data to read; on an idle connection this means it was closed."""
    import select

    if connection.fileno() < 0:
        return True
    poll = getattr(select, "poll", None)
    if poll is None:  # Windows
        return bool(select.select([connection], [], [], 0)[0])
    poller = poll()
    poller.register(connection, select.POLLIN)
    return bool(poller.poll(0))
