"""Where a build's vectors come from: the generation before, this build itself, a build that died, or the embedder."""

from collections import deque
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.model.documents import Chunk
from assay.model.lru_cache import LruCache
from assay.ports import (
    EmbeddedChunk,
    Embedder,
    EmbeddingCache,
    Vector,
    VectorIndex,
    fit_checksums,
    vector_checksums,
)

_CACHE_BYTES = 128 * 1024 * 1024
"""The most that vectors seen in this build may take up in memory."""

_WAITING = 2
"""Texts that are read ahead, as a multiple of those that calls at the same time can take."""


class Embedded(NamedTuple):
    """A vector with the checksum that it got when it was made."""

    vector: Vector
    checksum: bytes


@dataclass(slots=True)
class _Batch:
    """Chunks on their way. found: vectors by hash; pending: hashes whose vectors are being made, by their call."""

    chunks: Sequence[Chunk]
    found: dict[str, Embedded] = field(default_factory=dict)
    pending: dict[str, "_Call"] = field(default_factory=dict)


@dataclass(slots=True)
class _Call:
    """Texts by hash for one call of the embedder; future: None until it is made."""

    texts: dict[str, str] = field(default_factory=dict)
    future: Future[dict[str, Embedded]] | None = None


class VectorSupply:
    """Gives each chunk its vector, and asks the embedder only for texts that nobody has embedded yet.

    What is embedded (title, heading path, text) decides, not the chunk's id: a page that was renamed, or that
    stands in ten versions, is embedded once.

    earlier: index of the generation whose vectors may be used again; None when there is none of this embedder.
    earlier_chunks: for each hash of an embedded text, a chunk of that index which has it. A vector that does not have
        the checksum recorded of it is not used again: its text is embedded, and `damaged` counts it.
    cache: where costly vectors are kept through a crash; None for nowhere.
    """

    def __init__(
        self,
        embedder: Embedder,
        earlier: VectorIndex | None,
        earlier_chunks: Mapping[str, EmbeddedChunk],
        cache: EmbeddingCache | None = None,
    ) -> None:
        self._embedder = embedder
        self._batching = embedder.batching
        self._earlier = earlier
        self._earlier_chunks = earlier_chunks
        self._cache = cache if self._batching.costly else None
        self._seen = LruCache[str, Embedded](max(_CACHE_BYTES // (4 * embedder.identity.dimension), 1))
        self._open = _Call()
        self._called: dict[str, _Call] = {}
        self._waiting = 0
        self.embedded = 0
        self.reused = 0
        self.recovered = 0
        self.damaged = 0

    def stream(self, batches: Iterable[Sequence[Chunk]]) -> Generator[tuple[Sequence[Chunk], list[Embedded]]]:
        """Each batch with a vector for each of its chunks, in order.

        Several calls of the embedder go on at the same time, over as many batches as it takes to fill them, so that
        what bounds the throughput is the provider's rate and not its latency. Memory holds a few times what these
        calls take, however many batches there are.

        Raises EmbeddingError, VectorStoreError. Whatever is raised, requests that a provider is working on are waited
        for and what they bring is kept.
        """
        queue: deque[_Batch] = deque()
        most = _WAITING * self._batching.texts * self._batching.calls
        with ThreadPoolExecutor(self._batching.calls, "embed") as threads:
            try:
                for chunks in batches:
                    queue.append(self._begin(chunks, threads))
                    while queue and (self._waiting > most or not queue[0].pending):
                        yield self._finish(queue.popleft(), threads)
                while queue:
                    yield self._finish(queue.popleft(), threads)
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                self._embedder.interrupt()
                raise

    def _begin(self, chunks: Sequence[Chunk], threads: ThreadPoolExecutor) -> _Batch:
        """Look everywhere, and put what nobody has in line for the embedder."""
        batch = _Batch(chunks)
        texts = {chunk.embedded_hash: chunk.embedded_text for chunk in chunks}
        batch.found = {digest: self._seen[digest] for digest in texts if digest in self._seen}
        batch.pending = {digest: self._called[digest] for digest in texts if digest in self._called}
        unknown = [digest for digest in texts if digest not in batch.found and digest not in batch.pending]
        batch.found |= self._from_earlier(unknown)
        batch.found |= self._from_cache([digest for digest in unknown if digest not in batch.found])
        missing = [digest for digest in unknown if digest not in batch.found]
        for digest in missing:
            self._open.texts[digest] = texts[digest]
            self._called[digest] = batch.pending[digest] = self._open
            if len(self._open.texts) == self._batching.texts:
                self._send(threads)
        self.embedded += len(missing)
        self.reused += len(chunks) - len(missing)
        self._waiting += len(missing)
        return batch

    def _finish(self, batch: _Batch, threads: ThreadPoolExecutor) -> tuple[Sequence[Chunk], list[Embedded]]:
        """Wait for what is still on its way."""
        for digest, call in batch.pending.items():
            if call.future is None:
                self._send(threads)
            assert call.future is not None
            batch.found[digest] = call.future.result()[digest]
            if self._called.pop(digest, None) is not None:
                self._waiting -= 1
        self._seen.update(batch.found)
        return batch.chunks, [batch.found[chunk.embedded_hash] for chunk in batch.chunks]

    def _send(self, threads: ThreadPoolExecutor) -> None:
        """Make the call that is being filled, and begin another."""
        self._open.future = threads.submit(self._embed, self._open.texts)
        self._open = _Call()

    def _embed(self, texts: Mapping[str, str]) -> dict[str, Embedded]:
        """One call, whose vectors are kept before the thread makes another."""
        vectors = dict(zip(texts, self._embedder.embed_documents(list(texts.values())), strict=True))
        if self._cache is not None:
            self._cache.keep(self._embedder.identity, vectors)
        return _with_checksums(vectors)

    def _from_earlier(self, hashes: Sequence[str]) -> dict[str, Embedded]:
        wanted = {digest: self._earlier_chunks[digest] for digest in hashes if digest in self._earlier_chunks}
        if not wanted or self._earlier is None:
            return {}
        stored = self._earlier.vectors([chunk.chunk_id for chunk in wanted.values()])
        there = {digest: stored[chunk.chunk_id] for digest, chunk in wanted.items() if chunk.chunk_id in stored}
        recorded = {digest: one for digest in there if (one := wanted[digest].checksum) is not None}
        fits = fit_checksums([there[digest] for digest in recorded], list(recorded.values()))
        sound = {
            digest: Embedded(there[digest], checksum)
            for (digest, checksum), fit in zip(recorded.items(), fits, strict=True)
            if fit
        }
        self.damaged += len(recorded) - len(sound)
        return sound | _with_checksums({digest: one for digest, one in there.items() if digest not in recorded})

    def _from_cache(self, hashes: Sequence[str]) -> dict[str, Embedded]:
        if self._cache is None or not hashes:
            return {}
        found = self._cache.vectors(self._embedder.identity, hashes)
        self.recovered += len(found)
        return _with_checksums(found)


def _with_checksums(vectors: Mapping[str, Vector]) -> dict[str, Embedded]:
    checksums = vector_checksums(list(vectors.values()))
    return {digest: Embedded(vectors[digest], checksum) for digest, checksum in zip(vectors, checksums, strict=True)}
