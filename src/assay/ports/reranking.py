"""Rerankers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class RerankerIdentity:
    """The identity of a reranker, on which its order depends: provider and model."""

    provider: str
    model: str


@dataclass(frozen=True, slots=True)
class RerankerCall:
    """One request to a reranker, for metrics.

    seconds: from sending the request to receiving the whole answer.
    status: `ok`, the HTTP status (`429`), `unreachable`, `timeout`, `cut`, or `unusable` for an answer without a score
        for each text.
    """

    provider: str
    model: str
    texts: int
    seconds: float
    status: str


RerankerObserver = Callable[[RerankerCall], None]
"""Called after each request, failed ones too, from several threads; must not raise."""


class Reranker(Protocol):
    """A model that reads a query and a text together. Safe to use from several threads."""

    @property
    def identity(self) -> RerankerIdentity:
        """Everything that the order of texts depends on."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """A finite score for each text, in the order of the texts; the higher, the better the text answers the query.

        Scores are comparable only within one call. Returns or raises within the reranker's time limit. Raises
        RerankError; RerankerUnavailable at once while the reranker keeps failing.
        """

    def close(self) -> None:
        """Close connections; a second call does nothing."""
