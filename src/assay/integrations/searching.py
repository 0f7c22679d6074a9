"""The common parts of the retrievers: the object that searches, and the metadata of a hit."""

from typing import Protocol, Unpack

from assay.contracts.native import SearchOptions
from assay.model.ranking import Hit, Ranking

TOP_K = 5
"""Hits of a search if none are requested."""


class Searcher(Protocol):
    """The part of the result of `assay.open` and `assay.connect` that a retriever uses."""

    def search(self, query: str, top_k: int | None = None, /, **options: Unpack[SearchOptions]) -> Ranking:
        """Search; see Assay.search and Client.search."""


Value = str | int | float | bool | None


def metadata(hit: Hit, ranking: Ranking) -> dict[str, Value]:
    """The fields of a hit besides its text; `url` links to the section, `page_url` to the page."""
    document = hit.chunk.document
    return {
        "chunk_id": hit.chunk.id,
        "url": hit.url,
        "page_url": document.link,
        "title": document.title,
        "section": hit.section,
        "source": document.source,
        "source_path": document.source_path,
        "version": document.version,
        "locale": document.locale,
        "position": hit.chunk.position,
        "rank": hit.rank,
        "rank_score": hit.rank_score,
        "similarity": hit.similarity,
        "generation": ranking.generation,
        "no_good_answer": ranking.no_good_answer,
    }
