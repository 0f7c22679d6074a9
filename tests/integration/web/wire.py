"""Asking a running server over a socket, and seeing all of what comes back."""

import http.client
import json
import select
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any

from assay.adapters.access.key_file import KeyFile
from assay.model.access import Scope

JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered."""

    status: int
    headers: Message
    content: bytes

    @property
    def body(self) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(self.content)


def ask(
    port: int,
    path: str = "/search",
    body: object = None,
    *,
    method: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """One request on a connection of its own: POST with a body, GET without one."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        content = None if body is None else json.dumps(body)
        sent = {**(JSON if body is not None else {}), **(headers or {})}
        connection.request(method or ("GET" if body is None else "POST"), path, content, sent)
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


def search(port: int, key: str | None = None, **headers: str) -> Answer:
    """A search that finds something, with a key if there is one."""
    return ask(port, body={"query": "What are nodes?"}, headers={**bearer(key), **headers})


def bearer(key: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def make_key(file: Path, name: str, *scopes: Scope, **more: Any) -> str:  # noqa: ANN401 - handed on as it is
    """Make a key in a file, as another process would, and give the key itself."""
    return KeyFile(file).add(name, scopes or (Scope.SEARCH,), **more)[1]


def exchange(port: int, *parts: bytes, pause: float = 0.0) -> bytes:
    """Send bytes as they are, one part after another, until an answer comes, and read to the end of the connection.

    pause: seconds to wait for an answer after each part.
    """
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        answer = b""
        try:
            for part in parts:
                connection.sendall(part)
                if select.select([connection], [], [], pause)[0]:
                    break
            while piece := connection.recv(65_536):
                answer += piece
        except (ConnectionResetError, BrokenPipeError):
            pass
        return answer


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.02)


SLOW = """
import time
from pathlib import Path

class Slow(Searches):
    def search(self, query, *how, **named):
        if query.text.startswith("slow"):
            _, began, ends = query.text.split()
            Path(began).touch()
            while not Path(ends).exists():
                time.sleep(0.01)
        return super().search(query, *how, **named)
"""
"""Searches: those for `slow BEGAN ENDS` touch the one file and wait for the other."""
