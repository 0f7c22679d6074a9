"""What is around every route: unknown paths, request ids, headers, CORS, the log line, the OpenAPI document."""

import json
import logging
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.integration.web.conftest import Connect, settings_for

from assay.app import Assay
from assay.contracts.search_api import ErrorResponse
from assay.settings import Settings
from assay.web.application import create_app

ORIGIN = {"Origin": "https://docs.example.org"}


@pytest.mark.parametrize("path", ["/nothing", "/search/", "/v1", "/v1/search/x", "/docs", "/redoc", "/SEARCH"])
def test_an_unknown_path_is_404_with_the_error_body(client: TestClient, path: str) -> None:
    response = client.post(path, json={"query": "nodes"}, follow_redirects=False)
    assert response.status_code == 404
    assert response.json() == {"error": "not_found", "message": f"There is nothing at {path}."}


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_root_without_a_page_names_the_documentation_of_the_routes(
    published: Path, connect: Connect, method: str
) -> None:
    with Assay.open(settings_for(published, page=False)) as assay:
        client = connect(assay)
        response = client.request(method, "/")
        assert (response.status_code, response.json()["error"]) == (404, "not_found")
        for named in re.findall(r"(GET|POST) (/[\w/.]+)", response.json()["message"]):
            assert client.request(*named).status_code not in {404, 405}
        assert "/openapi.json" in response.json()["message"]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/search", "POST"),
        ("PUT", "/v1/search", "GET, HEAD, POST"),
        ("POST", "/v1/suggest", "GET, HEAD"),
        ("DELETE", "/search", "POST"),
        ("OPTIONS", "/search", "POST"),
        ("POST", "/livez", "GET, HEAD"),
    ],
)
def test_another_method_is_405_and_says_which_there_are(
    client: TestClient, method: str, path: str, allowed: str
) -> None:
    response = client.request(method, path)
    assert response.status_code == 405
    assert response.json() == {
        "error": "method_not_allowed",
        "message": f"{path} does not answer {method}, only {allowed}.",
    }
    assert response.headers["Allow"] == allowed


def test_a_path_is_said_back_short_and_printable(client: TestClient) -> None:
    response = client.get("/" + "%E2%80%AE%0a" + "x" * 5_000)
    assert response.status_code == 404
    message = ErrorResponse.model_validate(response.json()).message
    assert len(message) < 200
    assert message.isprintable()


REQUESTS = [
    pytest.param("POST", "/v1/search", b'{"query": "nodes"}', 200, id="a search"),
    pytest.param("POST", "/search", b'{"query": ""}', 400, id="a mistake"),
    pytest.param("GET", "/nothing", b"", 404, id="an unknown path"),
    pytest.param("GET", "/search", b"", 405, id="an unknown method"),
    pytest.param("POST", "/search", b"x" * 70_000, 413, id="too much"),
    pytest.param("GET", "/livez", b"", 200, id="a probe"),
    pytest.param("GET", "/openapi.json", b"", 200, id="the document"),
]


@pytest.mark.parametrize(("method", "path", "body", "status"), REQUESTS)
def test_every_answer_has_request_id_security_headers_and_cors(
    client: TestClient, method: str, path: str, body: bytes, status: int
) -> None:
    response = client.request(method, path, content=body, headers=ORIGIN)
    assert response.status_code == status
    assert re.fullmatch(r"[0-9a-f]{32}", response.headers["X-Request-ID"])
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["X-Frame-Options"] == "DENY"
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "X-Request-ID" in response.headers["Access-Control-Expose-Headers"]
    assert "Server-Timing" in response.headers["Access-Control-Expose-Headers"]
    assert response.headers["Content-Type"].startswith("application/json")


@pytest.mark.parametrize("sent", ["abc", "0", "a.b_c:d-e", "A" * 128])
def test_a_plain_request_id_is_kept(client: TestClient, sent: str) -> None:
    assert client.get("/livez", headers={"X-Request-ID": sent}).headers["X-Request-ID"] == sent


@pytest.mark.parametrize("sent", ["", "a b", "-a", "a" * 129, "a\tb", "<script>", "a;b=c"])
def test_another_request_id_is_replaced(client: TestClient, sent: str) -> None:
    kept = client.get("/livez", headers={"X-Request-ID": sent}).headers["X-Request-ID"]
    assert re.fullmatch(r"[0-9a-f]{32}", kept)


def test_two_requests_have_two_ids(client: TestClient) -> None:
    ids = {client.get("/livez").headers["X-Request-ID"] for _ in range(20)}
    assert len(ids) == 20


# --- CORS ----------------------------------------------------------------------------------------------------------


