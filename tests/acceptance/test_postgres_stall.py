"""A Postgres that stands still or dies while clients search: over a real socket, with a server of its own."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from tests.integration.web.conftest import RunningServer, running_server, settings_for, write_pages
from tests.postgres import PostgresServer, running_postgres

from assay.app import Assay

CLIENTS = 20
QUERY = {"query": "how do nodes communicate", "top_k": 3}

THE_SAME_OF_004 = {"query_text": QUERY["query"], "top_k": 3, "similarity_threshold": 0.0}


@pytest.fixture(scope="module")
def database() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="module")
def folder(database: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a live generation whose catalog is in Postgres."""
    folder = tmp_path_factory.mktemp("stall")
    write_pages(folder / "pages")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DATABASE_URL", database.new_database())
        with Assay.open(settings_for(folder)) as assay:
            assert assay.publish().promoted
        yield folder


def request(server: RunningServer, method: str, path: str, body: object = None) -> tuple[int, dict[str, Any]]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request(method, path, body and json.dumps(body), {"content-type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def wait_for(server: RunningServer, path: str, status: int) -> None:
    for _ in range(1_200):
        if request(server, "GET", path)[0] == status:
            return
        sleep(0.05)
    pytest.fail(f"{path} did not come to {status}")


def search_while(server: RunningServer, act: Callable[[], None]) -> tuple[Counter[int], list[object]]:
    """What the statuses and the different answers are that clients get while something happens."""
    ended = threading.Event()

    def client(_: int) -> tuple[Counter[int], list[object]]:
        statuses: Counter[int] = Counter()
        answers: list[object] = []
        while not ended.is_set():
            status, body = request(server, "POST", "/search", QUERY)
            statuses[status] += 1
            if status == 200 and body not in answers:
                answers.append(body)
        return statuses, answers

    with ThreadPoolExecutor(CLIENTS) as threads:
        clients = [threads.submit(client, number) for number in range(CLIENTS)]
        try:
            act()
        finally:
            ended.set()
        results = [each.result(timeout=120) for each in clients]
    answers = [answer for _, some in results for answer in some]
    return sum((statuses for statuses, _ in results), Counter()), answers


@pytest.mark.timeout(300)
@pytest.mark.parametrize("way", ["stall", "kill"])
def test_searches_go_on_while_the_catalog_is_away(database: PostgresServer, folder: Path, way: str) -> None:
    away, back = {"stall": (database.stall, database.go_on), "kill": (database.kill, database.start)}[way]
    with running_server(folder) as server:
        whole = request(server, "POST", "/search", QUERY)
        assert (whole[0], len(whole[1]["results"])) == (200, 3)

        def outage() -> None:
            away()
            try:
                wait_for(server, "/health", 503)
                state, body = request(server, "GET", "/health")
                assert (state, body) == (503, {"status": "degraded", "qdrant": True, "postgres": False})
                assert request(server, "GET", "/readyz")[0] == 200
                partial = request(server, "POST", "/api/v1/search", THE_SAME_OF_004)
                assert (partial[0], partial[1]["status"]) == (200, "partial")
            finally:
                back()
            wait_for(server, "/health", 200)

        statuses, answers = search_while(server, outage)
        assert set(statuses) == {200}
        assert all(answer == whole[1] for answer in answers)
        assert request(server, "GET", "/health") == (200, {"status": "ok", "qdrant": True, "postgres": True})
        # What is promoted from now on is noticed: nothing that followed the catalog has died.
        (folder / "pages" / "news.md").write_text(f"# News of the {way}\n\nNodes communicate by {way} now.\n")
        with Assay.open(settings_for(folder)) as assay:
            promoted = assay.publish().promoted
        assert promoted
        for _ in range(1_200):
            if request(server, "POST", "/v1/search", {"query": "nodes"})[1]["generation"] == promoted.id:
                break
            sleep(0.05)
        else:
            pytest.fail("the new generation was not served")


@pytest.mark.timeout(300)
def test_with_strict_metadata_searches_are_503_until_the_catalog_is_back(
    database: PostgresServer, folder: Path
) -> None:
    with running_server(folder, strict_metadata=True) as server:
        assert request(server, "POST", "/search", QUERY)[0] == 200
        database.stall()
        try:
            status, body = request(server, "POST", "/search", QUERY)
            assert (status, body["error"]) == (503, "service_unavailable")
        finally:
            database.go_on()
        wait_for(server, "/health", 200)
        assert request(server, "POST", "/search", QUERY)[0] == 200
