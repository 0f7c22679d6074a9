"""An embedder and a vector store in memory, exact, for tests and as a reference."""

import hashlib
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.adapters.stores import payload
from assay.errors import IndexCorrupt, IndexNotFound, InvalidEmbedding, StoreUnavailable, VectorStoreError
from assay.model.documents import Chunk
from assay.model.generations import EmbedderIdentity
from assay.model.ranking import Filters
from assay.ports import (
    Batching,
    Compared,
    IndexAnswer,
    IndexPoint,
    IndexQuery,
    IndexSpec,
    Inspected,
    Scored,
    SparseVector,
    StoredPoint,
    StoreReport,
    TokenCounter,
    Vector,
    Vectors,
)

_WORD = re.compile(r"\w+")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_UNIT = 1e-3


class MemoryEmbedder:
    """Sums a random vector per word, seeded by its hash, so that texts with common words are similar.

    max_tokens: maximum number of words of a text; None for no limit.
    """

    def __init__(self, dimension: int, max_tokens: int | None) -> None:
        self._dimension = dimension
        self._max_tokens = max_tokens
        self._words: dict[str, Vector] = {}

    @property
    def identity(self) -> EmbedderIdentity:
        """Everything that the meaning of its vectors depends on."""
        return EmbedderIdentity(provider="memory", model="hashed-words", dimension=self._dimension, revision="1")

    @property
    def max_tokens(self) -> int | None:
        """Maximum number of words of one text."""
        return self._max_tokens

    @property
    def tokenizer(self) -> str:
        """Name of the tokenizer that count_tokens uses."""
        return "words"

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Number of words of each text."""
        return _count_words(texts)

    @property
    def token_counter(self) -> TokenCounter:
        """A function."""
        return _count_words

    @property
    def batching(self) -> Batching:
        """Large batches, one at a time, not cached."""
        return Batching(texts=512, calls=1, costly=False)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed documents. Returns float32 of shape (len(texts), dimension), each row of length 1."""
        vectors = np.empty((len(texts), self._dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self.embed_query(text)
        return vectors

    def embed_query(self, text: str) -> Vector:
        """Embed a query. Returns float32 of shape (dimension,), of length 1. Raises EmbeddingError."""
        words = _WORD.findall(text.casefold())
        if not words:
            raise InvalidEmbedding(f"{text[:80]!r} has no word.")
        if self._max_tokens is not None and len(words) > self._max_tokens:
            raise InvalidEmbedding(f"{text[:80]!r} has {len(words)} words; the maximum is {self._max_tokens}.")
        return _unit(np.add.reduce([self._direction(word) for word in words], axis=0, dtype=np.float32))

    def prefetch_queries(self, texts: Sequence[str], seconds: float | None = None) -> None:
        """Do nothing."""

    def interrupt(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def _direction(self, word: str) -> Vector:
        if word not in self._words:
            seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[:8], "big")
            self._words[word] = np.random.default_rng(seed).standard_normal(self._dimension).astype(np.float32)
        return self._words[word]


def _count_words(texts: Sequence[str]) -> list[int]:
    return [len(_WORD.findall(text)) for text in texts]


@dataclass(slots=True)
class _Contents:
    """One generation's points, by chunk id."""

    dimension: int
    points: dict[str, IndexPoint] = field(default_factory=dict)
    sealed: bool = False


class MemoryStore:
    """Indexes in memory. Safe to use from several threads."""

    def __init__(self) -> None:
        self._generations: dict[str, _Contents] = {}
        self._lock = threading.Lock()

    @property
    def owns_all_indexes(self) -> bool:
        """Whether only Assay keeps indexes there, so that one unknown to the catalog is a leftover to delete."""
        return True

    def create(self, generation: str, spec: IndexSpec) -> "MemoryWriter":
        """Create an index. Raises VectorStoreError if it exists."""
        with self._lock:
            if generation in self._generations:
                raise VectorStoreError(f"The index {generation} already exists.", hint="Delete it first.")
            contents = self._generations[generation] = _Contents(spec.dimension)
        return MemoryWriter(self, generation, contents)

    def open(self, generation: str, spec: IndexSpec) -> "MemoryIndex":
        """Open a sealed index. Raises IndexNotFound, IndexCorrupt, StoreUnavailable."""
        contents = self._generations.get(generation)
        if contents is None:
            raise IndexNotFound(f"There is no index {generation}.", hint="Build one with `assay ingest`.")
        if not contents.sealed:
            raise IndexCorrupt(f"The index {generation} was never finished.", hint="Rebuild it.")
        if contents.dimension != spec.dimension:
            raise IndexCorrupt(f"The index {generation} has {contents.dimension} dimensions, not {spec.dimension}.")
        return MemoryIndex(generation, contents.dimension, contents.points)

    def inspect(self, generation: str, spec: IndexSpec) -> Inspected:
        """Open an index for checks; a missing or damaged one is reported and not raised."""
        try:
            return Inspected(self.open(generation, spec))
        except (IndexNotFound, IndexCorrupt) as error:
            return Inspected(None, (error.message,))

    def delete(self, generation: str) -> None:
        """Delete an index, sealed or not; does nothing if there is none."""
        with self._lock:
            self._generations.pop(generation, None)

    def generations(self) -> list[str]:
        """Ids of all generations with an index here, sealed or not, ascending."""
        return sorted(self._generations)

    def switch_alias(self, generation: str) -> None:
        """Do nothing."""

    def check(self) -> None:
        """Do nothing."""

    def describe(self) -> StoreReport:
        """The state of the store. Raises VectorStoreError."""
        return StoreReport(f"{len(self._generations)} index(es) in memory", (), None)

    def close(self) -> None:
        """Do nothing."""


class MemoryWriter:
    """Writes one generation's index; used by one thread."""

    def __init__(self, store: MemoryStore, generation: str, contents: _Contents) -> None:
        self._store = store
        self._generation = generation
        self._contents = contents

    def add(self, points: Sequence[IndexPoint]) -> None:
        """Write points; a point replaces an earlier one with the same id."""
        if self._contents.sealed:
            raise StoreUnavailable(f"The index {self._generation} is sealed and takes no more points.")
        for point in points:
            if not _UUID.fullmatch(point.chunk.id):
                raise VectorStoreError(f"The chunk id {point.chunk.id!r} is not a UUID, as ids of points have to be.")
            shape, length = point.dense.shape, float(np.linalg.norm(point.dense))
            if shape != (self._contents.dimension,) or not abs(length - 1.0) <= _UNIT:
                raise InvalidEmbedding(
                    f"The vector of chunk {point.chunk.id} has shape {shape} and length {length}; "
                    f"the index takes {self._contents.dimension} dimensions and length 1."
                )
        self._contents.points.update((point.chunk.id, point) for point in points)

    def seal(self) -> None:
        """Flush everything, build the approximate index if it pays, and close. Only a sealed index can be opened."""
        self._contents.sealed = True

    def abort(self) -> None:
        """Discard the index; does nothing once it is sealed."""
        if not self._contents.sealed:
            self._store.delete(self._generation)


class MemoryIndex:
    """One generation's sealed index; safe to use from several threads."""

    def __init__(self, generation: str, dimension: int, points: Mapping[str, IndexPoint]) -> None:
        self._generation = generation
        self._points = {chunk_id: points[chunk_id] for chunk_id in sorted(points)}
        self._rows = {chunk_id: row for row, chunk_id in enumerate(self._points)}
        self._matrix: NDArray[np.float32] = np.zeros((len(points), dimension), dtype=np.float32)  # (points, dimension)
        for row, point in enumerate(self._points.values()):
            self._matrix[row] = point.dense
        self._facets = [frozenset(payload.facets(point.chunk)) for point in self._points.values()]
        self._weights = [dict(zip(p.sparse.indices, p.sparse.values, strict=True)) for p in self._points.values()]
        self._dimension = dimension
        self._closed = False

    def count(self) -> int:
        """Number of points."""
        return len(self._open())

    def search(self, query: IndexQuery) -> IndexAnswer:
        """Search both sides in one request; a failure is never returned as an empty answer."""
        self._open()
        if query.dense is not None:
            self._require_direction(query.dense)
        in_scope = [_all_of(_scope(query.filters), facets) for facets in self._facets]
        narrowing = _narrowing(query.filters)
        wanted = [scope and _all_of(narrowing, facets) for scope, facets in zip(in_scope, self._facets, strict=True)]
        return IndexAnswer(
            dense=() if query.dense is None else self._dense(query.dense, wanted, query.limit),
            sparse=() if query.sparse is None else self._sparse(query.sparse, in_scope, wanted, query.limit),
        )

    def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """The stored chunks by id; ids that the index lacks are left out."""
        points = self._open()
        return {chunk_id: points[chunk_id].chunk for chunk_id in chunk_ids if chunk_id in points}

    def compare(self, vector: Vector, chunk_ids: Sequence[str]) -> dict[str, Compared]:
        """The stored chunks with their cosine to a vector, in one request; ids that the index lacks are left out."""
        points = self._open()
        self._require_direction(vector)
        cosines = self._matrix @ _unit(vector)
        return {
            chunk_id: Compared(points[chunk_id].chunk, float(cosines[self._rows[chunk_id]]))
            for chunk_id in chunk_ids
            if chunk_id in points
        }

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The stored dense vectors by id, bit for bit as they were written; missing ids are left out."""
        points = self._open()
        return {chunk_id: points[chunk_id].dense.copy() for chunk_id in chunk_ids if chunk_id in points}

    def stored(self, chunk_ids: Sequence[str]) -> dict[str, StoredPoint]:
        """The points with these ids, damaged ones too; missing ids are left out."""
        points = self._open()
        return {
            chunk_id: StoredPoint(points[chunk_id].chunk, points[chunk_id].dense.copy(), points[chunk_id].sparse)
            for chunk_id in chunk_ids
            if chunk_id in points
        }

    def ids(self) -> Iterator[str]:
        """Every chunk id, in ascending order."""
        return iter(list(self._open()))

    def close(self) -> None:
        """Close the index; a second call does nothing."""
        self._closed = True

    def _require_direction(self, vector: Vector) -> None:
        if vector.shape != (self._dimension,) or not 0.0 < float(vector @ vector) < float("inf"):
            raise InvalidEmbedding(f"A query of shape {vector.shape} has no direction in {self._dimension} dimensions.")

    def _open(self) -> Mapping[str, IndexPoint]:
        if self._closed:
            raise StoreUnavailable(f"The index {self._generation} is closed.")
        return self._points

    def _dense(self, vector: Vector, wanted: Sequence[bool], limit: int) -> tuple[Scored, ...]:
        cosines = (self._matrix @ _unit(vector)).tolist()
        return _best(
            ((i, cosine) for i, cosine, want in zip(self._points, cosines, wanted, strict=True) if want), limit
        )

    def _sparse(
        self, terms: SparseVector, in_scope: Sequence[bool], wanted: Sequence[bool], limit: int
    ) -> tuple[Scored, ...]:
        """BM25 with the IDF of the scope, ln(1 + (N - df + 0.5) / (df + 0.5)); only points with a common term."""
        scope = [weights for weights, inside in zip(self._weights, in_scope, strict=True) if inside]
        query: dict[int, float] = {}
        for term, weight in zip(terms.indices, terms.values, strict=True):
            frequency = sum(term in weights for weights in scope)
            query[term] = weight * float(np.log1p((len(scope) - frequency + 0.5) / (frequency + 0.5)))
        scores = (
            (chunk_id, sum(weights[term] * query[term] for term in query if term in weights))
            for chunk_id, weights, want in zip(self._points, self._weights, wanted, strict=True)
            if want and not query.keys().isdisjoint(weights)
        )
        return _best(scores, limit)


def _unit(vector: Vector) -> Vector:
    return vector / np.float32(np.linalg.norm(vector))


def _best(scores: Iterator[tuple[str, float]], limit: int) -> tuple[Scored, ...]:
    ranked = sorted(scores, key=lambda scored: (-scored[1], scored[0]))
    return tuple(Scored(chunk_id, score) for chunk_id, score in ranked[:limit])


def _scope(filters: Filters) -> list[list[str]]:
    """Conditions on version and locale: a point needs one facet of each list."""
    return [
        [payload.version_facet(version) for version in filters.versions]
        or ([] if filters.everything else [payload.CURRENT_VERSION]),
        [payload.locale_facet(locale) for locale in filters.locales]
        or ([] if filters.everything else [payload.DEFAULT_LOCALE]),
    ]


def _narrowing(filters: Filters) -> list[list[str]]:
    """Conditions on URL, section and source."""
    return [
        [payload.url_facet(filters.url_prefix)] if filters.url_prefix else [],
        [payload.section_facet(section) for section in filters.sections],
        [payload.source_facet(source) for source in filters.sources],
    ]


def _all_of(wanted: Sequence[Sequence[str]], facets: frozenset[str]) -> bool:
    return all(not facets.isdisjoint(choices) for choices in wanted if choices)
