"""Find vectors that probably belong to another text, without calling the embedder that made them.

A second, free model embeds the same texts. A linear map between the two spaces, fitted by ridge regression on some
thousands of chunks, predicts each stored vector. A vector far from its prediction is suspicious. That is no proof,
because texts can be unusual; it ranks the vectors to check first.
"""

import heapq
import random

import numpy as np
from numpy.typing import NDArray

from assay.errors import IndexCorrupt, InvalidEmbedding
from assay.model.batches import batched
from assay.model.documents import Chunk
from assay.model.generations import Generation
from assay.ports import Catalog, Embedder, Progress, Vector, VectorIndex

FITTED_ON = 4_096
"""Chunks to fit the map on: sixteen for each of its 256 inputs."""

LEAST = 1_024
"""Fewer chunks are too few to fit the map."""

_AT_ONCE = 1_000
_RIDGE = 1.0

_Wide = NDArray[np.float64]


def most_suspicious(
    generation: Generation,
    catalog: Catalog,
    index: VectorIndex,
    opinion: Embedder,
    size: int,
    progress: Progress,
) -> list[int]:
    """Places, from 0 in the catalog's order, of the `size` chunks whose vectors fit their texts least, worst first.

    opinion: a model other than the generation's. Returns [] with too few chunks. Raises CatalogError,
    VectorStoreError, EmbeddingError.
    """
    if generation.chunks < LEAST or size < 1:
        return []
    sampled = random.Random(f"{generation.content_fingerprint} opinion")  # noqa: S311 - to be repeated
    fitted_on = set(sampled.sample(range(generation.chunks), min(FITTED_ON, generation.chunks)))
    chosen = ((place, chunk) for place, chunk in enumerate(catalog.chunks(generation.id)) if place in fitted_on)
    parts = [_pairs(part, index, opinion, generation.embedder.dimension) for part in batched(chosen, _AT_ONCE)]
    guess = _fitted(np.vstack([known for _, known, _ in parts]), np.vstack([stored for _, _, stored in parts]))
    progress.begin("suspects", generation.chunks)
    worst: list[tuple[float, int]] = []
    for part in batched(enumerate(catalog.chunks(generation.id)), _AT_ONCE):
        places, known, stored = _pairs(part, index, opinion, generation.embedder.dimension)
        guessed = known @ guess
        lengths = np.linalg.norm(guessed, axis=1)
        fits = ((guessed * stored).sum(axis=1) / np.where(lengths > 0.0, lengths, 1.0)).tolist()
        worst = heapq.nsmallest(size, [*worst, *zip(fits, places, strict=True)])
        progress.advance(len(part))
    progress.end()
    return [place for _, place in worst]


def _pairs(
    part: list[tuple[int, Chunk]], index: VectorIndex, opinion: Embedder, dimension: int
) -> tuple[list[int], _Wide, _Wide]:
    """For the chunks with a usable vector: places, vectors of the other model, stored vectors.

    Shapes (chunks, dimension of the other model + 1) and (chunks, dimension), the latter of length 1.
    """
    try:
        points = index.stored([chunk.id for _, chunk in part])
    except IndexCorrupt:  # the audit reports it
        points = {}
    places: list[int] = []
    known: list[_Wide] = []
    stored: list[_Wide] = []
    for (place, chunk), said in zip(part, _said([chunk for _, chunk in part], opinion), strict=True):
        vector = points[chunk.id].dense if chunk.id in points else None
        if said is None or vector is None or vector.shape != (dimension,):
            continue
        length = float(np.linalg.norm(vector.astype(np.float64)))
        if 0.0 < length < np.inf:
            places.append(place)
            known.append(np.append(said.astype(np.float64), 1.0))
            stored.append(vector.astype(np.float64) / length)
    if not places:
        return [], np.empty((0, opinion.identity.dimension + 1)), np.empty((0, dimension))
    return places, np.stack(known), np.stack(stored)


def _said(chunks: list[Chunk], opinion: Embedder) -> list[Vector | None]:
    try:
        return list(opinion.embed_documents([chunk.embedded_text for chunk in chunks]))
    except InvalidEmbedding:
        return [_said([chunk], opinion)[0] if len(chunks) > 1 else None for chunk in chunks]


def _fitted(known: _Wide, stored: _Wide) -> _Wide:
    """The ridge regression from one space to the other: (XᵀX + λI)⁻¹ XᵀY."""
    square = known.T @ known + _RIDGE * np.eye(known.shape[1])
    return np.asarray(np.linalg.solve(square, known.T @ stored), np.float64)
