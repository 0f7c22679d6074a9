"""Metrics, as Prometheus reads them."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client import values
from prometheus_client.parser import text_string_to_metric_families

from assay.adapters.telemetry.prometheus import Metrics, ServedGeneration, forget_gauges
from assay.model.workers import WorkerShare
from assay.ports import EmbedderCall


def samples(metrics: Metrics) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    content, content_type = metrics.exposition("")
    assert content_type.startswith("text/plain")
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(content.decode())
        for sample in family.samples
    }


def test_calls_of_the_embedder_are_counted_with_their_tokens() -> None:
    metrics = Metrics(lambda: None)
    for status, tokens in (("ok", 120), ("ok", 30), ("429", 0)):
        metrics.embedder_called(EmbedderCall("cohere", "m", "document", 96, tokens, 0.2, status))
    metrics.embedder_called(EmbedderCall("cohere", "m", "query", 1, 7, 0.02, "ok"))
    counted = samples(metrics)
    document = (("model", "m"), ("provider", "cohere"), ("purpose", "document"))
    query = (("model", "m"), ("provider", "cohere"), ("purpose", "query"))
    assert counted["assay_embedder_calls_total", (*document, ("status", "ok"))] == 2
    assert counted["assay_embedder_calls_total", (*document, ("status", "429"))] == 1
    assert counted["assay_embedder_tokens_total", document] == 150
    assert counted["assay_embedder_texts_total", document] == 288
    assert counted["assay_embedder_tokens_total", query] == 7
    assert counted["assay_embedder_call_seconds_count", (("provider", "cohere"), ("purpose", "document"))] == 3


def test_what_is_served_is_asked_at_each_look() -> None:
    served: list[ServedGeneration | None] = [None]
    metrics = Metrics(lambda: served[0])
    assert samples(metrics)["assay_live_generation", ()] == 0
    sealed = datetime.now(UTC) - timedelta(hours=2)
    served[0] = ServedGeneration("g1", 3, 12, "wordllama/x", sealed, None)
    seen = samples(metrics)
    assert seen["assay_live_generation_info", (("embedder", "wordllama/x"), ("generation", "g1"))] == 1
    assert seen["assay_live_generation_documents", ()] == 3
    assert seen["assay_live_generation_chunks", ()] == 12
    assert 7_200 <= seen["assay_live_generation_age_seconds", ()] < 7_300
    assert not [name for name, _ in seen if "promoted" in name]
    served[0] = None
    assert samples(metrics)["assay_live_generation", ()] == 0


def test_two_servers_in_one_process_count_for_themselves() -> None:
    first, second = Metrics(lambda: None), Metrics(lambda: None)
    first.rate_limited("key")
    assert samples(first)["assay_rate_limited_requests_total", (("by", "key"),)] == 1
    assert not [name for name, labels in samples(second) if name == "assay_rate_limited_requests_total" and labels]


def test_the_workers_of_a_server_add_up_their_metrics_and_a_replaced_one_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "ValueClass", values.ValueClass)
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")
    for number in (1, 2, 1):  # the last one replaces the first
        forget_gauges(tmp_path, number)
        metrics = Metrics(lambda: None, WorkerShare(number, 2, tmp_path, -1, b""))
        metrics.request_answered("/search", "POST", 200, 0.02)
        metrics.in_flight.inc()
    WorkerShare.pid_file(tmp_path, 1).write_text(str(os.getpid()))
    seen = samples(metrics)
    assert seen["assay_http_requests_total", (("method", "POST"), ("route", "/search"), ("status", "200"))] == 3
    assert seen["assay_http_request_seconds_bucket", (("le", "0.025"), ("route", "/search"))] == 3
    assert seen["assay_http_requests_in_flight", ()] == 2  # that of the dead worker is forgotten
    assert seen["assay_worker_starts_total", (("worker", "1"),)] == 2
    assert [seen["assay_worker_up", (("worker", number),)] for number in "12"] == [1, 0]
    assert seen["assay_live_generation", ()] == 0
    processes = {labels for name, labels in seen if name == "process_resident_memory_bytes"}
    assert processes == ({(("worker", "1"),)} if Path("/proc/stat").exists() else set())
