"""Counters and histograms for Prometheus, in a registry of their own."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, exposition
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from assay.ports import EmbedderCall
from assay.version import __version__

_REQUEST_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_STAGE_SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


@dataclass(frozen=True, slots=True)
class ServedGeneration:
    """The live generation. sealed_at, promoted_at: None if unknown."""

    id: str
    documents: int
    chunks: int
    embedder: str
    sealed_at: datetime | None
    promoted_at: datetime | None


class Metrics:
    """All metrics; safe to use from several threads.

    served: returns the live generation or None. Called at each scrape, so it has to be fast and must not raise.
    """

    def __init__(self, served: Callable[[], ServedGeneration | None]) -> None:
        self._registry = CollectorRegistry()
        one = self._registry
        self._requests = Counter(
            "assay_http_requests", "Requests by route, method and status.", ("route", "method", "status"), registry=one
        )
        self._seconds = Histogram(
            "assay_http_request_seconds",
            "From a request's head to the end of its answer.",
            ("route",),
            buckets=_REQUEST_SECONDS,
            registry=one,
        )
        self.in_flight = Gauge("assay_http_requests_in_flight", "Requests that are being answered.", registry=one)
        self._searches = Counter(
            "assay_searches", "Searches by route and status of the answer.", ("route", "status"), registry=one
        )
        self._empty = Counter("assay_searches_without_hits", "Searches that found nothing.", ("route",), registry=one)
        self._degraded = Counter(
            "assay_searches_degraded",
            "Searches whose query could not be embedded, answered by keyword alone.",
            ("route",),
            registry=one,
        )
        self._stages = Histogram(
            "assay_search_stage_seconds",
            "Each stage of a search: embed, search, fuse, filter, metadata, format.",
            ("stage",),
            buckets=_STAGE_SECONDS,
            registry=one,
        )
        self._limited = Counter(
            "assay_rate_limited_requests", "Requests refused with 429, by what was counted.", ("by",), registry=one
        )
        self._overload = Counter(
            "assay_overload_refusals", "Requests refused with 503 because too many were under way.", registry=one
        )
        call = ("provider", "model", "purpose")
        self._embedder_calls = Counter(
            "assay_embedder_calls", "Requests to the provider of embeddings.", (*call, "status"), registry=one
        )
        self._embedder_tokens = Counter("assay_embedder_tokens", "Tokens that it counted.", call, registry=one)
        self._embedder_texts = Counter("assay_embedder_texts", "Texts that were sent to it.", call, registry=one)
        self._embedder_seconds = Histogram(
            "assay_embedder_call_seconds",
            "From sending a request to the whole answer.",
            ("provider", "purpose"),
            buckets=_REQUEST_SECONDS,
            registry=one,
        )
        Info("assay_build", "This Assay.", registry=one).info({"version": __version__})
        one.register(_Generation(served))
        ProcessCollector(registry=one)
        PlatformCollector(registry=one)
        GCCollector(registry=one)

    def request_answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request. route: the path pattern and not the client's path, to limit the number of labels."""
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def search_answered(self, route: str, status: int, stages_ms: Mapping[str, float], hits: int | None) -> None:
        """Count a search. hits: number of hits; None if it failed."""
        self._searches.labels(route, str(status)).inc()
        if hits == 0:
            self._empty.labels(route).inc()
        for stage, milliseconds in stages_ms.items():
            self._stages.labels(stage).observe(milliseconds / 1000.0)

    def search_degraded(self, route: str) -> None:
        """Count a search answered by keyword only, because its query could not be embedded."""
        self._degraded.labels(route).inc()

    def rate_limited(self, by: str) -> None:
        """Count a request refused by a rate limit. by: `key` or `address`."""
        self._limited.labels(by).inc()

    def overloaded(self) -> None:
        """Count a request refused because of overload."""
        self._overload.inc()

    def embedder_called(self, call: EmbedderCall) -> None:
        """Count a request to the embedding provider; an EmbedderObserver."""
        self._embedder_calls.labels(call.provider, call.model, call.purpose, call.status).inc()
        self._embedder_tokens.labels(call.provider, call.model, call.purpose).inc(call.tokens)
        self._embedder_texts.labels(call.provider, call.model, call.purpose).inc(call.texts)
        self._embedder_seconds.labels(call.provider, call.purpose).observe(call.seconds)

    def exposition(self, accept: str) -> tuple[bytes, str]:
        """All metrics in the format of an Accept header, and the content type."""
        encode, content_type = exposition.choose_encoder(accept)
        return encode(self._registry), content_type


class _Generation(Collector):
    """Metrics of the live generation, computed at each scrape."""

    def __init__(self, served: Callable[[], ServedGeneration | None]) -> None:
        self._served = served

    def describe(self) -> Iterable[Metric]:
        """Nothing, so that registering does not call `served`."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """The live generation's id, size and age."""
        served = self._served()
        up = GaugeMetricFamily("assay_live_generation", "1 when a generation is served, else 0.")
        up.add_metric((), 1.0 if served else 0.0)
        yield up
        if served is None:
            return
        about = GaugeMetricFamily(
            "assay_live_generation_info", "What is served; always 1.", labels=("generation", "embedder")
        )
        about.add_metric((served.id, served.embedder), 1.0)
        yield about
        yield GaugeMetricFamily("assay_live_generation_documents", "Documents in it.", value=served.documents)
        yield GaugeMetricFamily("assay_live_generation_chunks", "Chunks in it.", value=served.chunks)
        for event, moment in (("sealed", served.sealed_at), ("promoted", served.promoted_at)):
            if moment is not None:
                yield GaugeMetricFamily(
                    f"assay_live_generation_{event}_timestamp_seconds", f"When it was {event}.", moment.timestamp()
                )
        if served.sealed_at is not None:
            yield GaugeMetricFamily(
                "assay_live_generation_age_seconds",
                "Since it was sealed.",
                value=(datetime.now(UTC) - served.sealed_at).total_seconds(),
            )
