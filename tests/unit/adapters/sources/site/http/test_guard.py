"""A site cannot make the crawler connect to a machine of the private network."""

import socket
from typing import Any

import httpcore2
import pytest

from assay.adapters.sources.site.http import guard as guard_module
from assay.adapters.sources.site.http.guard import ForbiddenAddress, GuardedBackend, SocketGuard, is_public
from assay.errors import SourceError

PRIVATE = [
    "127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
    "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1",
    "ff02::1", "fec0::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::808:808", "2002:7f00:1::", "2001:db8::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_told_in_every_wrapping(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_public_addresses_are_told(address: str) -> None:
    assert is_public(address)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """What host names resolve to; a list is used up from its front, its last stays."""
    table: dict[str, list[str]] = {}

    def resolve(host: str, port: int, type: int) -> list[Any]:  # noqa: A002 - the name that the caller uses
        answers = table[host]
        address = answers.pop(0) if len(answers) > 1 else answers[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(guard_module.socket, "getaddrinfo", resolve)
    return table


def test_of_a_public_start_no_private_address_is_reached(names: dict[str, list[str]]) -> None:
    names |= {"docs.example.org": ["8.8.8.8"], "inner.example.org": ["10.0.0.5"], "2130706433": ["127.0.0.1"]}
    guard = SocketGuard("https://docs.example.org/")
    assert guard.addresses("docs.example.org", 443) == [(socket.AF_INET, "8.8.8.8")]
    for host in ("inner.example.org", "2130706433"):
        with pytest.raises(ForbiddenAddress, match="private network"):
            guard.addresses(host, 80)


def test_a_name_that_turns_private_after_the_start_is_refused(names: dict[str, list[str]]) -> None:
    names["docs.example.org"] = ["8.8.8.8", "127.0.0.1"]
    guard = SocketGuard("https://docs.example.org/")
    with pytest.raises(ForbiddenAddress):
        guard.addresses("docs.example.org", 443)


def test_the_address_that_was_checked_is_the_one_that_is_connected_to(
    names: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    names["docs.example.org"] = ["8.8.8.8", "8.8.4.4", "127.0.0.1"]
    connected: list[Any] = []

    def connect(self: socket.socket, address: Any) -> None:  # noqa: ANN401 - the socket's own signature
        connected.append(address)
        raise ConnectionRefusedError(111, "refused")

    monkeypatch.setattr(socket.socket, "connect", connect)
    backend = GuardedBackend(SocketGuard("https://docs.example.org/"))
    with pytest.raises(httpcore2.ConnectError):
        backend.connect_tcp("docs.example.org", 443, timeout=1.0)
    assert connected == [("8.8.4.4", 443)]  # resolved once, and not again by the connection


def test_of_a_private_start_only_its_own_host_and_port_are_reached(names: dict[str, list[str]]) -> None:
    names |= {"wiki": ["10.0.0.5"], "other": ["10.0.0.6"], "docs.example.org": ["8.8.8.8"]}
    guard = SocketGuard("http://wiki:8080/")
    assert guard.private_start
    assert guard.addresses("wiki", 8080)
    assert guard.addresses("docs.example.org", 443)
    for host, port in (("wiki", 80), ("wiki", 6379), ("other", 8080), ("other", 80)):
        with pytest.raises(ForbiddenAddress):
            guard.addresses(host, port)


def test_other_ports_than_those_of_the_web_are_refused(names: dict[str, list[str]]) -> None:
    names |= {"docs.example.org": ["8.8.8.8"]}
    with pytest.raises(ForbiddenAddress, match="port 6379"):
        SocketGuard("https://docs.example.org/").addresses("docs.example.org", 6379)


def test_a_host_that_is_not_there_is_said() -> None:
    with pytest.raises(SourceError, match=r"nowhere\.invalid cannot be found"):
        SocketGuard("https://nowhere.invalid/")


def test_a_backend_that_was_aborted_opens_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        backend = GuardedBackend(SocketGuard(f"http://127.0.0.1:{port}/"))
        stream = backend.connect_tcp("127.0.0.1", port, timeout=1.0)
        backend.abort()
        assert stream.read(10, timeout=1.0) == b""  # its connection has ended
        with pytest.raises(httpcore2.ConnectError, match="was stopped"):
            backend.connect_tcp("127.0.0.1", port, timeout=1.0)
        stream.close()
