"""The log of queries over HTTP: what is logged, clicks, events of boxes, and the lists of operators."""

import json
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient
from tests.integration.web.conftest import BASE_URL
from tests.integration.web.wire import bearer, make_key

from assay.adapters.query_log import writer
from assay.app import Assay
from assay.app.testsets import load_test_set, save_test_set
from assay.contracts.mcp_tools import SearchDocs
from assay.contracts.native_entities import SearchRanking
from assay.contracts.operators.query_lists import QueryList
from assay.mcp.searching import search_docs
from assay.model.access import Scope
from assay.model.evaluation import Topic
from assay.model.queries import LoggedQuery, QueryKind, QueryReport
from assay.model.ranking import Filters
from assay.settings import load_settings
from assay.validation.testsets.plain import make_test_set
from assay.web.application import create_app

SITE = "https://docs.example.org"
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "FLUSH_SECONDS", 0.01)


Opened = Callable[..., Assay]


@pytest.fixture
def opened(published: Path, assay: Assay, tmp_path: Path) -> Iterator[Opened]:
    """Opens an Assay over the published index that logs queries into a file of this test."""
    made: list[Assay] = []

    def open_assay(*, log: bool = True, **tables: object) -> Assay:
        source = {"path": published / "pages", "name": "manual", "base_url": BASE_URL, "convention": "plain"}
        server = {"cors_origins": [SITE], "keys_file": tmp_path / "keys.json"}
        settings = {"data_dir": published / "index", "sources": [source], "server": server, "queries": {"log": log}}
        one = Assay.open(load_settings(None, {**settings, **tables}))
        one.parts.__dict__["embedder"] = assay.parts.embedder
        one.parts.__dict__["query_log"] = _log(tmp_path)
        made.append(one)
        return one

    yield open_assay
    for one in made:
        one.close()


def _log(folder: Path) -> object:
    from tests.postgres import catalog_options

    from assay.adapters.query_log.store import QueryLog

    return QueryLog.open("sqlite:///unused", folder / "queries.sqlite", catalog_options())


@pytest.fixture
def logging_assay(opened: Opened) -> Assay:
    return opened()


@pytest.fixture
def client(logging_assay: Assay) -> Iterator[TestClient]:
    with TestClient(create_app(logging_assay)) as made:
        yield made


def logged(assay: Assay, kind: QueryKind = QueryKind.TOP) -> QueryReport:
    """What the log has once everything is written."""
    assay.parts.query_writer.close()
    return assay.queries.report(kind)


def search(client: TestClient, text: str = "How do nodes communicate?", **fields: object) -> dict[str, Any]:
    answer = client.post("/v1/search", json={"query": text, "clicks": True, **fields})
    assert answer.status_code == 200, answer.text
    SearchRanking.model_validate_json(answer.content)
    body: dict[str, Any] = answer.json()
    return body


def click(client: TestClient, body: object, **headers: str) -> httpx.Response:
    return client.post("/v1/clicks", json=body, headers=headers)


def test_a_search_and_its_click_are_counted(logging_assay: Assay, client: TestClient) -> None:
    answer = search(client, filters={"sources": ["manual"]})
    report = {"query_id": answer["query_id"], "chunk_id": answer["results"][2]["chunk_id"]}
    for _ in range(2):
        assert click(client, report).json() == {"accepted": True}
    (one,) = logged(logging_assay).queries
    assert (one.text, one.searches, one.clicked, one.mean_position) == ("How do nodes communicate?", 1, 1, 3.0)
    assert one.filters.sources == ("manual",)


def test_every_route_that_searches_is_logged_and_only_asked_for_ids_are_given(
    logging_assay: Assay, client: TestClient
) -> None:
    assert "query_id" not in search(client, "native", clicks=False)
    client.head("/v1/search?q=head")
    client.get("/v1/search?q=by+url")
    client.get("/?q=page")
    client.get("/v1/suggest?q=nodes")
    client.post("/search", json={"query": "seed 003"})
    client.post("/query", json={"query_text": "seed 000"})
    client.post("/api/v1/search", json={"query_text": "seed 004 as well"})
    client.post("/1/indexes/*/queries", json={"requests": [{"query": "box"}, {"query": "", "facets": "*"}]})
    search_docs(logging_assay, SearchDocs(query="agent"))
    texts = {one.text for one in logged(logging_assay).queries}
    assert texts == {"native", "by url", "page", "seed 003", "seed 000", "seed 004 as well", "box", "agent"}


