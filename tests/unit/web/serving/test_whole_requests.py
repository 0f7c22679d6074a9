"""Requests that an overloaded server refuses without parsing them."""

import pytest

from assay.web.serving.connections import _is_whole_request

HEAD = b"POST /v1/search HTTP/1.1\r\nHost: a\r\n"


@pytest.mark.parametrize(
    "request_bytes",
    [
        HEAD + b"Content-Length: 2\r\n\r\n{}",
        HEAD + b"content-length:2\r\nAccept: */*\r\n\r\n{}",
        b"GET /v1/search?q=nodes HTTP/1.1\r\nHost: a\r\n\r\n",
    ],
)
def test_a_plain_request_with_its_body_is_whole(request_bytes: bytes) -> None:
    assert _is_whole_request(request_bytes)


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"",
        HEAD,
        HEAD + b"Content-Length: 3\r\n\r\n{}",
        HEAD + b"Content-Length: 1\r\n\r\n{}",  # the beginning of another request
        HEAD + b"\r\n{}",
        HEAD + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        HEAD + b"Content-Length : 2\r\n\r\n",
        HEAD + b"Content-Length: +2\r\n\r\n{}",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        HEAD + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
        HEAD + b"Connection: close\r\nContent-Length: 2\r\n\r\n{}",
        HEAD + b"Content-Length:\r\n 2\r\n\r\n{}",
        b"HEAD /v1/search HTTP/1.1\r\nHost: a\r\n\r\n",
        b"OPTIONS /v1/search HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /v1/search HTTP/1.0\r\nHost: a\r\n\r\n",
        b"GET http://a/v1/search HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /livez?x HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n",
    ],
)
def test_everything_else_is_left_to_the_parser(request_bytes: bytes) -> None:
    assert not _is_whole_request(request_bytes)
