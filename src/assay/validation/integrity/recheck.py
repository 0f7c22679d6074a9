"""Recompute vectors from their texts and compare."""

import random
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from assay.errors import InputError, InvalidEmbedding
from assay.model.batches import batched
from assay.model.documents import Chunk
from assay.model.evaluation import MOST_EXAMPLES
from assay.model.generations import EmbedderIdentity, Generation
from assay.model.ranking import Filters
from assay.ports import (
    Catalog,
    Embedder,
    IndexQuery,
    Names,
    SparseEncoder,
    SparseVector,
    StoredPoint,
    Vector,
    VectorIndex,
)
from assay.validation.integrity.faults import Audit, Found

_SAME_HERE = 1e-3
_SAME_ELSEWHERE = 0.15
"""Largest distance between two vectors of one text by one model (2 sin of half the angle): for a local model, which
differs by rounding only; and for a remote one, which may run at another precision, a cosine of .989."""

_WEIGHT = 1e-5
"""Relative tolerance of a keyword weight: float32 keeps 6e-8."""

_HOLDERS = 20
_MOST = 0.5
"""From this share of wrong vectors on, the model is wrong, and not the places of the vectors."""

_ENOUGH = 4


@dataclass(frozen=True, slots=True)
class Recheck:
    """The encoders to recompute vectors with, and the size of the samples.

    embedder, encoder: None skips the vectors, or the keyword vectors.
    vectors, keywords: number of chunks; None for all. The sample is seeded by the content fingerprint.
    identity: of an embedder that is not called; compared with the generation's.
    suspects: places of further chunks to recompute, from 0 in the catalog's order.
    """

    embedder: Embedder | None = None
    encoder: SparseEncoder | None = None
    vectors: int | None = None
    keywords: int | None = None
    identity: EmbedderIdentity | None = None
    suspects: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class EmbeddingCost:
    """The cost of recomputing vectors.

    texts: number of texts, without a few more that locate misplaced vectors.
    tokens: as counted when the chunks were cut, by the embedder's tokenizer or its named substitute.
    """

    embedder: EmbedderIdentity
    texts: int
    tokens: int


def embedding_cost(
    generation: Generation, catalog: Catalog, size: int | None, suspects: frozenset[int] = frozenset()
) -> EmbeddingCost:
    """Cost of recomputing the vectors of a sample (size None: of all chunks) and of suspects. Raises CatalogError."""
    chosen = in_sample(generation, size)
    tokens = [
        chunk.token_count
        for place, chunk in enumerate(catalog.chunks(generation.id))
        if place in suspects or chosen(place)
    ]
    return EmbeddingCost(generation.embedder, len(tokens), sum(tokens))


def in_sample(generation: Generation, size: int | None) -> Callable[[int], bool]:
    """A predicate: whether the chunk at a place, from 0 in the catalog's order, is in the sample."""
    if size is None or size >= generation.chunks:
        return lambda _: True
    places = set(random.Random(generation.content_fingerprint).sample(range(generation.chunks), size))  # noqa: S311 - to be repeated
    return places.__contains__


def name_of(chunk: Chunk) -> str:
    """Name of a chunk in reports: its id and URL."""
    return f"{chunk.id} ({chunk.section_url})"


# --- embeddings ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WrongVector:
    """A stored vector that is not of its text. made: the recomputed one."""

    chunk: Chunk
    stored: Vector
    made: Vector

    @property
    def cosine(self) -> float:
        """Cosine of the stored and the recomputed vector."""
        length = float(np.linalg.norm(self.stored))
        return float(self.stored @ self.made) / length if length > 0.0 else 0.0


