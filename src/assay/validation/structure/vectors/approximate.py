"""Check that approximate search finds what a comparison with every vector finds."""

from collections.abc import Iterator

from assay.errors import RequestForbidden
from assay.model.evaluation import Finding, Outcome, percent
from assay.model.ranking import Filters
from assay.ports import IndexQuery, Progress, Vector, VectorIndex
from assay.validation.integrity.recheck import name_of
from assay.validation.structure.context import CheckContext, StructuralLimits, finding
from assay.validation.structure.vectors.sampling import draw_points, is_usable

_CHECK = "recall of dense search"
_QUERIES = 100
_FOUND = 10
_LEAST_CHUNKS = 2_000
"""With fewer chunks, no store builds a graph, and a test of 100 searches would take longer than the build."""

_ROUNDING = 1e-5
"""Difference of two cosines that count as equal: a quantized or remote engine rounds the last digits."""


def recall_of_dense_search(context: CheckContext, limits: StructuralLimits, progress: Progress) -> Iterator[Finding]:
    """Search with the vectors of a sample of chunks, as users' searches do and exactly, and compare the top ten.

    Recall@10 of approximate nearest neighbour search, as in ann-benchmarks (Aumüller et al., Information Systems 2020):
    the share of the exact top ten whose cosine reaches that of the exact tenth. The chunk itself does not count.
    """
    index = context.index
    if index is None or context.generation.chunks < _LEAST_CHUNKS:
        return
    dimension = context.generation.embedder.dimension
    drawn = [
        (point.chunk, point.dense)
        for point in draw_points(context, _QUERIES, "recall")
        if point.chunk is not None and is_usable(point.dense, dimension)
    ]
    if not drawn:
        return
    progress.begin(_CHECK, len(drawn))
    try:
        recalls = []
        for chunk, dense in drawn:
            assert dense is not None
            recalls.append((_recall(index, dense, chunk.id), chunk))
            progress.advance()
    except RequestForbidden:
        # A server may forbid exact search; that is no fault of the generation.
        yield Finding(_CHECK, Outcome.PASS, None, "not measured: the vector store forbids exact search")
        return
    finally:
        progress.end()
    mean = sum(recall for recall, _ in recalls) / len(recalls)
    worst = sorted(recalls, key=lambda row: (row[0], row[1].id))
    yield finding(
        _CHECK,
        mean >= limits.min_recall,
        mean,
        f"dense search finds at least {percent(limits.min_recall)} of the exact top {_FOUND} of {len(recalls)} chunks",
        f"dense search finds {percent(round(mean, 3))} of the exact top {_FOUND} of {len(recalls)} chunks (limit "
        f"{percent(limits.min_recall)}): the approximate index loses neighbours. Search it with a larger [index] "
        "oversampling, on a server with a larger [qdrant] search_width or oversampling, set quantization = "
        '"none", or lower gate.min_recall',
        [f"{name_of(chunk)}: {percent(recall)}" for recall, chunk in worst if recall < 1.0],
    )


def _recall(index: VectorIndex, vector: Vector, own: str) -> float:
    """Share of the exact nearest chunks that the index's usual search finds, without the chunk itself."""
    exact, usual = (
        [one.score for one in index.search(_query(vector, exact=exact)).by_chunk_id().dense if one.point != own][
            :_FOUND
        ]
        for exact in (True, False)
    )
    if not exact:
        return 1.0
    return min(sum(score >= exact[-1] - _ROUNDING for score in usual) / len(exact), 1.0)


def _query(vector: Vector, *, exact: bool) -> IndexQuery:
    return IndexQuery(vector, None, _FOUND + 1, Filters(everything=True), exact=exact)
