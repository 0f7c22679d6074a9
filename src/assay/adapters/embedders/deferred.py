"""An embedder that is built for the first query, so that an index can open and answer by keyword without it."""

from collections.abc import Callable

from assay.errors import AssayError, IdentityMismatch
from assay.model.generations import EmbedderIdentity
from assay.ports import Batching, Embedder, Vector


class DeferredEmbedder:
    """Placeholder for an embedder that could not be built; each use tries again.

    identity: required identity of the embedder.
    problem: the reason why it could not be built the last time; "" after success.
    """

    def __init__(self, identity: EmbedderIdentity, build: Callable[[], Embedder], problem: str) -> None:
        self.problem = problem
        self.identity = identity
        self._build = build

    @property
    def batching(self) -> Batching:
        """Batching of the embedder. Raises the errors of building it."""
        return self._built().batching

    def embed_query(self, text: str) -> Vector:
        """Embed a query. Raises the errors of building the embedder, IdentityMismatch, EmbeddingError."""
        return self._built().embed_query(text)

    def _built(self) -> Embedder:
        try:
            embedder = self._build()
        except AssayError as error:
            self.problem = error.message
            raise
        if embedder.identity != self.identity:
            self.problem = (
                f"The embedder is {embedder.identity.model}, and the index was made by {self.identity.model}."
            )
            raise IdentityMismatch(self.problem, hint="Restore the embedding settings, or run `assay publish`.")
        self.problem = ""
        return embedder
