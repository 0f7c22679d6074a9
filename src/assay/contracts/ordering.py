"""The order that the seeds' shapes promise: by similarity."""

from collections.abc import Sequence

from assay.model.ranking import Hit, Mode, Ranking


def promised_order(ranking: Ranking) -> Sequence[Hit]:
    """The hits as the seeds' shapes send them: by similarity, or as they were fused where the operator chose that."""
    return by_similarity(ranking.hits) if ranking.query.mode is Mode.DENSE else ranking.hits


def by_similarity(hits: Sequence[Hit]) -> list[Hit]:
    """The most similar first, equal similarities by chunk id.

    Search orders by the cosine; hits whose cosines were clipped to 0 or 1 are equal only here.
    """
    return sorted(hits, key=lambda hit: (-hit.similarity, hit.chunk.id))
