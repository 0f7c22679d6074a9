"""Survey of a collection that Assay did not make: missing fields, faults, and the model of its vectors."""

import math
from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from statistics import fmean, median
from typing import Literal

import numpy as np

from assay.errors import InvalidEmbedding
from assay.model.batches import batched
from assay.model.documents import Chunk
from assay.ports import AdoptedPoint, Embedder, Progress, Vector
from assay.validation.integrity import Fault

KINDS = {
    "vectors": "every point has a vector that is finite, not zero and of the right dimension",
    "directions": "every vector has the length 1, so that the server's distance ranks as the cosine does",
    "hashes": "every stored SHA-256 is that of the passage",
    "ids": "no two points have the same chunk id",
    "duplicates": "no passage is twice on a page",
    "positions": "the passages of each page have the positions 0, 1, 2, …",
    "titles": "the passages of a page have the same title",
    "lengths": "no passage is longer than the model's input",
}
"""The checks, each as a statement that is true without faults."""

_UNIT = 1e-3
_AT_ONCE = 256
_DIGEST = 16
"""Bytes of a passage's hash: with 10⁹ passages the odds of a collision are 1 to 10²⁰."""

_SAME = 0.98
_RELATED = 0.25
"""Smallest cosine of two vectors of one text by one model; and the margin by which the same text must exceed different
texts to be related, as a share of the distance to 1, because some models give different texts cosines of 0.8."""


@dataclass(slots=True)
class Survey:
    """The findings.

    points: number of points examined. whole: whether that is all of them.
    documents: number of different URLs, placeholders included.
    missing: by field, the number of points without it; complete fields are left out.
    paths_only: number of points that name their page by a path without a site.
    sample: points with a text and a vector, drawn evenly, to compare a model with.
    """

    points: int = 0
    whole: bool = True
    documents: int = 0
    missing: dict[str, int] = field(default_factory=dict)
    paths_only: int = 0
    faults: dict[str, Fault] = field(default_factory=lambda: {kind: Fault() for kind in KINDS})
    sample: tuple[AdoptedPoint, ...] = ()


@dataclass(slots=True)
class _Page:
    """The passages of one URL. complete: whether every passage has a position."""

    title: str = ""
    positions: list[int] = field(default_factory=list)
    complete: bool = True


def survey(
    points: Iterable[AdoptedPoint],
    total: int,
    dimension: int,
    embedder: Embedder,
    progress: Progress,
    *,
    limit: int | None = None,
    by_cosine: bool = True,
    keep: int = 64,
) -> Survey:
    """Examine every point, or the first `limit` points.

    total: number of points. by_cosine: whether the server compares by cosine, which ignores the lengths of vectors.
    keep: size of the sample.

    Raises VectorStoreError.
    """
    report = Survey(whole=limit is None or limit >= total)
    seen = _Seen()
    sample = _Sample(keep)
    progress.begin("survey", total if limit is None else min(limit, total))
    for batch in batched(points if limit is None else islice(points, limit), _AT_ONCE):
        for point in batch:
            _look_at(point, dimension, report, seen, by_cosine=by_cosine)
            sample.offer(point)
        _look_at_lengths([point.chunk for point in batch if point.chunk], embedder, report)
        progress.advance(len(batch))
    progress.end()
    report.documents = len(seen.pages)
    report.sample = sample.points()
    for url, page in seen.pages.items():
        if report.whole and page.complete and sorted(page.positions) != list(range(len(page.positions))):
            report.faults["positions"].add(f"{url}: {_shown(sorted(page.positions))}")
    return report


class _Seen:
    """State for checks across points."""

    def __init__(self) -> None:
        self.ids: set[bytes] = set()
        self.passages: set[bytes] = set()
        self.pages: dict[str, _Page] = {}


