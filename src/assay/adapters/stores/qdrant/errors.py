"""Maps failures of a Qdrant server, over REST and gRPC, to VectorStoreErrors."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import grpc
import httpx
from pydantic import ValidationError
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from assay.adapters.stores.points import REBUILD
from assay.adapters.stores.qdrant.advice import (
    OTHER_VECTORS,
    OVER_CAPACITY,
    OVER_QUOTA,
    RIGHTS,
    SMALLER_REQUESTS,
    connection_advice,
    missing_right,
    quota_advice,
    server_error_advice,
    strict_advice,
)
from assay.errors import (
    IndexCorrupt,
    IndexNotFound,
    RequestForbidden,
    StorageFull,
    StoreUnavailable,
    VectorStoreError,
)
from assay.redaction import peer_words

CLIENT_ERRORS = (ApiException, QdrantException, grpc.RpcError, httpx.HTTPError, ValidationError, json.JSONDecodeError)
"""Errors that the client raises because of the server or the network."""

PARSE_ERRORS = (AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors in the client's code for an answer that is not Qdrant's: it does not check all of an answer."""

_GRPC_STATUS = {
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.FAILED_PRECONDITION: 400,
    grpc.StatusCode.OUT_OF_RANGE: 413,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.ALREADY_EXISTS: 409,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.INTERNAL: 500,
    grpc.StatusCode.UNKNOWN: 500,
    grpc.StatusCode.UNIMPLEMENTED: 501,
    grpc.StatusCode.ABORTED: 503,
}
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
_FULL = re.compile(r"no space left|disk (is )?full|not enough (disk )?space|disk quota", re.IGNORECASE)
_LASTING = re.compile(
    rf"{_FULL.pattern}|certificate.verify.failed|ssl.*wrong.version.number|{OVER_CAPACITY}|{OVER_QUOTA}", re.IGNORECASE
)
"""Failures that a retry cannot fix."""

_TOO_MANY_RESULTS = re.compile(r'Limit exceeded \d+ > (\d{1,9}) for "limit"')


@dataclass(frozen=True, slots=True)
class FailedRequest:
    """One request that failed.

    status: the HTTP status, or the equivalent of the gRPC code; None without a complete answer.
    message: the server's, or a description of the connection's failure.
    retry_after: seconds that the server asked to wait; None if it did not.
    unrecognized: whether the answer is not Qdrant's.
    """

    status: int | None
    message: str
    retry_after: float | None = None
    timed_out: bool = False
    unrecognized: bool = False

    @property
    def transient(self) -> bool:
        """Whether a retry may succeed."""
        may_pass = self.unrecognized or self.status is None or self.status in _TRANSIENT
        return may_pass and not _LASTING.search(self.message)

    @property
    def is_missing(self) -> bool:
        """Whether the collection does not exist."""
        return self.status == 404 and not self.unrecognized

    @property
    def already_exists(self) -> bool:
        """Whether a collection of this name exists."""
        return self.status == 409 or (self.status == 400 and "already exists" in self.message)

    @property
    def allowed_limit(self) -> int | None:
        """The most results of a request if it asked for more than strict mode allows, else None."""
        found = _TOO_MANY_RESULTS.search(self.message) if self.status in (400, 403) else None
        return int(found[1]) if found else None

    @property
    def forbids_exact(self) -> bool:
        """Whether strict mode refused an exact count."""
        return self.status in (400, 403) and "Exact search disabled" in self.message


def classify_error(error: Exception) -> FailedRequest:
    """Describe one of CLIENT_ERRORS."""
    if isinstance(error, ResponseHandlingException):
        error = error.source
    match error:
        case UnexpectedResponse():
            return _rest_failure(error)
        case ResourceExhaustedResponse():
            return FailedRequest(429, _clean_message(error.message), float(error.retry_after_s))
        case QdrantException():
            return FailedRequest(429, _clean_message(str(error)))
        case grpc.RpcError():
            return _grpc_failure(error)
        case httpx.HTTPError():
            return _http_failure(error)
        case _:
            return unrecognized_answer(error)


def unrecognized_answer(error: Exception) -> FailedRequest:
    """Describe an answer that is not Qdrant's: of a proxy, another product, or an incompatible version."""
    match error:
        case ValidationError():
            field = ".".join(str(part) for part in error.errors(include_url=False, include_input=False)[0]["loc"])
            expected = f"a field is missing or has the wrong type: {peer_words(field, 80)}"
        case json.JSONDecodeError() | UnicodeDecodeError():
            expected = "it is not JSON"
        case RecursionError():
            expected = "it is nested too deeply"
        case _:
            expected = "it has no `result` of the expected type"
    return FailedRequest(200, expected, unrecognized=True)


