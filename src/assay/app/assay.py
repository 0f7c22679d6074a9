"""Everything that Assay can do."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Unpack, overload

from assay.app.construction import gate_of
from assay.app.measuring import Measuring
from assay.app.reports import Health, PublishReport
from assay.app.testsets import load_test_set
from assay.contracts import native
from assay.errors import (
    AssayError,
    BuildInProgress,
    CatalogError,
    InputError,
    PromotionRefused,
)
from assay.ingest.pipeline import BuildReport, Pipeline
from assay.ingest.preview import Preview, preview
from assay.model.evaluation import Outcome
from assay.model.generations import Generation, State
from assay.model.ranking import ContractMode, Embed, Mode, Query, Ranking
from assay.ports import (
    ChunkMetadata,
    Progress,
    Silence,
    Vector,
)
from assay.release.promotion import has_pass
from assay.retrieval.encoding import embed_query
from assay.validation.measuring import Measures

logger = logging.getLogger(__name__)


class Assay(Measuring):
    """Everything that Assay can do, over one data directory and one configuration.

    Parts are built when they are first needed: a search loads no catalog migrations, a listing no model.

    generation: id of the generation to search instead of the live one, or CANDIDATE for the one that waits.
    embedder_observer: told of every request to a provider of embeddings; may be set at any time.
    """

    # --- building and releasing ------------------------------------------------------------------------------------

    def ingest(self, *, rebuild: bool = False, progress: Progress | None = None) -> BuildReport:
        """Build a candidate from the configured sources.

        rebuild: as if there were no generation before.

        Raises ConfigurationError without sources, BuildInProgress, SourceError, EmbeddingError, VectorStoreError,
        CatalogError, IndexNotOurs.
        """
        self._require_own_index()
        return Pipeline(self._build_parts(), progress or Silence()).build(rebuild=rebuild)

    def preview(self, *, rebuild: bool = False, progress: Progress | None = None) -> Preview:
        """What ingest would do; nothing is built. A site is fetched, and what was fetched need not be again.

        Raises ConfigurationError without sources, SourceError, CatalogError, IndexNotOurs.
        """
        self._require_own_index()
        return preview(self._build_parts(create=False), progress or Silence(), rebuild=rebuild)

    def publish(self, *, rebuild: bool = False, progress: Progress | None = None) -> PublishReport:
        """Build, validate, and promote what passes; a candidate that fails is rejected, an undecided one waits.

        Raises what ingest, validate and promote raise.
        """
        self._check_before_building()
        build = self.ingest(rebuild=rebuild, progress=progress)
        if build.generation.state is State.LIVE:
            self.releases.show()
            return self._publish_unchanged(build, progress)
        validation = self.validate(build.generation.id, progress=progress)
        outcome = validation.verdict.outcome
        current = self.catalog.generation(build.generation.id)
        if current.state is State.LIVE:  # by another publish, which found this candidate as well
            return PublishReport(build, validation.verdict, current, validation)
        if outcome is Outcome.FAIL:
            self.releases.reject(validation.verdict)
        if outcome is not Outcome.PASS:
            return PublishReport(build, validation.verdict, None, validation)
        notes = _overridden(build.live_before, self.catalog.live_id())
        promoted = self._promote(build.generation, validation.verdict.test_set)
        return PublishReport(build, validation.verdict, promoted, validation, notes)

    def _publish_unchanged(self, build: BuildReport, progress: Progress | None) -> PublishReport:
        """What is live has these pages already: it is validated where a test set is named that it has no PASS by."""
        path = self.settings.validation.testset
        if path is None or has_pass(build.generation, self.gate.fingerprint, load_test_set(path).fingerprint):
            return PublishReport(build, None, None)
        validation = self.validate(build.generation.id, progress=progress)
        return PublishReport(build, validation.verdict, None, validation)

    def promote(
        self, generation_id: str | None = None, progress: Progress | None = None, test_set: Path | None = None
    ) -> Generation:
        """Make the candidate live, or the generation named, validating first what has no PASS that still holds.

        test_set: as in validate; None also takes the one that the candidate was last judged by.

        Raises PromotionRefused, InvalidTransition, GenerationNotFound, IndexNotOurs, and what validate raises.
        """
        self._require_own_index()
        generation = self.catalog.generation(generation_id) if generation_id else self.releases.candidate()
        if generation.state is not State.CANDIDATE:
            return self._promote(generation, None)
        path = test_set or self.settings.validation.testset
        try:
            labelled = load_test_set(path) if path else self._judged_by(generation)[0]
        except InputError as error:
            if path is not None:
                raise
            raise PromotionRefused(error.message, hint=error.hint) from None
        fingerprint = labelled.fingerprint if labelled else None
        # A PASS says nothing of an index that was changed since: what needs no topics is looked at every time.
        if not (has_pass(generation, self.gate.fingerprint, fingerprint) and self._is_sound(generation, progress)):
            self.validate(generation.id, test_set, progress)
        return self._promote(generation, fingerprint)

    def rollback(self) -> Generation:
        """Make the generation live again that was live before. Raises GenerationNotFound, IndexNotOurs."""
        self._require_own_index()
        return self.releases.rollback()

    def generations(self) -> list[Generation]:
        """All generations, newest first."""
        return self.catalog.generations()

    def _check_before_building(self) -> None:
        """Raise InputError for what a validation would refuse, before hours of building."""
        Measures.named(self.settings.validation.measures)
        gate_of(self.settings.gate)
        if self.settings.validation.testset:
            load_test_set(self.settings.validation.testset)

    def _promote(self, generation: Generation, test_set: str | None) -> Generation:
        """Go live; then the vectors that were kept in case the candidate came to nothing are in use, and not needed."""
        promoted = self.releases.promote(generation.id, self.gate.fingerprint, test_set)
        if self._embeddings_file.exists():
            try:
                with self.catalog.build_lock():
                    self.embedding_cache.clear()
            except BuildInProgress:
                logger.info("Another build is using %s, which is cleared when that one is live.", self._embeddings_file)
        return promoted

    # --- searching -------------------------------------------------------------------------------------------------

    @overload
    def search(self, query: Query, *, embed: Embed | None = None) -> Ranking: ...

    @overload
    def search(
        self,
        query: str,
        top_k: int | None = None,
        *,
        embed: Embed | None = None,
        **options: Unpack[native.SearchOptions],
    ) -> Ranking: ...

    def search(
        self,
        query: Query | str,
        top_k: int | None = None,
        *,
        embed: Embed | None = None,
        **options: Unpack[native.SearchOptions],
    ) -> Ranking:
        """Search the live generation, or the one that was named in its place.

        query: the text, with top_k (1 to 100) and options as native.SearchOptions has them; or all in one Query.

        embed: when the query is embedded; None for what `[search] keyword_fallback` says. Where it is not, only keyword
            search answers, and hits have no similarity.

        Raises InputError, NoLiveGeneration, GenerationNotFound, IdentityMismatch, EmbeddingError, VectorStoreError,
        CatalogError.
        """
        if isinstance(query, str):
            body = native.search_request(query, top_k, options)
            query = native.parse(body, self.settings.search).query
        usual = Embed.WHERE_POSSIBLE if self.settings.search.keyword_fallback else Embed.WHERE_NEEDED
        with self.live.lease() as searcher:
            return searcher.search(query, embed or usual)

    def embed_query(self, text: str) -> Vector:
        """The configured model's vector of a query: float32 of shape (dimension,), of length 1.

        Raises InputError for a text in which the model knows nothing, EmbeddingError.
        """
        return embed_query(self.embedder, text)

    def search_embedding(self, query: Query, vector: Vector) -> Ranking:
        """Ask the live generation with an embedding that was made before. See Searcher.search_embedding.

        Raises NoLiveGeneration, IdentityMismatch, InvalidEmbedding, VectorStoreError, CatalogError.
        """
        with self.live.lease() as searcher:
            return searcher.search_embedding(query, vector)

    def metadata(self, chunk_ids: Sequence[str], generation_id: str) -> dict[str, ChunkMetadata]:
        """What the catalog says of these chunks while this generation is live; nothing once another one is.

        Raises CatalogError, without a long wait.
        """
        return self.catalog.chunk_metadata(chunk_ids, generation_id)

    def start_serving(self) -> None:
        """Open the live generation, if there is one, and follow every promotion from now on."""
        self._tell_of_contract_mode()
        try:
            self.live.refresh()
        except AssayError as error:
            logger.warning("Nothing can be served yet: %s", error)
        if self.live.generation() is not None:
            self._warm_embedder()
        self.live.watch(self.settings.server.poll_seconds)

    def _warm_embedder(self) -> None:
        """Have the embedder read what it needs now, so that no request waits for it."""
        try:
            self.embedder.count_tokens(["ready"])
        except AssayError as error:
            if self.settings.search.mode is Mode.SPARSE:
                logger.info("Keyword search is served without an embedder: %s", error)
            else:
                logger.warning("Queries cannot be embedded, so only keyword search (mode `sparse`) works: %s", error)

    def _tell_of_contract_mode(self) -> None:
        if self.settings.server.contract_mode is ContractMode.HYBRID:
            logger.warning(
                '[server] contract_mode = "hybrid" orders the hits of the seeds\' routes by similarity; it used to '
                'mean the order of the fused score, which is "fused" now. "hybrid" is the default: leave it out to '
                "lose this warning."
            )

    def health(self) -> Health:
        """Look at the parts that a search needs; takes well under a second."""
        problems = []
        catalog = store = True
        try:
            self.catalog.check()
        except CatalogError as error:
            catalog = False
            problems.append(f"catalog: {error.message}")
        try:
            self.store.check()
        except AssayError as error:
            store = False
            problems.append(f"vector store: {error.message}")
        status = self.live.status()
        if status.problem:
            problems.append(f"live generation: {status.problem}")
        elif status.generation is None:
            problems.append("live generation: nothing has been promoted yet")
        elif self._late_embedder and self._late_embedder.problem and self.settings.search.mode is not Mode.SPARSE:
            problems.append(f"embedder: {self._late_embedder.problem}")
        if status.damage:
            problems.append(f"live generation: {status.damage}")
        return Health(store, catalog, status.generation, tuple(problems))


def _overridden(before: str | None, now: str | None) -> tuple[str, ...]:
    """The note of a publish about to go live, where another generation is live than when it began; also logged."""
    if now == before:
        return ()
    was, is_live = (f"generation {one}" if one else "no generation" for one in (before, now))
    note = (
        f"When this publish began, {was} was live; it has replaced {is_live}, "
        "which somebody promoted or rolled back to meanwhile."
    )
    if now is not None:
        note += " `assay rollback` goes back to it."
    logger.warning("%s", note)
    return (note,)
