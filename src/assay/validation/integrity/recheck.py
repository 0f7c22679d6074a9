"""Whether vectors belong to their texts: they are made anew and compared."""

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
"""How far apart the vectors of one text by one model may be (2 sin of half the angle): where it runs here, and is the
same arithmetic but for rounding; and where it runs on other machines or at another precision, for a cosine of .989."""

_WEIGHT = 1e-5
"""How far a keyword weight may be from what follows from the text, as a share of it: float32 keeps 6e-8."""

_HOLDERS = 20
_MOST = 0.5
"""From which share of wrong vectors on it is their model that is wrong, and not their places."""

_ENOUGH = 4


@dataclass(frozen=True, slots=True)
class Recheck:
    """What vectors are made anew with, and how many.

    embedder, encoder: None leaves the vectors, or the keyword vectors, unchecked.
    vectors, keywords: of how many chunks; None for every one. Which ones follows from the content's fingerprint.
    identity: of an embedder that is not asked, to be held against the generation's all the same.
    suspects: places of further chunks whose vectors are made anew, from 0 in the catalog's order.
    """

    embedder: Embedder | None = None
    encoder: SparseEncoder | None = None
    vectors: int | None = None
    keywords: int | None = None
    identity: EmbedderIdentity | None = None
    suspects: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class EmbeddingCost:
    """What making vectors anew takes.

    texts: how many, but for a few more to find out where a vector belongs that is astray.
    tokens: as the embedder's tokenizer, or its named stand-in, counted them when the chunks were cut.
    """

    embedder: EmbedderIdentity
    texts: int
    tokens: int


def embedding_cost(
    generation: Generation, catalog: Catalog, size: int | None, suspects: frozenset[int] = frozenset()
) -> EmbeddingCost:
    """What it takes to make the vectors of a sample, None for all, and of suspects anew. Raises CatalogError."""
    chosen = drawn(generation, size)
    tokens = [
        chunk.token_count
        for place, chunk in enumerate(catalog.chunks(generation.id))
        if place in suspects or chosen(place)
    ]
    return EmbeddingCost(generation.embedder, len(tokens), sum(tokens))


def drawn(generation: Generation, size: int | None) -> Callable[[int], bool]:
    """Whether the chunk at a place, from 0 in the catalog's order, is in the sample of this size."""
    if size is None or size >= generation.chunks:
        return lambda _: True
    places = set(random.Random(generation.content_fingerprint).sample(range(generation.chunks), size))  # noqa: S311 - to be repeated
    return places.__contains__


def name_of(chunk: Chunk) -> str:
    """How a chunk is named to a person: by its id and where it is read."""
    return f"{chunk.id} ({chunk.section_url})"


# --- embeddings ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Astray:
    """A vector that is not its text's. made: what is."""

    chunk: Chunk
    stored: Vector
    made: Vector

    @property
    def cosine(self) -> float:
        """Of the stored and the right one."""
        length = float(np.linalg.norm(self.stored))
        return float(self.stored @ self.made) / length if length > 0.0 else 0.0


