"""Orders the best hits of a search by a reranker."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.model.ranking import Hit
from assay.ports import Reranker

RERANK_FAILED = "The reranker failed: the hits have the order of the search without it."


@dataclass(frozen=True, slots=True)
class Reranking:
    """A reranker, and the number of the best hits that it orders, 1 or more."""

    reranker: Reranker
    depth: int

    def reorder(self, query: str, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Order the first `depth` hits by their scores; equal scores keep their order. The other hits follow.

        How many hits follow does not change the first ones: a search for 5 hits gives the first 5 of a search for 100.
        The reranker reads what was embedded: title and headings before the text. Its score becomes rank_score; those
        of the other hits are shifted below the lowest.

        query: as it was searched. hits: best first.

        Raises RerankError.
        """
        best, others = hits[: self.depth], hits[self.depth :]
        if not best:
            return ()
        scores = self.reranker.scores(query, [hit.chunk.embedded_text for hit in best])
        scored = sorted(zip(best, scores, strict=True), key=lambda pair: -pair[1])
        shift = min(scores) - best[-1].rank_score
        scored += [(hit, hit.rank_score + shift) for hit in others]
        return tuple(replace(hit, rank=rank, rank_score=score) for rank, (hit, score) in enumerate(scored, start=1))
