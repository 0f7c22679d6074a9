"""A balancer on loopback: it connects each client to the next of its servers in turn."""

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle


@contextmanager
def balancer(ports: Sequence[int]) -> Iterator[int]:
    """Balance connections over these ports of 127.0.0.1. Gives the port to connect to.

    A server that refuses a connection is passed over; without any server the client's connection is closed.
    """
    turns = cycle(ports)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_accept, args=(listener, turns, len(ports)), daemon=True).start()
        yield listener.getsockname()[1]


def _accept(listener: socket.socket, turns: Iterator[int], servers: int) -> None:
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        for port in [next(turns) for _ in range(servers)]:
            with suppress(OSError):
                server = socket.create_connection(("127.0.0.1", port))
                threading.Thread(target=_copy, args=(client, server), daemon=True).start()
                threading.Thread(target=_copy, args=(server, client), daemon=True).start()
                break
        else:
            client.close()


def _copy(source: socket.socket, target: socket.socket) -> None:
    """Copy bytes until one side ends, which ends both."""
    with suppress(OSError):
        while part := source.recv(65_536):
            target.sendall(part)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
