"""The catalog of an adopted collection: one live generation and no pages, which only its owner has."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import NoReturn

from assay.adapters.catalog.memory import MemoryCatalog
from assay.adapters.stores.adopted.refusal import read_only
from assay.adapters.stores.adopted.store import AdoptedStore
from assay.errors import GenerationNotFound
from assay.model.generations import ChunkerIdentity, EmbedderIdentity, Generation, SparseIdentity, State

_UNKNOWN = ChunkerIdentity("unknown", "unknown", 0, None, 0, "unknown")


class AdoptedCatalog(MemoryCatalog):
    """Lists the collection as the only generation. Safe to use from several threads.

    embedder: returns the identity of the configured model; called for each generation.
    """

    def __init__(self, store: AdoptedStore, embedder: Callable[[], EmbedderIdentity], sparse: SparseIdentity) -> None:
        super().__init__()
        self._store = store
        self._embedder = embedder
        self._sparse = sparse
        self._since = datetime.now(UTC)

    @property
    def _id(self) -> str:
        return f"adopted-{self._store.collection.name}"

    def live_id(self) -> str:
        """Id of the only generation, without a request."""
        return self._id

    def generation(self, generation_id: str) -> Generation:
        """The collection in its current state. Raises GenerationNotFound for another id, VectorStoreError."""
        if generation_id != self._id:
            raise GenerationNotFound(
                f"There is no generation {generation_id}: the collection {self._store.collection.name} is adopted.",
                hint=f"It is listed as {self._id}.",
            )
        documents = self._store.documents()
        uncounted = "; it has too many pages to count" if documents is None else ""
        return Generation(
            id=self._id,
            state=State.LIVE,
            created_at=self._since,
            embedder=self._embedder(),
            chunker=_UNKNOWN,
            sparse=self._sparse,
            sources=(f"collection {self._store.collection.name} at {self._store.collection.address}",),
            documents=documents or 0,
            chunks=self._store.collection.count(),
            sealed_at=self._since,
            promoted_at=self._since,
            reason=f"adopted: Assay reads it and did not make it{uncounted}",
        )

    def generations(self) -> list[Generation]:
        """The only generation. Raises VectorStoreError."""
        return [self.generation(self._id)]

    def build_lock(self) -> NoReturn:
        """Refuse. Raises IndexNotOurs."""
        raise read_only(self._store.collection.name)
