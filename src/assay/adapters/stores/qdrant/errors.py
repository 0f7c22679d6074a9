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
        return may_pass and not _FULL.search(self.message)

    @property
    def is_missing(self) -> bool:
        """Whether the collection does not exist."""
        return self.status == 404

    @property
    def already_exists(self) -> bool:
        """Whether a collection of this name exists."""
        return self.status == 409 or (self.status == 400 and "already exists" in self.message)

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
            return FailedRequest(error.status_code, _message_in(error.content))
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
    if _FULL.search(message):
        yield StorageFull, f"its disk is full ({message}).", "Free some space there, or give it a larger disk."
    if failure.timed_out:
        limits = "Increase [qdrant] timeout_seconds or upload_timeout_seconds, or find out why the server is slow."
        yield StoreUnavailable, f"it did not answer within {seconds} s.", limits
    if failure.unrecognized:
        hint = (
            "Check that [qdrant] url and its port belong to a Qdrant server (1.16 or later) and not to a proxy or "
            "another service."
        )
        yield StoreUnavailable, f"it answered 200, but not like Qdrant: {message}.", hint
    if status is None:
        yield StoreUnavailable, f"{message}.", "Check that it runs, and that [qdrant] url and its port are right."
    if status == 401:
        hint = "Set QDRANT_API_KEY (or [qdrant] api_key) to a key of this server."
        yield VectorStoreError, f"it requires a valid API key ({message}).", hint
    if status in (400, 403, 500) and (advice := _strict_advice(message)):
        yield RequestForbidden, f"the request exceeds a limit of its strict mode ({message}).", advice
    if status == 403:
        hint = "Use a key with read, write and manage access to the collections of [qdrant] collection and its alias."
        yield VectorStoreError, f"the API key does not allow it ({message}).", hint
    if status == 404:
        yield IndexNotFound, f"it does not exist ({message}).", "Build one with `assay ingest`."
    if status == 413:
        hint = "Decrease [qdrant] upload_bytes, or increase the server's service.max_request_size_mb."
        yield VectorStoreError, f"the request is too large for it ({message}).", hint
    if status == 429:
        hint = "Try again later, or raise read_rate_limit or write_rate_limit of its strict mode."
        yield StoreUnavailable, f"it limits the rate of requests ({message}).", hint
    if status in _TRANSIENT:
        yield StoreUnavailable, f"it answered {status} ({message}).", "See its log."
    yield VectorStoreError, f"it refused with {status} ({message}).", "See its log."


_ADVICE: tuple[tuple[str, str], ...] = (
    (r"Index required but not found", f"The collection lost its index of `facets`. {REBUILD}"),
    (
        r'for "limit"',
        "Lower [search] depth, or raise max_query_limit; searches that meet many equal passages go up to 10,024.",
    ),
    (r'for "hnsw_ef"', "Lower [qdrant] search_width, or raise search_max_hnsw_ef."),
    (r'for "oversampling"', "Lower [qdrant] oversampling, or raise search_max_oversampling."),
    (r"Exact search disabled", "Set search_allow_exact to true."),
    (r"upsert", "Lower [qdrant] upload_batch, or raise upsert_max_batchsize."),
    (r"batch", "Raise search_max_batchsize to 2 or more: a search queries both vectors in one request."),
    (r'for "timeout"', "Lower [qdrant] timeout_seconds and upload_timeout_seconds, or raise max_timeout."),
    (r"condition size", "Name fewer versions, locales or sections in the filter, or raise condition_max_size."),
    (r"filter|condition", "Raise filter_max_conditions to 8 or more."),
    (r"vector storage", "Raise max_collection_vector_size_bytes."),
    (r"payload storage", "Raise max_collection_payload_size_bytes."),
    (r"payload index", "Raise max_payload_index_count to 1 or more."),
    (r"points", "Raise max_points_count: the generation has more chunks."),
    (r"resident memory", "Give the server more memory, or raise its quota."),
)
_STRICT = re.compile(r"\bHelp: |Limit exceeded|strict mode", re.IGNORECASE)


def _strict_advice(message: str) -> str:
    """Hint for a limit of strict mode; empty if none was exceeded."""
    if not _STRICT.search(message):
        return ""
    for pattern, advice in _ADVICE:
        if re.search(pattern, message, re.IGNORECASE):
            return advice
    return "Raise that limit in the collection's strict_mode_config."


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
    return FailedRequest(_GRPC_STATUS.get(code, 500), message)


def _message_in(content: bytes) -> str:
    """The server's message: `status.error` of its JSON, or the beginning of any other answer."""
    try:
        said = json.loads(content)["status"]["error"]
    except (ValueError, KeyError, TypeError):
        said = content.decode("utf-8", "replace")
    return _clean_message(str(said))


def _clean_message(message: str) -> str:
    return peer_words(message).rstrip(".")
