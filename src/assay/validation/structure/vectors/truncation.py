"""Check that the embedder reads chunks to the end: a model with a small input limit silently drops the rest."""

from collections.abc import Iterator

import numpy as np

from assay.model.evaluation import Finding
from assay.ports import Progress, stage
from assay.validation.integrity.recheck import name_of
from assay.validation.structure.context import CheckContext, StructuralLimits, finding
from assay.validation.structure.vectors.sampling import EQUAL, draw_points

_DRAWN = 500
"""Size of the sample from which the longest chunks are taken."""

_TEXTS = 3
_LEAST_CHARACTERS = 400
_KEPT = 0.8
"""The part of a text that is embedded again: without its last fifth, the vector differs if that part was read."""


def read_to_the_end(context: CheckContext, limits: StructuralLimits, progress: Progress) -> Iterator[Finding]:
    """Check that the longest chunks get another vector without their last fifth."""
    embedder = context.embedder
    if embedder is None or (embedder.batching.costly and not limits.embedded_again):
        return
    points = draw_points(context, _DRAWN, "ends")
    whole = {one.chunk.embedded_hash: one for one in points if one.chunk is not None and one.dense is not None}
    longest = sorted(whole.values(), key=lambda one: -len(one.chunk.embedded_text if one.chunk else ""))[:_TEXTS]
    chunks = [one.chunk for one in longest if one.chunk and len(one.chunk.embedded_text) >= _LEAST_CHARACTERS]
    if len(chunks) < _TEXTS:
        return
    with stage(progress, "embed again"):
        cut = embedder.embed_documents([text[: int(len(text) * _KEPT)] for text in (c.embedded_text for c in chunks)])
    stored = [one.dense for one in longest if one.dense is not None]
    cosines = [_cosine(old, new) for old, new in zip(stored, cut, strict=True)]
    named = zip(chunks, cosines, strict=True)
    unread = [f"{name_of(chunk)}: cosine {cosine:.6f}" for chunk, cosine in named if cosine >= EQUAL]
    enough = int(min(len(chunk.embedded_text) for chunk in chunks) * _KEPT)
    yield finding(
        "read to the end",
        len(unread) < _TEXTS,
        1.0 - len(unread) / _TEXTS,
        f"one of the {_TEXTS} longest chunks has another vector without its last fifth",
        f"the vectors of the {_TEXTS} longest chunks stay the same without their last fifth: "
        f"{context.generation.embedder.model} reads only the beginning of a chunk. Set [chunking] max_characters to "
        f"less than {enough}, or use a model with a larger input limit",
        unread,
    )


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    if one.shape != other.shape:  # another model, which other checks report
        return 0.0
    lengths = float(np.linalg.norm(one)) * float(np.linalg.norm(other))
    return float(one @ other) / lengths if lengths else 0.0
