"""Failed requests to a provider of embeddings or scores, and their errors."""

from dataclasses import dataclass

from assay.adapters.remote.answers import retry_after_in
from assay.adapters.remote.retries import is_transient
from assay.adapters.remote.transport import Answer
from assay.errors import AssayError, EmbedderRefused, RerankerRefused


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed attempt.

    status: as in EmbedderCall and RerankerCall.
    error: class of the error after the last attempt.
    final: whether a retry would fail too.
    worked: whether the provider may have done the work.
    retry_after: seconds that the provider asked to wait.
    """

    status: str
    message: str
    error: type[AssayError]
    hint: str = ""
    final: bool = False
    worked: bool = False
    retry_after: float | None = None

    def to_error(self, provider: str, tries: str) -> AssayError:
        """The error after the last attempt. tries: the end of the message, in parentheses; empty for one attempt."""
        verb = "refused" if issubclass(self.error, EmbedderRefused | RerankerRefused) else "failed"
        return self.error(f"{provider} {verb}: {self.message}{tries}.", hint=self.hint)


def refusal(
    answer: Answer,
    message: str,
    errors: tuple[type[AssayError], type[AssayError]],
    hint: str,
    *,
    is_final: bool = False,
) -> Failure:
    """An answer other than 200 as a failed attempt.

    message: message_in of the answer.
    errors: the class for a final refusal, and for one after which a retry may succeed.
    is_final: whether it is final although its status is transient.
    """
    described = f"it answered {answer.status}" + (f": {message.rstrip('.')}" if message else "")
    final = is_final or not is_transient(answer.status)
    error = errors[0] if final else errors[1]
    return Failure(str(answer.status), described, error, hint, final=final, retry_after=retry_after_in(answer))


def redirect_hint(setting: str) -> str:
    """The hint for an answer that is a redirect. setting: of the provider's URL."""
    return f"Redirects are not followed, to protect the key; set {setting} to the final address."
