"""Audits: every document, chunk and point of a generation is checked."""

from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import replace
from time import perf_counter

from assay.adapters.embedders.static import StaticEmbedder
from assay.app.parts import Parts
from assay.app.reports import AuditReport
from assay.app.systems import Systems, Unopened
from assay.errors import VectorStoreError
from assay.model.evaluation import Finding
from assay.model.generations import Generation
from assay.ports import IndexSpec, Progress, Silence, VectorIndex
from assay.release.generation_names import resolve_generation
from assay.validation.integrity import EmbeddingCost, Recheck, audit, embedding_cost, most_suspicious
from assay.validation.structure import vector_findings


class Auditor:
    """Audits generations."""

    def __init__(self, parts: Parts, systems: Systems) -> None:
        self._parts = parts
        self._systems = systems

    def audit(
        self,
        generation_id: str | None = None,
        *,
        sample: int | None = None,
        everything: bool = False,
        agree: Callable[[EmbeddingCost], bool] = lambda _: True,
        progress: Progress | None = None,
    ) -> AuditReport:
        """Check every document, chunk and point of a generation, and embed texts again to compare the vectors.

        generation_id: see resolve_generation.
        sample: number of texts to embed again; with a paid embedder, half of them are those whose vectors fit their
            texts worst according to the built-in model.
        everything: embed all texts again. Without sample or everything: all with a free embedder, none with a paid
            one. Keyword vectors are always recomputed.
        agree: called before a paid embedder is used; False leaves the vectors uncompared.

        Raises GenerationError, CatalogError, StoreUnavailable, EmbeddingError, IndexNotOurs.
        """
        parts = self._parts
        parts.require_own_index()
        started = perf_counter()
        generation = resolve_generation(parts.catalog, generation_id, sealed=True)
        progress = progress or Silence()
        inspected = parts.store.inspect(generation.id, IndexSpec.of(generation))
        with closing(inspected.index) if inspected.index is not None else nullcontext() as index:
            recheck = self._recheck(generation, index, None if everything else sample, everything, agree, progress)
            report = audit(generation, parts.catalog, index, progress, recheck, inspected.problems)
            vectors = self._vector_findings(generation, index, progress) if index is not None else ()
        return AuditReport(generation, report, perf_counter() - started, vectors)

    def _vector_findings(self, generation: Generation, index: VectorIndex, progress: Progress) -> tuple[Finding, ...]:
        """Check the vectors; search for titles only with a free embedder that built this generation."""
        embedder = self._parts.embedder
        quick = not embedder.batching.costly and embedder.identity == generation.embedder
        unsearched = Unopened(VectorStoreError("An audit searches nothing."))
        judged = replace(
            self._systems.check_context(generation, None, unsearched),
            index=index,
            unopened=None,
            embedder=embedder if quick else None,
        )
        return tuple(vector_findings(judged, self._systems.gate.structure, progress))

    def _recheck(
        self,
        generation: Generation,
        index: VectorIndex | None,
        sample: int | None,
        everything: bool,
        agree: Callable[[EmbeddingCost], bool],
        progress: Progress,
    ) -> Recheck:
        """Choose the texts to embed again; with a paid embedder only if requested and agreed to."""
        embedder, encoder = self._parts.embedder, self._parts.encoder
        if not embedder.batching.costly:
            return Recheck(embedder, encoder, vectors=None if everything else sample)
        unasked = Recheck(None, encoder, identity=embedder.identity)
        if index is None or embedder.identity != generation.embedder or not (everything or sample):
            return unasked
        catalog = self._parts.catalog
        suspects: frozenset[int] = frozenset()
        if sample is not None and sample < generation.chunks:
            found = most_suspicious(generation, catalog, index, StaticEmbedder(), sample // 2, progress)
            suspects, sample = frozenset(found), sample - len(found)
        if not agree(embedding_cost(generation, catalog, sample, suspects)):
            return unasked
        return Recheck(embedder, encoder, vectors=sample, suspects=suspects)
