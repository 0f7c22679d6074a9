"""What is measured, judged and labelled, over the parts."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from assay.adapters.embedders.static import StaticEmbedder
from assay.app.parts import CANDIDATE, Parts
from assay.app.reports import AuditReport, CalibrationReport
from assay.app.testsets import load_test_set
from assay.errors import (
    CatalogCorrupt,
    CatalogUnavailable,
    GenerationError,
    GenerationNotFound,
    IdentityMismatch,
    IndexNotOurs,
    InputError,
    NoLiveGeneration,
    VectorStoreError,
)
from assay.ingest.reading import read_page
from assay.model.documents import PageFailed, RawPage
from assay.model.evaluation import Anchoring, Finding, Outcome, Resolution, ResolvedTopic, Run, TestSet, Verdict, worst
from assay.model.generations import Generation, last_judged
from assay.model.ranking import Mode, Query, Ranking
from assay.model.validations import TopicResult, Validation
from assay.ports import (
    IndexSpec,
    Progress,
    Silence,
    VectorIndex,
)
from assay.retrieval.searcher import Searcher
from assay.settings import SearchSettings
from assay.validation.calibration import calibrate
from assay.validation.integrity import EmbeddingCost, Recheck, audit, embedding_cost, most_suspicious
from assay.validation.judgments.collection import CollectionCorpus
from assay.validation.judgments.corpus import CatalogCorpus, Corpus
from assay.validation.judgments.denominators import Removed, agree
from assay.validation.judgments.repairing import RepairPlan, plan_repairs
from assay.validation.judgments.resolving import resolve
from assay.validation.labelling.sheet import Sheet, chosen, to_label
from assay.validation.labelling.wording import worded
from assay.validation.latency import Load
from assay.validation.measuring import Measures, measure_topics
from assay.validation.observing import observe, unjudged
from assay.validation.runner import Asked, run_topics
from assay.validation.structure import Judged, structure_findings, vector_findings
from assay.validation.suite import Plan, System, validate

if TYPE_CHECKING:
    from assay.adapters.sources.folder.skipped import SkippedHits
    from assay.validation.deriving.deriving import LinkedDocument

logger = logging.getLogger(__name__)

_GATE_SAMPLE = 1_000
"""Chunks whose vectors the gate makes anew: half a second, and it finds a fault of 1 chunk in 200 with a certainty of
99%. `assay audit` makes all of them."""


@dataclass(frozen=True, slots=True)
class _Unopened:
    """Stands for the searcher of an index that cannot be opened: every search raises the reason."""

    error: VectorStoreError
    index: None = None

    def search(self, query: Query) -> Ranking:  # noqa: ARG002 - as a searcher is asked
        raise self.error


class Measuring(Parts):
    """Validation, audits, labels and thresholds."""

    def validate(
        self,
        generation_id: str | None = None,
        test_set: Path | None = None,
        progress: Progress | None = None,
        load: Sequence[Load] = (),
        *,
        check_urls: bool = False,
    ) -> Validation:
        """Measure a generation, judge it by the gate, and store the verdict with it.

        generation_id: None for the candidate, or the live generation where there is none.
        test_set: file of labelled queries; None for that of [validation], or else the one that this content was last
            judged by. Without any, only the structure is judged.
        load: what latency is measured under besides, one after the other.
        check_urls: whether the address of each hit is asked; one that is dead fails the validation.

        Raises InputError for a test set that cannot be used; GenerationNotFound, CatalogError where the generation's
        record cannot be read. A topic that cannot be asked, and a check that cannot run, is a finding.
        """
        generation = self._to_validate(generation_id)
        progress = progress or Silence()
        path: Path | None = test_set or self.settings.validation.testset
        progress.begin("testset", None)
        labelled, path = (load_test_set(path), path) if path else self._judged_by(generation)
        progress.end()
        with ExitStack() as opened:
            plan = self._plan(generation, labelled, path, load, opened, progress)
            if check_urls:
                from assay.adapters.sources.site.http.url_check import UrlCheck

                addresses = (one.base_url or one.url for one in self.settings.sources)
                asking = UrlCheck([str(url) for url in addresses if url])
                opened.callback(asking.close)
                plan = replace(plan, problem_of_url=asking.problem)
            validation = validate(plan, progress)
        if self.adopted is None:
            self._record(validation.verdict)
        return validation

    def _record(self, verdict: Verdict) -> None:
        """Keep a verdict in the catalog. One that is not there any more is no reason to give no report."""
        try:
            self.releases.record(verdict)
        except CatalogUnavailable as error:
            logger.warning("The verdict is not kept, for the catalog cannot be reached: %s", error)

    def write_report(self, validation: Validation, progress: Progress | None = None) -> dict[str, Path]:
        """Write a validation into the folder of [validation], as JSON, HTML, Markdown and JUnit XML: all, or none.

        Returns the path of each file by its suffix. Raises ConfigurationError where they cannot be written.
        """
        from assay.contracts.validation_report import to_json_parts
        from assay.validation.report.files import write_reports
        from assay.validation.report.html import to_html
        from assay.validation.report.junit import to_junit
        from assay.validation.report.markdown import to_markdown

        progress = progress or Silence()
        progress.begin("report", len(validation.topics))

        def json_parts() -> Iterator[bytes]:
            for part in to_json_parts(validation):
                yield part
                progress.advance()

        contents: dict[str, bytes | Iterator[bytes]] = {
            "md": to_markdown(validation).encode("utf-8", "replace"),
            "xml": to_junit(validation).encode("utf-8", "replace"),
            "html": to_html(validation).encode("utf-8", "replace"),
            "json": json_parts(),
        }
        try:
            return write_reports(self.settings.validation.output_dir, validation.started_at, contents)
        finally:
            progress.end()

    def label_sheet(
        self,
        test_set: TestSet,
        generation_id: str | None = None,
        *,
        topics: Sequence[str] = (),
        depth: int = 5,
        progress: Progress | None = None,
    ) -> Sheet:
        """The hits of a generation that nobody has judged.

        generation_id: as in validate. topics: ids; all of them where none is named.
        depth: how many hits of each topic are looked at.

        Raises InputError for an id that no topic has, GenerationError, CatalogError, VectorStoreError. A topic that
        cannot be asked is in the sheet's `failed`.
        """
        from assay.contracts.highlights import highlights

        generation = self._to_validate(generation_id)
        part = chosen(test_set, topics)
        asking = partial(replace, depth=max(depth, self.settings.validation.depth))
        with ExitStack() as opened:
            searcher = self._searcher_until(opened, generation.id)
            run, results = self._measured(generation, searcher, part, progress, asking)
            found = to_label(part, results, self.gate.quality, depth)
            items, problems = worded(self._corpus(generation, searcher), found, highlights)
        failed = {one.topic.id: one.error for one in results if one.error is not None}
        return Sheet(generation.id, part, tuple(items), tuple(results), run, failed, tuple(problems))

    def measured_again(self, sheet: Sheet, test_set: TestSet) -> list[TopicResult]:
        """The topics of a sheet by the labels that a test set has by now; nothing is searched again.

        Topics that it has no more are left out. Raises CatalogError, VectorStoreError.
        """
        runs = {run.topic_id: run for run in sheet.run.topics}
        there = tuple(topic for topic in test_set.topics if topic.id in runs)
        with ExitStack() as opened:
            searcher = self._searcher_until(opened, sheet.generation)
            topics = resolve(replace(test_set, topics=there), self._corpus(searcher.generation, searcher))
        run = replace(sheet.run, topics=tuple(runs[topic.id] for topic in there))
        return measure_topics(run, topics, Measures.named())

    def calibrate(
        self,
        test_set: TestSet,
        generation_id: str | None = None,
        *,
        mode: Mode | None = None,
        depth: int | None = None,
        progress: Progress | None = None,
    ) -> CalibrationReport:
        """Find which similarity parts relevant from irrelevant hits of a generation.

        generation_id: as in validate. mode: of the searches; None for that of [search].
        depth: how many hits of each topic are looked at; None for that of [validation].

        Raises GenerationError, CatalogError, VectorStoreError, IdentityMismatch. A topic that cannot be asked is in the
        report's `failed`.
        """
        generation = self._to_validate(generation_id)
        depth, mode = depth or self.settings.validation.depth, mode or self.settings.search.mode
        asking = partial(replace, mode=mode, depth=depth, threshold=0.0)
        with ExitStack() as opened:
            searcher = self._searcher_until(opened, generation.id)
            _, results = self._measured(generation, searcher, test_set, progress, asking)
        return CalibrationReport(
            generation,
            mode,
            depth,
            calibrate(observe(results, depth)),
            unjudged(results, depth),
            {one.topic.id: one.error for one in results if one.error is not None},
        )

    @cached_property
    def skipped(self) -> "SkippedHits":
        """Hits that somebody who labelled passed over."""
        from assay.adapters.sources.folder.skipped import SkippedHits

        return SkippedHits(self.settings.data_dir / "skipped.jsonl")

    def audit(
        self,
        generation_id: str | None = None,
        *,
        sample: int | None = None,
        everything: bool = False,
        agree: Callable[[EmbeddingCost], bool] = lambda _: True,
        progress: Progress | None = None,
    ) -> AuditReport:
        """Look at every document, chunk and point of a generation, and make vectors anew to compare.

        generation_id: None for the live generation, or the candidate where nothing is live; CANDIDATE for that.
        sample: make so many vectors anew; with an embedder that costs something, half of them those that fit their
            texts least by the built-in model's opinion. everything: make all of them anew. Without either it is all
            where the embedder is quick and costs nothing, else none. Keyword vectors are all made anew.
        agree: asked before an embedder that costs something is asked; to say no leaves the vectors uncompared.

        Raises GenerationError, CatalogError, StoreUnavailable, EmbeddingError, IndexNotOurs.
        """
        self._require_own_index()
        started = perf_counter()
        generation = self._audited(generation_id)
        progress = progress or Silence()
        inspected = self.store.inspect(generation.id, IndexSpec.of(generation))
        with closing(inspected.index) if inspected.index is not None else nullcontext() as index:
            recheck = self._recheck(generation, index, None if everything else sample, everything, agree, progress)
            report = audit(generation, self.catalog, index, progress, recheck, inspected.problems)
            vectors = self._vector_findings(generation, index, progress) if index is not None else ()
        return AuditReport(generation, report, perf_counter() - started, vectors)

    def _vector_findings(self, generation: Generation, index: VectorIndex, progress: Progress) -> tuple[Finding, ...]:
        """Look at the vectors alone; titles are asked where that costs nothing and the right model is at hand."""
        quick = not self.embedder.batching.costly and self.embedder.identity == generation.embedder
        unasked = _Unopened(VectorStoreError("An audit searches nothing."))
        judged = replace(
            self._judged(generation, None, unasked),
            index=index,
            unopened=None,
            embedder=self.embedder if quick else None,
        )
        return tuple(vector_findings(judged, self.gate.structure, progress))

    def linked_documents(self, generation_id: str | None = None) -> "Iterator[LinkedDocument]":
        """The documents of a generation with their links and headings. generation_id: None for live, or CANDIDATE.

        Raises NoLiveGeneration, GenerationNotFound, CatalogError; IndexNotOurs for an adopted collection, which has no
        links; InputError for a generation whose links were not kept.
        """
        found = self._kept_generation(generation_id)
        for document in self.catalog.documents(found):
            if document.links is None:
                raise InputError(
                    f"Generation {found} was built before links were kept.", hint="Run `assay publish`, and try again."
                )
            yield document

    def resolved(self, test_set: TestSet, generation_id: str | None = None) -> tuple[str, tuple[ResolvedTopic, ...]]:
        """Where a test set's judgments are in a generation, and its id. generation_id: None for live, or CANDIDATE.

        Raises NoLiveGeneration, GenerationNotFound, IndexNotOurs, CatalogError.
        """
        found = self._kept_generation(generation_id)
        return found, resolve(test_set, CatalogCorpus(self.catalog, found))

    def planned_repairs(
        self, test_set: TestSet, generation_id: str | None = None, *, everything: bool = False
    ) -> tuple[str, RepairPlan]:
        """What a test set should say so that its judgments are found on a generation, and the generation's id.

        generation_id: None for the live one, or CANDIDATE. everything: see plan_repairs.

        Raises NoLiveGeneration, GenerationNotFound, CatalogError, VectorStoreError.
        """
        if self.adopted is None:
            found = self._kept_generation(generation_id)
            return found, plan_repairs(test_set, CatalogCorpus(self.catalog, found), everything=everything)
        found = generation_id or self.catalog.live_id() or ""
        with closing(self._open_searcher(found)) as searcher:
            return found, plan_repairs(test_set, CollectionCorpus(searcher.index), everything=everything)

    def read_documents(self) -> "Iterator[LinkedDocument]":
        """The documents of the configured sources, read anew; a page that cannot be read is left out with a warning.

        Raises ConfigurationError, SourceError.
        """
        for source in self.sources:
            for page in source.read({}):
                if isinstance(page, PageFailed):
                    logger.warning("%s is left out: %s", page.key, page.reason)
                elif isinstance(page, RawPage):
                    try:
                        yield read_page(page)
                    except InputError as error:
                        logger.warning("%s is left out: %s", page.key, error.message)

    def _kept_generation(self, generation_id: str | None) -> str:
        """Id of a generation whose documents are kept: the one named; else the live one; else the candidate."""
        if self.adopted is not None:
            raise IndexNotOurs(
                f"The pages of the collection {self.adopted} are not kept, only its points.",
                hint="Name the folder that they come from, and --base-url.",
            )
        found = generation_id or self.catalog.live_id() or CANDIDATE
        return self.releases.candidate().id if found == CANDIDATE else self.catalog.generation(found).id

    def _to_validate(self, generation_id: str | None) -> Generation:
        """The generation named; else the candidate; else the live one. Raises GenerationNotFound, NoLiveGeneration."""
        if generation_id is not None and generation_id != CANDIDATE:
            return self.catalog.generation(generation_id)
        try:
            return self.releases.candidate() if self.adopted is None else self.served_generation()
        except GenerationNotFound:
            if generation_id == CANDIDATE:
                raise
        live_id = self.catalog.live_id()
        if live_id is None:
            raise NoLiveGeneration(
                "There is nothing to validate: no candidate, and nothing is live.", hint="`assay ingest` builds one."
            )
        return self.catalog.generation(live_id)

    def _plan(
        self,
        generation: Generation,
        test_set: TestSet | None,
        path: Path | None,
        load: Sequence[Load],
        opened: ExitStack,
        progress: Progress,
    ) -> Plan:
        """What is measured, and with what; indexes are closed with `opened`."""
        searcher = self._searcher_or_error(opened, generation.id)
        live = self._live_beside(generation)
        measures = self.measures
        topics, of_live, removed = self._resolved_beside(generation, live, searcher, test_set, progress)
        compared = None
        not_compared = ""
        if live is not None and test_set is not None and self.gate.compares_with_live(derived=test_set.derived):
            try:
                asked = self.asked(self._searcher_until(opened, live.id), self.settings.search, measures)
                compared = System(live, live.id, of_live, asked)
            except (IdentityMismatch, VectorStoreError) as error:
                not_compared = (
                    f"the live generation cannot be compared with: {error.message} If that is meant, as with another "
                    "model, set gate.no_worse_than_live = false for this one release"
                )
        return Plan(
            test_set=test_set,
            test_set_path=str(path) if path else None,
            system=System(generation, generation.id, topics, self.asked(searcher, self.settings.search, measures)),
            live=compared,
            not_compared=not_compared,
            removed=removed,
            measures=measures,
            gate=self.gate,
            target=f"adopted collection {self.adopted}" if self.adopted else generation.state.value,
            search=self.searching,
            structure=None if self.adopted else self._judged(generation, live, searcher),
            load=tuple(load),
            started_at=datetime.now(UTC),
            contract_mode=self.settings.contract_mode,
        )

    def _resolved_beside(
        self,
        generation: Generation,
        live: Generation | None,
        searcher: "Searcher | _Unopened",
        test_set: TestSet | None,
        progress: Progress,
    ) -> tuple[tuple[ResolvedTopic, ...], tuple[ResolvedTopic, ...], tuple[Removed, ...]]:
        """The topics on a generation and on the live one, with the same denominators, and what was removed on purpose.

        The live one first: what a section or a page says is remembered from where it is first found.
        """
        if test_set is None:
            return (), (), ()
        if live is None or self.adopted is not None:
            return resolve(test_set, self._corpus(generation, searcher), progress), (), ()
        agreed = agree(
            test_set,
            [CatalogCorpus(self.catalog, one.id) for one in (live, generation)],
            same_chunker=live.chunker == generation.chunker,
            allow_removals=self.gate.quality.allow_removals,
            progress=progress,
        )
        of_live, topics = agreed.sides
        return topics, of_live, agreed.removed

    def _judged_by(self, generation: Generation) -> tuple[TestSet | None, Path | None]:
        """The test set that its content was last judged by, as it is now, and its file. Raises InputError."""
        verdict = last_judged(generation, self.catalog.generations())
        path = Path(str(verdict["test_set_path"])) if verdict else None
        try:
            return (load_test_set(path), path) if path else (None, None)
        except InputError as error:
            raise InputError(
                f"Generation {generation.id} was last judged by a test set that cannot be used: {error.message}",
                hint="Name its file with --testset, or as [validation] testset.",
            ) from None

    def _judged(self, generation: Generation, live: Generation | None, searcher: "Searcher | _Unopened") -> Judged:
        """What a generation's structure is judged by."""
        return Judged(
            generation,
            live,
            self.catalog,
            searcher.index,
            searcher.search,
            self.embedder.prefetch_queries,
            self._gate_recheck(),
            searcher.error if isinstance(searcher, _Unopened) else None,
            self.embedder,
            self.settings.search.threshold,
            self.settings.search.top_k,
        )

    def _live_beside(self, generation: Generation) -> Generation | None:
        """What is live, where that is another generation."""
        live_id = self.catalog.live_id()
        return self.catalog.generation(live_id) if live_id and live_id != generation.id else None

    def _is_sound(self, generation: Generation, progress: Progress | None) -> bool:
        """Whether the structure is what the gate asks, as the index and the catalog are now."""
        live = self._live_beside(generation)
        with ExitStack() as opened:
            judged = self._judged(generation, live, self._searcher_or_error(opened, generation.id))
            findings = structure_findings(judged, self.gate.structure, progress or Silence())
        return worst(finding.outcome for finding in findings) is Outcome.PASS

    def _searcher_until(self, opened: ExitStack, generation_id: str) -> Searcher:
        searcher = self._open_searcher(generation_id)
        opened.callback(searcher.close)
        return searcher

    def _searcher_or_error(self, opened: ExitStack, generation_id: str) -> "Searcher | _Unopened":
        """A searcher until `opened` is left; one that raises the reason where the index cannot be opened.

        A report has to say that too. Whoever adopted a collection is told at once, for nothing else is judged of it.
        """
        try:
            return self._searcher_until(opened, generation_id)
        except VectorStoreError as error:
            if self.adopted is not None:
                raise
            return _Unopened(error)

    def _system(
        self,
        generation: Generation,
        searcher: "Searcher | _Unopened",
        test_set: TestSet | None,
        measures: Measures,
        progress: Progress,
    ) -> System:
        topics = self._resolved(generation, searcher, test_set, progress) if test_set else ()
        asked = self.asked(searcher, self.settings.search, measures)
        return System(generation, generation.id, topics, asked)

    def _resolved(
        self, generation: Generation, searcher: "Searcher | _Unopened", test_set: TestSet, progress: Progress | None
    ) -> tuple[ResolvedTopic, ...]:
        """The topics on a generation; where its catalog is damaged no judgment is found, and each says why."""
        try:
            return resolve(test_set, self._corpus(generation, searcher), progress)
        except CatalogCorrupt as error:
            lost = Resolution(Anchoring.ORPHANED, reason=error.message)
            return tuple(
                ResolvedTopic(
                    topic,
                    (lost,) * len(topic.judgments),
                    {},
                    exclusions=(lost,) * len(topic.excluded),
                )
                for topic in test_set.topics
            )

    def asked(self, searcher: "Searcher | _Unopened", search: SearchSettings, measures: Measures) -> Asked:
        """How the topics of a test set are asked: as deep as the measures look, paid queries embedded together."""
        costly = self.embedder.batching.costly
        return Asked(
            searcher.search,
            self.embedder.prefetch_queries if costly else None,
            search.mode,
            search.threshold,
            max(self.settings.validation.depth, measures.deepest),
        )

    def _measured(
        self,
        generation: Generation,
        searcher: Searcher,
        test_set: TestSet,
        progress: Progress | None,
        asking: Callable[[Asked], Asked],
    ) -> tuple[Run, list[TopicResult]]:
        """Every topic asked of a generation, otherwise than usually as `asking` says, and measured."""
        measures = Measures.named()
        progress = progress or Silence()
        system = self._system(generation, searcher, test_set, measures, progress)
        run = run_topics(system.topics, asking(system.asked), generation.id, progress).run
        return run, measure_topics(run, system.topics, measures)

    def _corpus(self, generation: Generation, searcher: "Searcher | _Unopened") -> Corpus:
        """What judgments are resolved on."""
        if self.adopted is None:
            return CatalogCorpus(self.catalog, generation.id)
        assert searcher.index is not None
        return CollectionCorpus(searcher.index)

    def _audited(self, generation_id: str | None) -> Generation:
        """The generation that an audit is of. Raises GenerationError."""
        if generation_id == CANDIDATE or (generation_id is None and self.catalog.live_id() is None):
            return self.releases.candidate()
        generation = self.catalog.generation(generation_id or str(self.catalog.live_id()))
        if not generation.state.is_sealed:
            raise GenerationError(
                f"Generation {generation.id} is {generation.state}, and has no whole index to look at.",
                hint="`assay generations` lists every generation with its state.",
            )
        return generation

    def _recheck(
        self,
        generation: Generation,
        index: VectorIndex | None,
        sample: int | None,
        everything: bool,
        agree: Callable[[EmbeddingCost], bool],
        progress: Progress,
    ) -> Recheck:
        """What an audit makes anew; what costs something only when it was asked for, and agreed to."""
        embedder = self.embedder
        if not embedder.batching.costly:
            return Recheck(embedder, self.encoder, vectors=None if everything else sample)
        unasked = Recheck(None, self.encoder, identity=embedder.identity)
        if index is None or embedder.identity != generation.embedder or not (everything or sample):
            return unasked
        suspects: frozenset[int] = frozenset()
        if sample is not None and sample < generation.chunks:
            found = most_suspicious(generation, self.catalog, index, StaticEmbedder(), sample // 2, progress)
            suspects, sample = frozenset(found), sample - len(found)
        if not agree(embedding_cost(generation, self.catalog, sample, suspects)):
            return unasked
        return Recheck(embedder, self.encoder, vectors=sample, suspects=suspects)

    def _gate_recheck(self) -> Recheck:
        """What the gate makes anew: a sample, for all of these vectors were made a moment ago or looked at before."""
        quick = None if self.embedder.batching.costly else self.embedder
        return Recheck(quick, self.encoder, vectors=_GATE_SAMPLE, keywords=_GATE_SAMPLE)
