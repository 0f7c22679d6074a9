"""What a page of another site can have a browser send: it changes nothing, with keys or without."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.integration.web.conftest import RunningServer, running_server, settings_for, write_pages
from tests.integration.web.wire import ask, bearer, exchange, make_key

from assay.app import Assay
from assay.model.access import Scope

EVIL = "https://evil.example"

SENT: Mapping[str, Mapping[str, str]] = {
    "a form": {"Origin": EVIL, "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "cross-site"},
    "a form with a file": {"Origin": EVIL, "Content-Type": "multipart/form-data; boundary=x"},
    "text/plain": {"Origin": EVIL, "Content-Type": "text/plain", "Sec-Fetch-Site": "cross-site"},
    "text/plain that looks like JSON": {"Origin": EVIL, "Content-Type": "text/plain; application/json"},
    "no type at all": {"Origin": EVIL, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Site": "cross-site"},
    "no type from an old browser": {"Origin": EVIL},
    "no origin and no type": {},
    "a sandboxed frame": {"Origin": "null", "Content-Type": "application/json"},
    "JSON after a preflight": {"Origin": EVIL, "Content-Type": "application/json", "Sec-Fetch-Site": "cross-site"},
    "JSON of a neighbour": {
        "Origin": "http://127.0.0.1:3000",
        "Content-Type": "application/json",
        "Sec-Fetch-Site": "same-site",
    },
    "JSON without an origin": {"Content-Type": "application/json", "Sec-Fetch-Site": "cross-site"},
    "a host that begins like ours": {"Origin": "http://localhost.evil.example", "Content-Type": "application/json"},
}


@dataclass(frozen=True)
class Served:
    """A server with a live, a retired and a candidate generation, and a key that may do everything."""

    server: RunningServer
    folder: Path
    key: str

    def state(self) -> object:
        """What is there, as the catalog has it."""
        with Assay.open(settings_for(self.folder)) as assay:
            return [(one.id, one.state) for one in assay.generations()]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("foreign")
    pages = write_pages(folder / "pages")
    with Assay.open(settings_for(folder)) as assay:
        for number, build in enumerate((assay.publish, assay.publish, assay.builds.ingest)):
            (pages / f"extra-{number}.md").write_text(f"# Extra {number}\n\nPage {number}.\n", encoding="utf-8")
            build()
    return folder


@pytest.fixture(scope="module", params=[(), ("*",)], ids=["no origins", "any origin"])
def served(index: Path, request: pytest.FixtureRequest) -> Iterator[Served]:
    name = f"admin {len(request.param)}"
    key = make_key(index / "index" / "keys.json", name, Scope.SEARCH, Scope.ADMIN)
    with running_server(index, cors_origins=list(request.param)) as server:
        yield Served(server, index, key)


def writing_routes(served: Served) -> dict[str, object]:
    """The administration's routes that take a body, with one that would change something."""
    with Assay.open(settings_for(served.folder)) as assay:
        candidate, live = (one.id for one in assay.generations()[:2])
    posted = {path: methods["post"] for path, methods in paths(served).items() if "post" in methods}
    bodies = {
        path: operation["requestBody"]["content"]["application/json"]["example"]
        for path, operation in posted.items()
        if path.startswith("/v1/admin/")
    }
    return bodies | {"/v1/admin/promote": {"generation": candidate}, "/v1/admin/rollback": {"leave": live}}


def paths(served: Served) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = ask(served.server.port, "/openapi.json").body["paths"]
    return found


@pytest.mark.parametrize("sent", SENT.values(), ids=SENT)
def test_no_route_that_changes_something_obeys_it(served: Served, sent: Mapping[str, str]) -> None:
    before = served.state()
    for (path, body), key in product(writing_routes(served).items(), (None, served.key)):
        lines = [f"{name}: {value}" for name, value in {**sent, **bearer(key)}.items()]
        content = json.dumps(body)
        head = "\r\n".join([f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Connection: close", *lines])
        answer = exchange(served.server.port, f"{head}\r\nContent-Length: {len(content)}\r\n\r\n{content}".encode())
        status = int(answer.split()[1])
        assert status in ({400} if key else {400, 401}), answer
        assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"] in {"validation_error", "unauthorized"}
    assert served.state() == before


def test_no_get_changes_anything(served: Served) -> None:
    before = served.state()
    for path in [*paths(served), *(f"{path}?generation=x&leave=x" for path in writing_routes(served))]:
        for method in ("GET", "HEAD"):
            ask(served.server.port, path, method=method, headers={"Origin": EVIL, **bearer(served.key)})
    assert served.state() == before


def test_every_route_that_takes_a_body_is_for_everybody_or_among_those_that_are_tested(served: Served) -> None:
    taking = {path for path, methods in paths(served).items() if set(methods) - {"get"}}
    public = {
        path for path in taking if re.search("^(?!/v1/admin/).*(search|query|queries|validate|clicks|events)", path)
    }
    assert taking - public == set(writing_routes(served))


def test_no_search_and_no_click_is_taken_from_a_page_that_may_not_ask(index: Path) -> None:
    with running_server(index) as server:
        for headers in (
            {"Origin": EVIL},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "none", "Origin": EVIL},
            {"Sec-Fetch-Site": "none", "Origin": "null"},
        ):
            for path in (
                "/search",
                "/v1/search",
                "/query",
                "/api/v1/search",
                "/api/v1/validate",
                "/1/indexes/*/queries",
                "/v1/clicks",
                "/1/events",
            ):
                answer = ask(server.port, path, {"query": "What are nodes?"}, headers=headers)
                assert (answer.status, "may not use" in answer.body["message"]) == (400, True)


def test_programs_and_pages_of_this_server_may_ask(index: Path) -> None:
    with running_server(index) as server:
        for headers in (
            {},
            {"Sec-Fetch-Site": "same-origin", "Origin": "https://docs.example.org"},
            {"Sec-Fetch-Site": "none"},
            {"Origin": "http://127.0.0.1:8080", "Host": "127.0.0.1:8080"},
            {"Origin": "http://127.0.0.1:8080", "Host": "127.0.0.1:8080", "Sec-Fetch-Site": "none"},
        ):
            assert ask(server.port, "/search", {"query": "What are nodes?"}, headers=headers).status == 200


def test_a_get_of_another_site_is_answered_and_its_page_may_not_read_it(index: Path) -> None:
    with running_server(index) as server:
        answer = ask(server.port, "/livez", headers={"Origin": EVIL, "Sec-Fetch-Site": "cross-site"})
        assert answer.status == 200
        assert "access-control-allow-origin" not in {name.lower() for name in answer.headers}
