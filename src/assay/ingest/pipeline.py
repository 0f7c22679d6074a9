"""The build: source → documents → chunks → vectors → a sealed candidate."""

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from assay.errors import AssayError, GenerationNotFound, IndexCorrupt, IndexNotFound, SourceError
from assay.ingest.cuts import Cut
from assay.ingest.indexing.counting import CountedPages, PageCounter
from assay.ingest.indexing.point_writing import write_points
from assay.ingest.indexing.vectors import EarlierChunks, VectorSupply, no_chunks
from assay.ingest.intake import Kept
from assay.ingest.page_flow import PageFlow, newest_sealed
from assay.ingest.parts import BuildParts
from assay.ingest.reduced_gc import reduced_gc
from assay.ingest.stages import StageClock
from assay.ingest.survey import PageChanges, PageTally
from assay.model.batches import batched
from assay.model.documents import Chunk, Document
from assay.model.generations import Generation, State, last_judged
from assay.ports import Catalog, IndexSpec, Progress, VectorIndex, VectorStore, stage

logger = logging.getLogger(__name__)

_DOCUMENTS_AT_ONCE = 64
_KEPT_AT_ONCE = 2_000  # about 0.1 s in one transaction, for which a promotion waits


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport(PageChanges):
    """The result of a build.

    generation: the new candidate; if nothing had changed, the generation that already has this content.
    unchanged: nothing had changed and no generation was built.
    embedded, reused: distinct texts sent to the embedder, and chunks with a reused vector.
    base: the previous generation as it was when the build began; None if there is none, or nothing of it is reused.
    live_before: id of the generation that was live when the build began; None if none was.
    dropped: ids of the waiting candidates that were dropped because the pages are those of the live generation again.
    """

    generation: Generation
    base: Generation | None
    unchanged: bool
    embedded: int
    reused: int
    seconds: dict[str, float]
    live_before: str | None = None
    dropped: tuple[str, ...] = ()


def new_generation_id(at: datetime) -> str:
    """An id that sorts by creation time and is valid as a folder or collection name: `20260131-235959-123456`.

    Builds hold a lock, so two never have the same id.
    """
    return f"{at:%Y%m%d-%H%M%S-%f}"


def clear_leftovers(catalog: Catalog, store: VectorStore) -> list[str]:
    """Remove the remains of interrupted, failed and rejected builds; call it under the build lock.

    A generation rejected by a test set stays in the catalog, so that an interrupted build does not lose its verdict
    (see forget_rejected). An index unknown to the catalog is removed only if the store owns all indexes: on a shared
    server it may belong to another catalog.

    Returns the ids of the removed generations.
    """
    known = {generation.id: generation for generation in catalog.generations()}
    judged = {identity for identity, one in known.items() if _is_judged(one)}
    leftovers = [identity for identity, one in known.items() if not one.state.is_sealed]
    indexed = store.generations() if judged or store.owns_all_indexes else []
    removed = [identity for identity in leftovers if identity not in judged or identity in indexed]
    strays = [identity for identity in indexed if identity not in known] if store.owns_all_indexes else []
    for identity in [*removed, *strays]:
        store.delete(identity)
    for identity in leftovers:
        if identity not in judged:
            catalog.forget(identity)
    return removed + strays


def forget_rejected(catalog: Catalog, generations: Sequence[Generation]) -> None:
    """Remove generations rejected by a test set, unless no other has a verdict as late: its test set applies next."""
    kept = [one for one in catalog.generations() if not _is_judged(one)]
    for generation in sorted(filter(_is_judged, generations), key=_judged_at, reverse=True):
        if _judged_at(generation) > max(map(_judged_at, kept), default=""):
            kept.append(generation)
        else:
            catalog.forget(generation.id)


def _judged_at(generation: Generation) -> str:
    """The time of a generation's verdict with a test set; "" if it has none."""
    return str((last_judged([generation]) or {}).get("at", ""))


def _is_judged(generation: Generation) -> bool:
    """Whether a generation was rejected, and remembers a verdict with a test set."""
    return generation.state is State.REJECTED and last_judged([generation]) is not None