@pytest.mark.parametrize(
    ("text", "stored"),
    [("x" * 10_000, None), (" ", None), ("\x1b[2J\u202egripper\n", "[2Jgripper"), ("gripper " * 249, "gripper " * 249)],
    ids=["too long", "blank", "control characters", "long"],
)
def test_a_strange_query_is_refused_by_the_search_or_stored_as_plain_text(
    logging_assay: Assay, client: TestClient, text: str, stored: str | None
) -> None:
    status = client.post("/v1/search", json={"query": text}).status_code
    assert status == (400 if stored is None else 200)
    assert [one.text for one in logged(logging_assay).queries] == ([] if stored is None else [stored.strip()])


def test_of_what_is_typed_only_the_end_is_logged(logging_assay: Assay, client: TestClient) -> None:
    for text in ("n", "no", "node", "nodes"):
        answer = search(client, text, typing=True)
    assert answer["query_id"]
    assert [one.text for one in logged(logging_assay).queries] == ["nodes"]


def test_without_the_setting_nothing_is_logged_and_no_id_is_given(opened: Opened, tmp_path: Path) -> None:
    with TestClient(create_app(opened(log=False))) as client:
        assert "query_id" not in search(client)
        assert click(client, {"query_id": "0" * 32, "chunk_id": "x"}).json() == {"accepted": True}
    assert not (tmp_path / "queries.sqlite").exists()


@pytest.mark.parametrize(
    ("body", "headers", "status", "said"),
    [
        pytest.param("{}", {"Content-Type": "application/json"}, 400, "query_id: it is required", id="no fields"),
        pytest.param("{}", {"Content-Type": "text/plain"}, 400, "Content-Type", id="a simple request"),
        pytest.param("{}", {}, 400, "Content-Type", id="no type"),
        pytest.param(
            "{}", {"Origin": "https://evil.example", "Content-Type": "application/json"}, 400, "Origin", id="a site"
        ),
        pytest.param(
            json.dumps({"query_id": "' OR 1=1", "chunk_id": "x"}),
            {"Content-Type": "application/json"},
            400,
            "query_id: it must be",
            id="no id",
        ),
        pytest.param("x" * 9_000, {"Content-Type": "application/json"}, 413, "8,192 bytes", id="too large"),
    ],
)  # fmt: skip
def test_a_report_that_is_no_json_of_an_allowed_origin_is_refused(
    client: TestClient, body: str, headers: dict[str, str], status: int, said: str
) -> None:
    answer = client.post("/v1/clicks", content=body, headers=headers)
    assert (answer.status_code, said in answer.json()["message"]) == (status, True), answer.text


def test_an_allowed_site_may_report_and_an_unknown_search_looks_the_same(
    logging_assay: Assay, client: TestClient
) -> None:
    answer = search(client)
    report = {"query_id": answer["query_id"], "chunk_id": answer["results"][0]["chunk_id"]}
    site = {"Origin": SITE, "Sec-Fetch-Site": "cross-site"}
    known = click(client, report, **site)
    unknown = click(client, {**report, "query_id": "0" * 32}, **site)
    assert (known.status_code, known.content) == (unknown.status_code, unknown.content) == (200, b'{"accepted":true}')
    assert logged(logging_assay).totals.clicked == 1


def test_a_server_deletes_old_searches_although_nobody_searches(opened: Opened) -> None:
    one = opened(queries={"log": True, "keep_days": 7})
    at, nowhere = datetime.now(UTC), Filters()
    old = [LoggedQuery(f"{n:032x}", at - timedelta(days=n), str(n), "/", nowhere, "g", (), False) for n in range(10)]
    one.parts.query_log.append(old, [], str)
    with TestClient(create_app(one)):
        pass
    assert {each.text for each in logged(one).queries} == set("0123456")


def test_a_key_that_can_only_search_may_report(opened: Opened, tmp_path: Path) -> None:
    key = make_key(tmp_path / "keys.json", "box", Scope.SEARCH)
    server = {"search": "key", "keys_file": tmp_path / "keys.json"}
    with TestClient(create_app(opened(server=server))) as client:
        report = {"query_id": "0" * 32, "chunk_id": "x"}
        assert click(client, report).status_code == 401
        assert click(client, report, **bearer(key)).status_code == 200
        assert client.get("/v1/admin/queries", headers=bearer(key)).status_code == 403