class _Sample:
    """The points whose ids have the lowest hashes: a repeatable random sample."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: list[tuple[bytes, AdoptedPoint]] = []

    def offer(self, point: AdoptedPoint) -> None:
        """Add a point if its hash is low enough. Points without text or vector are useless for comparing models."""
        if not point.embedded_text or point.vector is None:
            return
        rank = _digest(point.point)
        if len(self._kept) == self._size and rank >= self._kept[-1][0]:
            return
        insort(self._kept, (rank, point), key=lambda kept: kept[0])
        del self._kept[self._size :]

    def points(self) -> tuple[AdoptedPoint, ...]:
        """The sample."""
        return tuple(point for _, point in self._kept)


def _look_at(point: AdoptedPoint, dimension: int, report: Survey, seen: _Seen, *, by_cosine: bool) -> None:
    report.points += 1
    for name in point.missing:
        report.missing[name] = report.missing.get(name, 0) + 1
    faults = report.faults
    if (wrong := _wrong_with(point.vector, dimension)) is not None:
        faults["vectors"].add(f"point {point.point}: {wrong}")
    elif not by_cosine and point.vector is not None and abs(float(np.linalg.norm(point.vector)) - 1.0) > _UNIT:
        faults["directions"].add(f"point {point.point}: length {float(np.linalg.norm(point.vector)):.4g}")
    chunk = point.chunk
    if chunk is None:
        return
    if point.stored_hash is not None and point.stored_hash != chunk.content_hash:
        faults["hashes"].add(f"{chunk.id} ({chunk.document.url}): its text does not have the hash {point.stored_hash}")
    if _is_there(chunk.id, seen.ids):
        faults["ids"].add(f"{chunk.id} (point {point.point})")
    url = chunk.document.url
    if _is_there(f"{url}\n{chunk.content_hash}", seen.passages):
        faults["duplicates"].add(f"{chunk.id} ({url})")
    if "url" in point.missing:
        if chunk.document.source_path == point.point:
            return  # a placeholder of this point alone, not a page
        report.paths_only += 1
    _look_at_page(chunk, point.missing, seen, faults["titles"])


def _look_at_page(chunk: Chunk, missing: Sequence[str], seen: _Seen, titles: Fault) -> None:
    """Compare a passage's title with the page's, and record its position."""
    info = chunk.document
    page = seen.pages.setdefault(info.url, _Page())
    page.title = page.title or info.title
    if info.title and info.title != page.title:
        titles.add(f"{info.url}: {page.title!r} and {info.title!r}")
    if "position" in missing:
        page.complete = False
    else:
        page.positions.append(chunk.position)


def _look_at_lengths(chunks: Sequence[Chunk], embedder: Embedder, report: Survey) -> None:
    """Find passages over the model's limit. Only those with more characters than that can have too many tokens."""
    most = embedder.max_tokens
    if most is None:
        return
    long = [chunk for chunk in chunks if len(chunk.text) > most]
    for chunk, tokens in zip(long, embedder.count_tokens([chunk.text for chunk in long]), strict=True):
        if tokens > most:
            report.faults["lengths"].add(f"{chunk.id} ({chunk.document.url}): {tokens} tokens, the model reads {most}")


def _wrong_with(vector: Vector | None, dimension: int) -> str | None:
    if vector is None:
        return "no vector"
    if vector.shape != (dimension,):
        return f"{vector.size} dimensions"
    square = float(vector.astype(np.float64) @ vector.astype(np.float64))
    if not math.isfinite(square):
        return "some numbers are not finite"
    return "all numbers are 0" if square == 0.0 else None


def _is_there(text: str, known: set[bytes]) -> bool:
    """Whether a text was seen before. Adds it."""
    digest = _digest(text)
    if digest in known:
        return True
    known.add(digest)
    return False


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()


def _shown(positions: Sequence[int]) -> str:
    listed = ", ".join(map(str, positions[:8]))
    return f"{listed}, … ({len(positions)} passages)" if len(positions) > 8 else listed


# --- the model -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """Whether the configured model made the vectors.

    same: median cosine of a text's stored vector and its vector by the configured model; None without texts.
    other: mean cosine of the stored vector of one text and the configured model's of another.
    compared: number of texts. unlike: number of texts no nearer to their vectors than to those of other texts.
    """

    verdict: Literal["same", "related", "mixed", "other", "unknown"]
    same: float | None
    other: float | None
    compared: int
    unlike: int


def check_model(points: Sequence[AdoptedPoint], embedder: Embedder) -> ModelCheck:
    """Embed the texts again and compare. Vectors of different models have cosines near 0.

    `mixed`: some vectors are of this model, others of another.

    Texts without a known token, or too long for the model, are left out. Raises EmbeddingError.
    """
    usable = [
        point
        for point in points
        if point.embedded_text and _wrong_with(point.vector, embedder.identity.dimension) is None
    ]
    tokens = embedder.count_tokens([point.embedded_text for point in usable])
    most = embedder.max_tokens
    short = [point for point, count in zip(usable, tokens, strict=True) if most is None or count <= most]
    pairs = [  # stored, embedded again
        (point.vector / np.linalg.norm(point.vector), made)
        for point, made in zip(short, _embedded(short, embedder), strict=True)
        if made is not None and point.vector is not None
    ]
    if not pairs:
        return ModelCheck("unknown", None, None, 0, 0)
    cosines = [float(stored @ made) for stored, made in pairs]
    same = median(cosines)
    crossed = [
        float(stored @ made) for i, (stored, _) in enumerate(pairs) for j, (_, made) in enumerate(pairs) if i != j
    ]
    other = fmean(crossed) if crossed else None
    unlike = sum(not _is_alike(cosine, other) for cosine in cosines)
    if unlike and max(cosines) >= _SAME:
        return ModelCheck("mixed", same, other, len(pairs), unlike)
    return ModelCheck(_verdict(same, other), same, other, len(pairs), unlike)


def _embedded(points: Sequence[AdoptedPoint], embedder: Embedder) -> list[Vector | None]:
    """Embed the texts; None for a text without a known token, which is found by bisection."""
    if not points:
        return []
    try:
        return list(embedder.embed_documents([point.embedded_text for point in points]))
    except InvalidEmbedding:
        if len(points) == 1:
            return [None]
    middle = len(points) // 2
    return _embedded(points[:middle], embedder) + _embedded(points[middle:], embedder)


def _verdict(same: float, other: float | None) -> Literal["same", "related", "other"]:
    if same >= _SAME:
        return "same"
    return "related" if _is_alike(same, other) else "other"


def _is_alike(cosine: float, other: float | None) -> bool:
    """Whether two vectors of a text are nearer than vectors of different texts, whose mean cosine is `other`."""
    between = other or 0.0
    return cosine >= _SAME or cosine - between >= _RELATED * (1.0 - max(between, 0.0))
