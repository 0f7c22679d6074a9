"""The order that the seeds' shapes promise: by similarity."""

from collections.abc import Sequence

from assay.model.ranking import Hit


def by_similarity(hits: Sequence[Hit]) -> list[Hit]:
    """The most similar first, equal similarities by chunk id.

    Search orders by the cosine; hits whose cosines were clipped to 0 or 1 are equal only here.
    """
    return sorted(hits, key=lambda hit: (-hit.similarity, hit.chunk.id))
