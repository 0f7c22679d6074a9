"""What a running server says of its requests: log lines, metrics, traces."""

import itertools
import json
import logging
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient
from tests.integration.web.conftest import CHUNKS, ROUTES, asking, running_server, settings_for, write_pages
from tests.integration.web.wire import ask, bearer, make_key
from tests.peers.cohere import cohere_peer

from assay.adapters.telemetry import traces
from assay.adapters.telemetry.traces import RequestTraces
from assay.app import Assay
from assay.settings import load_settings
from assay.web.application import create_app

QUESTION = "Replacing the camera of the robot"


def lines_of(log: str) -> list[dict[str, Any]]:
    """The lines of requests in a log, each of which is one JSON object."""
    return [line for line in map(json.loads, log.splitlines()) if line["message"] == "request"]


# --- the log -------------------------------------------------------------------------------------------------------


def test_a_search_is_one_line_with_its_query_its_best_hit_and_its_stages(published: Path) -> None:
    with running_server(published) as server:
        answers = {
            route: ask(server.port, route, asking(route, QUESTION), headers={"X-Request-ID": f"r{n}"})
            for n, route in enumerate(ROUTES)
        }
        lines = {line["request_id"]: line for line in lines_of(server.stop())}
    assert len(lines) == len(ROUTES)
    for number, (route, answer) in enumerate(answers.items()):
        assert answer.status == 200
        best = answer.body["results"][0]
        line = lines[f"r{number}"]
        assert (line["method"], line["path"], line["status"]) == ("POST", route, 200)
        assert line["client"] == "127.0.0.1"
        assert line["query"] == QUESTION
        assert line["top_chunk_id"] == best["chunk_id"]
        similarity = next(best[name] for name in ("similarity_score", "similarity", "score") if name in best)
        assert line["top_similarity"] == round(similarity, 4)
        assert line["hits"] == len(answer.body["results"])
        assert {"embed", "search", "fuse", "filter", "format"} <= line["stages_ms"].keys()
        assert all(spent >= 0 for spent in line["stages_ms"].values())
        assert line["ms"] >= sum(line["stages_ms"].values())
        timing = dict(part.split(";dur=") for part in answer.headers["Server-Timing"].split(", "))
        assert {stage: round(float(spent), 3) for stage, spent in timing.items()} == line["stages_ms"]


@pytest.mark.parametrize("rule", [False, "hash"])
def test_the_text_of_a_query_is_nowhere_in_the_log_where_that_is_asked_for(published: Path, rule: bool | str) -> None:
    with running_server(published, log_queries=rule, log_clients=False) as server:
        for query in (QUESTION, "What are nodes?", QUESTION):
            assert ask(server.port, body={"query": query}).status == 200
        assert ask(server.port, body={"query": QUESTION, "top_k": 99}).status == 400
        log = server.stop()
    assert "camera" not in log
    assert "127.0.0.1" not in "".join(line for line in log.splitlines() if '"request"' in line)
    searches = [line for line in lines_of(log) if line["status"] == 200]
    assert all(line["top_chunk_id"] for line in searches)
    hashes = [line.get("query_hash") for line in searches]
    if rule == "hash":
        assert hashes[0] == hashes[2] != hashes[1]
        assert all(re.fullmatch(r"[0-9a-f]{16}", str(each)) for each in hashes)
    else:
        assert hashes == [None] * 3


