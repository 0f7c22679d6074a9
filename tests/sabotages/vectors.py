"""Vectors, keyword vectors and payloads that are wrong in a share of the index."""

from collections.abc import Callable

import numpy as np

from tests.planting import Stored, rotated
from tests.sabotages.table import Sabotage, Scenario
from tests.sabotages.workspace import Workspace, some

Change = Callable[[list[Stored]], None]


def _points(change: Change, least: int = 1) -> Callable[[Workspace, float], None]:
    """Changes so large a share of the points together."""

    def damage(workspace: Workspace, share: float) -> None:
        points = workspace.stores.points.all()
        chosen = [points[each] for each in some(sorted(points), share, least)]
        change(chosen)
        workspace.stores.points.put(*chosen)

    return damage


def each(change: Callable[[Stored], object]) -> Change:
    """The same change of every point."""

    def apply(points: list[Stored]) -> None:
        for point in points:
            change(point)

    return apply


def rotate_by_one(points: list[Stored]) -> None:
    vectors = [point.dense for point in points]
    for point, vector in zip(points, vectors[1:] + vectors[:1], strict=True):
        point.dense = vector


def _make_equal(points: list[Stored]) -> None:
    for point in points:
        point.dense = points[0].dense


def _add_noise(point: Stored) -> None:
    noise = np.random.default_rng(3).normal(size=len(point.dense))
    mixed = np.asarray(point.dense) + 0.4 * noise / np.linalg.norm(noise)
    point.dense = mixed.tolist()


def _negate(point: Stored) -> None:
    point.dense = [-value for value in point.dense]


def _cut_half(point: Stored) -> None:
    half = len(point.dense) // 2
    point.dense = point.dense[:half] + [0.0] * (len(point.dense) - half)


def _another_model(point: Stored) -> None:
    point.dense = rotated(point.dense)


def _of_pages(workspace: Workspace, share: float) -> None:
    """Every chunk of some pages gets the vector of the page's first chunk."""
    points = workspace.stores.points.all()
    urls = sorted({point.payload["url"] for point in points.values()})
    for url in some(urls, share):
        page = sorted((one for one in points.values() if one.payload["url"] == url), key=_position)
        _make_equal(page)
        workspace.stores.points.put(*page)


def _position(point: Stored) -> int:
    position: int = point.payload["position"]
    return position


def _of_bare_texts(workspace: Workspace, share: float) -> None:
    """Vectors as an earlier recipe made them: of the text alone, without title and headings."""
    points = workspace.stores.points.all()
    chosen = [points[one] for one in some(sorted(points), share)]
    with workspace.opened() as assay:
        vectors = assay.parts.embedder.embed_documents([point.payload["text"] for point in chosen])
    for point, vector in zip(chosen, vectors, strict=True):
        point.dense = vector.tolist()
    workspace.stores.points.put(*chosen)


def _of_a_query(workspace: Workspace, share: float) -> None:
    """Vectors made as of queries, with the prefix that belongs to those."""
    points = workspace.stores.points.all()
    chosen = [points[one] for one in some(sorted(points), share)]
    with workspace.opened() as assay:
        for point in chosen:
            point.dense = assay.searches.embed_query(point.payload["text"]).tolist()
    workspace.stores.points.put(*chosen)


def _rotate_keywords(points: list[Stored]) -> None:
    kept = [(point.indices, point.weights) for point in points]
    for point, (indices, weights) in zip(points, kept[1:] + kept[:1], strict=True):
        point.indices, point.weights = indices, weights


def _no_keywords(point: Stored) -> None:
    point.indices, point.weights = [], []


def _swap_payloads(points: list[Stored]) -> None:
    kept = [dict(point.payload) for point in points]
    for point, payload in zip(points, kept[1:] + kept[:1], strict=True):
        point.payload = payload | {"chunk_id": point.id}


def _without(name: str) -> Change:
    return each(lambda point: point.payload.pop(name))


def _with(**fields: object) -> Change:
    return each(lambda point: point.payload.update(fields))


def _other_facets(point: Stored) -> None:
    point.payload["facets"] = [facet for facet in point.payload["facets"] if not facet.startswith("scope:")]


def _stored(
    name: str, change: Change, *checks: str, least: int = 1, shares: tuple[float, ...] = (0.2, 0.0)
) -> Sabotage:
    return Sabotage(name, _points(change, least), Scenario.STORED, checks, shares)


VECTORS = ("vector checksums",)
SABOTAGES = (
    _stored("all vectors rotated by one", rotate_by_one, *VECTORS, least=2, shares=(1.0, 0.0)),
    _stored("one vector for all", _make_equal, *VECTORS, least=2, shares=(1.0, 0.0)),
    _stored("vectors of another model", each(_another_model), *VECTORS, shares=(1.0, 0.0)),
    _stored("vectors with noise", each(_add_noise), *VECTORS),
    _stored("vectors that point the other way", each(_negate), *VECTORS),
    _stored("vectors cut in half", each(_cut_half), *VECTORS),
    Sabotage("the vector of its page for every chunk", _of_pages, Scenario.STORED, VECTORS, (1.0, 0.0)),
    Sabotage("vectors of the text without its title", _of_bare_texts, Scenario.STORED, VECTORS, (1.0, 0.0)),
    Sabotage("vectors made as of queries", _of_a_query, Scenario.STORED, VECTORS, (1.0, 0.0), ("paid",)),
    _stored("all keywords rotated by one", _rotate_keywords, "keywords", least=2, shares=(1.0, 0.02)),
    _stored("no keywords in a share", each(_no_keywords), "keywords"),
    _stored("payloads of other chunks", _swap_payloads, "agreement", least=2),
    _stored("payload without url", _without("url"), "completeness"),
    _stored("payload without text", _without("text"), "completeness"),
    _stored("payload without content_hash", _without("content_hash"), "completeness"),
    _stored("payload without position", _without("position"), "completeness"),
    _stored("payload with a position that is a word", _with(position="third"), "completeness", "agreement"),
    _stored("payload with an empty text", _with(text=""), "completeness", "agreement"),
    _stored("payload with a number for a url", _with(url=7), "completeness", "agreement"),
    _stored("payload without facets", _without("facets"), "completeness", "agreement"),
    _stored("payload with no scope", each(_other_facets), "agreement"),
    _stored("payload that is empty", each(lambda point: point.payload.clear()), "completeness"),
)
