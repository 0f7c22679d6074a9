"""Everything that the Qdrant client raises becomes an error of ours that says what to do."""

import json

import grpc
import httpx
import pytest
from httpx import Headers
from pydantic import TypeAdapter, ValidationError
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from assay.adapters.stores.qdrant.errors import CLIENT_ERRORS, FailedRequest, classify_error, explain
from assay.errors import IndexNotFound, StorageFull, StoreUnavailable, VectorStoreError


class RpcFailure(grpc.RpcError, grpc.Call):
    """An error as a gRPC channel raises it."""

    def __init__(self, code: grpc.StatusCode, details: str) -> None:
        self._code, self._details = code, details

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return self._details

    def initial_metadata(self) -> None: ...
    def trailing_metadata(self) -> None: ...
    def is_active(self) -> bool:
        return False

    def time_remaining(self) -> None: ...
    def cancel(self) -> None: ...
    def add_callback(self, callback: object) -> None: ...


OVER_DISK = (
    "Insufficient storage: Disk usage is at 76% of total capacity, exceeding the configured limit of 75%. Help: x"
)
OVER_MEMORY = "Insufficient storage: Resident memory usage is at 81% of total memory, exceeding it. Help: x"


def refused(status: int, message: str = "message") -> UnexpectedResponse:
    return UnexpectedResponse(status, "", json.dumps({"status": {"error": message}}).encode(), Headers())


def told(error: Exception) -> VectorStoreError:
    assert isinstance(error, CLIENT_ERRORS)
    return explain(classify_error(error), "search", "g1", "http://host:6333", 10)


def invalid() -> ValidationError:
    try:
        TypeAdapter(int).validate_python("x")
    except ValidationError as error:
        return error
    raise AssertionError


@pytest.mark.parametrize("status", range(300, 600))
def test_every_status_is_an_error_that_names_the_index_and_the_server(status: int) -> None:
    error = told(refused(status))
    assert error.message.startswith("Could not search the index g1 on the Qdrant server at http://host:6333: ")
    assert error.message.endswith("(message).")
    assert error.hint


@pytest.mark.parametrize("code", list(grpc.StatusCode))
def test_every_grpc_code_is_an_error(code: grpc.StatusCode) -> None:
    error = told(RpcFailure(code, "message"))
    assert "g1" in error.message
    assert error.hint


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (refused(404), IndexNotFound),
        (RpcFailure(grpc.StatusCode.NOT_FOUND, "gone"), IndexNotFound),
        (refused(500), StoreUnavailable),
        (RpcFailure(grpc.StatusCode.INTERNAL, "oops"), StoreUnavailable),
        (RpcFailure(grpc.StatusCode.UNAVAILABLE, "failed to connect"), StoreUnavailable),
        (RpcFailure(grpc.StatusCode.DEADLINE_EXCEEDED, ""), StoreUnavailable),
        (RpcFailure(grpc.StatusCode.RESOURCE_EXHAUSTED, "busy"), StoreUnavailable),
        (ResourceExhaustedResponse("busy", 3), StoreUnavailable),
        (QdrantException("Retry-After header value is not a valid integer: soon"), StoreUnavailable),
        (refused(500, "Service internal error: No space left on device"), StorageFull),
        (RpcFailure(grpc.StatusCode.INTERNAL, "No space left on device: WAL"), StorageFull),
        (refused(507, OVER_DISK), StorageFull),
        (RpcFailure(grpc.StatusCode.RESOURCE_EXHAUSTED, OVER_DISK), StorageFull),
        (RpcFailure(grpc.StatusCode.UNIMPLEMENTED, "Received http2 header with status: 404"), StoreUnavailable),
        (ResponseHandlingException(httpx.ConnectError("[Errno 111] Connection refused")), StoreUnavailable),
        (ResponseHandlingException(httpx.ReadTimeout("timed out")), StoreUnavailable),
        (ResponseHandlingException(httpx.RemoteProtocolError("peer closed connection")), StoreUnavailable),
        (ResponseHandlingException(invalid()), StoreUnavailable),
        (invalid(), StoreUnavailable),
        (json.JSONDecodeError("no JSON", "<html>", 0), StoreUnavailable),
        (refused(401), VectorStoreError),
        (refused(403), VectorStoreError),
        (refused(413), VectorStoreError),
        (refused(400), VectorStoreError),
    ],
    ids=repr,
)
def test_an_error_has_its_kind(error: Exception, kind: type[VectorStoreError]) -> None:
    assert type(told(error)) is kind


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        ('Index required but not found for "facets" of one of the following types: [keyword]. Help: x', "--rebuild"),
        ('Limit exceeded 124 > 100 for "limit". Help: x', "[search] depth"),
        ('Limit exceeded 1024 > 64 for "hnsw_ef". Help: x', "[qdrant] search_width"),
        ('Limit exceeded 2 > 1 for "oversampling". Help: x', "[qdrant] oversampling"),
        ("Exact search disabled!. Help: Set exact=false.", "search_allow_exact"),
        ('Limit exceeded 512 > 100 for "upsert limit". Help: x', "[qdrant] upload_batch"),
        ('Limit exceeded 2 > 1 for "search batch size". Help: x', "search_max_batchsize"),
        ('Limit exceeded 10 > 5 for "timeout". Help: x', "[qdrant] timeout_seconds"),
        ("Condition size limit reached (30 > 10). Help: Reduce the size of your condition.", "condition_max_size"),
        ("Filter condition limit reached (3 > 1). Help: x", "filter_max_conditions"),
        ("Max vector storage size limit of 1 bytes reached!. Help: Delete some", "max_collection_vector_size_bytes"),
        ("Max payload storage size limit of 1 bytes reached!. Help: x", "max_collection_payload_size_bytes"),
        ("Collection already contains the maximum number of payload indices. Help: x", "max_payload_index_count"),
        ("Max points count limit of 10 reached!. Help: Delete some points", "max_points_count"),
        ('Limit exceeded 2 > 1 for "something new". Help: x', "strict_mode_config"),
    ],
)
@pytest.mark.parametrize("status", [400, 403])
def test_a_limit_of_strict_mode_says_what_to_set(status: int, message: str, advice: str) -> None:
    error = told(refused(status, f"Bad request: {message}"))
    assert message.rstrip(".") in error.message
    assert "strict mode" in error.message
    assert advice in error.hint


