"""Labels: hits to judge, repair of judgments, and calibration by judged hits."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from assay.app.parts import Parts
from assay.app.reports import CalibrationReport
from assay.app.systems import Systems
from assay.errors import IndexNotOurs, InputError
from assay.model.evaluation import Passage, ResolvedTopic, TestSet
from assay.model.generations import Generation
from assay.model.ranking import Mode
from assay.model.validations import TopicResult
from assay.ports import ChunkPlace, Progress
from assay.release.generation_names import resolve_generation
from assay.validation.calibration import calibrate
from assay.validation.judgments.corpus import CatalogCorpus, Corpus, Page
from assay.validation.judgments.repairing import RepairPlan, plan_repairs
from assay.validation.judgments.resolving import Resolver, resolve
from assay.validation.labelling.quotes import add_quotes, passage_at
from assay.validation.labelling.sheet import Sheet, chosen, to_label
from assay.validation.running.measuring import Measures, measure_topics
from assay.validation.similarities import collect_similarities, count_unjudged

if TYPE_CHECKING:
    from assay.adapters.testset_files.skipped_hits import SkippedHits
    from assay.validation.deriving.deriving import LinkedDocument


class Labels:
    """Applies the judgments of test sets to the generations of this catalog."""

    def __init__(self, parts: Parts, systems: Systems) -> None:
        self._parts = parts
        self._systems = systems

    @property
    def skipped(self) -> "SkippedHits":
        """Hits skipped while labelling."""
        return self._parts.skipped_hits

    def sheet(
        self,
        test_set: TestSet,
        generation_id: str | None = None,
        *,
        topics: Sequence[str] = (),
        depth: int = 5,
        mode: Mode | None = None,
        progress: Progress | None = None,
    ) -> Sheet:
        """Collect the unjudged hits of a generation.

        generation_id: as in Assay.validate. topics: ids; empty for all topics.
        depth: number of hits of each topic. mode: of the searches; None for that of [search].

        Raises InputError for an unknown topic id, GenerationError, CatalogError, VectorStoreError. A topic that
        cannot be searched is in the sheet's `failed`.
        """
        from assay.contracts.passages.highlights import highlights

        generation = self._systems.measured_generation(generation_id)
        part = chosen(test_set, topics)
        settings = self._parts.settings
        mode = mode or settings.search.mode
        change = partial(replace, mode=mode, depth=max(depth, settings.validation.depth))
        with ExitStack() as opened:
            searcher = self._systems.open(opened, generation.id)
            run, results = self._systems.run(generation, searcher, part, progress, change)
            found = to_label(part, results, self._systems.gate.quality, depth)
            items, problems = add_quotes(self._systems.corpus(generation, searcher), found, highlights)
        failed = {one.topic.id: one.error for one in results if one.error is not None}
        return Sheet(generation.id, part, depth, tuple(items), tuple(results), run, failed, tuple(problems))

    def measure_again(self, sheet: Sheet, test_set: TestSet) -> list[TopicResult]:
        """Measure the rankings of a sheet with the present labels of a test set, without searching again.

        Topics that the test set no longer has are left out. Raises CatalogError, VectorStoreError.
        """
        with self._corpus(sheet.generation) as corpus:
            return _measured_again(corpus, sheet, test_set)

    def refresh(self, sheet: Sheet, test_set: TestSet) -> Sheet:
        """The sheet with the present labels of a test set: what is judged now is left out, without searching again.

        Raises CatalogError, VectorStoreError.
        """
        from assay.contracts.passages.highlights import highlights

        with self._corpus(sheet.generation) as corpus:
            results = _measured_again(corpus, sheet, test_set)
            present = replace(test_set, topics=tuple(result.topic for result in results))
            found = to_label(present, results, self._systems.gate.quality, sheet.depth)
            passages = {item.key: item.passage for item in sheet.items}
            new, problems = add_quotes(corpus, [item for item in found if item.key not in passages], highlights)
        passages |= {item.key: item.passage for item in new}
        items = tuple(replace(item, passage=passages[item.key]) for item in found if item.key in passages)
        return replace(sheet, test_set=present, items=items, results=tuple(results), problems=tuple(problems))

    def page(self, generation_id: str, url: str) -> Page:
        """A page of a generation, to select a passage on. Raises InputError if there is none, GenerationError."""
        with self._corpus(generation_id) as corpus:
            page = next(iter(corpus.pages([url])), None)
        if page is None:
            raise InputError(f"Generation {generation_id} has no page {url}.")
        return page

    def select(self, generation_id: str, url: str, start: int, end: int) -> tuple[Passage, tuple[str, ...]]:
        """The passage of a selection on a page, and the ids of the chunks that a judgment of it labels.

        start, end: positions in the page's text, in code points.

        Raises InputError for a selection that cannot be a quote, GenerationError, CatalogError, VectorStoreError.
        """
        passage = passage_at(self.page(generation_id, url), start, end)
        return passage, tuple(chunk.chunk_id for chunk in self.found_chunks(generation_id, passage))

    def found_chunks(self, generation_id: str, passage: Passage) -> tuple[ChunkPlace, ...]:
        """The chunks of a generation that a judgment of this passage labels.

        Raises InputError if the passage is not found for certain, GenerationError, CatalogError, VectorStoreError.
        """
        with self._corpus(generation_id) as corpus:
            found = Resolver(corpus).find([passage])[passage]
        if not found.chunks:
            reason = found.resolution.reason or "It is on no chunk."
            raise InputError(f"The passage cannot be found again in generation {generation_id}. {reason}")
        return tuple(found.chunks)

    @contextmanager
    def _corpus(self, generation_id: str) -> Iterator[Corpus]:
        """The passages of a generation. Raises GenerationNotFound, CatalogError, VectorStoreError."""
        with ExitStack() as opened:
            if self._parts.adopted is None:
                yield CatalogCorpus(self._parts.catalog, self._parts.catalog.generation(generation_id).id)
            else:
                searcher = self._systems.open(opened, generation_id)
                yield self._systems.corpus(searcher.generation, searcher)

    def calibrate(
        self,
        test_set: TestSet,
        generation_id: str | None = None,
        *,
        mode: Mode | None = None,
        depth: int | None = None,
        progress: Progress | None = None,
    ) -> CalibrationReport:
        """Find the similarity that separates relevant from irrelevant hits of a generation.

        generation_id: as in Assay.validate. mode: of the searches; None for that of [search].
        depth: number of hits of each topic; None for that of [validation].

        Raises GenerationError, CatalogError, VectorStoreError, IdentityMismatch. A topic that cannot be searched is in
        the report's `failed`.
        """
        settings = self._parts.settings
        generation = self._systems.measured_generation(generation_id)
        depth, mode = depth or settings.validation.depth, mode or settings.search.mode
        change = partial(replace, mode=mode, depth=depth, threshold=0.0)
        with ExitStack() as opened:
            searcher = self._systems.open(opened, generation.id)
            _, results = self._systems.run(generation, searcher, test_set, progress, change)
        return CalibrationReport(
            generation,
            mode,
            depth,
            calibrate(collect_similarities(results, depth)),
            count_unjudged(results, depth),
            {one.topic.id: one.error for one in results if one.error is not None},
        )

    def resolve(self, test_set: TestSet, generation_id: str | None = None) -> tuple[str, tuple[ResolvedTopic, ...]]:
        """Resolve the judgments of a test set on a generation. Return its id and the topics.

        generation_id: see resolve_generation.

        Raises NoLiveGeneration, GenerationNotFound, IndexNotOurs, CatalogError.
        """
        found = self._with_documents(generation_id).id
        return found, resolve(test_set, CatalogCorpus(self._parts.catalog, found))

    def plan_repairs(
        self, test_set: TestSet, generation_id: str | None = None, *, everything: bool = False
    ) -> tuple[str, RepairPlan]:
        """Plan the changes that let a test set's judgments be found in a generation. Return its id and the plan.

        generation_id: see resolve_generation. everything: see plan_repairs of validation.

        Raises NoLiveGeneration, GenerationNotFound, CatalogError, VectorStoreError.
        """
        found = resolve_generation(self._parts.catalog, generation_id).id
        with self._corpus(found) as corpus:
            live_id = self._parts.catalog.live_id()
            live = None if live_id in {None, found} else CatalogCorpus(self._parts.catalog, live_id)
            return found, plan_repairs(test_set, corpus, live=live, everything=everything)

    def linked_documents(self, generation_id: str | None = None) -> "Iterator[LinkedDocument]":
        """Read the documents of a generation with their links and headings. generation_id: see resolve_generation.

        Raises NoLiveGeneration, GenerationNotFound, CatalogError; IndexNotOurs for an adopted collection, which has no
        links; InputError for a generation without stored links.
        """
        found = self._with_documents(generation_id).id
        for document in self._parts.catalog.documents(found):
            if document.links is None:
                raise InputError(
                    f"Generation {found} was built before links were stored.",
                    hint="Run `assay publish`, and try again.",
                )
            yield document

    def _with_documents(self, name: str | None) -> Generation:
        """Return the named generation. Raises IndexNotOurs for an adopted collection, which has chunks only."""
        if self._parts.adopted is not None:
            raise IndexNotOurs(
                f"The pages of the adopted collection {self._parts.adopted} are not stored, only its points.",
                hint="Pass the folder of its pages, and --base-url.",
            )
        return resolve_generation(self._parts.catalog, name)


def _measured_again(corpus: Corpus, sheet: Sheet, test_set: TestSet) -> list[TopicResult]:
    runs = {run.topic_id: run for run in sheet.run.topics}
    present = tuple(topic for topic in test_set.topics if topic.id in runs)
    topics = resolve(replace(test_set, topics=present), corpus)
    run = replace(sheet.run, topics=tuple(runs[topic.id] for topic in present))
    return measure_topics(run, topics, Measures.parse())
