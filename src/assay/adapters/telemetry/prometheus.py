"""Counters and histograms for Prometheus, in a registry of their own.

The workers of one server keep them in files of a shared folder. Any worker adds them up for a scrape.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, exposition, values
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.gc_collector import GCCollector
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from assay.model.workers import WorkerShare
from assay.ports import EmbedderCall, RerankerCall
from assay.version import __version__

_REQUEST_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_STAGE_SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)

_GAUGES = "gauge_livesum"
WORKER_FILE_BYTES = 512 * 1024
"""Length of each of worker_files, more than its values need: a file that grows could meet a full disk."""


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
    workers: what this process shares with the other workers of its server; None for one process alone.
    """

    def __init__(self, served: Callable[[], ServedGeneration | None], workers: WorkerShare | None = None) -> None:
        if workers is not None:
            _count_in_files(workers)
        one = CollectorRegistry()
        self._registry = one if workers is None else CollectorRegistry()
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
        self.in_flight = Gauge(
            "assay_http_requests_in_flight",
            "Requests that are being answered.",
            registry=one,
            multiprocess_mode="livesum",
        )
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
        self._rerank_failures = Counter(
            "assay_searches_rerank_failed",
            "Searches that the reranker should have ordered and did not.",
            ("route",),
            registry=one,
        )
        self._stages = Histogram(
            "assay_search_stage_seconds",
            "Each stage of a search: embed, search, fuse, filter, rerank, metadata, format.",
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
        self._queries = Counter(
            "assay_query_log_events",
            "Queries and clicks for the log of queries: logged, clicks, dropped.",
            ("event",),
            registry=one,
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
        self._reranker_calls = Counter(
            "assay_reranker_calls", "Requests to the reranker.", ("provider", "model", "status"), registry=one
        )
        self._reranker_seconds = Histogram(
            "assay_reranker_call_seconds",
            "From sending a request to the whole answer.",
            ("provider",),
            buckets=_REQUEST_SECONDS,
            registry=one,
        )
        shown = self._registry
        Info("assay_build", "This Assay.", registry=shown).info({"version": __version__})
        shown.register(_Generation(served))
        PlatformCollector(registry=shown)
        if workers is None:
            ProcessCollector(registry=shown)
            GCCollector(registry=shown)
            return
        starts = Counter("assay_worker_starts", "Processes started for each worker.", ("worker",), registry=one)
        starts.labels(str(workers.number)).inc()
        MultiProcessCollector(shown, str(workers.folder))  # type: ignore[no-untyped-call]
        shown.register(_Workers(workers))

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

    def rerank_failed(self, route: str) -> None:
        """Count a search that the reranker should have ordered and did not."""
        self._rerank_failures.labels(route).inc()

    def rate_limited(self, by: str) -> None:
        """Count a request refused by a rate limit. by: `key` or `address`."""
        self._limited.labels(by).inc()

    def overloaded(self) -> None:
        """Count a request refused because of overload."""
        self._overload.inc()

    def queries_logged(self, event: str, number: int) -> None:
        """Count queries or clicks. event: `logged`, `clicks` or `dropped`."""
        self._queries.labels(event).inc(number)

    def embedder_called(self, call: EmbedderCall) -> None:
        """Count a request to the embedding provider; an EmbedderObserver."""
        self._embedder_calls.labels(call.provider, call.model, call.purpose, call.status).inc()
        self._embedder_tokens.labels(call.provider, call.model, call.purpose).inc(call.tokens)
        self._embedder_texts.labels(call.provider, call.model, call.purpose).inc(call.texts)
        self._embedder_seconds.labels(call.provider, call.purpose).observe(call.seconds)

    def reranker_called(self, call: RerankerCall) -> None:
        """Count a request to the reranker; a RerankerObserver."""
        self._reranker_calls.labels(call.provider, call.model, call.status).inc()
        self._reranker_seconds.labels(call.provider).observe(call.seconds)

    def exposition(self, accept: str) -> tuple[bytes, str]:
        """All metrics in the format of an Accept header, and the content type."""
        encode, content_type = exposition.choose_encoder(accept)
        return encode(self._registry), content_type


def _count_in_files(workers: WorkerShare) -> None:
    """Keep the values of this process in files of the shared folder, under the number of its worker.

    The process that replaces a dead worker continues its counters, so that none is lost and files do not add up.
    """
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(workers.folder)
    values.ValueClass = values.MultiProcessValue(lambda: workers.number)  # type: ignore[no-untyped-call]


def worker_files(folder: Path, number: int) -> tuple[Path, ...]:
    """The files with the values of a worker."""
    return tuple(folder / f"{kind}_{number}.db" for kind in ("counter", "histogram", _GAUGES))


def forget_gauges(folder: Path, number: int) -> None:
    """Forget the gauges of a worker that has ended: their sum is of living processes."""
    with suppress(OSError), (folder / f"{_GAUGES}_{number}.db").open("r+b") as file:
        file.write(bytes(8))  # the length of the values; the file keeps its place on the disk


class _Workers(Collector):
    """Metrics of each worker's process, with the label `worker`."""

    def __init__(self, workers: WorkerShare) -> None:
        self._workers = workers

    def describe(self) -> Iterable[Metric]:
        """Nothing, so that registering does not read other processes."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """Which workers run, and their CPU time, memory and files."""
        up = GaugeMetricFamily("assay_worker_up", "1 while the worker's process runs, else 0.", labels=("worker",))
        families: dict[str, Metric] = {up.name: up}
        for number in range(1, self._workers.count + 1):
            pid = self._pid(number)
            up.add_metric((str(number),), 0.0 if pid is None else 1.0)
            for family in () if pid is None else _process_metrics(pid):
                known = families.setdefault(family.name, Metric(family.name, family.documentation, family.type))
                for sample in family.samples:
                    known.add_sample(sample.name, {"worker": str(number)}, sample.value)
        return families.values()

    def _pid(self, number: int) -> int | None:
        try:
            return int(self._workers.pid_file(self._workers.folder, number).read_text("ascii")) or None
        except (OSError, ValueError):
            return None


def _process_metrics(pid: int) -> Iterable[Metric]:
    return ProcessCollector(pid=lambda: pid, registry=None).collect()


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