@pytest.mark.parametrize(
    ("message", "advice"), [(OVER_DISK, "max_disk_usage_percent"), (OVER_MEMORY, "max_resident_memory_percent")]
)
def test_a_quota_says_what_to_raise(message: str, advice: str) -> None:
    for error in (refused(507, message), RpcFailure(grpc.StatusCode.RESOURCE_EXHAUSTED, message)):
        assert advice in told(error).hint
        assert "its quota is used up" in told(error).message


@pytest.mark.parametrize(
    "error",
    [
        ResponseHandlingException(httpx.ConnectError("[SSL] tlsv1 alert no application protocol (_ssl.c:1006)")),
        RpcFailure(grpc.StatusCode.UNIMPLEMENTED, "Received http2 header with status: 404"),
        RpcFailure(
            grpc.StatusCode.UNAVAILABLE,
            "failed to connect to all addresses; last error: UNKNOWN: ipv6:%5B::1%5D:6334: Connection refused",
        ),
    ],
    ids=repr,
)
def test_a_port_that_may_speak_another_protocol_names_both_ports(error: Exception) -> None:
    assert "grpc_port" in told(error).hint


def test_a_request_that_is_wrong_is_not_taken_for_a_limit() -> None:
    assert "strict mode" not in told(refused(400, "Wrong input: Vector dimension error: expected dim: 4")).message


def test_a_rate_limit_is_no_limit_of_the_request() -> None:
    error = told(refused(429, "Rate limiting exceeded: Read rate limit exceeded, retry after 3s"))
    assert (type(error), "rate" in error.message) == (StoreUnavailable, True)


@pytest.mark.parametrize(
    ("error", "transient"),
    [
        (refused(503), True),
        (refused(429), True),
        (refused(404), False),
        (refused(400), False),
        (refused(401), False),
        (refused(501), False),
        (refused(500, "No space left on device"), False),
        (refused(507, OVER_DISK), False),
        (RpcFailure(grpc.StatusCode.RESOURCE_EXHAUSTED, OVER_DISK), False),
        (RpcFailure(grpc.StatusCode.RESOURCE_EXHAUSTED, "Rate limiting exceeded"), True),
        (ResponseHandlingException(httpx.ConnectError("refused")), True),
        (RpcFailure(grpc.StatusCode.UNAVAILABLE, ""), True),
        (RpcFailure(grpc.StatusCode.UNIMPLEMENTED, ""), False),
    ],
    ids=repr,
)
def test_only_what_may_pass_is_worth_another_try(error: Exception, transient: bool) -> None:
    assert classify_error(error).transient is transient


def test_the_time_that_a_server_asks_for_is_known() -> None:
    assert classify_error(ResourceExhaustedResponse("busy", 7)) == FailedRequest(429, "busy", 7.0)


def test_a_page_of_a_proxy_is_told_in_one_short_line() -> None:
    page = UnexpectedResponse(502, "", b"<html>\n<body>" + b"bad gateway " * 100, Headers())
    message = told(page).message
    assert "\n" not in message
    assert len(message) < 500
