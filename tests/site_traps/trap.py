"""What a trap is, and what its pages are made of."""

import gzip
import socket
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import brotli

from tests.sites import Answerer, Reply, Request, html, links

OK_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


@dataclass(frozen=True)
class Trap:
    """One trap.

    pages: what it adds to the site, by path; relative to its folder unless it begins with a slash.
    come: the paths that must come as pages. left: those that must be left out or fail, with a word of the reason.
    linked: what the start page links to; listed: what the sitemap lists. Other paths in the folder must not come.
    llms: what llms.txt links to.
    """

    name: str
    pages: Mapping[str, Answerer]
    come: tuple[str, ...]
    left: Mapping[str, str] = field(default_factory=dict)
    linked: tuple[str, ...] = ("",)
    listed: tuple[str, ...] = ()
    llms: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """Where it is."""
        return "/" + self.name.replace(" ", "-").replace(",", "")

    def path(self, relative: str) -> str:
        """A path of it from the root; "" is the page of its folder."""
        if relative.startswith("/"):
            return relative
        return f"{self.folder}/{relative}"

    @property
    def expected(self) -> set[str]:
        """The paths that must come, as keys have them."""
        return {self.path(relative).rstrip("/") for relative in self.come}


def page(text: str, *to: str, head: str = "", **headers: str) -> Reply:
    """A page that says this, with links."""
    return html(f"{text}. {links(*to)}", head=head, status=200, **headers)


def canonical(target: str) -> str:
    return f'<link rel="canonical" href="{target}">'


def meta(name: str, content: str) -> str:
    return f'<meta name="{name}" content="{content}">'


def body(text: str) -> bytes:
    return page(text).body


def typed(body: bytes, kind: str | None, **headers: str) -> Reply:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(200, body, ({"Content-Type": kind} if kind is not None else {}) | sent)


def failing_first(then: Reply, status: int, **headers: str) -> Callable[[Request], Reply]:
    """Fails once, then answers."""
    asked: list[str] = []

    def answer(request: Request) -> Reply:
        asked.append(request.path)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return then if len(asked) > 1 else Reply(status, b"", sent)

    return answer


def numbered(text: str, follow: Callable[[int], Iterable[str]]) -> Callable[[Request], Reply]:
    """A page for every number at the end of an address."""

    def answer(request: Request) -> Reply:
        digits = "".join(char for char in request.path.rpartition("/")[2] if char.isdigit())
        number = int(digits or 0)
        return page(text.format(number), *follow(number))

    return answer


def sends(*pieces: bytes, pause: float = 0.0, repeat: int = 1) -> Callable[[socket.socket], None]:
    def send(connection: socket.socket) -> None:
        for piece in pieces[:1]:
            connection.sendall(piece)
        for _ in range(repeat):
            for piece in pieces[1:]:
                connection.sendall(piece)
                time.sleep(pause)

    return send


def bomb(coding: str) -> bytes:
    zeros = b"<html><body>" + b"0" * 40_000_000
    return gzip.compress(zeros, 9) if coding == "gzip" else brotli.compress(zeros, quality=1)


def raw_deflated(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()