@pytest.mark.parametrize("prefix", ["", "/assay", "/assay/-dsn.algolia.net"])
def test_a_docsearch_box_reports_clicks_as_its_clients_do(
    logging_assay: Assay, client: TestClient, prefix: str
) -> None:
    asked = {"requests": [{"query": "replacing the gyroscope", "clickAnalytics": True}, {"query": "cleaning"}]}
    first, second = client.post(f"{prefix}/1/indexes/*/queries", json=asked).json()["results"]
    assert "queryID" not in second
    event = {"eventType": "click", "eventName": "Item Selected", "index": "docs", "userToken": "anonymous-1"}
    event |= {"queryID": first["queryID"], "objectIDs": [first["hits"][1]["objectID"]], "positions": [2]}
    viewed = {"eventType": "view", "eventName": "Items Viewed", "objectIDs": [first["hits"][0]["objectID"]]}
    body = json.dumps({"events": [event, viewed]})
    answer = client.post(f"{prefix}/1/events?x-algolia-api-key=public", content=body, headers={"Origin": SITE})
    assert answer.json() == {"message": "OK", "status": 200}
    totals = logged(logging_assay).totals
    assert (totals.searches, totals.with_clicks_reported, totals.clicked) == (2, 1, 1)
    refused = client.post(f"{prefix}/1/events", content=body, headers={"Origin": "https://evil.example"})
    assert refused.status_code == refused.json()["status"] == 400


def test_a_box_that_asks_several_times_for_one_page_of_results_has_searched_once(
    logging_assay: Assay, client: TestClient
) -> None:
    one = {"query": "replacing the gyroscope", "clickAnalytics": True}
    asked = [one, {**one, "indexName": "other"}, {**one, "hitsPerPage": 0, "facets": "*"}]
    results = client.post("/1/indexes/*/queries", json={"requests": asked}).json()["results"]
    assert len({result["queryID"] for result in results}) == 1
    later = client.post("/1/indexes/*/queries", json={"requests": [{**one, "page": 1}]}).json()["results"]
    assert "queryID" not in later[0]
    assert logged(logging_assay).totals.searches == 1


def test_a_log_that_cannot_be_written_changes_no_answer_and_is_counted(
    logging_assay: Assay, client: TestClient, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "queries.sqlite").mkdir()
    with caplog.at_level(logging.WARNING):
        assert search(client)["results"]
        logging_assay.parts.query_writer.close()
    assert "Queries are not logged: The log of queries" in caplog.text
    shown = logging_assay.searches.metrics.exposition("text/plain")[0].decode()
    assert 'assay_query_log_events_total{event="dropped"} 1.0' in shown


@pytest.fixture
def judged(opened: Opened, tmp_path: Path) -> Iterator[tuple[Assay, TestClient, dict[str, str]]]:
    """An Assay with a test set of its own, a client, and an admin key."""
    save_test_set(tmp_path / "own.testset.yaml", make_test_set("own", [Topic("nodes", "How do nodes communicate?")]))
    key = make_key(tmp_path / "keys.json", "admin", Scope.ADMIN)
    one = opened(validation={"testset": tmp_path / "own.testset.yaml"})
    with TestClient(create_app(one)) as client:
        yield one, client, bearer(key)


def test_operators_list_queries_and_add_them_to_the_queue_of_labels(
    judged: tuple[Assay, TestClient, dict[str, str]], tmp_path: Path
) -> None:
    assay, client, key = judged
    for text in ("Replacing the gyroscope", HOSTILE, "zqxv wqk\x07 zzz", "How do nodes communicate"):
        search(client, text)
    assay.parts.query_writer.close()
    listed = client.get("/v1/admin/queries?kind=top&days=7", headers=key)
    answer = QueryList.model_validate_json(listed.content)
    assert (answer.logged, answer.totals.searches) == (True, 4)
    texts = [one.text for one in answer.listed]
    assert set(texts) >= {HOSTILE, "zqxv wqk zzz"}
    added = client.post("/v1/admin/queries/topics", json={"queries": texts}, headers=key)
    assert added.json()["known"] == 1
    assert set(added.json()["topics"]) == {"replacing-the-gyroscope", "img-src-x-onerror-alert-1", "zqxv-wqk-zzz"}
    assert {topic.text for topic in load_test_set(tmp_path / "own.testset.yaml").topics} >= set(texts) - {
        "How do nodes communicate"
    }
    queue = client.post(
        "/v1/admin/labels/queue", json={"test_set": "own", "topics": ["replacing-the-gyroscope"]}, headers=key
    )
    assert queue.json()["waiting"] == 5
    texts = [*texts, "HOW do nodes communicate?!", " \x07 "]
    again = client.post("/v1/admin/queries/topics", json={"queries": texts}, headers=key)
    assert again.json() == {"topics": [], "known": 4}


@pytest.mark.parametrize("parameters", ["kind=all", "days=0", "limit=100000", "other=1"])
def test_a_list_that_does_not_exist_is_refused(
    judged: tuple[Assay, TestClient, dict[str, str]], parameters: str
) -> None:
    _, client, key = judged
    assert client.get(f"/v1/admin/queries?{parameters}", headers=key).status_code == 400
