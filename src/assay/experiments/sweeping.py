"""Sweeps: measure several search settings and chunkers with one test set."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

from assay.app import Assay
from assay.errors import AssayError, IndexNotOurs
from assay.experiments.bench import Bench, Resolved
from assay.experiments.variants import DEFAULT_GRID, Grid, Variant, default_grid, described, grid_in
from assay.ingest.chunking.chunker import ChunkingRules
from assay.ingest.recutting import chunker_identity
from assay.model.comparisons import Sweep
from assay.model.generations import Generation
from assay.model.ranking import Query
from assay.path_checks import is_file
from assay.ports import Progress, VectorStore
from assay.release.generation_names import CANDIDATE, LIVE
from assay.retrieval.searcher import Searcher
from assay.settings import ChunkingSettings
from assay.validation.judgments.corpus import CatalogCorpus
from assay.validation.judgments.resolving import resolve
from assay.validation.running.latency import percentiles
from assay.validation.running.measuring import Measures, measure_topics
from assay.validation.running.runner import run_topics
from assay.validation.sweeping import MeasuredRow, RecutCorpus, find, shown_measures

_TIMED_SEARCHES = 200
"""Timed searches of each row, so that ten are above its p95."""

_TIMING_SECONDS = 5.0
"""Time limit for the timed searches of one row, after the first for each topic."""


def sweep(assay: Assay, grid: str, *, generation: str | None = None, progress: Progress) -> Sweep:
    """Measure several search settings and chunkers with the test set of [validation] and one set of labels.

    grid: path of a file of runs, or DEFAULT_GRID.
    generation: the generation to search, whose documents are chunked again; None for the candidate, else the live one.

    Temporary indexes are always removed after measuring.

    Raises InputError, GenerationError, IndexNotOurs, CatalogError, VectorStoreError, EmbeddingError.
    """
    started_at, started = datetime.now(UTC), perf_counter()
    runs = _grid(assay, grid)
    measures = shown_measures(runs.measure)
    with ExitStack() as opened:
        bench = Bench(assay, opened, None, generation, Measures.parse(measures), progress, (CANDIDATE, LIVE))
        tests = bench.test_set
        base = bench.generation(generation)
        groups = _by_chunking(bench, base, runs.variants)
        rows: dict[int, MeasuredRow] = {}
        for rules, variants in groups:
            with _rechunked(bench, base, rules) as (on, store):
                found = _measure(bench, on, store, [variant for _, variant in variants])
                rows |= zip((number for number, _ in variants), found, strict=True)
    findings = find([rows[number] for number in sorted(rows)], measures)
    return Sweep(
        started_at=started_at,
        seconds=perf_counter() - started,
        generation=base.id,
        documents=base.documents,
        test_set=tests.name,
        test_set_fingerprint=tests.fingerprint,
        measure=measures[0],
        rows=findings.rows,
        best=findings.best,
        detectable=findings.detectable,
        words=findings.words,
        notes=(*bench.notes, *findings.notes, *_notes(assay, any(rules for rules, _ in groups))),
    )


def _notes(assay: Assay, rechunked: bool) -> list[str]:
    notes = ["Latencies are of single searches, one after the other, without the embedding of the query."]
    if rechunked:
        notes.append("Rows with another chunker were timed after the others: compare their latency only roughly.")
    if rechunked and assay.settings.vector_store == "qdrant":
        notes.append("Rows with another chunker were searched in an embedded index, the others on the server.")
    return notes


def _grid(assay: Assay, named: str) -> Grid:
    if named == DEFAULT_GRID and not is_file(Path(named)):
        can_rechunk = assay.parts.adopted is None and not assay.parts.embedder.batching.costly
        return default_grid(assay.settings, chunkers=can_rechunk)
    return grid_in(Path(named), assay.settings)


def _by_chunking(
    bench: Bench, base: Generation, variants: Sequence[Variant]
) -> list[tuple[ChunkingRules | None, list[tuple[int, Variant]]]]:
    """Group the numbered rows by chunking rules; None for the existing index."""
    grouped: dict[tuple[int, int] | None, list[tuple[int, Variant]]] = {}
    for number, variant in enumerate(variants):
        rules = None if variant.chunking is None else bench.assay.builds.rules(variant.chunking)
        same = rules is None or chunker_identity(base, rules) == base.chunker
        key = None if same or rules is None else (rules.max_characters, rules.overlap)
        grouped.setdefault(key, []).append((number, variant))
    adopted = bench.assay.parts.adopted
    if adopted is not None and any(key is not None for key in grouped):
        raise IndexNotOurs(
            f"The adopted collection {adopted} has chunks only, so its documents cannot be chunked again.",
            hint="Remove `chunking` from the runs.",
        )
    return [
        (
            None if key is None else bench.assay.builds.rules(ChunkingSettings(max_characters=key[0], overlap=key[1])),
            rows,
        )
        for key, rows in grouped.items()
    ]


@contextmanager
def _rechunked(
    bench: Bench, base: Generation, rules: ChunkingRules | None
) -> Iterator[tuple[Resolved, VectorStore | None]]:
    """Yield the generation with its labels; with rules, its documents chunked again in a temporary store."""
    resolved = bench.resolved(base)  # first, so that judgments by chunk id are resolved to their text
    if rules is None:
        yield resolved, None
        return
    assay = bench.assay
    with assay.builds.recut(base, rules, bench.progress) as cut:
        corpus = RecutCorpus(cut.catalog, cut.generation.id, CatalogCorpus(assay.parts.catalog, base.id))
        yield Resolved(cut.generation, resolve(bench.test_set, corpus)), cut.store


def _measure(bench: Bench, on: Resolved, store: VectorStore | None, variants: Sequence[Variant]) -> list[MeasuredRow]:
    """Measure the rows of one index. store: its store; None for the configured one."""
    with ExitStack() as opened:
        searchers = [
            opened.enter_context(
                closing(
                    bench.assay.searches.open_with(on.generation, one.search, store, rerank=one.rerank, patient=True)
                )
            )
            for one in variants
        ]
        results = []
        for searcher, variant in zip(searchers, variants, strict=True):
            report = run_topics(
                on.topics,
                bench.assay.systems.search_setup(searcher, variant.search, bench.measures),
                on.generation.id,
                bench.progress,
            )
            results.append(measure_topics(report.run, on.topics, bench.measures))
        timed = _time_searches(bench, on, searchers, variants)
    lost = sum(not one.anchoring.scores for topic in on.topics for one in topic.resolutions)
    return [
        MeasuredRow(
            name=variant.name,
            described=described(variant, bench.settings),
            chunks=on.generation.chunks,
            results=found,
            latency=percentiles(spent) if spent else None,
            lost=lost,
            recut=store is not None,
        )
        for variant, found, spent in zip(variants, results, timed, strict=True)
    ]


def _time_searches(
    bench: Bench, on: Resolved, searchers: Sequence[Searcher], variants: Sequence[Variant]
) -> list[list[float]]:
    """Time each row's searches, in milliseconds without the embedding of the query.

    All rows search for a topic before the next topic, so that other load on the machine affects all rows alike.
    """
    topics = [topic.topic for topic in on.topics if topic.topic.text.strip()]
    rounds = -(-_TIMED_SEARCHES // max(len(topics), 1))
    deadline = perf_counter() + _TIMING_SECONDS * len(searchers)
    spent: list[list[float]] = [[] for _ in searchers]
    bench.progress.begin("time", rounds * len(topics))
    for done in range(rounds):
        for topic in topics:
            if done and perf_counter() > deadline:
                break
            for searcher, variant, times in zip(searchers, variants, spent, strict=True):
                search = variant.search
                query = Query(topic.text, topic.top_k, search.mode, search.threshold, topic.filters)
                try:
                    timings = searcher.search(query).timings
                except AssayError:  # already reported as the topic's error
                    continue
                times.append(timings.total_ms - timings.embed_ms)
            bench.progress.advance()
    bench.progress.end()
    return spent
