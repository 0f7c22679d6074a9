"""A time limit for a whole exchange over HTTP.

The HTTP client's limits apply to each read and write: a peer that sends a byte of its headers now and then would be
waited for without end.
"""

from collections.abc import Iterable
from ssl import SSLContext
from typing import Any

import httpcore2
import httpx2

from assay.adapters.remote.deadline import Deadline


class TimeLimit(httpcore2.NetworkBackend):
    """A network backend for httpcore that limits all that a thread sends and receives inside a block."""

    def __init__(self) -> None:
        self._network = httpcore2.SyncBackend()
        self.deadline = Deadline("the time is over")

    def apply_to(self, client: httpx2.Client) -> None:
        """Use this backend for the connections of a client, also those through a proxy."""
        # The client has no argument for the backend, and a transport of its own would ignore the proxies of the
        # environment.
        for transport in (client._transport, *client._mounts.values()):  # noqa: SLF001
            pool = getattr(transport, "_pool", None)
            if pool is not None:
                pool._network_backend = self  # noqa: SLF001

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect within the remaining time."""
        timeout = self.deadline.left(timeout)
        return _Stream(self._network.connect_tcp(host, port, timeout, local_address, socket_options), self.deadline)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        timeout = self._deadline.left(timeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, timeout), self._deadline)

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - as inherited
        return self._stream.get_extra_info(info)
