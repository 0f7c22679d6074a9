"""Systems that are measured beside one another and never go live: two that are compared, and several that are swept.

Nothing here records a verdict or changes what is live.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

from assay.adapters.catalog import SqlCatalog
from assay.adapters.edge import EdgeStore
from assay.adapters.testset_files.text_file import read_text
from assay.adapters.testset_files.trec import read_run
from assay.app import CANDIDATE, Assay
from assay.contracts.validation_report import from_json
from assay.errors import AssayError, GenerationError, GenerationNotFound, IndexNotOurs, InputError
from assay.ingest.chunking.chunker import ChunkingRules
from assay.ingest.recutting import RecutParts, chunker_identity, recut
from assay.model.comparisons import Comparison, Side, Sweep
from assay.model.evaluation import ResolvedTopic, TestSet
from assay.model.generations import Generation
from assay.model.ranking import Mode, Query
from assay.model.validations import Provenance
from assay.ports import IndexSpec, Progress, VectorStore
from assay.retrieval.searcher import Searcher
from assay.settings import ChunkingSettings, Settings
from assay.testsets import load_test_set
from assay.validation.comparing import compare_sides, ranked_topic, stored_topic
from assay.validation.judgments.corpus import CatalogCorpus
from assay.validation.judgments.resolving import resolve
from assay.validation.latency import percentiles
from assay.validation.measuring import Measures, measure_topics
from assay.validation.metrics import order
from assay.validation.runner import RunReport, run_topics
from assay.validation.sweeping import Measured, RecutCorpus, find, shown_measures
from assay.variants import DEFAULT_GRID, Grid, Variant, default_grid, described, grid_in, variant_in, variant_of

_TIMED = 200
"""Searches of a row of a sweep, so that its p95 has ten above it."""

_SECONDS = 5.0
"""How long those of one row may take, once every topic was asked."""

LIVE = "live"
"""Stands for the id of the generation that answers."""

_LOOKED_UP = 500
"""Documents of a run that are looked for to see whether it is one of this generation."""

_REPORT, _SETTINGS = ".json", ".toml"
_KINDS = (
    "Name a report (validation_results/report_….json), a generation (its id, `live` or `candidate`), settings "
    "(`mode=sparse`, `mode=hybrid,dense_weight=1.0`, a .toml file), or a TREC run file."
)


def compare(
    assay: Assay,
    named: tuple[str, str],
    *,
    measures: Sequence[str] = (),
    test_set: Path | None = None,
    generation: str | None = None,
    progress: Progress,
) -> Comparison:
    """Compare two systems. Only what is not a report is measured now.

    named: A and B: see _KINDS.
    measures: those to compare; the headline ones if empty.
    test_set: file of labelled queries for what is measured now; None for that of [validation].
    generation: which one settings are tried on; None for what is live, or the candidate where nothing is.

    Raises InputError, GenerationError, CatalogError, VectorStoreError, EmbeddingError.
    """
    further = [name for name in measures if name.lower() not in {"any", "all"}]
    with ExitStack() as opened:
        bench = Bench(assay, opened, test_set, generation, Measures.named(further), progress)
        sides = [_side(bench, one) for one in named]
    a, b = _distinct(*sides)
    return compare_sides(a, b, measures)


def _distinct(a: Side, b: Side) -> tuple[Side, Side]:
    """The sides with names that tell them apart."""
    if a.name != b.name:
        return a, b
    return replace(a, name=f"A ({a.name})"), replace(b, name=f"B ({b.name})")


def _side(bench: "Bench", named: str) -> Side:
    """What a side of the command line stands for."""
    path = Path(named)
    if path.is_file():
        if path.suffix.lower() == _REPORT:
            report = from_json(path.read_bytes(), named)
            return Side(path.name, report.topics, report.latency, report.provenance)
        if path.suffix.lower() == _SETTINGS:
            return bench.measured(variant_in(path, bench.settings))
        return bench.run_in(path)
    if named in {LIVE, CANDIDATE}:
        return bench.measured(Variant(named, bench.settings.search, named))
    if named in set(Mode) or "=" in named:
        return bench.measured(variant_of(named, bench.settings))
    if path.suffix.lower() in {_REPORT, _SETTINGS} or "/" in named:
        raise InputError(f"There is no file {named}.", hint=_KINDS)
    try:
        found = bench.assay.catalog.generation(named)
    except GenerationNotFound:
        raise InputError(f"{named!r} is no generation, no file and no setting.", hint=_KINDS) from None
    return bench.measured(Variant(found.id, bench.settings.search, found.id))


@dataclass(frozen=True, slots=True)
class Resolved:
    """A generation with the labels of the test set on its chunks."""

    generation: Generation
    topics: tuple[ResolvedTopic, ...]


class Bench:
    """Measures settings on generations with one test set, which is read when it is first needed.

    opened: indexes are closed with it.
    """

    def __init__(
        self,
        assay: Assay,
        opened: ExitStack,
        test_set: Path | None,
        generation: str | None,
        measures: Measures,
        progress: Progress,
    ) -> None:
        self.assay = assay
        self.settings: Settings = assay.settings
        self.measures = measures
        self.progress = progress
        self._opened = opened
        self._path = test_set or assay.settings.validation.testset
        self._asked_generation = generation
        self._test_set: TestSet | None = None
        self._resolved: dict[str, Resolved] = {}

    @property
    def test_set(self) -> TestSet:
        """The labelled queries. Raises InputError where there are none."""
        if self._test_set is None:
            if self._path is None:
                raise InputError(
                    "There is nothing to measure with: no test set is named.",
                    hint="Name one with --testset, or set [validation] testset; `assay testset derive` makes a first.",
                )
            self._test_set = load_test_set(self._path)
        return self._test_set

    def generation(self, named: str | None) -> Generation:
        """A generation that can be searched. named: None for the one of the command line, or what is live.

        Raises GenerationError, CatalogError.
        """
        asked = named or self._asked_generation
        if asked in {LIVE, None}:
            live_id = self.assay.catalog.live_id()
            if live_id is not None:
                return self.assay.catalog.generation(live_id)
            if asked == LIVE:
                raise GenerationNotFound("Nothing is live.", hint="`assay promote` makes the candidate live.")
            return self.assay.releases.candidate()
        if asked == CANDIDATE:
            return self.assay.releases.candidate()
        found = self.assay.catalog.generation(str(asked))
        if not found.state.is_sealed:
            raise GenerationError(
                f"Generation {found.id} is {found.state}, and has no whole index to search.",
                hint="`assay generations` lists every generation with its state.",
            )
        return found

    def resolved(self, generation: Generation) -> Resolved:
        """The test set on a generation; looked for once."""
        if generation.id not in self._resolved:
            topics = resolve(self.test_set, CatalogCorpus(self.assay.catalog, generation.id))
            self._resolved[generation.id] = Resolved(generation, topics)
        return self._resolved[generation.id]

    def measured(self, variant: Variant) -> Side:
        """Ask every topic with these settings, and measure the answers."""
        on = self.resolved(self.generation(variant.generation))
        searcher = self._opened.enter_context(closing(self.assay.searcher_of(on.generation, variant.search)))
        report = run_topics(
            on.topics, self.assay.asked(searcher, variant.search, self.measures), on.generation.id, self.progress
        )
        return self._side(variant, on, report)

    def run_in(self, path: Path) -> Side:
        """The rankings in a TREC run file, measured with the labels of the test set on the generation."""
        run = read_run(read_text(path))
        on = self.resolved(self.generation(None))
        known = {hit.doc_id for hits in run.values() for hit in hits}
        if not self.assay.catalog.places_of_ids(on.generation.id, sorted(known)[:_LOOKED_UP]):
            raise InputError(
                f"{path}: none of its documents is a chunk of generation {on.generation.id}.",
                hint="Name the generation that it is a run of with --generation; its documents have to be chunk ids.",
            )
        topics = {
            one.topic.id: ranked_topic(
                one, order((hit.doc_id, hit.score) for hit in run.get(one.topic.id, ())), self.measures
            )
            for one in on.topics
        }
        provenance = self._provenance(on.generation, Variant(path.name, self.settings.search))
        return Side(path.name, topics, None, replace(provenance, target=f"run file {path.name}", search={}))

    def _side(self, variant: Variant, on: Resolved, report: RunReport) -> Side:
        results = measure_topics(report.run, on.topics, self.measures)
        costly = self.assay.embedder.batching.costly
        timings = [run.timings for run in report.run.topics if run.timings and run.topic_id in report.timed]
        spent = [one.total_ms - (one.embed_ms if costly else 0.0) for one in timings]
        note = "the embedding of the queries is left out, for it is remembered from one side to the other"
        return Side(
            name=variant.name,
            topics={result.topic.id: stored_topic(result) for result in results},
            latency=percentiles(spent) if spent else None,
            provenance=self._provenance(on.generation, variant),
            latency_note=note if costly and spent else "",
        )

    def _provenance(self, generation: Generation, variant: Variant) -> Provenance:
        return Provenance(
            target=generation.state.value,
            generation=generation.id,
            content_fingerprint=generation.content_fingerprint,
            embedder=generation.embedder,
            chunker=generation.chunker,
            documents=generation.documents,
            chunks=generation.chunks,
            search=self.assay.searching_by(variant.search),
            test_set=self.test_set.name,
            test_set_fingerprint=self.test_set.fingerprint,
            test_set_path=str(self._path),
            gate="",
            versions={},
        )


# --- sweeping ------------------------------------------------------------------------------------------------------


def sweep(
    assay: Assay, grid: str, *, test_set: Path | None = None, generation: str | None = None, progress: Progress
) -> Sweep:
    """Measure several settings of the search, and several chunkers, over one test set with one set of labels.

    grid: path of a file of runs, or DEFAULT_GRID.
    generation: whose index is searched and whose documents are cut anew; None for the candidate, or what is live.

    What is cut anew is removed when its rows are measured, whatever happens.

    Raises InputError, GenerationError, IndexNotOurs, CatalogError, VectorStoreError, EmbeddingError.
    """
    started_at, started = datetime.now(UTC), perf_counter()
    runs = _grid(assay, grid)
    measures = shown_measures(runs.measure)
    with ExitStack() as opened:
        bench = Bench(assay, opened, test_set, generation, Measures.named(measures), progress)
        tests = bench.test_set
        base = bench.generation(generation) if generation else _candidate_or_live(bench)
        places = _by_chunking(bench, base, runs.variants)
        rows: dict[int, Measured] = {}
        for rules, variants in places:
            with _cut(bench, base, rules) as (on, store):
                found = _measured(bench, on, store, [variant for _, variant in variants])
                rows |= zip((place for place, _ in variants), found, strict=True)
    findings = find([rows[place] for place in sorted(rows)], measures)
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
        notes=(*findings.notes, *_notes(assay, any(rules for rules, _ in places))),
    )


def _notes(assay: Assay, cut: bool) -> list[str]:
    notes = ["Latencies are of single searches, one after the other, without the embedding of their query."]
    if cut:
        notes.append("What was cut anew was timed by itself, after the others: compare its latency only roughly.")
    if cut and assay.settings.vector_store != "embedded":
        notes.append("Rows with a chunker of their own were searched in an embedded index, the others on the server.")
    return notes


def _candidate_or_live(bench: Bench) -> Generation:
    try:
        return bench.generation(CANDIDATE)
    except GenerationNotFound:
        return bench.generation(LIVE)


def _grid(assay: Assay, named: str) -> Grid:
    if named == DEFAULT_GRID and not Path(named).is_file():
        cuts = assay.adopted is None and not assay.embedder.batching.costly
        return default_grid(assay.settings, chunkers=cuts)
    return grid_in(Path(named), assay.settings)


def _by_chunking(
    bench: Bench, base: Generation, variants: Sequence[Variant]
) -> list[tuple[ChunkingRules | None, list[tuple[int, Variant]]]]:
    """The rows that share an index, with their places; None for the index that there is."""
    grouped: dict[tuple[int, int] | None, list[tuple[int, Variant]]] = {}
    for place, variant in enumerate(variants):
        rules = None if variant.chunking is None else _rules(bench, variant.chunking)
        same = rules is None or chunker_identity(base, rules) == base.chunker
        key = None if same or rules is None else (rules.max_characters, rules.overlap)
        grouped.setdefault(key, []).append((place, variant))
    if bench.assay.adopted is not None and any(key is not None for key in grouped):
        raise IndexNotOurs(
            f"The collection {bench.assay.adopted} is adopted, and its documents are not known; only their chunks are.",
            hint="Leave `chunking` out of the runs.",
        )
    return [
        (None if key is None else _rules(bench, ChunkingSettings(max_characters=key[0], overlap=key[1])), rows)
        for key, rows in grouped.items()
    ]


def _rules(bench: Bench, chunking: ChunkingSettings) -> ChunkingRules:
    embedder = bench.assay.embedder
    return ChunkingRules(chunking.max_characters, embedder.max_tokens, chunking.overlap, embedder.tokenizer)


@contextmanager
def _cut(bench: Bench, base: Generation, rules: ChunkingRules | None) -> Iterator[tuple[Resolved, VectorStore | None]]:
    """The generation, or its documents cut by other rules in a temporary place, with the labels on its chunks."""
    resolved = bench.resolved(base)  # first, so that judgments that name a chunk are known by their words
    if rules is None:
        yield resolved, None
        return
    assay = bench.assay
    with (
        tempfile.TemporaryDirectory(prefix="assay-sweep-", ignore_cleanup_errors=True) as folder,
        ExitStack() as opened,
    ):
        place = Path(folder)
        catalog = opened.enter_context(
            closing(SqlCatalog.open(f"sqlite:///{(place / 'catalog.sqlite').as_posix()}", create=True))
        )
        store = EdgeStore(place / "generations", hnsw_threshold=assay.settings.index.hnsw_threshold)
        earlier = opened.enter_context(closing(assay.store.open(base.id, IndexSpec.of(base))))
        parts = RecutParts(
            base=base,
            documents=assay.catalog,
            earlier=earlier if base.embedder == assay.embedder.identity else None,
            earlier_ids=assay.catalog.embedded_hashes(base.id),
            embedder=assay.embedder,
            encoder=assay.encoder,
            cache=assay.embedding_cache,
            catalog=catalog,
            store=store,
            work_dir=place,
        )
        generation = recut(parts, rules, bench.progress)
        corpus = RecutCorpus(CatalogCorpus(catalog, generation.id), CatalogCorpus(assay.catalog, base.id))
        yield Resolved(generation, resolve(bench.test_set, corpus)), store


def _measured(bench: Bench, on: Resolved, store: VectorStore | None, variants: Sequence[Variant]) -> list[Measured]:
    """The rows of one index. store: where it is; None for where all are."""
    with ExitStack() as opened:
        searchers = [
            opened.enter_context(closing(bench.assay.searcher_of(on.generation, one.search, store))) for one in variants
        ]
        results = []
        for searcher, variant in zip(searchers, variants, strict=True):
            report = run_topics(
                on.topics, bench.assay.asked(searcher, variant.search, bench.measures), on.generation.id, bench.progress
            )
            results.append(measure_topics(report.run, on.topics, bench.measures))
        timed = _timed(bench, on, searchers, variants)
    lost = sum(not one.anchoring.scores for topic in on.topics for one in topic.resolutions)
    return [
        Measured(
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


def _timed(bench: Bench, on: Resolved, searchers: Sequence[Searcher], variants: Sequence[Variant]) -> list[list[float]]:
    """Milliseconds of each row's searches without the embedding of the query.

    All rows ask the same topic before any asks the next, so that whatever else the machine does falls on all alike.
    """
    topics = [topic.topic for topic in on.topics if topic.topic.text.strip()]
    rounds = -(-_TIMED // max(len(topics), 1))
    deadline = perf_counter() + _SECONDS * len(searchers)
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
                except AssayError:  # it is an error of its topic already
                    continue
                times.append(timings.total_ms - timings.embed_ms)
            bench.progress.advance()
    bench.progress.end()
    return spent