@dataclass(slots=True)
class EmbeddingCheck:
    """Compares stored vectors with recomputed ones; `look` may be called from several threads."""

    embedder: Embedder
    wrong: list[WrongVector] = field(default_factory=list)
    cosines: list[float] = field(default_factory=list)

    def look(self, chunks: Sequence[Chunk], points: Sequence[StoredPoint]) -> tuple[list[WrongVector], list[Found]]:
        """Find vectors that are not of their text, and texts without a vector. Raises EmbeddingError."""
        wrong, found = [], []
        for chunk, point, made in zip(chunks, points, self._made(chunks), strict=True):
            if made is None:
                found.append(("embeddings", f"{name_of(chunk)}: the embedder returns no vector for its text"))
            elif point.dense is not None and not self.same(point.dense, made):
                wrong.append(WrongVector(chunk, point.dense, made))
        return wrong, found

    def conclude(self, index: VectorIndex, report: Audit) -> None:
        """Report the misplaced vectors, with the texts that they belong to if known.

        Raises VectorStoreError, EmbeddingError.
        """
        fault = report.faults["embeddings"]
        identity = self.embedder.identity
        pairs = 0
        for one in self.wrong[:MOST_EXAMPLES]:
            other, both = self._whereabouts(one, index)
            pairs += both
            fault.add(_sentence(one, other, both=both))
        fault.count += len(self.cosines) - len(self.wrong[:MOST_EXAMPLES])
        if not self.cosines:
            return
        share = len(self.cosines) / max(report.compared_vectors, 1)
        if share >= _MOST and len(self.cosines) >= _ENOUGH and not pairs:
            fault.cause = (
                f"{len(self.cosines)} of {report.compared_vectors} vectors are not those that {identity.provider} "
                f"{identity.model} returns for the texts (median cosine {median(self.cosines):.2f}): another model, or "
                "another version of it, made them."
            )
        elif pairs:
            fault.cause = "Vectors are swapped: searches find one passage by the meaning of another."

    def keep(self, wrong: Sequence[WrongVector]) -> None:
        """Add the results of `look`; called by one thread."""
        self.cosines += [one.cosine for one in wrong]
        self.wrong += wrong[: max(MOST_EXAMPLES - len(self.wrong), 0)]

    def _made(self, chunks: Sequence[Chunk]) -> list[Vector | None]:
        made: list[Vector | None] = []
        for texts in batched([chunk.embedded_text for chunk in chunks], self.embedder.batching.texts):
            try:
                made += list(self.embedder.embed_documents(texts))
            except InvalidEmbedding:
                made += [self._one(text) for text in texts]
        return made

    def _one(self, text: str) -> Vector | None:
        try:
            made: Vector = self.embedder.embed_documents([text])[0]
        except InvalidEmbedding:
            return None
        return made

    def same(self, one: Vector, other: Vector) -> bool:
        """Whether two vectors are of one text. True for another dimension, which is a fault of another kind."""
        if one.shape != other.shape or not np.isfinite(one).all():
            return True
        if np.array_equal(one, other):
            return True
        apart = float(np.linalg.norm(one / np.linalg.norm(one) - other)) if one.any() else 2.0
        return apart <= (_SAME_ELSEWHERE if self.embedder.batching.costly else _SAME_HERE)

    def _whereabouts(self, one: WrongVector, index: VectorIndex) -> tuple[Chunk | None, bool]:
        """The chunk that has this one's vector, and whether both are swapped."""
        nearest = index.search(IndexQuery(one.made, None, _HOLDERS, Filters(everything=True)))
        ids = [scored.point for scored in nearest.by_chunk_id().dense]
        holders = index.stored(ids)
        for holder in (holders[chunk_id] for chunk_id in ids if chunk_id in holders):
            chunk = holder.chunk
            if chunk is None or holder.dense is None or chunk.embedded_hash == one.chunk.embedded_hash:
                continue
            if not self.same(holder.dense, one.made):
                continue
            made = self._one(chunk.embedded_text)
            if made is not None and self.same(holder.dense, made):
                continue  # another text with the same vector
            return chunk, made is not None and self.same(one.stored, made)
        return None, False


def _sentence(one: WrongVector, other: Chunk | None, *, both: bool) -> str:
    if other is None:
        return f"{name_of(one.chunk)}: its vector is of another text or another model (cosine {one.cosine:.2f})"
    if both:
        return f"{name_of(one.chunk)} and {name_of(other)} have each other's vectors"
    return f"{name_of(one.chunk)}: its vector is at {name_of(other)}"


# --- keywords ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class KeywordCheck:
    """Compares stored keyword vectors with recomputed ones; `look` may be called from several threads."""

    encoder: SparseEncoder
    average_length: float
    terms: float = 0.0

    def look(self, chunks: Sequence[Chunk], points: Sequence[StoredPoint]) -> tuple[float, list[Found]]:
        """The total number of terms in the texts, with repetitions, and the faults."""
        counts = self._counts(chunks)
        known = [vector for vector in counts if vector is not None]
        weighed = iter(self.encoder.weigh(known, self.average_length))
        found: list[Found] = []
        for chunk, point, count in zip(chunks, points, counts, strict=True):
            if count is None:
                found.append(("keywords", f"{name_of(chunk)}: its text is not valid Unicode, so it has no terms"))
            elif wrong := _differing(point.sparse, next(weighed)):
                found.append(("keywords", f"{name_of(chunk)}: {wrong}"))
        return sum(sum(vector.values) for vector in known), found

    def conclude(self, chunks: int, report: Audit) -> None:
        """Compare the mean length of all chunks with the recorded one."""
        measured = max(self.terms / chunks, 1.0) if chunks else 1.0
        if abs(measured - self.average_length) > 1e-9 * measured:
            fault = report.faults["keywords"]
            fault.count += 1
            fault.cause = (
                f"The generation records {self.average_length:.6g} terms on average for a chunk, and its chunks have "
                f"{measured:.6g}: BM25 weighs long and short passages wrongly."
            )

    def _counts(self, chunks: Sequence[Chunk]) -> list[SparseVector | None]:
        texts, names = [chunk.keyword_text for chunk in chunks], [Names.of(chunk) for chunk in chunks]
        try:
            return list(self.encoder.term_counts(texts, names))
        except InputError:
            return [self._count(*pair) for pair in zip(texts, names, strict=True)]

    def _count(self, text: str, names: Names) -> SparseVector | None:
        try:
            return self.encoder.term_counts([text], [names])[0]
        except InputError:
            return None


def _differing(stored: SparseVector | None, expected: SparseVector) -> str:
    """The fault of a keyword vector; "" for none."""
    if stored is None:
        return "it has no keyword vector" if expected.indices else ""
    if stored.indices == expected.indices:
        if stored.values == tuple(array("f", expected.values)):
            return ""
        wrong = sum(
            not abs(one - other) <= _WEIGHT * other for one, other in zip(stored.values, expected.values, strict=True)
        )
        return f"{wrong} of its {len(expected.indices)} keywords have another weight" if wrong else ""
    lacking = len(set(expected.indices) - set(stored.indices))
    strange = len(set(stored.indices) - set(expected.indices))
    return f"of its {len(expected.indices)} keywords {lacking} are missing, and {strange} are of another text"
