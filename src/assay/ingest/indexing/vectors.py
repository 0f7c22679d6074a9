"""The sources of a build's vectors: the previous generation, this build, a crashed build's cache, or the embedder."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.model.documents import Chunk
from assay.model.lru_cache import LruCache
from assay.ports import EmbeddedChunk, Embedder, EmbeddingCache, Vector, VectorIndex, fit_checksums, vector_checksums

_CACHE_BYTES = 128 * 1024 * 1024
"""Memory limit in bytes for the vectors of this build."""

_READ_AHEAD = 2
"""Texts read ahead, as a multiple of what the parallel calls can take."""

_CHUNKS_WAITING = 8
"""Chunks, most with a vector, that wait for calls, as a multiple of the texts read ahead."""


EarlierChunks = Callable[[Sequence[str]], Mapping[str, EmbeddedChunk]]
"""Finds a chunk of an earlier generation for each hash of an embedded text; unknown hashes are left out."""


MadeVectors = Callable[[Iterable[Chunk]], Mapping[str, Vector]]
"""The vectors that workers made for some chunks, by hash of the embedded text; chunks without one are left out."""


def no_vectors(chunks: Iterable[Chunk]) -> dict[str, Vector]:  # noqa: ARG001 - fixed signature
    """MadeVectors of a build without workers that embed."""
    return {}


def no_chunks(hashes: Sequence[str]) -> dict[str, EmbeddedChunk]:  # noqa: ARG001 - fixed signature
    """EarlierChunks of a build that reuses nothing."""
    return {}


class Embedded(NamedTuple):
    """A vector with the checksum from when it was made."""

    vector: Vector
    checksum: bytes


@dataclass(slots=True)
class _Batch:
    """A batch of chunks. found: vectors by hash. pending: calls by hash of the text."""

    chunks: Sequence[Chunk]
    found: dict[str, Embedded] = field(default_factory=dict)
    pending: dict[str, "_Call"] = field(default_factory=dict)


@dataclass(slots=True)
class _Call:
    """One call of the embedder: texts by hash. future: None until it is submitted."""

    texts: dict[str, str] = field(default_factory=dict)
    future: Future[dict[str, Embedded]] | None = None


class VectorSupply:
    """Gives each chunk its vector, and embeds only texts without one.

    Vectors are looked up by what is embedded (title, heading path, text), not by chunk id: a renamed page, or one in
    ten versions, is embedded once.

    earlier: index of the generation with reusable vectors; None if there is none of this embedder.
    earlier_chunks: finds a chunk of that index for each of some hashes of embedded texts. A vector that does not match
        its recorded checksum is embedded again and counted in `damaged`.
    cache: keeps costly vectors after a crash; None for no cache.
    made: gives the vectors that workers made; their texts count as embedded.
    """

    def __init__(
        self,
        embedder: Embedder,
        earlier: VectorIndex | None,
        earlier_chunks: EarlierChunks,
        cache: EmbeddingCache | None = None,
        made: MadeVectors = no_vectors,
    ) -> None:
        self._embedder = embedder
        self._batching = embedder.batching
        self._earlier = earlier
        self._earlier_chunks = earlier_chunks
        self._made = made
        self._cache = cache if self._batching.costly else None
        self._seen = LruCache[str, Embedded](max(_CACHE_BYTES // (4 * embedder.identity.dimension), 1))
        self._open = _Call()
        self._called: dict[str, _Call] = {}
        self._pending = 0
        self.embedded = 0
        self.reused = 0
        self.recovered = 0
        self.damaged = 0

    def stream(self, batches: Iterable[Sequence[Chunk]]) -> Generator[tuple[Sequence[Chunk], list[Embedded]]]:
        """Yield each batch with a vector for each of its chunks, in order.

        Embedder calls run in parallel, over several batches, so that the provider's rate and not its latency limits the
        throughput. Memory is limited to a few times what these calls take.

        Raises EmbeddingError, VectorStoreError. On any error, requests in flight are awaited and their vectors are
        cached.
        """
        queue: deque[_Batch] = deque()
        waiting = 0
        max_pending = _READ_AHEAD * self._batching.texts * self._batching.calls
        with ThreadPoolExecutor(self._batching.calls, "embed") as threads:
            try:
                for chunks in batches:
                    queue.append(self._look_up(chunks, threads))
                    waiting += len(chunks)
                    while queue and (
                        self._pending > max_pending or waiting > _CHUNKS_WAITING * max_pending or not queue[0].pending
                    ):
                        waiting -= len(queue[0].chunks)
                        yield self._collect(queue.popleft(), threads)
                while queue:
                    yield self._collect(queue.popleft(), threads)
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                self._embedder.interrupt()
                raise

    def _look_up(self, chunks: Sequence[Chunk], threads: ThreadPoolExecutor) -> _Batch:
        """Look up a batch's vectors, and queue the missing texts."""
        batch = _Batch(chunks)
        by_hash = {chunk.embedded_hash: chunk for chunk in chunks}
        batch.found = {digest: self._seen[digest] for digest in by_hash if digest in self._seen}
        batch.pending = {digest: self._called[digest] for digest in by_hash if digest in self._called}
        unknown = [digest for digest in by_hash if digest not in batch.found and digest not in batch.pending]
        batch.found |= self._from_earlier(unknown)
        batch.found |= self._from_cache([digest for digest in unknown if digest not in batch.found])
        unmade = [digest for digest in unknown if digest not in batch.found]
        batch.found |= _with_checksums(self._made([by_hash[digest] for digest in unmade]))
        self._seen.update(batch.found)  # a later batch may be looked up before this one is collected
        missing = [digest for digest in unmade if digest not in batch.found]
        for digest in missing:
            self._open.texts[digest] = by_hash[digest].embedded_text
            self._called[digest] = batch.pending[digest] = self._open
            if len(self._open.texts) == self._batching.texts:
                self._send(threads)
        self.embedded += len(unmade)
        self.reused += len(chunks) - len(unmade)
        self._pending += len(missing)
        return batch

    def _collect(self, batch: _Batch, threads: ThreadPoolExecutor) -> tuple[Sequence[Chunk], list[Embedded]]:
        """Wait for a batch's pending vectors."""
        for digest, call in batch.pending.items():
            if call.future is None:
                self._send(threads)
            assert call.future is not None
            batch.found[digest] = self._seen[digest] = call.future.result()[digest]
            if self._called.pop(digest, None) is not None:
                self._pending -= 1
        return batch.chunks, [batch.found[chunk.embedded_hash] for chunk in batch.chunks]

    def _send(self, threads: ThreadPoolExecutor) -> None:
        """Submit the open call and start another."""
        self._open.future = threads.submit(self._embed, self._open.texts)
        self._open = _Call()

    def _embed(self, texts: Mapping[str, str]) -> dict[str, Embedded]:
        """Make one call and cache its vectors."""
        vectors = dict(zip(texts, self._embedder.embed_documents(list(texts.values())), strict=True))
        if self._cache is not None:
            self._cache.keep(self._embedder.identity, vectors)
        return _with_checksums(vectors)

    def _from_earlier(self, hashes: Sequence[str]) -> dict[str, Embedded]:
        chunks = self._earlier_chunks(hashes) if hashes and self._earlier is not None else {}
        if not chunks or self._earlier is None:
            return {}
        stored = self._earlier.vectors([chunk.chunk_id for chunk in chunks.values()])
        found = {digest: stored[chunk.chunk_id] for digest, chunk in chunks.items() if chunk.chunk_id in stored}
        recorded = {digest: one for digest in found if (one := chunks[digest].checksum) is not None}
        matches = fit_checksums([found[digest] for digest in recorded], list(recorded.values()))
        intact = {
            digest: Embedded(found[digest], checksum)
            for (digest, checksum), matches_checksum in zip(recorded.items(), matches, strict=True)
            if matches_checksum
        }
        self.damaged += len(recorded) - len(intact)
        return intact | _with_checksums({digest: one for digest, one in found.items() if digest not in recorded})

    def _from_cache(self, hashes: Sequence[str]) -> dict[str, Embedded]:
        if self._cache is None or not hashes:
            return {}
        found = self._cache.vectors(self._embedder.identity, hashes)
        self.recovered += len(found)
        return _with_checksums(found)


def _with_checksums(vectors: Mapping[str, Vector]) -> dict[str, Embedded]:
    checksums = vector_checksums(list(vectors.values()))
    return {digest: Embedded(vectors[digest], checksum) for digest, checksum in zip(vectors, checksums, strict=True)}
