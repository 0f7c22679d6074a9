"""Differences between the APIs of embedding providers."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

Purpose = Literal["document", "query"]


class Provider(Protocol):
    """A provider's API: formats requests, parses answers, explains refusals."""

    @property
    def name(self) -> str:
        """Name for messages."""

    @property
    def refuses_long_texts(self) -> bool:
        """Whether it answers 400 to a text that is too long; others may truncate it."""

    def request(self, texts: Sequence[str], purpose: Purpose) -> Mapping[str, object]:
        """JSON body of a request for these texts."""

    def rows(self, answer: Any) -> Any:  # noqa: ANN401 - parsed JSON, not checked yet
        """The vectors in an answer's parsed JSON, in the order of the texts. Raises UnusableAnswer."""

    def tokens(self, answer: Any) -> int | None:  # noqa: ANN401 - parsed JSON
        """Number of tokens that the provider counted; None if the answer does not have it."""

    def is_final(self, status: int, message: str) -> bool:
        """Whether the same request would be refused again."""

    def hint(self, status: int, message: str) -> str:
        """Hint for a refusal; empty for none."""


def count_at(answer: Any, *path: str) -> int | None:  # noqa: ANN401 - parsed JSON
    """Integer at a path of keys; None if there is none."""
    for name in path:
        if not isinstance(answer, Mapping):
            return None
        answer = answer.get(name)
    if isinstance(answer, bool) or not isinstance(answer, int | float) or answer < 0:
        return None
    return int(answer)