@dataclass(slots=True)
class EmbeddingCheck:
    """Compares vectors with what the embedder makes of the texts; `look` may be called from several threads."""

    embedder: Embedder
    astray: list[Astray] = field(default_factory=list)
    cosines: list[float] = field(default_factory=list)

    def look(self, chunks: Sequence[Chunk], points: Sequence[StoredPoint]) -> tuple[list[Astray], list[Found]]:
        """Those whose vector is not the text's, and texts of which no vector can be made. Raises EmbeddingError."""
        astray, found = [], []
        for chunk, point, made in zip(chunks, points, self._made(chunks), strict=True):
            if made is None:
                found.append(("embeddings", f"{name_of(chunk)}: the embedder makes no vector of its text"))
            elif point.dense is not None and not self.same(point.dense, made):
                astray.append(Astray(chunk, point.dense, made))
        return astray, found

    def conclude(self, index: VectorIndex, report: Audit) -> None:
        """Name the vectors that are astray, and where they belong as far as that can be told.

        Raises VectorStoreError, EmbeddingError.
        """
        fault = report.faults["embeddings"]
        identity = self.embedder.identity
        pairs = 0
        for one in self.astray[:MOST_EXAMPLES]:
            other, both = self._whereabouts(one, index)
            pairs += both
            fault.add(_sentence(one, other, both=both))
        fault.count += len(self.cosines) - len(self.astray[:MOST_EXAMPLES])
        if not self.cosines:
            return
        share = len(self.cosines) / max(report.compared_vectors, 1)
        if share >= _MOST and len(self.cosines) >= _ENOUGH and not pairs:
            fault.cause = (
                f"{len(self.cosines)} of {report.compared_vectors} vectors are not what {identity.provider} "
                f"{identity.model} makes of the texts (cosine {median(self.cosines):.2f} in the middle): another "
                "model, or another state of it, made them."
            )
        elif pairs:
            fault.cause = "Vectors have changed places: searches find one passage by the meaning of another."

    def keep(self, astray: Sequence[Astray]) -> None:
        """Remember what `look` brought; called by one thread."""
        self.cosines += [one.cosine for one in astray]
        self.astray += astray[: max(MOST_EXAMPLES - len(self.astray), 0)]

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
        """Whether two vectors are of one text; those of another length have a fault of their own."""
        if one.shape != other.shape or not np.isfinite(one).all():
            return True
        if np.array_equal(one, other):
            return True
        apart = float(np.linalg.norm(one / np.linalg.norm(one) - other)) if one.any() else 2.0
        return apart <= (_SAME_ELSEWHERE if self.embedder.batching.costly else _SAME_HERE)

    def _whereabouts(self, one: Astray, index: VectorIndex) -> tuple[Chunk | None, bool]:
        """The chunk that holds this one's vector; and whether this one holds that chunk's."""
        nearest = index.search(IndexQuery(one.made, None, _HOLDERS, Filters(everything=True))).dense
        holders = index.stored([scored.chunk_id for scored in nearest])
        for holder in (holders[scored.chunk_id] for scored in nearest if scored.chunk_id in holders):
            chunk = holder.chunk
            if chunk is None or holder.dense is None or chunk.embedded_hash == one.chunk.embedded_hash:
                continue
            if not self.same(holder.dense, one.made):
                continue
            made = self._one(chunk.embedded_text)
            if made is not None and self.same(holder.dense, made):
                continue  # its own too: another text with the same vector
            return chunk, made is not None and self.same(one.stored, made)
        return None, False


def _sentence(one: Astray, other: Chunk | None, *, both: bool) -> str:
    if other is None:
        return f"{name_of(one.chunk)}: its vector is of another text or another model (cosine {one.cosine:.2f})"
    if both:
        return f"{name_of(one.chunk)} and {name_of(other)} hold each other's vectors"
    return f"{name_of(one.chunk)}: its vector stands at {name_of(other)}"


# --- keywords ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class KeywordCheck:
    """Compares keyword vectors with what follows from the texts; `look` may be called from several threads."""

    encoder: SparseEncoder
    average_length: float
    terms: float = 0.0

    def look(self, chunks: Sequence[Chunk], points: Sequence[StoredPoint]) -> tuple[float, list[Found]]:
        """How many terms the texts have, repeated ones counted, and the faults."""
        counts = self._counts(chunks)
        known = [vector for vector in counts if vector is not None]
        weighed = iter(self.encoder.weigh(known, self.average_length))
        found: list[Found] = []
        for chunk, point, count in zip(chunks, points, counts, strict=True):
            if count is None:
                found.append(("keywords", f"{name_of(chunk)}: its text has no terms, for it is no Unicode"))
            elif wrong := _differing(point.sparse, next(weighed)):
                found.append(("keywords", f"{name_of(chunk)}: {wrong}"))
        return sum(sum(vector.values) for vector in known), found

    def conclude(self, chunks: int, report: Audit) -> None:
        """Hold the mean length of all chunks against the one that the generation records."""
        measured = max(self.terms / chunks, 1.0) if chunks else 1.0
        if abs(measured - self.average_length) > 1e-9 * measured:
            fault = report.faults["keywords"]
            fault.count += 1
            fault.cause = (
                f"The generation says that a chunk has {self.average_length:.6g} terms on average, and it has "
                f"{measured:.6g}: long and short passages are not weighed against each other as they should be."
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
    """What is wrong with a keyword vector, in words; "" for nothing."""
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
