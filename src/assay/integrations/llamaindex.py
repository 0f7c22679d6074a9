"""A LlamaIndex retriever. Needs the extra `llamaindex`."""

from asyncio import to_thread
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from assay.integrations.searching import TOP_K, Searcher, metadata

_FOR_PROGRAMS = ["chunk_id", "source_path", "position", "rank", "rank_score", "generation", "no_good_answer"]
"""Metadata that says nothing to a language model."""


class AssayRetriever(BaseRetriever):
    """Retrieves passages of documentation, each as a node with the fields of `metadata`.

        AssayRetriever(assay.connect("http://127.0.0.1:8080"), top_k=5, versions=["2.0"])

    A node's score is the `rank_score`, which orders the passages of one search; metadata has the `similarity`.

    docs: what `assay.open` or `assay.connect` returned; the caller closes it.
    top_k: the maximum number of passages, 1 to 100. options: as in native.SearchOptions.

    `retrieve` raises the errors of `docs.search`. `aretrieve` runs in a thread.
    """

    def __init__(
        self,
        docs: Searcher,
        top_k: int = TOP_K,
        callback_manager: CallbackManager | None = None,
        **options: Any,  # noqa: ANN401 - SearchOptions, which docs.search checks
    ) -> None:
        super().__init__(callback_manager=callback_manager)
        self._docs = docs
        self._top_k = top_k
        self._options: Any = options

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        ranking = self._docs.search(query_bundle.query_str, self._top_k, **self._options)
        return [
            NodeWithScore(
                node=TextNode(
                    id_=hit.chunk.id,
                    text=hit.text,
                    metadata=metadata(hit, ranking),
                    excluded_llm_metadata_keys=_FOR_PROGRAMS,
                    excluded_embed_metadata_keys=_FOR_PROGRAMS,
                ),
                score=hit.rank_score,
            )
            for hit in ranking.hits
        ]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await to_thread(self._retrieve, query_bundle)
