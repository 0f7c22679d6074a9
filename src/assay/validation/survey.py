"""What is in a collection that Assay did not make: what its points lack, what is wrong, and who embedded them."""

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
    "hashes": "every SHA-256 that is stored is that of the passage",
    "ids": "no two points have the same chunk id",
    "duplicates": "no passage stands twice on a page",
    "positions": "the passages of each page count 0, 1, 2, …",
    "titles": "the passages of a page name the same title",
    "lengths": "no passage is longer than what the model reads",
}
"""What is looked at, as a promise that holds when nothing was found."""

_UNIT = 1e-3
_AT_ONCE = 256
_DIGEST = 16
"""Bytes of a hash that tell passages apart: with 10⁹ of them the odds of one mistake are 1 to 10²⁰."""

_SAME = 0.98
_RELATED = 0.25
"""From which cosine on two vectors of a text are one model's; and how far the same text has to be above different
texts, as a share of what is above those, to be one model's view of nearly the same words. As a share, for some models
give different texts cosines of 0.8."""


@dataclass(slots=True)
class Survey:
    """What was found.

    points: how many were looked at. whole: whether those are all.
    documents: how many different URLs they name, stand-ins included.
    missing: how many points lack each field; fields that none lacks are left out.
    paths_only: how many name their page by a path, and nothing says where the site is.
    sample: points with a text and a vector from all over the collection, to compare a model with.
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
    """What the passages of one URL say."""

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
    """Look at every point, or at the first so many.

    total: how many there are. by_cosine: whether the server compares by cosine, so that lengths do not matter.
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
    """What later points are held against."""

    def __init__(self) -> None:
        self.ids: set[bytes] = set()
        self.passages: set[bytes] = set()
        self.pages: dict[str, _Page] = {}


class _Sample:
    """The points whose ids have the lowest hashes: as good as drawn by lot, and the same each time."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: list[tuple[bytes, AdoptedPoint]] = []

    def offer(self, point: AdoptedPoint) -> None:
        """Keep a point if it is among them; one without text or vector tells nothing of a model."""
        if not point.embedded_text or point.vector is None:
            return
        rank = _digest(point.point)
        if len(self._kept) == self._size and rank >= self._kept[-1][0]:
            return
        insort(self._kept, (rank, point), key=lambda kept: kept[0])
        del self._kept[self._size :]

    def points(self) -> tuple[AdoptedPoint, ...]:
        """Those that were kept."""
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
            return  # a stand-in of this point's own, and no page
        report.paths_only += 1
    _look_at_page(chunk, point.missing, seen, faults["titles"])


def _look_at_page(chunk: Chunk, missing: Sequence[str], seen: _Seen, titles: Fault) -> None:
    """Whether a passage fits in with the others of its page."""
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
    """Count tokens only where there can be too many: no token is shorter than a character."""
    most = embedder.max_tokens
    if most is None:
        return
    long = [chunk for chunk in chunks if len(chunk.text) > most]
    for chunk, tokens in zip(long, embedder.count_tokens([chunk.text for chunk in long]), strict=True):
        if tokens > most:
            report.faults["lengths"].add(f"{chunk.id} ({chunk.document.url}): {tokens} tokens, the model reads {most}")


def _wrong_with(vector: Vector | None, dimension: int) -> str | None:
    if vector is None:
        return "it has no vector"
    if vector.shape != (dimension,):
        return f"{vector.size} dimensions"
    square = float(vector.astype(np.float64) @ vector.astype(np.float64))
    if not math.isfinite(square):
        return "not all of its numbers are finite"
    return "it is all zero" if square == 0.0 else None


def _is_there(text: str, known: set[bytes]) -> bool:
    """Whether a text is among those that were seen; it is from now on."""
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

    same: median cosine of a text's stored vector and its vector by the configured model; None when none was compared.
    other: mean cosine of the stored vector of one text and the configured model's of another.
    compared: number of texts. unlike: how many of them are no nearer to their vectors than different texts are.
    """

    verdict: Literal["same", "related", "mixed", "other", "unknown"]
    same: float | None
    other: float | None
    compared: int
    unlike: int


def check_model(points: Sequence[AdoptedPoint], embedder: Embedder) -> ModelCheck:
    """Embed some texts anew and compare. Two models of one length agree in nothing: their cosines are near 0.

    `mixed`: some vectors are this model's, others are another's.

    Texts in which the model knows nothing, or that are too long for it, are left out. Raises EmbeddingError.
    """
    usable = [
        point
        for point in points
        if point.embedded_text and _wrong_with(point.vector, embedder.identity.dimension) is None
    ]
    tokens = embedder.count_tokens([point.embedded_text for point in usable])
    most = embedder.max_tokens
    short = [point for point, count in zip(usable, tokens, strict=True) if most is None or count <= most]
    pairs = [  # stored, made anew
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
    """The vectors of their texts, None for one in which the model knows nothing; it is looked for by halves."""
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
    """Whether two vectors of a text are nearer to each other than those of different texts are, at `other`."""
    between = other or 0.0
    return cosine >= _SAME or cosine - between >= _RELATED * (1.0 - max(between, 0.0))
