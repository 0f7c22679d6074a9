"""A Haystack component. Needs the extra `haystack`."""

from asyncio import to_thread
from threading import Lock
from typing import Any, Self
from urllib.parse import urlsplit

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.utils import Secret, deserialize_secrets_inplace

import assay
from assay.errors import ConfigurationError
from assay.integrations.searching import TOP_K, Searcher, metadata

_OPENING = Lock()
"""Of all components, because a component is copied."""


@component
class AssayRetriever:
    """Retrieves passages of documentation, each as a Document with the fields of `metadata`.

        AssayRetriever(url="http://127.0.0.1:8080", api_key=Secret.from_env_var("ASSAY_API_KEY"))
        AssayRetriever(data_dir=".assay", options={"versions": ["2.0"]})

    A document's score is the `rank_score`, which orders the passages of one search; meta has the `similarity`.

    url, api_key: of a running Assay. data_dir, config: of an Assay in this process, as in `assay.open`.
    top_k: the maximum number of passages, 1 to 100. options: as in native.SearchOptions.

    Raises ConfigurationError if both or neither are named; `run` raises the errors of `Assay.search`.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: Secret | None = None,
        data_dir: str | None = None,
        config: str | None = None,
        top_k: int = TOP_K,
        options: dict[str, Any] | None = None,
    ) -> None:
        if (url is None) == (data_dir is None and config is None):
            raise ConfigurationError(
                "AssayRetriever searches either a running Assay or one in this process.",
                hint="Pass url, or else data_dir or config.",
            )
        self.url = url
        self.api_key = api_key
        self.data_dir = data_dir
        self.config = config
        self.top_k = top_k
        self.options = options or {}
        self._docs: Searcher | None = None

    def warm_up(self) -> None:
        """Open the index, or make the client; once, also if several threads search at the same time."""
        with _OPENING:
            if self._docs is not None:
                return
            if self.url is not None:
                self._docs = assay.connect(self.url, self.api_key.resolve_value() if self.api_key else None)
            else:
                self._docs = assay.open(data_dir=self.data_dir, config=self.config)

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, top_k: int | None = None, options: dict[str, Any] | None = None
    ) -> dict[str, list[Document]]:
        """Search. top_k, options: override those of the component for this search."""
        self.warm_up()
        assert self._docs is not None
        merged: Any = {**self.options, **(options or {})}
        ranking = self._docs.search(query, self.top_k if top_k is None else top_k, **merged)
        documents = [
            Document(id=hit.chunk.id, content=hit.text, meta=metadata(hit, ranking), score=hit.rank_score)
            for hit in ranking.hits
        ]
        return {"documents": documents}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, top_k: int | None = None, options: dict[str, Any] | None = None
    ) -> dict[str, list[Document]]:
        """Search in a thread; see run."""
        return await to_thread(self.run, query, top_k, options)

    def to_dict(self) -> dict[str, Any]:
        """The component as values for `Pipeline.dumps`; a key is stored by the name of its variable.

        Raises ConfigurationError for a URL with a password, which would be stored.
        """
        if self.url is not None and urlsplit(self.url).password is not None:
            raise ConfigurationError(
                "The URL of AssayRetriever has a password, which a stored pipeline would contain.",
                hint="Pass a URL without it, and api_key=Secret.from_env_var(...).",
            )
        return default_to_dict(
            self,
            url=self.url,
            api_key=self.api_key.to_dict() if self.api_key else None,
            data_dir=self.data_dir,
            config=self.config,
            top_k=self.top_k,
            options=self.options,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The component from what to_dict returned."""
        deserialize_secrets_inplace(data["init_parameters"], keys=["api_key"])
        return default_from_dict(cls, data)