def preflight(client: TestClient, origin: str, method: str = "POST", headers: str = "content-type") -> dict[str, str]:
    response = client.options(
        "/search",
        headers={"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers},
    )
    return {**response.headers, "status": str(response.status_code), "body": response.text}


def test_a_browser_may_send_json_from_anywhere_where_every_origin_is_allowed(client: TestClient) -> None:
    answer = preflight(client, "https://anywhere.example")
    assert answer["status"] == "200"
    assert answer["access-control-allow-origin"] == "*"
    assert "POST" in answer["access-control-allow-methods"]
    assert "content-type" in answer["access-control-allow-headers"].lower()
    assert "access-control-allow-credentials" not in answer
    assert answer["x-request-id"]


def test_no_page_of_another_site_may_ask_or_read_unless_the_settings_name_it(connect: Connect, published: Path) -> None:
    client = connect(Assay.open(settings_for(published)))
    refused = preflight(client, "http://127.0.0.1:3000")
    assert (refused["status"], "access-control-allow-origin" in refused) == ("400", False)
    for path in ("/livez", "/health", "/openapi.json"):
        assert "Access-Control-Allow-Origin" not in client.get(path, headers=ORIGIN).headers
    answer = client.post("/search", json={"query": "What are nodes?"}, headers=ORIGIN)
    assert answer.status_code == 400
    assert "[server] cors_origins" in answer.json()["message"]
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_only_the_origins_of_the_settings_are_allowed(connect: Connect) -> None:
    assay = Assay.open(Settings(server={"cors_origins": ["https://docs.example.org"]}))  # type: ignore[arg-type]
    client = connect(assay)
    assert preflight(client, "https://docs.example.org")["access-control-allow-origin"] == "https://docs.example.org"
    refused = preflight(client, "https://evil.example")
    assert refused["status"] == "400"
    assert json.loads(refused["body"]) == {
        "error": "validation_error",
        "message": "CORS: not allowed: origin.",
    }
    assert "access-control-allow-origin" not in refused
    answer = client.get("/livez", headers={"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert answer.headers["Vary"] == "Origin"


def test_a_browser_may_not_send_other_methods_or_headers(client: TestClient) -> None:
    refused = preflight(client, "https://a.example", method="PATCH", headers="x-strange")
    assert refused["status"] == "400"
    assert json.loads(refused["body"])["message"] == "CORS: not allowed: method, headers."


# --- the log line --------------------------------------------------------------------------------------------------


def test_a_search_leaves_one_line_with_what_was_asked_and_found(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="assay.web")
    answer = client.post("/search", json={"query": "nodes\ncommunicate"}, headers={"X-Request-ID": "r-3"}).json()
    (record,) = [r for r in caplog.records if r.name == "assay.web"]
    fields = record.__dict__["fields"]
    best = answer["results"][0]
    assert fields["request_id"] == "r-3"
    assert fields["status"] == 200
    assert fields["path"] == "/search"
    assert fields["query"] == "nodes\ncommunicate"
    assert fields["hits"] == 5
    assert fields["top_chunk_id"] == best["chunk_id"]
    assert fields["top_similarity"] == pytest.approx(best["score"], abs=1e-4)
    assert list(fields["stages_ms"]) == ["embed", "search", "fuse", "filter", "metadata", "format"]
    assert "\n" not in record.getMessage()
    assert "query='nodes\\ncommunicate'" in record.getMessage()


def test_a_refused_search_leaves_a_line_too(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="assay.web")
    client.post("/search", json={"query": ""})
    (record,) = [r for r in caplog.records if r.name == "assay.web"]
    assert record.__dict__["fields"]["status"] == 400


def test_probes_leave_no_line_while_all_is_well(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="assay.web")
    for path in ("/livez", "/readyz", "/health"):
        assert client.get(path).status_code == 200
    assert not [record for record in caplog.records if record.name.startswith("assay")]


# --- the OpenAPI document ------------------------------------------------------------------------------------------


def test_the_document_resolves_every_reference(client: TestClient) -> None:
    text = client.get("/openapi.json").text
    document = json.loads(text)
    referenced = set(re.findall(r'"#/components/schemas/(\w+)"', text))
    assert referenced <= set(document["components"]["schemas"])
    assert "HTTPValidationError" not in text


def test_fastapis_own_refusal_never_leaves() -> None:
    app = create_app(Assay.open(Settings()))

    @app.get("/typed")
    def typed(number: int) -> int:
        return number

    with TestClient(app) as client:
        response = client.get("/typed", params={"number": "many"})
        assert response.status_code == 400
        assert response.json()["error"] == "validation_error"
        assert response.json()["message"].startswith("number: ")
        assert client.get("/typed", params={"number": "5"}).json() == 5
