"""A LangChain retriever. Needs the extra `langchain`."""

from typing import Any, Unpack

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, SkipValidation

from assay.contracts.native import SearchOptions
from assay.integrations.searching import TOP_K, Searcher, metadata


class AssayRetriever(BaseRetriever):
    """Retrieves passages of documentation, each as a Document with the fields of `metadata`.

        AssayRetriever(docs=assay.connect("http://127.0.0.1:8080"), k=5, options={"versions": ["2.0"]})

    docs: what `assay.open` or `assay.connect` returned; the caller closes it.
    k: the maximum number of passages, 1 to 100. options: as in native.SearchOptions.

    `invoke(query, k=…, **options)` overrides both for one search. It raises the errors of `docs.search`. `ainvoke` runs
    in a thread.
    """

    docs: SkipValidation[Searcher] = Field(exclude=True)
    k: int = Field(default=TOP_K, ge=1, le=100)
    options: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - LangChain's signature
        k: int | None = None,
        **options: Unpack[SearchOptions],
    ) -> list[Document]:
        merged: Any = {**self.options, **options}
        ranking = self.docs.search(query, self.k if k is None else k, **merged)
        return [
            Document(id=hit.chunk.id, page_content=hit.text, metadata=metadata(hit, ranking)) for hit in ranking.hits
        ]
