"""Small sample points, different from each other."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.model.ranking import Filters
from assay.ports import IndexPoint, IndexQuery, IndexSpec, PointKey, SparseVector, Vector, VectorIndex, VectorStore
from assay.testing.catalog_samples import SITE, page

DIMENSION = 8
SPEC = IndexSpec(DIMENSION)
EVERYTHING = Filters(everything=True)
VERSIONS = frozenset({"1.0", "2.0"})
"""Of the points of `variants`, and of all other samples."""


def direction(seed: int) -> Vector:
    """A vector of length 1, different for each seed."""
    vector = np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)
    unit: Vector = vector / np.float32(np.linalg.norm(vector))
    return unit


def point(path: str, seed: int = 0, terms: Sequence[int] = (1,), **info: Any) -> IndexPoint:  # noqa: ANN401 - any field of DocumentInfo
    """A page of one chunk at this path; info: further fields of DocumentInfo."""
    _, chunks = page(path, f"What {path} says, {seed}.", **info)
    ids = tuple(sorted(terms))
    return IndexPoint(
        chunks[0], direction(seed), SparseVector(ids, tuple(1.0 + index / 10 for index in range(len(ids))))
    )


def points(count: int) -> list[IndexPoint]:
    """Different points; the one at `number` has the terms 1000, 2000 + number % 10 and 3000 + number."""
    return [point(f"page-{n}", n, (1000, 2000 + n % 10, 3000 + n)) for n in range(count)]


def filled(store: VectorStore, contents: Sequence[IndexPoint], name: str = "g1") -> VectorIndex:
    """Build, seal and open an index of these points."""
    writer = store.create(name, SPEC)
    writer.add(contents)
    writer.seal()
    return store.open(name, SPEC)


def found(index: VectorIndex, filters: Filters, limit: int = 100) -> set[str]:
    """The paths of the pages that a dense search finds; asserts that the sparse search finds the same."""
    query = IndexQuery(direction(0), SparseVector((1,), (1.0,)), limit, filters, known_versions=VERSIONS)
    answer = index.search(query)
    assert {scored.point for scored in answer.dense} == {scored.point for scored in answer.sparse}
    return urls(index, [scored.point for scored in answer.dense])


def urls(index: VectorIndex, points: Sequence[PointKey]) -> set[str]:
    """The paths of these points' pages."""
    return {chunk.document.url.removeprefix(f"{SITE}/") for chunk in index.chunks(points).values()}


def variants() -> list[IndexPoint]:
    """One source in two versions and two locales, and another without either; all points have the term 1."""
    old: dict[str, Any] = {"version": "1.0", "version_is_current": False}
    french: dict[str, Any] = {"locale": "fr", "locale_is_default": False}
    return [
        point("now-en", 1),
        _in_section(point("old-en", 2, **old), "Setup"),
        _in_section(point("now-fr", 3, **french), "Setup"),
        point("old-fr", 4, **old, **french),
        point("other-en", 5, source="wiki", version=None, locale=None),
    ]


def cosine(one: Vector, other: Vector) -> float:
    """Cosine in double precision."""
    a, b = one.astype(np.float64), other.astype(np.float64)
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def _in_section(one: IndexPoint, section: str) -> IndexPoint:
    return replace(one, chunk=replace(one.chunk, section=section))
