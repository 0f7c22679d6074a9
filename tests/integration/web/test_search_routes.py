"""POST /v1/search and POST /search over a real index: every border, and what comes back."""

import gzip
import json
from pathlib import Path
from threading import current_thread

import pytest
from starlette.testclient import TestClient
from tests.integration.web.conftest import (
    BASE_URL,
    CHUNKS,
    QUERY_FIELDS,
    QUERY_LIMITS,
    ROUTES,
    THRESHOLD_FIELDS,
    TOP_K_LIMITS,
    Connect,
    asking,
    settings_for,
    write_pages,
)

from assay.app import Assay
from assay.app.searching import Searches
from assay.contracts.native_entities import SearchRanking
from assay.contracts.search_api import ErrorResponse, SearchResponse
from assay.model.ranking import ContractMode


def refused(client: TestClient, route: str, body: object) -> str:
    """The message of a 400; the body may hold what the client's own encoder would refuse."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = client.post(route, content=content, headers={"Content-Type": "application/json"})
    assert response.status_code == 400, response.text
    error = ErrorResponse.model_validate(response.json())
    assert error.error == "validation_error"
    return error.message


# --- borders -------------------------------------------------------------------------------------------------------


@pytest.mark.contract("003.1")
@pytest.mark.parametrize(
    ("route", "length"),
    [(route, length) for route, limit in QUERY_LIMITS.items() for length in (1, 9, 10, 499, 500, limit - 1, limit)],
)
def test_a_query_of_a_length_inside_the_limit_is_answered(client: TestClient, route: str, length: int) -> None:
    query = ("nodes " * 400)[:length].replace(" ", "s") if length > 1 else "a"
    response = client.post(route, json=asking(route, query))
    assert response.status_code == 200, response.text
    assert response.json().get("query", query) == query


@pytest.mark.contract("000.5", "003.3", "003.18", "004.15")
@pytest.mark.parametrize(("route", "limit"), QUERY_LIMITS.items())
@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        pytest.param("", "an empty string was sent", id="0 characters"),
        pytest.param("   ", "only white space", id="spaces"),
        pytest.param("\u2003\n", "only white space", id="other white space"),
        pytest.param("no\0de", "character 3 is NUL", id="NUL"),
        pytest.param("no\ud800de", "character 3 is half of a surrogate pair", id="lone surrogate"),
        pytest.param(None, "null was sent", id="null"),
        pytest.param(5, "5 was sent", id="a number"),
        pytest.param(["nodes"], "a list of 1 was sent", id="a list"),
    ],
)
def test_a_query_that_asks_nothing_is_refused(
    client: TestClient, route: str, limit: int, query: object, complaint: str
) -> None:
    message = refused(client, route, asking(route, query))
    assert message.startswith(f"{QUERY_FIELDS[route]}: ")
    assert complaint in message
    assert f"1 to {limit:,} characters" in message


@pytest.mark.contract("000.1", "003.1", "004.10")
@pytest.mark.parametrize(("route", "limit"), QUERY_LIMITS.items())
@pytest.mark.parametrize("character", ["a", "é", "字", "🤖"])
def test_length_is_counted_in_characters_and_nothing_is_cut(
    client: TestClient, route: str, limit: int, character: str
) -> None:
    message = refused(client, route, asking(route, character * (limit + 1)))
    assert f"of {limit + 1:,} characters was sent" in message


@pytest.mark.contract("000.18", "003.11")
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "query",
    [
        pytest.param("🤖 nodes", id="emoji"),
        pytest.param("كيف تتواصل العقد؟ nodes", id="right to left"),
        pytest.param("ノードはどう通信しますか nodes", id="Japanese"),
        pytest.param("nodes' OR 1=1 --", id="quotes"),
        pytest.param("nodes\r\nX-Injected: yes", id="line breaks"),
        pytest.param("\ufeffnodes\u200b", id="invisible characters"),
        pytest.param("<script>alert(1)</script> nodes", id="markup"),
    ],
)
def test_a_query_in_any_writing_is_answered_and_echoed_as_it_was(client: TestClient, route: str, query: str) -> None:
    response = client.post(route, json=asking(route, query))
    assert response.status_code == 200, response.text
    assert response.json().get("query", query) == query
    assert "X-Injected" not in response.headers


@pytest.mark.contract("000.2", "000.24", "003.2", "004.11")
@pytest.mark.parametrize(
    ("route", "top_k"),
    [(route, top_k) for route, limit in TOP_K_LIMITS.items() for top_k in (1, 20, 21, 100) if top_k <= limit],
)
def test_top_k_inside_its_range_gives_so_many_results(client: TestClient, route: str, top_k: int) -> None:
    results = client.post(route, json=asking(route, "replacing the gripper", top_k=top_k)).json()["results"]
    assert len(results) == min(top_k, CHUNKS)


@pytest.mark.contract("000.6", "003.4", "004.16")
@pytest.mark.parametrize(
    ("route", "limit", "top_k"),
    [
        (route, limit, top_k)
        for route, limit in TOP_K_LIMITS.items()
        for top_k in (-1, 0, 21, 100, 101, "5", 5.0, True)
        if top_k not in range(1, limit + 1) or type(top_k) is not int
    ],
)
def test_top_k_of_another_range_or_type_is_refused(client: TestClient, route: str, limit: int, top_k: object) -> None:
    message = refused(client, route, asking(route, top_k=top_k))
    assert message.startswith(f"top_k: it must be a whole number from 1 to {limit}; ")


@pytest.mark.contract("000.7", "004.17")
@pytest.mark.parametrize(("route", "field"), THRESHOLD_FIELDS.items())
@pytest.mark.parametrize(
    "threshold", [b"-0.01", b"1.01", b"NaN", b"Infinity", b"-Infinity", b"1e999", b'"0.5"', b"true"]
)
def test_a_threshold_of_another_range_or_type_is_refused(
    client: TestClient, route: str, field: str, threshold: bytes
) -> None:
    body = f'{{"{QUERY_FIELDS[route]}": "nodes", "{field}": '.encode() + threshold + b"}"
    message = refused(client, route, body)
    assert message.startswith(f"{field}: it must be a number from 0 to 1; ")


@pytest.mark.contract("000.24")
@pytest.mark.parametrize(("route", "field"), THRESHOLD_FIELDS.items())
def test_a_threshold_of_0_drops_nothing_and_one_of_1_all_but_the_same(
    client: TestClient, route: str, field: str
) -> None:
    most = TOP_K_LIMITS[route]
    everything = client.post(route, json=asking(route, top_k=most, **{field: 0})).json()["results"]
    nothing = client.post(route, json=asking(route, **{field: 1}))
    assert len(everything) == min(most, CHUNKS)
    assert nothing.status_code == 200
    assert nothing.json()["results"] == []
    assert "error" not in nothing.json()


@pytest.mark.contract("000.3")
@pytest.mark.parametrize(("route", "field"), THRESHOLD_FIELDS.items())
def test_a_threshold_holds_for_every_result(client: TestClient, route: str, field: str) -> None:
    results = client.post(route, json=asking(route, top_k=20, **{field: 0.3})).json()["results"]
    assert results
    assert all(result.get("similarity_score", result.get("similarity")) >= 0.3 for result in results)


@pytest.mark.contract("003.18")
@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        pytest.param(b"", "body: it is empty", id="no body"),
        pytest.param(b"{", "body: it is not valid JSON at line 1, column 2", id="cut off"),
        pytest.param(b"[1, 2]", "body: it must be a JSON object", id="a list"),
        pytest.param(b'{"query": "\xe9"}', "body: it must be UTF-8", id="Latin-1"),
        pytest.param(b'{"top_k": 1, "top_k": 2}', "occurs twice", id="a field twice"),
        pytest.param(b'{"topk": 3}', "There is no field `topk`; did you mean `top_k`?", id="a slip"),
        pytest.param(b'{"top_k": ' + b"9" * 5_000 + b"}", "too many digits", id="5,000 digits"),
        pytest.param(b'{"a":' * 12_000, "nested too deeply", id="12,000 objects"),
        pytest.param(b"[" * 60_000, "nested too deeply", id="60,000 brackets"),
        pytest.param(b'{"x\\ud800": 1}', "There is no field `x\\ud800`", id="a name that is no text"),
        pytest.param(b"{}", ": it is required", id="no fields"),
    ],
)
@pytest.mark.parametrize("route", ROUTES)
def test_a_body_that_cannot_be_read_is_refused_and_said_why(
    client: TestClient, route: str, body: bytes, complaint: str
) -> None:
    assert complaint in refused(client, route, body)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    ("headers", "complaint"),
    [
        ({"Content-Type": "text/plain"}, 'Content-Type: it must be application/json; "text/plain" was sent.'),
        ({"Content-Type": "application/x-www-form-urlencoded"}, "Content-Type: "),
        ({"Content-Type": "application/json; charset=latin-1"}, "the charset must be utf-8"),
        ({"Content-Type": "application/json", "Content-Encoding": "gzip"}, "Content-Encoding: "),
        ({"Content-Type": ""}, "Content-Type: "),
    ],
)
def test_another_kind_of_body_is_refused_by_its_header(
    client: TestClient, route: str, headers: dict[str, str], complaint: str
) -> None:
    response = client.post(route, content=b'{"query": "nodes"}', headers=headers)
    assert response.status_code == 400
    assert complaint in response.json()["message"]


@pytest.mark.parametrize("kind", ["application/json; charset=UTF-8", "Application/JSON", "application/ld+json", None])
def test_json_is_taken_under_each_of_its_names(client: TestClient, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    assert client.post("/search", content=b'{"query": "nodes"}', headers=headers).status_code == 200


@pytest.mark.parametrize("route", ROUTES)
def test_a_body_over_the_limit_is_413(client: TestClient, route: str) -> None:
    response = client.post(route, json=asking(route, "a" * 70_000))
    assert response.status_code == 413
    assert response.json() == {"error": "payload_too_large", "message": "body: it may have at most 65,536 bytes."}


def test_a_body_at_the_limit_is_read(client: TestClient) -> None:
    body = b'{"query": "nodes"'
    assert client.post("/search", content=body + b" " * (65_536 - len(body) - 1) + b"}").status_code == 200
    assert client.post("/search", content=body + b" " * (65_536 - len(body)) + b"}").status_code == 413


# --- answers -------------------------------------------------------------------------------------------------------


def test_the_native_answer_is_as_declared(client: TestClient, assay: Assay) -> None:
    response = client.post("/v1/search", json=asking("/v1/search", top_k=3))
    ranking = SearchRanking.model_validate_json(response.content)
    assert ranking.generation == assay.searches.health().generation
    assert ranking.mode == "hybrid"
    assert [hit.rank for hit in ranking.results] == [1, 2, 3]
    best = ranking.results[0]
    assert best.content
    assert "Nodes communicate by topics" in best.content
    assert best.url == f"{BASE_URL}/nodes"
    assert best.source == "manual"
    assert "communicate" in [best.content[start:end] for start, end in best.highlights]
    assert ranking.timings_ms.total > 0


@pytest.mark.contract("003.7")
def test_the_seeds_answer_is_as_declared_and_sorted_by_similarity(client: TestClient) -> None:
    response = client.post("/search", json={"query": "How do nodes communicate?", "top_k": 20})
    answer = SearchResponse.model_validate_json(response.content)
    assert len(answer.results) == 20
    assert [r.score for r in answer.results] == sorted((r.score for r in answer.results), reverse=True)
    assert answer.results[0].source_path.endswith("nodes.md")
    assert answer.results[0].slug == "nodes"
    assert answer.results[0].title == "Nodes"


def test_every_shape_gives_the_same_chunks_with_the_same_cosine(client: TestClient) -> None:
    def found(route: str, score: str, **fields: object) -> dict[str, float]:
        results = client.post(route, json=asking(route, top_k=20, **fields)).json()["results"]
        return {result["chunk_id"]: result[score] for result in results}

    expected = found("/v1/search", "similarity")
    assert len(expected) == 20
    assert found("/search", "score") == expected
    assert found("/query", "similarity_score") == expected
    assert found("/api/v1/search", "similarity_score") == expected


@pytest.mark.contract("003.12")
@pytest.mark.parametrize("route", ROUTES)
def test_the_same_question_gives_the_same_answer(client: TestClient, route: str) -> None:
    first, second = (client.post(route, json=asking(route)).json()["results"] for _ in range(2))
    assert first == second


@pytest.mark.contract("003.6")
def test_text_comes_back_as_it_was_written(client: TestClient) -> None:
    (result,) = client.post("/search", json={"query": "Zeichen wie Räder", "top_k": 1}).json()["results"]
    assert 'Räder 🤖 bleiben, & "quotes" too: `<b>a < b</b>`' in result["snippet"]


SCORES = (("/search", "score"), ("/query", "similarity_score"), ("/api/v1/search", "similarity_score"))
QUESTION = "robot hand gripper testing two people nodes"


@pytest.mark.parametrize(("route", "score"), SCORES)
@pytest.mark.parametrize("contract_mode", [None, *ContractMode])
def test_contract_mode_decides_who_chooses_and_orders_and_the_score_stays_the_cosine(
    connect: Connect, published: Path, route: str, score: str, contract_mode: ContractMode | None
) -> None:
    server = {} if contract_mode is None else {"contract_mode": contract_mode.value}
    with Assay.open(settings_for(published, **server)) as served:
        client = connect(served)
        answer = client.post(route, json=asking(route, QUESTION, top_k=5)).json()["results"]
        found = {
            mode: client.post("/v1/search", json=asking("/v1/search", QUESTION, top_k=5, mode=mode)).json()["results"]
            for mode in ("hybrid", "dense")
        }
    hybrid, dense = ([(r["chunk_id"], r["similarity"]) for r in found[mode]] for mode in ("hybrid", "dense"))
    by_similarity = sorted(hybrid, key=lambda one: (-one[1], one[0]))
    assert len({tuple(hybrid), tuple(dense), tuple(by_similarity)}) == 3, "the question tells the modes apart"
    expected = {ContractMode.DENSE: dense, ContractMode.FUSED: hybrid}.get(contract_mode, by_similarity)  # type: ignore[arg-type]
    assert [(r["chunk_id"], r[score]) for r in answer] == expected


@pytest.mark.parametrize(
    ("server", "told"), [({"contract_mode": "hybrid"}, 1), ({}, 0), ({"contract_mode": "fused"}, 0)]
)
def test_a_file_that_says_hybrid_is_told_at_the_start_what_that_means_now(
    published: Path, caplog: pytest.LogCaptureFixture, server: dict[str, object], told: int
) -> None:
    with Assay.open(settings_for(published, **server)) as served:
        served.searches.start_serving()
    assert sum('which is "fused" now' in record.message for record in caplog.records) == told


@pytest.mark.parametrize(("route", "score"), SCORES[1:])
def test_a_hit_under_the_threshold_makes_room_for_the_next(client: TestClient, route: str, score: str) -> None:
    def found(top_k: int, threshold: float) -> list[float]:
        body = asking(route, QUESTION, top_k=top_k) | {THRESHOLD_FIELDS[route]: threshold}
        return [result[score] for result in client.post(route, json=body).json()["results"]]

    everything = found(20, 0.0)
    threshold = everything[9]
    assert min(found(5, 0.0)) < threshold, "some of the five that are chosen are under it"
    assert len(found(5, threshold)) == 5
    assert min(found(5, threshold)) >= threshold


@pytest.mark.contract("003.30")
def test_titles_of_the_next_generation_do_not_reach_answers_of_this_one(tmp_path: Path, connect: Connect) -> None:
    pages = write_pages(tmp_path / "pages")
    page = pages / "dock.md"
    text = "The dock charges the robot over night.\n"
    page.write_text(f"---\ntitle: The dock\n---\n\n{text}", encoding="utf-8")
    question = {"query": "What charges the robot over night?", "top_k": 1}
    with Assay.open(settings_for(tmp_path, poll_seconds=60)) as serving, Assay.open(settings_for(tmp_path)) as building:
        building.publish()
        serving.searches.start_serving()
        client = connect(serving)
        before = client.post("/search", json=question).json()
        assert before["results"][0]["title"] == "The dock"
        page.write_text(f"---\ntitle: The charging station\n---\n\n{text}", encoding="utf-8")
        building.publish()
        assert client.post("/search", json=question).json() == before
        serving.searches.live.refresh()
        (after,) = client.post("/search", json=question).json()["results"]
    assert after["title"] == "The charging station"
    assert after["chunk_id"] == before["results"][0]["chunk_id"]


def test_filters_narrow_the_search(client: TestClient) -> None:
    inside = {"filters": {"url_prefix": f"{BASE_URL}/nodes", "sources": ["manual"]}, "top_k": 100}
    urls = {r["url"] for r in client.post("/v1/search", json=asking("/v1/search", **inside)).json()["results"]}
    assert urls == {f"{BASE_URL}/nodes"}
    outside = client.post("/v1/search", json=asking("/v1/search", filters={"sources": ["another"]}))
    assert outside.status_code == 200
    assert outside.json()["results"] == []


def test_vectors_come_only_when_asked_for(client: TestClient) -> None:
    with_vectors = client.post("/v1/search", json=asking("/v1/search", include={"vectors": True})).json()["results"]
    without = client.post("/v1/search", json=asking("/v1/search")).json()["results"]
    assert {len(result["vector"]) for result in with_vectors} == {256}
    assert all("vector" not in result for result in without)


def test_what_is_left_out_comes_from_the_settings(connect: Connect, published: Path) -> None:
    settings = settings_for(published)
    search = settings.search.model_copy(update={"top_k": 2})
    with Assay.open(settings.model_copy(update={"search": search})) as assay:
        client = connect(assay)
        assert len(client.post("/v1/search", json={"query": "nodes"}).json()["results"]) == 2
        assert len(client.post("/search", json={"query": "nodes"}).json()["results"]) == 5


@pytest.mark.contract("000.31", "000.32", "000.33")
@pytest.mark.parametrize(
    ("route", "stages"),
    [
        ("/v1/search", ["embed", "search", "fuse", "filter", "format"]),
        ("/search", ["embed", "search", "fuse", "filter", "metadata", "format"]),
        ("/query", ["embed", "search", "fuse", "filter", "format"]),
        ("/api/v1/search", ["embed", "search", "fuse", "filter", "metadata", "format"]),
    ],
)
def test_server_timing_names_every_stage(client: TestClient, route: str, stages: list[str]) -> None:
    header = client.post(route, json=asking(route)).headers["Server-Timing"]
    entries = [entry.split(";dur=") for entry in header.split(", ")]
    assert [name for name, _ in entries] == stages
    assert all(float(milliseconds) >= 0 for _, milliseconds in entries)


def test_a_large_answer_is_compressed_for_a_client_that_accepts_it(client: TestClient) -> None:
    request = client.build_request(
        "POST", "/v1/search", json=asking("/v1/search", top_k=100), headers={"Accept-Encoding": "gzip"}
    )
    response = client.send(request, stream=True)
    raw = b"".join(response.iter_raw())
    assert response.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in response.headers["Vary"]
    assert len(json.loads(gzip.decompress(raw))["results"]) == CHUNKS
    plain = client.post("/v1/search", json=asking("/v1/search"), headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers


# --- threads -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "is_short"),
    [
        pytest.param({}, True, id="defaults"),
        pytest.param(
            {"top_k": 20, "filters": {"versions": ["1.0"], "sources": ["manual"]}}, True, id="20 of a version"
        ),
        pytest.param({"top_k": 21}, False, id="many hits"),
        pytest.param({"group_by": "page"}, False, id="by page"),
        pytest.param({"filters": {"everything": True}}, False, id="all versions"),
        pytest.param({"filters": {"locales": ["en", "de"]}}, False, id="two languages"),
    ],
)
def test_only_a_short_search_runs_on_the_event_loop(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, fields: dict[str, object], is_short: bool
) -> None:
    names = []
    search = Searches.search

    def noting(self: Searches, *arguments: object, **options: object) -> object:
        names.append(current_thread().name)
        return search(self, *arguments, **options)

    monkeypatch.setattr(Searches, "search", noting)
    assert client.post("/v1/search", json={"query": "nodes", **fields}).status_code == 200
    assert [name.startswith("AnyIO worker") for name in names] == [not is_short]
