"""docs/api.md says what the routes do."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, get_args

import pytest

from assay.app import Assay
from assay.contracts import (
    clicks,
    native,
    native_entities,
    retrieval_service,
    retrieval_testing,
    search_api,
    service_validation,
    suggestions,
)
from assay.contracts.docsearch import requests as docsearch
from assay.contracts.fields import AnswerModel, RequestModel
from assay.contracts.json_object import read_json_object
from assay.contracts.operators import admin, explanations, labelling_entities, query_lists, reports
from assay.contracts.passages.highlights import highlights
from assay.errors import InputError
from assay.ingest.pipeline import new_generation_id
from assay.model.ids import chunk_id, content_hash
from assay.model.ranking import Mode
from assay.settings import Settings
from assay.web.application import create_app
from assay.web.middleware.access import DEFAULT_RATE_LIMIT
from assay.web.routes import examples
from assay.web.serving.connections import MAX_HEAD_BYTES
from assay.web.serving.server import NOTICE_SECONDS
from tests.docs.api_tables import TABLES, error_pairs, field_table
from tests.docs.pages import DOCS

PAGE = (DOCS / "api.md").read_text(encoding="utf-8")
WITHOUT_TABLE = {
    "Mode",
    "HealthStatus",
    "LifecycleState",
    "Algorithm",
    "OverallStatus",
    "QueryStatus",
    "ServiceHealthStatus",
    "ProbeAnswer",
    "State",
    "TermKind",
    "FusionMethod",
    "Outcome",
    "Standing",
    "QueryKind",
}
"""Words that stand in their fields' rows, and a body that is for people only."""

HEALTH_ROUTES = {"GET /health", "GET /api/v1/health"}
CLICK_ROUTES = {"POST /v1/clicks", "POST /1/events"}
DOCSEARCH_ROUTES = {"POST /1/indexes/*/queries", "POST /1/indexes/{index}/query", "POST /1/events"}


@cache
def openapi() -> dict[str, Any]:
    return create_app(Assay.open(Settings())).openapi()


