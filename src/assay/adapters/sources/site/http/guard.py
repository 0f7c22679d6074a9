"""Connections to checked addresses only: a site cannot make the crawler ask a machine of the private network.

A host is resolved once for each connection, every address that it has is checked, and the connection is made to what
was checked; name, TLS server name and `Host` stay those of the URL. So a name that resolves otherwise the second time
(DNS rebinding) gains nothing.
"""

import contextlib
import ipaddress
import socket
import ssl
import threading
import weakref
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import httpcore2

from assay.errors import SourceError

_WEB_PORTS = frozenset({80, 443})
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_LOCAL_NAT64 = ipaddress.ip_network("64:ff9b:1::/48")


class ForbiddenAddress(httpcore2.ConnectError):
    """A host or port that nothing on a web site may make this machine connect to."""


def is_public(text: str) -> bool:
    """Whether an IP address is one of the public internet, also where it is wrapped in another."""
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


class Guard:
    """Decides which sockets may be opened.

    start_url: where reading begins. Its own host and port are allowed also where they are private, and then nothing
        else that is; all other addresses are public ones, at the ports of the web.

    Raises SourceError when the host of the start URL cannot be resolved.
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
        """The checked IP addresses of a host. Raises ForbiddenAddress, OSError."""
        start = host == self._host and port == self._port
        if not start and port not in _WEB_PORTS:
            raise ForbiddenAddress(f"port {port} of {host} is not one of the web, and not the start URL's")
        found = _resolve(host, port)
        if not (start and self.private_start):
            for _, address in found:
                if not is_public(address):
                    raise ForbiddenAddress(f"{host} is {address}, an address of a private network")
        return found


def _resolve(host: str, port: int) -> list[tuple[socket.AddressFamily, str]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:  # a label that is empty or too long
        raise OSError(f"not a host name ({error})") from None
    return list(dict.fromkeys((family, str(address[0])) for family, _, _, _, address in found))


class GuardedBackend(httpcore2.NetworkBackend):
    """Opens the sockets of httpcore: to checked addresses, with a deadline for a whole exchange, and an end at once."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._clock = threading.local()
        self._lock = threading.Lock()
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._aborted = False

    @contextlib.contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        """Everything that this thread sends and receives within has to be over after so many seconds."""
        self._clock.until = monotonic() + seconds
        try:
            yield
        finally:
            self._clock.until = None

    def clipped(self, timeout: float | None) -> float | None:
        """A timeout, not longer than the deadline. Raises httpcore2.ReadTimeout when that is past."""
        until: float | None = getattr(self._clock, "until", None)
        if until is None:
            return timeout
        left = until - monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout("the page was not complete in time")
        return left if timeout is None else min(left, timeout)

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
                connection.settimeout(self.clipped(timeout))
                connection.connect((address, port))
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError as error:
                connection.close()
                failure = error
                continue
            self._watch(connection)
            return _Stream(connection, self)
        if isinstance(failure, TimeoutError):
            raise httpcore2.ConnectTimeout(f"no connection to {host}:{port} in time")
        raise httpcore2.ConnectError(f"no connection to {host}:{port}: {getattr(failure, 'strerror', failure)}")

    def abort(self) -> None:
        """End every exchange that goes on in any thread, and open no socket from now on."""
        with self._lock:
            self._aborted = True
            open_sockets = list(self._sockets)
        for connection in open_sockets:
            with contextlib.suppress(OSError):
                # Not SSLSocket's own, which takes the TLS state away from the thread that is reading.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def _watch(self, connection: socket.socket) -> None:
        with self._lock:
            if self._aborted:
                connection.close()
                raise httpcore2.ConnectError("reading was given up")
            self._sockets.add(connection)


class _Stream(httpcore2.NetworkStream):
    """A socket that keeps to its thread's deadline."""

    def __init__(self, connection: socket.socket, backend: GuardedBackend) -> None:
        self._socket = connection
        self._backend = backend

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._socket.settimeout(self._backend.clipped(timeout))
        try:
            return self._socket.recv(max_bytes)
        except TimeoutError:
            raise httpcore2.ReadTimeout("nothing came in time") from None
        except OSError as error:
            raise httpcore2.ReadError(error.strerror or str(error)) from None

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._socket.settimeout(self._backend.clipped(timeout))
        try:
            self._socket.sendall(buffer)
        except TimeoutError:
            raise httpcore2.WriteTimeout("the request could not be sent in time") from None
        except OSError as error:
            raise httpcore2.WriteError(error.strerror or str(error)) from None

    def close(self) -> None:
        self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        try:
            self._socket.settimeout(self._backend.clipped(timeout))
            wrapped = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
        except ssl.SSLCertVerificationError as error:
            self.close()
            raise httpcore2.ConnectError(f"the certificate is not valid: {error.verify_message}") from None
        except TimeoutError:
            self.close()
            raise httpcore2.ConnectTimeout("no TLS connection in time") from None
        except OSError as error:
            self.close()
            raise httpcore2.ConnectError(f"no TLS connection: {error.strerror or error}") from None
        self._backend._watch(wrapped)  # noqa: SLF001 - one module, one purpose
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
    """Whether something waits to be read: on an idle connection that is its end."""
    import select

    if connection.fileno() < 0:
        return True
    poll = getattr(select, "poll", None)
    if poll is None:  # Windows
        return bool(select.select([connection], [], [], 0)[0])
    poller = poll()
    poller.register(connection, select.POLLIN)
    return bool(poller.poll(0))
