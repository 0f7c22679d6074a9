"""Where the vectors of a build come from: the generation before, this build itself, or the embedder."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence

from assay.model.documents import Chunk
from assay.ports import Embedder, Vector, VectorIndex

_CACHE_BYTES = 128 * 1024 * 1024
"""The most that vectors seen in this build may take up in memory."""


class VectorSupply:
    """Gives each chunk its vector, and asks the embedder only for texts that nobody has embedded yet.

    What is embedded (title, heading path, text) decides, not the chunk's id: a page that was renamed, or that
    stands in ten versions, is embedded once.

    earlier: index of the generation whose vectors may be used again; None when there is none of this embedder.
    earlier_ids: for each hash of an embedded text, a chunk of that index which has it.
    """

    def __init__(self, embedder: Embedder, earlier: VectorIndex | None, earlier_ids: Mapping[str, str]) -> None:
        self._embedder = embedder
        self._earlier = earlier
        self._earlier_ids = earlier_ids
        self._seen: OrderedDict[str, Vector] = OrderedDict()
        self._capacity = max(_CACHE_BYTES // (4 * embedder.identity.dimension), 1)
        self.embedded = 0
        self.reused = 0

    def vectors(self, chunks: Sequence[Chunk]) -> list[Vector]:
        """A vector for each chunk, in their order. Raises EmbeddingError, VectorStoreError."""
        found = {c.embedded_hash: self._seen[c.embedded_hash] for c in chunks if c.embedded_hash in self._seen}
        found |= self._from_earlier([c.embedded_hash for c in chunks if c.embedded_hash not in found])
        missing = {c.embedded_hash: c.embedded_text for c in chunks if c.embedded_hash not in found}
        if missing:
            fresh = self._embedder.embed_documents(list(missing.values()))
            found |= zip(missing, fresh, strict=True)
            self.embedded += len(missing)
        self.reused += len(chunks) - len(missing)
        self._remember(found)
        return [found[chunk.embedded_hash] for chunk in chunks]

    def _from_earlier(self, hashes: Sequence[str]) -> dict[str, Vector]:
        wanted = {self._earlier_ids[digest]: digest for digest in hashes if digest in self._earlier_ids}
        if not wanted or self._earlier is None:
            return {}
        return {wanted[chunk_id]: vector for chunk_id, vector in self._earlier.vectors(list(wanted)).items()}

    def _remember(self, vectors: Mapping[str, Vector]) -> None:
        for digest, vector in vectors.items():
            self._seen[digest] = vector
            self._seen.move_to_end(digest)
        while len(self._seen) > self._capacity:
            self._seen.popitem(last=False)