def test_a_key_is_in_the_log_by_its_id_only_wherever_it_was_sent(published: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    token = make_key(keys, "website")
    unknown = token[:-6] + "zzzzzz"
    with running_server(published, keys_file=str(keys)) as server:
        for sent in (bearer(token), {"X-API-Key": token}, bearer(unknown), {"Authorization": f"Basic {token}"}):
            ask(server.port, body={"query": "What are nodes?"}, headers=sent)
        ask(server.port, f"/search/{token}")
        ask(server.port, f"/search?key={token}", {"query": f"my key is {token}"})
        ask(server.port, "/livez", headers={"X-Request-ID": token})
        log = server.stop()
    secret = token.split("_")[2]
    assert secret[:-6] not in log
    assert [line.get("key") for line in lines_of(log)][:2] == [token.split("_")[1]] * 2


def _log_of_serving(published: Path, *requests: tuple[str, object, Mapping[str, str]]) -> list[str]:
    """What `assay serve` writes to standard error as text while these are asked."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "OTEL_"))}
    server = subprocess.Popen(
        [sys.executable, "-m", "assay", "serve", "--port", "0", "--data-dir", str(published / "index")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment | {"PYTHONUNBUFFERED": "1", "ASSAY_SERVER__DRAIN_SECONDS": "0"},
    )
    try:
        assert server.stdout
        port = int(server.stdout.readline().rpartition(":")[2])
        for path, body, headers in requests:
            ask(port, path, body, headers=headers)
        server.send_signal(signal.SIGTERM)
        _, log = server.communicate(timeout=60)
    finally:
        server.kill()
    return log.splitlines()


def test_nothing_that_is_sent_can_make_a_line_of_its_own_in_a_log_for_people(published: Path) -> None:
    forged = "2026-01-01 00:00:00,000 INFO assay.web: request method='GET' path='/forged'"
    lines = _log_of_serving(
        published,
        ("/search", {"query": f"nodes\r\n{forged}\u2028{forged}\x1b[2J\u202e"}, {}),
        ("/%0d%0a" + forged.replace(" ", "%20"), None, {}),
        ("/livez", None, {"X-Request-ID": "a b", "Host": "localhost"}),
    )
    assert len([line for line in lines if "request method=" in line]) >= 2
    for line in lines:
        assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]+ ", line)
        assert line.isprintable()
        assert not line.startswith("2026-01-01")


# --- metrics -------------------------------------------------------------------------------------------------------

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(port: int, **headers: str) -> Samples:
    answer = ask(port, "/metrics", headers=headers)
    assert answer.status == 200
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


def test_metrics_count_what_was_asked_and_nothing_that_a_client_can_name(published: Path) -> None:
    with running_server(published) as server:
        for _ in range(3):
            generation = ask(server.port, "/v1/search", {"query": "What are nodes?"}).body["generation"]
        ask(server.port, "/search", {"query": "What are nodes?"})
        ask(server.port, "/v1/search", {"query": "xylophone", "threshold": 1.0})
        ask(server.port, "/v1/search", {"query": ""})
        for number in range(20):
            ask(server.port, f"/nothing-{number}")
            ask(server.port, "/livez", method=f"ODD{number}")
        counted = samples(server.port)

    def total(name: str, **labels: str) -> float:
        return counted[name, tuple(sorted(labels.items()))]

    assert total("assay_http_requests_total", route="/v1/search", method="POST", status="200") == 4
    assert total("assay_http_requests_total", route="/v1/search", method="POST", status="400") == 1
    assert total("assay_http_requests_total", route="/search", method="POST", status="200") == 1
    assert total("assay_http_requests_total", route="none", method="GET", status="404") == 20
    assert not [key for key in counted if "nothing-" in str(key) or "ODD" in str(key)]
    assert total("assay_searches_total", route="/v1/search", status="200") == 4
    assert total("assay_searches_total", route="/search", status="200") == 1
    assert total("assay_searches_without_hits_total", route="/v1/search") == 1
    for stage, count in {"embed": 5, "search": 5, "fuse": 5, "filter": 5, "format": 5, "metadata": 1}.items():
        assert total("assay_search_stage_seconds_count", stage=stage) == count
        assert 0 <= total("assay_search_stage_seconds_sum", stage=stage) < 60
    assert total("assay_http_request_seconds_count", route="/v1/search") == 5
    assert total("assay_http_requests_in_flight") == 1
    assert total("assay_live_generation") == 1
    (about,) = [dict(labels) for name, labels in counted if name == "assay_live_generation_info"]
    assert about["generation"] == generation
    assert total("assay_live_generation_chunks") == CHUNKS
    assert 0 < total("assay_live_generation_age_seconds") < 86_400
    assert (
        total("assay_live_generation_promoted_timestamp_seconds")
        > total("assay_live_generation_sealed_timestamp_seconds") - 1
    )


def test_metrics_are_given_before_anything_is_live(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        counted = samples(server.port)
        assert counted["assay_live_generation", ()] == 0
        assert not [name for name, _ in counted if name == "assay_live_generation_info"]


def test_metrics_count_what_a_provider_was_asked_while_serving(tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "pages")
    with cohere_peer() as peer:
        embedding = {"provider": "cohere", "cohere_api_key": "peer-key", "base_url": peer.url}
        source = {"path": pages, "name": "manual", "base_url": "https://docs.example.org", "convention": "plain"}
        settings = load_settings(None, {"data_dir": tmp_path / "index", "sources": [source], "embedding": embedding})
        with Assay.open(settings) as assay:
            assert assay.publish().promoted
        with Assay.open(settings) as assay:
            assay.searches.start_serving()
            with TestClient(create_app(assay)) as client:
                for query in ("Replacing the camera", "What are nodes?"):
                    assert client.post("/search", json={"query": query}).status_code == 200
            content, _ = assay.searches.metrics.exposition("")
    counted = {
        (sample.name, sample.labels.get("purpose"), sample.labels.get("status")): sample.value
        for family in text_string_to_metric_families(content.decode())
        for sample in family.samples
        if sample.name.startswith("assay_embedder")
    }
    assert counted["assay_embedder_calls_total", "query", "ok"] == 2
    assert counted["assay_embedder_texts_total", "query", None] == 2
    assert counted["assay_embedder_tokens_total", "query", None] >= 5


def test_metrics_speak_openmetrics_to_who_asks_for_it(published: Path) -> None:
    with running_server(published) as server:
        answer = ask(server.port, "/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
        assert answer.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
        assert answer.content.endswith(b"# EOF\n")
        plain = ask(server.port, "/metrics")
        assert plain.headers["Content-Type"].startswith("text/plain; version=")


# --- traces --------------------------------------------------------------------------------------------------------

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


def test_a_request_is_a_span_of_its_callers_trace_with_a_span_for_each_stage(
    published: Path, exporter: InMemorySpanExporter, caplog: pytest.LogCaptureFixture
) -> None:
    with Assay.open(settings_for(published)) as assay, caplog.at_level(logging.INFO):
        assay.searches.start_serving()
        with TestClient(create_app(assay, traces=RequestTraces(exporter))) as client:
            answer = client.post(
                "/search",
                json={"query": QUESTION},
                headers={"traceparent": f"00-{TRACE}-{PARENT}-01", "X-Request-ID": "r1"},
            )
            assert answer.status_code == 200
            client.get("/nothing")
    spans = {span.name: span for span in exporter.get_finished_spans()}
    request = spans["POST /search"]
    assert request.kind is SpanKind.SERVER
    assert request.parent
    assert f"{request.context.trace_id:032x}" == TRACE
    assert f"{request.parent.span_id:016x}" == PARENT
    assert request.attributes
    assert request.attributes["http.route"] == "/search"
    assert request.attributes["http.response.status_code"] == 200
    assert request.attributes["assay.request_id"] == "r1"
    assert request.attributes["assay.hits"] == 5
    assert request.resource.attributes["service.name"] == "assay"
    stages = [span for span in exporter.get_finished_spans() if span.name.startswith("assay.")]
    assert [span.name for span in stages] == [
        f"assay.{part.partition(';')[0]}" for part in answer.headers["Server-Timing"].split(", ")
    ]
    for before, after in itertools.pairwise(stages):
        assert before.end_time == after.start_time
    for span in stages:
        assert span.parent
        assert span.parent.span_id == request.context.span_id
        assert request.start_time <= span.start_time <= span.end_time <= request.end_time  # type: ignore[operator]
    other = spans["GET none"]
    assert other.context.trace_id != request.context.trace_id
    assert QUESTION not in "".join(span.to_json() for span in exporter.get_finished_spans())
    lines = [getattr(record, "fields", {}) for record in caplog.records]
    assert [line["trace_id"] for line in lines if line.get("path") == "/search"] == [TRACE]


def test_a_failure_is_a_failed_span(tmp_path: Path, exporter: InMemorySpanExporter) -> None:
    with (
        Assay.open(settings_for(tmp_path)) as assay,
        TestClient(create_app(assay, traces=RequestTraces(exporter))) as client,
    ):
        assert client.post("/search", json={"query": "nodes"}).status_code == 503
        assert client.post("/search", json={"query": ""}).status_code == 400
    statuses = {
        span.attributes["http.response.status_code"]: span.status.status_code
        for span in exporter.get_finished_spans()
        if span.attributes
    }
    assert statuses == {503: StatusCode.ERROR, 400: StatusCode.UNSET}


def test_traces_without_the_extra_are_warned_of_with_its_name_and_searches_are_answered(
    published: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(traces, "traces_installed", lambda: False)
    with Assay.open(settings_for(published, traces=True)) as assay:
        assay.searches.start_serving()
        with TestClient(create_app(assay)) as client:
            assert client.post("/search", json={"query": "What are nodes?"}).status_code == 200
    assert "pip install '.[otel]'" in caplog.text


def test_nothing_of_opentelemetry_that_is_an_extra_is_imported_without_being_asked_for() -> None:
    program = (
        "import sys; from assay.app import Assay; from assay.settings import Settings; "
        "from assay.web.application import create_app; create_app(Assay.open(Settings())); "
        "print([name for name in sys.modules if name.startswith(('opentelemetry.sdk', 'opentelemetry.exporter'))])"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert ran.stdout == "[]\n"


def test_traces_go_where_the_standard_variable_says(published: Path) -> None:
    """A receiver on loopback gets the spans as OTLP over HTTP."""
    received: list[tuple[str, bytes]] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Receiver) as receiver:
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{receiver.server_port}")
            patch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
            patch.setenv("OTEL_SERVICE_NAME", "docs-search")
            with running_server(published) as server:
                assert ask(server.port, body={"query": "What are nodes?"}).status == 200
                server.stop()
        receiver.shutdown()
    assert [path for path, _ in received] == ["/v1/traces"]
    content = received[0][1]
    for text in (b"POST /search", b"assay.embed", b"docs-search"):
        assert text in content
    assert b"What are nodes?" not in content
