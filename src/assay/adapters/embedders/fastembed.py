"""ONNX models on this machine's CPU by fastembed, an optional extra: `pip install '.[fastembed]'`.

A model is downloaded at first use, or read from a folder. Texts are embedded one by one, because padding in a batch
changes the last bits of a vector, and a text's vector must not depend on other texts.
"""

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from assay.adapters.embedders.remote.vector_checks import require_text, unit_vectors
from assay.adapters.remote.unusable import UnusableAnswer
from assay.errors import ConfigurationError, EmbedderUnavailable, InvalidEmbedding
from assay.model.generations import EmbedderIdentity
from assay.ports import Batching, TextEmbedder, TokenCounter, Vector, Vectors


class FastEmbedEmbedder:
    """A model of fastembed. Safe to use from several threads.

    model: fastembed's name of a built-in or added model.
    folder: of the model's files; None to let fastembed find or download them.

    Raises ConfigurationError if fastembed or the model is missing, EmbedderUnavailable if it cannot be loaded.
    """

    token_counter: TokenCounter | None = None
    """None: it cannot be pickled."""

    local_embedder: TextEmbedder | None = None
    """None: one model uses all cores."""

    batching = Batching(texts=64, calls=1, costly=True)
    """One call at a time, because the model uses all cores; cached, because embedding takes hours."""

    def __init__(self, model: str, folder: Path | None) -> None:
        self._model = _load(model, folder)
        self._counter = Tokenizer.from_str(self._model.model.tokenizer.to_str())
        self.max_tokens: int | None = (self._counter.truncation or {}).get("max_length")
        self._counter.no_truncation()  # fastembed truncates silently; here all tokens are counted
        self._counter.no_padding()
        self.identity = EmbedderIdentity(
            "fastembed", model, int(self._model.embedding_size), revision=f"fastembed {_release()}"
        )
        self.tokenizer = model  # the model's own

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text, with the special tokens at both ends; 0 for an empty one."""
        return [len(self._counter.encode(text).ids) if text else 0 for text in texts]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed documents. Returns float32 of shape (len(texts), dimension), each row of length 1."""
        vectors = np.empty((len(texts), self.identity.dimension), dtype=np.float32)
        self._check(texts)
        for row, text in enumerate(texts):
            vectors[row] = self._unit(next(iter(self._model.passage_embed([text]))))
        return vectors

    def embed_query(self, text: str) -> Vector:
        """Embed a query. Returns float32 of shape (dimension,), of length 1. Raises EmbeddingError."""
        self._check([text])
        return self._unit(next(iter(self._model.query_embed(text))))

    def prefetch_queries(self, texts: Sequence[str], seconds: float | None = None) -> None:
        """Do nothing."""

    def interrupt(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def _check(self, texts: Sequence[str]) -> None:
        require_text(texts)
        for text, count in zip(texts, self.count_tokens(texts), strict=True):
            if self.max_tokens is not None and count > self.max_tokens:
                raise InvalidEmbedding(
                    f"The text {text[:80]!r}… has {count} tokens, and {self.tokenizer} takes {self.max_tokens}.",
                    hint="Shorten it; texts are not truncated.",
                )

    def _unit(self, raw: Any) -> Vector:  # noqa: ANN401 - fastembed's array
        try:
            units = unit_vectors([np.asarray(raw, dtype=np.float64).tolist()], 1, self.identity.dimension)
        except UnusableAnswer as error:
            raise InvalidEmbedding(f"{self.identity.model} returned a vector that cannot be used: {error}.") from None
        vector: Vector = units[0]
        return vector


def _load(model: str, folder: Path | None) -> Any:  # noqa: ANN401 - fastembed is optional
    try:
        from fastembed import TextEmbedding
    except ImportError:
        raise ConfigurationError(
            "The embedder fastembed is not installed.",
            hint="Install it: `pip install '.[fastembed]'` in Assay's checkout.",
        ) from None
    where = {"specific_model_path": str(folder)} if folder else {}
    try:
        return TextEmbedding(model, **where)
    except ValueError as error:
        raise ConfigurationError(
            f"fastembed cannot load {model}: {error}",
            hint="`python -c 'import fastembed; print(fastembed.TextEmbedding.list_supported_models())'` lists them.",
        ) from None
    except Exception as error:
        raise EmbedderUnavailable(
            f"The files of {model} cannot be loaded: {error}",
            hint="They are downloaded once; without a network set [embedding] model_dir to a folder with them.",
        ) from error


def _release() -> str:
    try:
        return version("fastembed")
    except PackageNotFoundError:
        return "unknown"
