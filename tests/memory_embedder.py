"""An embedder in memory, for tests of code that embeds."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from assay.errors import InvalidEmbedding
from assay.model.generations import EmbedderIdentity
from assay.ports import Batching, TextEmbedder, TokenCounter, Vector, Vectors

_WORD = re.compile(r"\w+")


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
    def local_embedder(self) -> TextEmbedder:
        """The method, with this embedder."""
        return self.embed_documents

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
        total = np.add.reduce([self._direction(word) for word in words], axis=0, dtype=np.float32)
        return total / np.float32(np.linalg.norm(total))

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
