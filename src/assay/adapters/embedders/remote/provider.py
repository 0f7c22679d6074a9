"""What differs between one provider of embeddings and another, apart from its limits."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

Purpose = Literal["document", "query"]


class Provider(Protocol):
    """A provider's API: how a request is written, an answer read, a refusal explained. Pure."""

    @property
    def name(self) -> str:
        """As a message calls it."""

    @property
    def refuses_long_texts(self) -> bool:
        """Whether it answers 400 to a text that is too long; others may cut it without a word."""

    def request(self, texts: Sequence[str], purpose: Purpose) -> Mapping[str, object]:
        """The JSON body that asks for these texts."""

    def rows(self, answer: Any) -> Any:  # noqa: ANN401 - parsed JSON in, what should be a list of lists of numbers out
        """The vectors in an answer's parsed JSON, in the order of the texts. Raises UnusableAnswer."""

    def tokens(self, answer: Any) -> int | None:  # noqa: ANN401 - parsed JSON
        """The tokens that an answer says were used; None when it does not say."""

    def is_final(self, status: int, message: str) -> bool:
        """Whether the same request would be refused again."""

    def hint(self, status: int, message: str) -> str:
        """What to do about a refusal; empty when nothing more can be said."""


def message_of(answer: Any) -> str:  # noqa: ANN401 - parsed JSON
    """What a provider's error body says, in whichever of the usual shapes; empty when it says nothing."""
    if isinstance(answer, Mapping):
        for name in ("message", "error", "detail"):
            inner = answer.get(name)
            text = inner if isinstance(inner, str) else message_of(inner)
            if text:
                return text
    return ""


def count_in(answer: Any, *path: str) -> int | None:  # noqa: ANN401 - parsed JSON
    """A whole number at a path of names; None when there is none."""
    for name in path:
        if not isinstance(answer, Mapping):
            return None
        answer = answer.get(name)
    if isinstance(answer, bool) or not isinstance(answer, int | float) or answer < 0:
        return None
    return int(answer)
