"""OpenTelemetry traces, configured by OTEL_* variables; needs the extra `otel`."""

import time
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING

from assay.version import __version__

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span


_NANOSECONDS = 1_000_000


def traces_installed() -> bool:
    """Whether the extra `otel` is installed; does not import it."""
    try:
        return all(find_spec(f"opentelemetry.{part}") for part in ("sdk", "exporter.otlp.proto.http"))
    except ModuleNotFoundError:
        return False


class RequestTraces:
    """One server span per request, with a child span per stage of a search.

    exporter: receives spans; None for OTLP over HTTP as configured by OTEL_* variables.

    Does not change the global OpenTelemetry configuration.
    """

    def __init__(self, exporter: "SpanExporter | None" = None) -> None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        own = Resource({SERVICE_NAME: "assay", SERVICE_VERSION: __version__})
        # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override the default name.
        resource = Resource.create().merge(own).merge(OTELResourceDetector().detect())
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter or OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("assay", __version__)
        self._propagator = TraceContextTextMapPropagator()

    def begin(self, method: str, headers: Mapping[str, str]) -> "RequestSpan":
        """Start a request's span in the trace of its traceparent header, if any."""
        from opentelemetry.trace import SpanKind

        carrier = {name: headers[name] for name in ("traceparent", "tracestate") if name in headers}
        context = self._propagator.extract(carrier)
        span = self._tracer.start_span(method, context, SpanKind.SERVER, {"http.request.method": method})
        return RequestSpan(self, span)

    def end_stages(self, span: "Span", ended: int, stages_ms: Mapping[str, float]) -> None:
        """Record consecutive stages. ended: end of the last one, in nanoseconds."""
        from opentelemetry.trace import set_span_in_context

        context = set_span_in_context(span)
        began = ended - sum(_nanoseconds(spent) for spent in stages_ms.values())
        for stage, spent in stages_ms.items():
            child = self._tracer.start_span(f"assay.{stage}", context, start_time=began)
            began += _nanoseconds(spent)
            child.end(began)

    def close(self) -> None:
        """Send pending spans and stop; takes seconds if the receiver does not answer."""
        self._provider.shutdown()


class RequestSpan:
    """The open span of a request."""

    def __init__(self, traces: RequestTraces, span: "Span") -> None:
        self._traces = traces
        self._span = span
        self._formatted: int | None = None

    @property
    def trace_id(self) -> str:
        """32 hex digits, for the log line."""
        return f"{self._span.get_span_context().trace_id:032x}"

    def answering(self) -> None:
        """Mark the end of the last stage; the answer begins to be sent."""
        self._formatted = time.time_ns()

    def end(
        self, route: str, method: str, status: int, stages_ms: Mapping[str, float], attributes: Mapping[str, str | int]
    ) -> None:
        """End the span. route: the path pattern. attributes: by their names in the log line.

        Stages have only durations and are placed consecutively before the answer. The query's text is not recorded.
        """
        from opentelemetry.trace import Status, StatusCode

        self._span.update_name(f"{method} {route}")
        self._span.set_attributes({"http.route": route, "http.response.status_code": status})
        self._span.set_attributes({f"assay.{name}": value for name, value in attributes.items()})
        if status >= 500:
            self._span.set_status(Status(StatusCode.ERROR))
        self._traces.end_stages(self._span, self._formatted or time.time_ns(), stages_ms)
        self._span.end()


def _nanoseconds(milliseconds: float) -> int:
    return int(milliseconds * _NANOSECONDS)
