"""Spans of requests and their stages."""

from types import SimpleNamespace

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from assay.adapters.telemetry import traces
from assay.adapters.telemetry.traces import RequestTraces


def test_stages_lie_end_to_end_and_the_last_ends_when_the_answer_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_750_000_000_000_000_000
    monkeypatch.setattr(traces, "time", SimpleNamespace(time_ns=lambda: now))
    exporter = InMemorySpanExporter()
    made = RequestTraces(exporter)
    span = made.begin("POST", {})
    span.answering()
    monkeypatch.setattr(traces, "time", SimpleNamespace(time_ns=lambda: now + 5_000_000))
    span.end("/search", "POST", 200, {"embed": 1.5, "search": 2.0, "format": 0.25}, {})
    made.close()
    stages = [(each.name, each.start_time, each.end_time) for each in exporter.get_finished_spans()[:3]]
    assert stages == [
        ("assay.embed", now - 3_750_000, now - 2_250_000),
        ("assay.search", now - 2_250_000, now - 250_000),
        ("assay.format", now - 250_000, now),
    ]
