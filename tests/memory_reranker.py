"""A reranker in memory, for tests of code that reranks."""

import re
from collections.abc import Sequence

from assay.errors import RerankError
from assay.ports import RerankerIdentity

_WORD = re.compile(r"\w+")


class MemoryReranker:
    """Scores a text by the number of the query's words in it. Safe to use from several threads.

    failure: raised by every call; None to answer.
    asked: the query and the texts of each call.
    """

    identity = RerankerIdentity("memory", "common-words")

    def __init__(self, failure: RerankError | None = None) -> None:
        self.failure = failure
        self.asked: list[tuple[str, list[str]]] = []

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The number of common words, in the order of the texts."""
        self.asked.append((query, list(texts)))
        if self.failure is not None:
            raise self.failure
        words = set(_WORD.findall(query.lower()))
        return [float(len(words & set(_WORD.findall(text.lower())))) for text in texts]

    def close(self) -> None:
        """Do nothing."""
