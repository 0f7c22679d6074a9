"""From a query's words to what each side of a search looks for, and what to do where they cannot be embedded."""

import logging
from dataclasses import dataclass

from assay.errors import ConfigurationError, EmbeddingError, InputError, InvalidEmbedding
from assay.model.ranking import Embed, Mode, Query
from assay.ports import QueryEmbedder, SparseEncoder, SparseVector, Vector

logger = logging.getLogger(__name__)

_NO_WORDS = "The query has no words that keyword search can look for (only stop words or signs)."
KEYWORDS_ALONE = "The query could not be embedded, so keyword search alone answered, and similarities are not known."


@dataclass(frozen=True, slots=True)
class Encoded:
    """A query as each side needs it.

    mode: of the search that it is for; keyword search where a hybrid query could not be embedded.
    dense: None where the query was not embedded; then no hit has a similarity, and no threshold is applied.
    sparse: None where there is nothing to look for by keyword.
    degraded: whether the query could not be embedded although the search asked for that.
    """

    mode: Mode
    dense: Vector | None
    sparse: SparseVector | None
    warnings: tuple[str, ...] = ()
    degraded: bool = False


class QueryEncoder:
    """Embeds queries, and makes their keyword vectors. encoder: None for an index without keyword vectors."""

    def __init__(self, embedder: QueryEmbedder, encoder: SparseEncoder | None) -> None:
        self._embedder = embedder
        self._encoder = encoder

    def encode(self, query: Query, embed: Embed) -> Encoded:
        """A query as its mode needs it. embed: when it has to be embedded.

        Raises InputError for a text in which the model knows nothing; EmbeddingError, ConfigurationError.
        """
        if query.mode is Mode.DENSE:
            return Encoded(query.mode, embed_query(self._embedder, query.text), None)
        sparse = self._keywords(query.text)
        warnings = (_NO_WORDS,) if sparse is None else ()
        if query.mode is Mode.SPARSE and embed is not Embed.ALWAYS and not self._needs_similarity(query):
            return Encoded(query.mode, self._free_vector(query.text), sparse, warnings)
        try:
            return Encoded(query.mode, embed_query(self._embedder, query.text), sparse, warnings)
        except (EmbeddingError, ConfigurationError) as error:
            if isinstance(error, ConfigurationError) and query.mode is not Mode.SPARSE:
                raise  # a server that was set up wrongly is not well
            # Without words there is no answer at all, which would look like a query without hits.
            if embed is not Embed.WHERE_POSSIBLE or sparse is None:
                raise
            return _without_embedding(query, sparse, error)

    def _needs_similarity(self, query: Query) -> bool:
        return query.threshold > 0.0 or query.with_similarity

    def _free_vector(self, text: str) -> Vector | None:
        """The embedding where it costs nothing; None where it does, or there is none."""
        try:
            return None if self._embedder.batching.costly else self._embedder.embed_query(text)
        except (EmbeddingError, ConfigurationError):
            return None

    def _keywords(self, text: str) -> SparseVector | None:
        """The terms of a query; None where it has none, or the index no keyword vectors."""
        sparse = self._encoder.encode_query(text) if self._encoder is not None else None
        return sparse if sparse is None or sparse.indices else None


def embed_query(embedder: QueryEmbedder, text: str) -> Vector:
    """A query's embedding. Raises InputError for a text in which the model knows nothing, EmbeddingError."""
    try:
        return embedder.embed_query(text)
    except InvalidEmbedding as error:
        raise InputError(f"query: nothing in {text!r} can be searched for ({error.message})") from error


def _without_embedding(query: Query, sparse: SparseVector, error: EmbeddingError | ConfigurationError) -> Encoded:
    dropped = f" The threshold of {query.threshold:g} was not applied." if query.threshold > 0.0 else ""
    warning = KEYWORDS_ALONE + dropped
    logger.warning("%s %s", warning, error)
    return Encoded(Mode.SPARSE, None, sparse, (warning,), degraded=True)
