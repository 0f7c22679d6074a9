"""What a Qdrant server's refusals and silences mean here, over REST and gRPC alike."""

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
from assay.errors import IndexCorrupt, IndexNotFound, StorageFull, StoreUnavailable, VectorStoreError
from assay.redaction import peer_words

CLIENT_ERRORS = (ApiException, QdrantException, grpc.RpcError, httpx.HTTPError, ValidationError, json.JSONDecodeError)
"""Everything that the client raises because of a server or the way to it."""

MISREAD = (AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What the client's code runs into where an answer is not Qdrant's: it takes the parts of an answer for granted."""


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

    status: the HTTP status, or that which the gRPC code stands for; None when there was no whole answer.
    words: the server's own, or what became of the connection.
    retry_after: seconds that the server asked to wait; None when it did not say.
    timed_out: whether it took too long.
    strange: whether something answered that is not Qdrant, or not like it.
    """

    status: int | None
    words: str
    retry_after: float | None = None
    timed_out: bool = False
    strange: bool = False

    @property
    def transient(self) -> bool:
        """Whether the same request may work in a moment."""
        may_pass = self.strange or self.status is None or self.status in _TRANSIENT
        return may_pass and not _FULL.search(self.words)

    @property
    def is_missing(self) -> bool:
        """Whether there is no such collection."""
        return self.status == 404

    @property
    def is_there_already(self) -> bool:
        """Whether a collection of that name exists."""
        return self.status == 409 or (self.status == 400 and "already exists" in self.words)

    @property
    def forbids_exact(self) -> bool:
        """Whether strict mode refuses exact counts."""
        return self.status in (400, 403) and "Exact search disabled" in self.words


def failure_of(error: Exception) -> FailedRequest:
    """What one of CLIENT_ERRORS says."""
    if isinstance(error, ResponseHandlingException):
        error = error.source
    match error:
        case UnexpectedResponse():
            return FailedRequest(error.status_code, _words_in(error.content))
        case ResourceExhaustedResponse():
            return FailedRequest(429, _said(error.message), float(error.retry_after_s))
        case QdrantException():
            return FailedRequest(429, _said(str(error)))
        case grpc.RpcError():
            return _grpc_failure(error)
        case httpx.HTTPError():
            return _http_failure(error)
        case _:
            return misread(error)


def misread(error: Exception) -> FailedRequest:
    """What answered is not Qdrant: a proxy, another product, or a version whose answers are different."""
    match error:
        case ValidationError():
            field = ".".join(str(part) for part in error.errors(include_url=False, include_input=False)[0]["loc"])
            expected = f"a field is missing or has the wrong type: {peer_words(field, 80)}"
        case json.JSONDecodeError() | UnicodeDecodeError():
            expected = "it is not JSON"
        case RecursionError():
            expected = "it is nested too deeply"
        case _:
            expected = "it has no `result` of the kind that was asked for"
    return FailedRequest(200, expected, strange=True)


def explain(failure: FailedRequest, doing: str, name: str, address: str, seconds: int) -> VectorStoreError:
    """The error for a request that failed for good.

    doing: what was asked, to go on after "could not": "search".
    name: of the index, or "" when none in particular was asked.
    seconds: the time that the request had.
    """
    what = f"Could not {doing}" + (f" the index {name}" if name else "") + f" on the Qdrant server at {address}: "
    kind, reason, hint = next(_readings(failure, seconds))
    return kind(what + reason, hint=hint)


def not_usable(name: str, reason: str) -> IndexCorrupt:
    """The error for a collection that is not what it has to be."""
    return IndexCorrupt(f"The index {name} cannot be used: {reason}.", hint=REBUILD)


def _readings(failure: FailedRequest, seconds: int) -> Iterator[tuple[type[VectorStoreError], str, str]]:
    """What a failure means, as kind, reason and what to do; the first is the best, the last fits all."""
    words, status = failure.words, failure.status
    if _FULL.search(words):
        yield StorageFull, f"its disk is full ({words}).", "Free some space there, or give it a larger disk."
    if failure.timed_out:
        limits = "[qdrant] timeout_seconds and upload_timeout_seconds say how long is waited."
        yield StoreUnavailable, f"it did not answer within {seconds} s.", limits
    if failure.strange:
        hint = (
            "Check that [qdrant] url and its port are those of a Qdrant server (1.16 or later), and that no proxy "
            "answers in its place."
        )
        yield StoreUnavailable, f"it answered 200, and the answer is not one of Qdrant's: {words}.", hint
    if status is None:
        yield StoreUnavailable, f"{words}.", "Check that it runs, and that [qdrant] url and its port are right."
    if status == 401:
        hint = "Set QDRANT_API_KEY (or [qdrant] api_key) to a key of this server."
        yield VectorStoreError, f"it takes no request without a valid API key ({words}).", hint
    if status in (400, 403, 500) and (advice := _strict_advice(words)):
        yield VectorStoreError, f"a limit of its strict mode was met ({words}).", advice
    if status == 403:
        hint = "Use a key that may read, write and manage the collections of [qdrant] collection, and its alias."
        yield VectorStoreError, f"the API key does not allow it ({words}).", hint
    if status == 404:
        yield IndexNotFound, f"it is not there ({words}).", "Build one with `assay ingest`."
    if status == 413:
        hint = "Lower [qdrant] upload_bytes, or raise the server's service.max_request_size_mb."
        yield VectorStoreError, f"the request is larger than it takes ({words}).", hint
    if status == 429:
        hint = "Try again later, or raise read_rate_limit or write_rate_limit of its strict mode."
        yield StoreUnavailable, f"it limits the rate of requests ({words}).", hint
    if status in _TRANSIENT:
        yield StoreUnavailable, f"it answered {status} ({words}).", "Its log says more."
    yield VectorStoreError, f"it refused with {status} ({words}).", "Its log says more."


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
    (r"batch", "Raise search_max_batchsize to 2 or more: a search asks both vectors at once."),
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


def _strict_advice(words: str) -> str:
    """What to set when a limit of strict mode was met; empty when none was."""
    if not _STRICT.search(words):
        return ""
    for pattern, advice in _ADVICE:
        if re.search(pattern, words, re.IGNORECASE):
            return advice
    return "Raise that limit in the collection's strict_mode_config."


def _http_failure(error: httpx.HTTPError) -> FailedRequest:
    if isinstance(error, httpx.TimeoutException):
        return FailedRequest(None, "it took too long", timed_out=True)
    what = "no connection" if isinstance(error, httpx.ConnectError) else "the connection broke"
    return FailedRequest(None, f"{what} ({_said(str(error)) or type(error).__name__})")


def _grpc_failure(error: grpc.RpcError) -> FailedRequest:
    code = error.code() if isinstance(error, grpc.Call) else grpc.StatusCode.UNAVAILABLE
    words = _said((error.details() if isinstance(error, grpc.Call) else str(error)) or code.name)
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return FailedRequest(None, "it took too long", timed_out=True)
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
        return FailedRequest(None, f"no connection ({words})")
    return FailedRequest(_GRPC_STATUS.get(code, 500), words)


def _words_in(content: bytes) -> str:
    """The server's message: its JSON's `status.error`, or the beginning of whatever else was answered."""
    try:
        said = json.loads(content)["status"]["error"]
    except (ValueError, KeyError, TypeError):
        said = content.decode("utf-8", "replace")
    return _said(str(said))


def _said(words: str) -> str:
    return peer_words(words).rstrip(".")
