"""The catalog of an adopted collection: one generation that is live, and no pages, for only its owner has them."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import NoReturn

from assay.adapters.catalog.memory import MemoryCatalog
from assay.adapters.stores.adopted.store import AdoptedStore, read_only
from assay.errors import GenerationNotFound
from assay.model.generations import ChunkerIdentity, EmbedderIdentity, Generation, SparseIdentity, State

_UNKNOWN = ChunkerIdentity("unknown", "unknown", 0, None, 0, "unknown")


class AdoptedCatalog(MemoryCatalog):
    """Lists the collection as the one generation. Safe to use from several threads.

    embedder: the model that the operator says made the vectors; asked when a generation is.
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
        """Id of the one generation; nobody is asked."""
        return self._id

    def generation(self, generation_id: str) -> Generation:
        """The collection as it is now. Raises GenerationNotFound for another id, VectorStoreError."""
        if generation_id != self._id:
            raise GenerationNotFound(
                f"There is no generation {generation_id}: the collection {self._store.collection.name} is adopted.",
                hint=f"It is listed as {self._id}.",
            )
        documents = self._store.documents()
        uncounted = "; its pages are too many to be counted each time" if documents is None else ""
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
        """The one. Raises VectorStoreError."""
        return [self.generation(self._id)]

    def build_lock(self) -> NoReturn:
        """Refuse. Raises IndexNotOurs."""
        raise read_only(self._store.collection.name)