def explain(failure: FailedRequest, operation: str, name: str, address: str, seconds: int) -> VectorStoreError:
    """The error for a request that is not retried.

    operation: a verb that continues "could not": "search".
    name: of the index; "" for none.
    seconds: the request's time limit.
    """
    what = f"Could not {operation}" + (f" the index {name}" if name else "") + f" on the Qdrant server at {address}: "
    kind, reason, hint = next(_explanations(failure, seconds))
    return kind(what + reason, hint=hint)


def unusable_index(name: str, reason: str) -> IndexCorrupt:
    """The error for a collection that cannot be used."""
    return IndexCorrupt(f"The index {name} cannot be used: {reason}.", hint=REBUILD)


def _explanations(failure: FailedRequest, seconds: int) -> Iterator[tuple[type[VectorStoreError], str, str]]:
    """Possible explanations as error class, reason and hint; the best first, the last fits all."""
    message, status = failure.message, failure.status
    if OVER_QUOTA in message:
        yield StorageFull, f"its quota is used up ({message}).", quota_advice(message)
    if _FULL.search(message):
        yield StorageFull, f"its disk is full ({message}).", "Free some space there, or give it a larger disk."
    if failure.timed_out:
        limits = "Increase [qdrant] timeout_seconds or upload_timeout_seconds, or find out why the server is slow."
        yield StoreUnavailable, f"it did not answer within {seconds} s.", limits
    if failure.unrecognized:
        hint = (
            "Check that [qdrant] url, its port (with gRPC, grpc_port) and its path belong to a Qdrant server (1.16 or "
            "later) and not to a proxy or another service."
        )
        yield StoreUnavailable, f"it answered {status}, but not like Qdrant: {message}.", hint
    if status is None:
        yield StoreUnavailable, f"{message}.", connection_advice(message)
    yield from _refusals(status, message)


def _refusals(status: int | None, message: str) -> Iterator[tuple[type[VectorStoreError], str, str]]:
    """Explanations of a complete answer of Qdrant."""
    if status == 401:
        hint = "Set QDRANT_API_KEY (or [qdrant] api_key) to a key of this server."
        yield VectorStoreError, f"it requires a valid API key ({message}).", hint
    if status in (400, 403, 500) and (advice := strict_advice(message)):
        yield RequestForbidden, f"the request exceeds a limit of its strict mode ({message}).", advice
    if status == 403:
        yield VectorStoreError, f"{missing_right(message)} ({message}).", RIGHTS
    if status == 404:
        yield IndexNotFound, f"it does not exist ({message}).", "`assay publish` builds it again."
    if status == 413:
        hint = "Decrease [qdrant] upload_bytes, or increase the server's service.max_request_size_mb."
        yield VectorStoreError, f"the request is too large for it ({message}).", hint
    if status == 429 and OVER_CAPACITY in message:
        yield RequestForbidden, f"a single request exceeds its rate limit ({message}).", SMALLER_REQUESTS
    if status == 429:
        hint = "Try again later, or raise read_rate_limit or write_rate_limit of its strict mode."
        yield StoreUnavailable, f"it limits the rate of requests ({message}).", hint
    if status == 400 and OTHER_VECTORS.search(message):
        yield IndexCorrupt, f"another program replaced the collection: it has other vectors ({message}).", REBUILD
    if status in _TRANSIENT:
        yield StoreUnavailable, f"it answered {status} ({message}).", server_error_advice(message)
    yield VectorStoreError, f"it refused with {status} ({message}).", "See its log."


def _http_failure(error: httpx.HTTPError) -> FailedRequest:
    if isinstance(error, httpx.TimeoutException):
        return FailedRequest(None, "it took too long", timed_out=True)
    what = "no connection" if isinstance(error, httpx.ConnectError) else "the connection broke"
    return FailedRequest(None, f"{what} ({_clean_message(str(error)) or type(error).__name__})")


def _grpc_failure(error: grpc.RpcError) -> FailedRequest:
    code = error.code() if isinstance(error, grpc.Call) else grpc.StatusCode.UNAVAILABLE
    message = _clean_message((error.details() if isinstance(error, grpc.Call) else str(error)) or code.name)
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return FailedRequest(None, "it took too long", timed_out=True)
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
        return FailedRequest(None, f"no connection ({message})")
    # An answer without a gRPC status: the port is one of REST, or of another service.
    return FailedRequest(_GRPC_STATUS.get(code, 500), message, unrecognized="http2 header with status" in message)


def _rest_failure(error: UnexpectedResponse) -> FailedRequest:
    """The server's message: `status.error` of its JSON, or the beginning of any other answer."""
    try:
        message = _clean_message(str(json.loads(error.content)["status"]["error"]))
    except (ValueError, KeyError, TypeError):
        text = _clean_message(error.content.decode("utf-8", "replace"))
        if error.status_code == 404:  # of a wrong path or a proxy: it says nothing about a collection
            return FailedRequest(404, text or "the answer is empty", unrecognized=True)
        return FailedRequest(error.status_code, text)
    return FailedRequest(error.status_code, message)


def _clean_message(message: str) -> str:
    return peer_words(message).rstrip(".")
