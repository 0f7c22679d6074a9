"""Encodes a query for both sides of a search, with a fallback if it cannot be embedded."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import ConfigurationError, EmbeddingError, InputError, InvalidEmbedding
from assay.model.ranking import Embed, Mode, Query
from assay.ports import QueryEmbedder, SparseEncoder, SparseVector, Vector

logger = logging.getLogger(__name__)

_NO_WORDS = "The query has no words for keyword search (only stop words or punctuation)."
KEYWORDS_ALONE = "The query could not be embedded: keyword search alone answered, and similarities are unknown."


@dataclass(frozen=True, slots=True)
class Encoded:
    """A query encoded for each side.

    mode: of the search; sparse if a hybrid query could not be embedded.
    dense: None if the query was not embedded; then hits have no similarity and no threshold applies.
    sparse: None if there are no keywords.
    degraded: whether embedding was requested and failed.
    """

    mode: Mode
    dense: Vector | None
    sparse: SparseVector | None
    warnings: tuple[str, ...] = ()
    degraded: bool = False


class QueryEncoder:
    """Makes the dense and sparse vectors of queries. encoder: None for an index without keyword vectors."""

    def __init__(self, embedder: QueryEmbedder, encoder: SparseEncoder | None) -> None:
        self._embedder = embedder
        self._encoder = encoder

    def encode(self, query: Query, embed: Embed, names: Sequence[str] = ()) -> Encoded:
        """Encode a query for its mode. embed: when it is embedded. names: as in SparseEncoder.encode_query.

        Raises InputError for a text without a token that the model knows; EmbeddingError, ConfigurationError.
        """
        if query.mode is Mode.DENSE:
            return Encoded(query.mode, embed_query(self._embedder, query.text), None)
        sparse = self._keywords(query.text, names)
        warnings = (_NO_WORDS,) if sparse is None else ()
        if query.mode is Mode.SPARSE and embed is not Embed.ALWAYS and not self._needs_similarity(query):
            return Encoded(query.mode, self._free_vector(query.text), sparse, warnings)
        try:
            return Encoded(query.mode, embed_query(self._embedder, query.text), sparse, warnings)
        except (EmbeddingError, ConfigurationError) as error:
            if isinstance(error, ConfigurationError) and query.mode is not Mode.SPARSE:
                raise  # a fallback would hide the wrong setting
            # Without keywords the answer would be empty, like that of a query without hits.
            if embed is not Embed.WHERE_POSSIBLE or sparse is None:
                raise
            return _without_embedding(query, sparse, error)

    def _needs_similarity(self, query: Query) -> bool:
        return query.threshold > 0.0 or query.with_similarity

    def _free_vector(self, text: str) -> Vector | None:
        """The embedding if it costs nothing; else None."""
        try:
            return None if self._embedder.batching.costly else self._embedder.embed_query(text)
        except (EmbeddingError, ConfigurationError):
            return None

    def _keywords(self, text: str, names: Sequence[str]) -> SparseVector | None:
        """The terms of a query; None if it has none, or the index has no keyword vectors."""
        sparse = self._encoder.encode_query(text, names) if self._encoder is not None else None
        return sparse if sparse is None or sparse.indices else None


def embed_query(embedder: QueryEmbedder, text: str) -> Vector:
    """Embed a query. Raises InputError for a text without a token that the model knows; EmbeddingError."""
    try:
        return embedder.embed_query(text)
    except InvalidEmbedding as error:
        raise InputError(f"query: {text!r} has no word that the model knows ({error.message})") from error


def _without_embedding(query: Query, sparse: SparseVector, error: EmbeddingError | ConfigurationError) -> Encoded:
    dropped = f" The threshold of {query.threshold:g} was not applied." if query.threshold > 0.0 else ""
    warning = KEYWORDS_ALONE + dropped
    logger.warning("%s %s", warning, error)
    return Encoded(Mode.SPARSE, None, sparse, (warning,), degraded=True)