class Pipeline:
    """Builds one candidate from the sources. Use a new object for each build."""

    def __init__(self, parts: BuildParts, progress: Progress) -> None:
        self._parts = parts
        self._progress = StageClock(progress)
        self._live_before: str | None = None

    def build(self, *, rebuild: bool = False) -> BuildReport:
        """Read every source and build a candidate; live data is not touched.

        rebuild: read, chunk and embed everything, without reuse.

        Raises BuildInProgress, SourceError, EmbeddingError, VectorStoreError, CatalogError. After any error the
        half-built generation cannot be promoted, and the next build removes it.
        """
        with self._parts.catalog.build_lock(), reduced_gc():
            removed = clear_leftovers(self._parts.catalog, self._parts.store)
            if removed:
                logger.info("Removed the remains of earlier builds: %s.", ", ".join(removed))
            if rebuild and self._parts.cache is not None:
                self._parts.cache.clear()
            base = None if rebuild else newest_sealed(self._parts.catalog)
            before = self._parts.catalog.generations()
            self._live_before = next((one.id for one in before if one.state is State.LIVE), None)
            generation = self._begin(base)
            try:
                return self._build(generation, base, before)
            except BaseException as error:
                self._mark_failed(generation, error)
                raise

    # --- the steps -------------------------------------------------------------------------------------------------

    def _begin(self, base: Generation | None) -> Generation:
        parts = self._parts
        now = datetime.now(UTC)
        generation = Generation(
            id=new_generation_id(now),
            state=State.BUILDING,
            created_at=now,
            embedder=parts.embedder.identity,
            chunker=parts.chunker,
            sparse=parts.encoder.identity(1.0),
            sources=tuple(source.name for source in parts.sources),
            parent=base.id if base else None,
        )
        parts.catalog.add_generation(generation)
        return generation

    def _build(self, generation: Generation, base: Generation | None, before: Sequence[Generation]) -> BuildReport:
        """Run the steps. before: the existing generations, whose verdicts on the same content stay valid."""
        with CountedPages(self._parts.work_dir) as counted:
            return self._build_counted(generation, base, before, counted)

    def _build_counted(
        self, generation: Generation, base: Generation | None, before: Sequence[Generation], counted: CountedPages
    ) -> BuildReport:
        catalog = self._parts.catalog
        flow = PageFlow(self._parts, base, self._progress, counts=True)
        survey, kept = self._read(generation, flow, counted)
        unchanged = base and flow.known and not survey.differs and self._same_vectors(generation, base)
        if base and unchanged and self._is_index_readable(base):
            catalog.forget(generation.id)
            return self._report(self._recount(base, survey), base, survey, None)
        if not survey.claimed:
            raise SourceError(self._no_pages_message(survey))
        if damaged := catalog.damaged_revisions(kept):
            survey, kept = self._read_again(generation, base, damaged, counted)
        generation = self._count(generation, survey, kept, counted)
        live = next((one for one in before if one.state is State.LIVE), None)
        if base and live and base != live and self._is_same(generation, live, survey):
            return self._return_to_live(generation, live, survey)
        supply = self._index(generation, base, counted)
        generation = replace(
            generation,
            seconds=dict(self._progress.seconds),
            sealed_at=datetime.now(UTC),
            verdict=last_judged(before, generation.content_fingerprint),
        )
        catalog.update_generation(generation)
        self._reject_candidates(f"replaced by generation {generation.id}")
        generation = catalog.transition(generation.id, State.CANDIDATE)
        forget_rejected(catalog, before)
        return self._report(generation, base, survey, supply)

    def _read_again(
        self, generation: Generation, base: Generation | None, damaged: Collection[str], counted: CountedPages
    ) -> tuple[PageTally, list[str]]:
        """Start again without the damaged documents of the previous generation; storing them again repairs them."""
        logger.warning(
            "%d stored documents were changed or damaged in the catalog; their pages are read again.", len(damaged)
        )
        self._parts.catalog.forget(generation.id)
        self._parts.catalog.add_generation(generation)
        counted.clear()
        flow = PageFlow(self._parts, base, self._progress, damaged, counts=True)
        return self._read(generation, flow, counted)

    def _read(self, generation: Generation, flow: PageFlow, counted: CountedPages) -> tuple[PageTally, list[str]]:
        """Store documents and chunks, a few pages at a time; also return the revisions that were kept."""
        catalog = self._parts.catalog
        documents: list[tuple[Document, Sequence[Chunk]]] = []
        kept: list[str] = []
        with stage(self._progress, "read"):
            for taken in flow.take():
                match taken:
                    case Cut(document, chunks, page):
                        documents.append((document, chunks))
                        assert page  # the flow counts
                        counted.add(document.info.url, page)
                    case Kept(revision):
                        kept.append(revision)
                if len(documents) >= _DOCUMENTS_AT_ONCE:
                    catalog.add_documents(generation.id, documents)
                    documents = []
            catalog.add_documents(generation.id, documents)
            for revisions in batched(kept, _KEPT_AT_ONCE):
                catalog.include_revisions(generation.id, revisions)
        return flow.survey, kept

    def _count(
        self, generation: Generation, survey: PageTally, kept: Sequence[str], counted: CountedPages
    ) -> Generation:
        """Count the kept pages, which are not read; store the vocabulary."""
        catalog, encoder = self._parts.catalog, self._parts.encoder
        counter = PageCounter(encoder, None)
        with stage(self._progress, "count"):
            for revisions in batched(kept, _KEPT_AT_ONCE):
                chunks = catalog.chunks(generation.id, revisions)
                self._progress.advance(counted.add_stored(chunks, counter))
            summary = counted.summary(generation, catalog, encoder)
        summary = _with_counts(replace(summary, documents=len(survey.claimed)), survey)
        catalog.update_generation(summary)
        return summary

    def _index(self, generation: Generation, base: Generation | None, counted: CountedPages) -> VectorSupply:
        """Write a vector for each chunk to a new index and seal it."""
        parts = self._parts
        writer = parts.store.create(generation.id, IndexSpec.of(generation))
        try:
            with self._earlier_vectors(generation, base) as (earlier, chunks):
                supply = VectorSupply(parts.embedder, earlier, chunks, parts.cache, counted.vectors)
                with stage(self._progress, "embed", generation.chunks):
                    write_points(generation, parts.catalog, parts.encoder, counted, supply, writer, self._progress)
            if supply.damaged:
                logger.warning(
                    "%d vectors of the previous index are damaged; their texts are embedded again. "
                    "`assay audit` lists the chunks.",
                    supply.damaged,
                )
            if supply.recovered:
                logger.info("%d vectors were recovered from an unfinished build.", supply.recovered)
            with stage(self._progress, "seal"):
                writer.seal()
        except BaseException:
            writer.abort()
            raise
        return supply

    @contextmanager
    def _earlier_vectors(
        self, generation: Generation, base: Generation | None
    ) -> Iterator[tuple[VectorIndex | None, EarlierChunks]]:
        """The previous index and a search for its chunks by hash; nothing if its embedder differs."""
        if base is None or base.embedder != generation.embedder:
            yield None, no_chunks
            return
        try:
            index = self._parts.store.open(base.id, IndexSpec.of(base), patient=True)
        except (IndexCorrupt, IndexNotFound) as error:
            logger.warning("The previous index cannot be read, so everything is embedded again: %s", error.message)
            yield None, no_chunks
            return
        try:
            yield index, partial(self._parts.catalog.embedded_chunks, base.id)
        finally:
            index.close()

    def _recount(self, base: Generation, survey: PageTally) -> Generation:
        """The unchanged generation, with new counts of failed pages and unread files."""
        counted = _with_counts(base, survey)
        if counted != base:
            self._parts.catalog.update_generation(counted)
        return counted

    def _is_same(self, generation: Generation, live: Generation, survey: PageTally) -> bool:
        """Whether a build has the pages of the live generation again, as after a candidate that was no good."""
        catalog = self._parts.catalog
        return (
            not survey.failed
            and generation.content_fingerprint == live.content_fingerprint
            and generation.chunker == live.chunker
            and self._same_vectors(generation, live)
            and catalog.known_pages(generation.id) == catalog.known_pages(live.id)
            and self._is_index_readable(live)
        )

    def _return_to_live(self, generation: Generation, live: Generation, survey: PageTally) -> BuildReport:
        """Drop a build that has the pages of the live generation, and the candidate that had others."""
        self._parts.catalog.forget(generation.id)
        dropped = self._reject_candidates(f"the pages are those of the live generation {live.id} again")
        report = self._report(self._recount(live, survey), live, survey, None)
        return replace(report, added=(), changed=(), moved=(), removed=(), kept=live.documents, dropped=dropped)

    # --- around the steps ------------------------------------------------------------------------------------------

    def _same_vectors(self, generation: Generation, base: Generation) -> bool:
        """Whether equal chunks get equal vectors in both."""
        sparse = self._parts.encoder.identity(base.sparse.average_length)
        return generation.embedder == base.embedder and sparse == base.sparse

    def _is_index_readable(self, base: Generation) -> bool:
        """Whether an index can be opened; if not, it is built again even if no page changed."""
        try:
            self._parts.store.open(base.id, IndexSpec.of(base), patient=True).close()
        except (IndexCorrupt, IndexNotFound):
            return False
        return True

    def _reject_candidates(self, reason: str) -> tuple[str, ...]:
        """Reject the waiting candidates. Returns their ids."""
        catalog = self._parts.catalog
        waiting = tuple(one.id for one in catalog.generations() if one.state is State.CANDIDATE)
        for candidate in waiting:
            catalog.transition(candidate, State.REJECTED, reason=reason)
        return waiting

    def _mark_failed(self, generation: Generation, error: BaseException) -> None:
        """Mark a generation as failed and remove its index; if that fails, the next build removes it."""
        logger.info("Generation %s failed.", generation.id)
        with _best_effort("mark the generation as failed"), suppress(GenerationNotFound):  # dropped already
            reason = str(error) or ("interrupted" if isinstance(error, KeyboardInterrupt) else type(error).__name__)
            self._parts.catalog.transition(generation.id, State.FAILED, reason=reason)
        with _best_effort("remove its index"):
            self._parts.store.delete(generation.id)

    def _no_pages_message(self, survey: PageTally) -> str:
        names = ", ".join(source.name for source in self._parts.sources)
        if survey.failed:
            first = survey.failed[0]
            return f"None of the {len(survey.failed)} pages of {names} could be read; {first.key}: {first.reason}."
        if survey.excluded:
            first_excluded = survey.excluded[0]
            why = f"{first_excluded.key}: {first_excluded.reason}"
            return f"There is no page in {names}; excluded: {len(survey.excluded)}, of these {why}."
        return f"There is no page in {names}."

    def _report(
        self, generation: Generation, base: Generation | None, survey: PageTally, supply: VectorSupply | None
    ) -> BuildReport:
        return BuildReport(
            generation=generation,
            base=base,
            unchanged=supply is None,
            embedded=supply.embedded if supply else 0,
            reused=supply.reused if supply else generation.chunks,
            seconds=dict(self._progress.seconds),
            live_before=self._live_before,
            **survey.changes(),
        )


def _with_counts(generation: Generation, survey: PageTally) -> Generation:
    """A generation with the counts of pages and files that this build could not read."""
    return replace(
        generation,
        failed_pages=len(survey.failed),
        carried_pages=len(survey.carried),
        unread_documents=survey.unread_files.documents,
    )


@contextmanager
def _best_effort(purpose: str) -> Iterator[None]:
    """Clean up after a failure without hiding it: errors here are logged and left to the next build."""
    try:
        yield
    except AssayError as error:
        logger.warning("Could not %s: %s", purpose, error.message)
