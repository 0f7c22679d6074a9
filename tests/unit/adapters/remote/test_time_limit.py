"""The time limit of a whole request."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Thread

import pytest

from assay.adapters.remote.transport import NoAnswer, Transport

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
Write = Callable[[socket.socket], None]


def slow_head(client: socket.socket) -> None:
    for byte in ANSWER:
        client.sendall(bytes([byte]))
        time.sleep(0.02)


def early_hints(client: socket.socket) -> None:
    for _ in range(20):
        client.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n")
        time.sleep(0.04)
    client.sendall(ANSWER)


def slow_body(client: socket.socket) -> None:
    client.sendall(ANSWER[:-2])
    time.sleep(0.6)
    client.sendall(b"{}")


@pytest.fixture
def serve() -> Iterator[Callable[[Write], str]]:
    """Starts a server that answers each connection by a function."""
    listeners: list[socket.socket] = []

    def start(write: Write) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def answer() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listener.accept()
                    with client, suppress(OSError):
                        client.recv(65_536)
                        write(client)

        Thread(target=answer, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}/"

    yield start
    for listener in listeners:
        listener.close()


@pytest.mark.parametrize("write", [slow_head, early_hints, slow_body])
def test_a_peer_that_keeps_sending_a_little_is_not_waited_for(serve: Callable[[Write], str], write: Write) -> None:
    transport = Transport(serve(write), {}, 1)
    with pytest.raises(NoAnswer) as caught:
        transport.post(b"{}", 0.3, 1_000)
    assert caught.value.fault == "timeout"
    transport.close()


def test_a_slow_answer_within_the_limit_is_read(serve: Callable[[Write], str]) -> None:
    transport = Transport(serve(slow_head), {}, 1)
    assert transport.post(b"{}", 30.0, 1_000).body == b"{}"
    transport.close()
