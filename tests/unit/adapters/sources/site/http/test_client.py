"""One request: to whom the headers go, which bodies are read, and how long it may take."""

import socket
from collections.abc import Iterator

import pytest
from tests.sites import Reply, Site, html, served

from assay import __version__
from assay.adapters.sources.site.http.client import HttpClient
from assay.adapters.sources.site.http.guard import GuardedBackend
from assay.adapters.sources.site.http.responses import FetchError, FetchLimits, accept_success

BOUNDS = FetchLimits(seconds=5.0, read_seconds=2.0, bytes=100_000)


class _Open:
    """A guard that lets every host be this machine."""

    def addresses(self, host: str, port: int) -> list[tuple[socket.AddressFamily, str]]:
        return [(socket.AF_INET, "127.0.0.1")]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with served(Site({"/": html("Start")})) as site:
        yield site


def _client(start: str) -> HttpClient:
    backend = GuardedBackend(_Open())  # type: ignore[arg-type]
    return HttpClient(backend, start, {"Authorization": "Bearer hidden"}, 2)


def test_the_user_agent_says_the_version_that_is_installed(site: Site) -> None:
    client = _client(site.url + "/")
    client.get(site.url + "/", BOUNDS, accept_success, {})
    client.close()
    assert site.requests[-1].headers["user-agent"].startswith(f"Assay/{__version__} (")


def test_headers_go_to_no_other_origin_than_that_of_the_start(site: Site) -> None:
    client = _client(site.url + "/docs")
    port = site.url.rpartition(":")[2]
    for address in (site.url + "/", f"http://other.example.org:{port}/", f"http://localhost:{port}/"):
        client.get(address, BOUNDS, accept_success, {})
    client.close()
    assert [request.headers.get("authorization") for request in site.requests[-3:]] == ["Bearer hidden", None, None]


def test_headers_follow_the_same_host_to_https_and_no_other() -> None:
    for start, led, follows in (
        ("http://x.org/", "https://x.org/docs", True),
        ("http://x.org/", "https://www.x.org/", False),
        ("https://x.org/", "http://x.org/", False),
        ("http://x.org:8080/", "https://x.org/", False),
    ):
        client = _client(start)
        client.follow(led)
        assert (client._origin == led.removesuffix("/docs").rstrip("/")) is follows


def test_a_body_that_is_not_wanted_is_not_read_and_its_connection_is_used_again(site: Site) -> None:
    connections: set[int] = set()
    site.pages["/long"] = Reply(200, b"x" * 1_000_000, {"Content-Type": "application/pdf"})
    client = _client(site.url)
    answer = client.get(site.url + "/long", BOUNDS, lambda *_: "no page", {})
    assert (answer.body, answer.received) == (b"", 0)
    for _ in range(3):
        assert client.get(site.url + "/", BOUNDS, accept_success, {}).status == 200
        connections |= {id(connection) for connection in client._pools[-1].connections}
    client.close()
    assert len(connections) == 1


def test_a_body_that_is_too_long_is_cut_off_while_it_comes(site: Site) -> None:
    site.pages["/endless"] = Reply(200, b"x" * 5_000_000, {"Content-Type": "text/html"})
    client = _client(site.url)
    with pytest.raises(FetchError, match="longer than 100,000 bytes") as caught:
        client.get(site.url + "/endless", BOUNDS, accept_success, {})
    client.close()
    assert not caught.value.transient
    assert 100_000 < caught.value.received < 500_000
