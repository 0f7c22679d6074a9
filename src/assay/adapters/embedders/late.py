"""An embedder that is built when a query is first embedded: an index opens, and answers by keyword, without it."""

from collections.abc import Callable

from assay.errors import AssayError, IdentityMismatch
from assay.model.generations import EmbedderIdentity
from assay.ports import Batching, Embedder, Vector


class LateEmbedder:
    """Stands for an embedder that could not be built yet, and tries again whenever it is needed.

    identity: what it has to be. make: builds it, and raises why it cannot.
    problem: why it could not be built the last time; "" once it was.
    """

    def __init__(self, identity: EmbedderIdentity, make: Callable[[], Embedder], problem: str) -> None:
        self.problem = problem
        self._identity = identity
        self._make = make

    @property
    def identity(self) -> EmbedderIdentity:
        """What it has to be."""
        return self._identity

    @property
    def batching(self) -> Batching:
        """That of the embedder. Raises what building it raises."""
        return self._made().batching

    def embed_query(self, text: str) -> Vector:
        """Embed a text to find with. Raises what building it raises, IdentityMismatch, EmbeddingError."""
        return self._made().embed_query(text)

    def _made(self) -> Embedder:
        try:
            embedder = self._make()
        except AssayError as error:
            self.problem = error.message
            raise
        if embedder.identity != self._identity:
            self.problem = f"It is {embedder.identity.model}, and the index was made by {self._identity.model}."
            raise IdentityMismatch(self.problem, hint="Set the embedding settings back, or run `assay publish`.")
        self.problem = ""
        return embedder