def operations() -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path, methods in openapi()["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def section(title: str) -> str:
    """What stands under a heading of the second level."""
    start = PAGE.index(f"\n## {title}\n")
    return PAGE[start : PAGE.find("\n## ", start + 1)]


def test_every_route_has_its_section_and_no_other_has_one() -> None:
    documented = re.findall(r"^## `([A-Z]+ /.*)`$", PAGE, re.MULTILINE)
    assert sorted(documented) == sorted(route for route, _ in operations())


def test_every_route_is_in_the_overview() -> None:
    assert re.findall(r"^\| \[`(.*)`\]", PAGE, re.MULTILINE) == re.findall(r"^## `(.*)`$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_every_field_as_its_model_has_it(name: str) -> None:
    assert field_table(TABLES[name], request=issubclass(TABLES[name], RequestModel)) in PAGE


@pytest.mark.parametrize(
    "model", [native_entities.SearchParameters, suggestions.SuggestQuery, query_lists.QueryListQuery]
)
def test_a_table_has_every_parameter_of_a_url(model: type[RequestModel]) -> None:
    assert field_table(model, request=True) in PAGE


def test_every_declared_model_has_a_table() -> None:
    assert set(openapi()["components"]["schemas"]) - WITHOUT_TABLE == set(TABLES)


def test_the_error_table_has_every_status_with_its_word() -> None:
    rows = re.findall(r"^\| (\d{3}) \| `(\w+)` \|", section("Errors"), re.MULTILINE)
    assert sorted((int(status), word) for status, word in rows) == sorted(error_pairs())


def test_the_error_model_knows_every_word() -> None:
    words = get_args(search_api.ErrorResponse.model_fields["error"].annotation)
    assert set(words) == {word for _, word in error_pairs()}


def test_every_error_of_every_route_is_declared_with_its_body_and_an_example() -> None:
    for route, operation in operations():
        failures = {status: answer for status, answer in operation["responses"].items() if status != "200"}
        assert "422" not in failures
        if route in HEALTH_ROUTES:
            del failures["503"]  # says how it is, in the body of its 200
        for status, answer in failures.items():
            content = answer["content"]["application/json"]
            if route in DOCSEARCH_ROUTES:
                assert content["schema"] == {"$ref": "#/components/schemas/DocSearchError"}
                assert docsearch.DocSearchError.model_validate(content["example"]).status == int(status)
                continue
            assert content["schema"] == {"$ref": "#/components/schemas/ErrorResponse"}
            example = search_api.ErrorResponse.model_validate(content["example"])
            assert (int(status), example.error) in error_pairs()


def test_a_search_route_declares_every_way_it_can_fail() -> None:
    for route, operation in operations():
        if route.startswith("POST"):
            statuses = {"200", "400", "401", "404", "405", "408", "413", "429", "500", "502", "503"}
            if route in CLICK_ROUTES:
                statuses -= {"502"}
            if "/admin/" in route:
                statuses |= {"403", "409"}
            if route in DOCSEARCH_ROUTES:
                statuses |= {"403"}
            assert set(operation["responses"]) == statuses, route


def test_every_answer_of_every_route_has_an_example() -> None:
    for route, operation in operations():
        for status, answer in operation["responses"].items():
            assert answer["content"]["application/json"].get("example"), (route, status)


def test_a_refusal_for_too_many_requests_declares_when_to_try_again() -> None:
    for route, operation in operations():
        assert "Retry-After" in operation["responses"]["429"]["headers"], route


@pytest.mark.parametrize("route", sorted(HEALTH_ROUTES))
def test_the_health_examples_are_what_the_routes_give(route: str) -> None:
    model = search_api.HealthResponse if route == "GET /health" else retrieval_service.ServiceHealth
    for answer in (dict(operations())[route]["responses"][status] for status in ("200", "503")):
        content = answer["content"]["application/json"]
        assert content["schema"] == {"$ref": f"#/components/schemas/{model.__name__}"}
        model.model_validate_json(json.dumps(content["example"]))


REQUESTS = {
    "POST /v1/search": native_entities.SearchQuery,
    "POST /1/indexes/*/queries": docsearch.DocSearchQueries,
    "POST /search": search_api.SearchRequest,
    "POST /query": retrieval_testing.QueryRequest,
    "POST /api/v1/search": retrieval_service.ServiceQuery,
    "POST /api/v1/validate": service_validation.ValidationRequest,
}
OPERATIONS: dict[str, tuple[type[RequestModel], type[AnswerModel]]] = {
    "POST /v1/admin/explain": (explanations.ExplainRequest, explanations.ExplainAnswer),
    "POST /v1/admin/labels/queue": (labelling_entities.LabelQueueQuery, labelling_entities.LabelQueueAnswer),
    "POST /v1/admin/labels": (labelling_entities.LabelRequest, labelling_entities.LabelAnswer),
    "POST /v1/admin/labels/skip": (labelling_entities.SkipRequest, labelling_entities.GivenLabel),
    "POST /v1/admin/labels/undo": (labelling_entities.UndoRequest, labelling_entities.UndoAnswer),
    "POST /v1/admin/labels/page": (labelling_entities.LabelPageQuery, labelling_entities.LabelPage),
    "POST /v1/admin/labels/selection": (labelling_entities.SelectionQuery, labelling_entities.SelectedPassage),
    "POST /v1/admin/queries/topics": (query_lists.TopicsRequest, query_lists.TopicsAnswer),
    "POST /v1/clicks": (clicks.ClickReport, clicks.ClickAnswer),
    "POST /1/events": (clicks.DocSearchEvents, docsearch.DocSearchError),
    "POST /v1/admin/reports/link": (reports.ReportLinkRequest, reports.ReportLink),
}
WRONG = {
    "POST /api/v1/validate": {"tests": []},
    "POST /1/indexes/*/queries": {"requests": [{"hitsPerPage": 5_000}]},
}
"""What the example of a refusal is about; top_k = 500 where it is not said."""

RELEASES = {"POST /v1/admin/promote": admin.PromoteRequest, "POST /v1/admin/rollback": admin.RollbackRequest}
ANSWERS = {
    "POST /v1/search": native_entities.SearchRanking,
    "POST /1/indexes/*/queries": docsearch.DocSearchAnswer,
    "POST /search": search_api.SearchResponse,
    "POST /query": retrieval_testing.QueryResponse,
    "POST /api/v1/search": retrieval_service.ServiceResponse,
    "POST /api/v1/validate": service_validation.ValidationAnswer,
}


def parse(route: str, body: str) -> object:
    return parse_fields(route, read_json_object(body.encode()))


def parse_fields(route: str, fields: Mapping[str, object]) -> object:
    if route == "POST /search":
        return search_api.parse(fields, Mode.DENSE)
    if route == "POST /query":
        return retrieval_testing.parse(fields, Mode.DENSE)
    if route == "POST /api/v1/search":
        return retrieval_service.parse(fields, Mode.DENSE, datetime.now(UTC))
    if route == "POST /api/v1/validate":
        return service_validation.parse(fields)
    if route == "POST /1/indexes/*/queries":
        return docsearch.parse_queries(fields)
    return native.parse(fields, Settings().search)


@pytest.mark.parametrize("route", REQUESTS)
def test_the_example_of_a_refusal_is_what_the_route_says(route: str) -> None:
    operation = dict(operations())[route]
    fields = operation["requestBody"]["content"]["application/json"]["example"]
    fields = fields | WRONG.get(route, {"top_k": 500})
    with pytest.raises(InputError) as caught:
        parse_fields(route, fields)
    assert operation["responses"]["400"]["content"]["application/json"]["example"]["message"] == str(caught.value)


def without_nulls(value: object) -> object:
    """A JSON value as FastAPI writes it into the OpenAPI document."""
    if isinstance(value, dict):
        return {name: without_nulls(part) for name, part in value.items() if part is not None}
    return [without_nulls(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("route", REQUESTS)
def test_the_examples_of_a_route_are_what_it_takes_and_gives(route: str) -> None:
    request, answer = re.findall(r"```json\n(.*?)```", section(f"`{route}`"), re.DOTALL)
    assert parse(route, request)
    ANSWERS[route].model_validate_json(answer)
    operation = dict(operations())[route]
    assert operation["requestBody"]["content"]["application/json"]["example"] == json.loads(request)
    content = operation["responses"]["200"]["content"]["application/json"]
    assert content["example"] == without_nulls(json.loads(answer))
    assert content["schema"] == {"$ref": f"#/components/schemas/{ANSWERS[route].__name__}"}


@pytest.mark.parametrize("route", RELEASES)
def test_the_command_and_the_examples_of_a_release_are_what_its_route_takes_and_gives(route: str) -> None:
    (body,) = re.findall(r"-d '(.*)'", section(f"`{route}`"))
    RELEASES[route].model_validate_json(body)
    operation = dict(operations())[route]
    assert operation["requestBody"]["content"]["application/json"]["example"] == json.loads(body)
    admin.ReleaseAnswer.model_validate(operation["responses"]["200"]["content"]["application/json"]["example"])


@pytest.mark.parametrize("route", OPERATIONS)
def test_the_command_and_the_examples_of_an_operation_are_what_its_route_takes_and_gives(route: str) -> None:
    takes, gives = OPERATIONS[route]
    (body,) = re.findall(r"-d '(.*)'", section(f"`{route}`"))
    takes.model_validate_json(body)
    operation = dict(operations())[route]
    assert operation["requestBody"]["content"]["application/json"]["example"] == json.loads(body)
    gives.model_validate_json(json.dumps(operation["responses"]["200"]["content"]["application/json"]["example"]))


def test_the_example_of_the_generations_is_what_the_route_gives() -> None:
    answer = dict(operations())["GET /v1/admin/generations"]["responses"]["200"]["content"]["application/json"]
    admin.GenerationList.model_validate(answer["example"])
    for each in answer["example"]["generations"]:
        assert each["id"] == new_generation_id(datetime.fromisoformat(each["created_at"]))


@pytest.mark.parametrize("route", REQUESTS)
def test_the_command_of_a_route_sends_what_the_route_takes(route: str) -> None:
    (body,) = re.findall(r"-d '(.*)'", section(f"`{route}`"))
    (path,) = re.findall(r"curl '?http://127\.0\.0\.1:8080([^\s']+)", section(f"`{route}`"))
    assert parse(route, body)
    assert route == f"POST {path}"


def test_the_example_answer_of_the_native_route_has_every_field_but_the_vector() -> None:
    (result,) = examples.NATIVE_ANSWER["results"]  # type: ignore[misc]  # a literal whose type is an object
    assert set(result) == set(native_entities.SearchHit.model_fields) - {"vector"}


def test_the_example_answer_of_the_native_route_agrees_with_itself() -> None:
    (result,) = examples.NATIVE_ANSWER["results"]  # type: ignore[misc]  # a literal whose type is an object
    text = result["content"]
    assert result["chunk_id"] == chunk_id(result["url"], content_hash(text), 0)
    assert result["content_hash"] == content_hash(text)
    assert result["end"] - result["start"] == len(text)
    assert result["highlights"] == [list(span) for span in highlights(text, examples.NATIVE_REQUEST["query"])]


def test_the_numbers_of_the_page_are_those_of_the_settings() -> None:
    server = Settings().server
    assert f"`[server] max_body_bytes` ({server.max_body_bytes:,})" in PAGE
    assert f"`[server] drain_seconds` ({server.drain_seconds})" in PAGE
    assert f"`[server] body_seconds` ({server.body_seconds:g})" in PAGE
    assert f"`[server] head_seconds` ({server.head_seconds:g})" in PAGE
    assert f"`[server] max_requests` ({server.max_requests:,})" in PAGE
    assert f"`[server] max_connections` ({server.max_connections:,})" in PAGE
    assert f"`[server] max_validation_bytes` ({server.max_validation_bytes:,})" in PAGE
    assert f"`[server] validation_seconds` ({server.validation_seconds:g})" in PAGE
    assert f"`{server.key_rate_limit}`" in PAGE
    assert f"`{DEFAULT_RATE_LIMIT}`" in PAGE
    assert f"{MAX_HEAD_BYTES:,} bytes" in PAGE
    assert f"{NOTICE_SECONDS:.0f} second later new connections are refused" in PAGE
    assert f"http://{server.host}:{server.port}" in PAGE
