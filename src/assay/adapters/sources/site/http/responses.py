"""Responses to requests, and the errors and limits of these. Loads no network code."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assay.redaction import redacted


@dataclass(eq=False)
class FetchError(Exception):
    """A request that brought no usable response.

    reason: for the report, with secrets masked.
    transient: a retry may succeed.
    unreachable: no connection was made.
    forbidden: the guard refused to connect.
    from_server: the server itself returned the error.
    received: bytes received before the failure.
    """

    reason: str
    transient: bool
    unreachable: bool = False
    forbidden: bool = False
    from_server: bool = False
    received: int = 0

    def __post_init__(self) -> None:
        self.reason = redacted(self.reason)
        super().__init__(self.reason)


@dataclass(frozen=True, slots=True)
class Response:
    """A server's response.

    headers: lower-case names, each once; secrets are masked.
    body: decoded; b"" when it was not read.
    refusal: why the body was not read; "" when it was read or is empty.
    received: bytes of the encoded body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    refusal: str
    received: int


BodyFilter = Callable[[int, Mapping[str, str]], str]
"""Returns why the body for this status and these headers is not read; "" to read it."""


def accept_success(status: int, headers: Mapping[str, str]) -> str:  # noqa: ARG001
    """Read the body of a 200 response only."""
    return "" if status == 200 else "no success"


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Limits of one response: total seconds, seconds without a byte, decoded bytes.

    truncate: keep the first `bytes` of a longer body instead of raising.
    """

    seconds: float
    read_seconds: float
    bytes: int
    truncate: bool = False


@dataclass(frozen=True, slots=True)
class Unserved:
    """A page that nothing led to. reason: why it is not a page of the documentation; "" if it may be one."""

    address: str
    reason: str = ""
