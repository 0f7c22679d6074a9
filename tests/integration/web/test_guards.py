"""What a running server does about too much at once, and about clients that take their time."""

import gzip
import http.client
import json
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import cache
from pathlib import Path

import pytest
from tests.integration.web.conftest import RunningServer, running_server
from tests.integration.web.wire import JSON, SLOW, ask, exchange, search, until

from assay.contracts.search_api import ErrorResponse
from assay.web.serving.connections import MAX_HEAD_BYTES

POST = b"POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def refusal_in(answer: bytes) -> tuple[int, str]:
    """Status and error word of one answer, the last on its connection."""
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
    assert headers["content-type"] == "application/json"
    assert headers["connection"] == "close"
    assert re.fullmatch(r"[0-9a-f]{32}", headers["x-request-id"])
    return int(lines[0].split()[1]), ErrorResponse.model_validate_json(body).error


# --- too much at once ----------------------------------------------------------------------------------------------


def test_one_request_too_many_is_refused_at_once_and_probes_are_answered_beside(
    published: Path, tmp_path: Path
) -> None:
    ends = tmp_path / "ends"
    with (
        running_server(
            published, definitions=SLOW, kind="Slow", threads=1, max_requests=3, cors_origins=["*"]
        ) as server,
        ThreadPoolExecutor(3) as pool,
    ):
        waiting = [pool.submit(search_slowly, server.port, tmp_path / f"began{n}", ends) for n in range(3)]
        try:
            until(lambda: under_way(server.port) == 3)
            refused = search(server.port, Origin="https://docs.example.org")
            assert refused.status == 503
            assert refused.body == {
                "error": "service_unavailable",
                "message": "Too many requests are in progress; try again in a second.",
            }
            assert refused.headers["Retry-After"] == "1"
            assert refused.headers["Access-Control-Allow-Origin"] == "*"
            assert ask(server.port, "/livez").status == 200
            assert ask(server.port, "/readyz").status == 200
            assert _statuses_on_one_connection(server.port, 3) == [503] * 3
        finally:
            ends.touch()
        assert [each.result() for each in waiting] == [200] * 3
        assert search(server.port).status == 200
        assert "\nassay_overload_refusals_total 4.0\n" in ask(server.port, "/metrics").content.decode()


def _statuses_on_one_connection(port: int, requests: int) -> list[int]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.connect()
        first, statuses = connection.sock, []
        for _ in range(requests):
            connection.request("GET", "/v1/search?q=nodes")
            with connection.getresponse() as response:
                response.read()
                statuses.append(response.status)
        assert connection.sock is first
        return statuses


def under_way(port: int) -> int:
    """How many requests are being answered, besides the one that asks."""
    metrics = ask(port, "/metrics").content.decode()
    (number,) = re.findall(r"^assay_http_requests_in_flight (\S+)$", metrics, re.MULTILINE)
    return int(float(number)) - 1


def search_slowly(port: int, began: Path, ends: Path) -> int:
    return ask(port, body={"query": f"slow {began} {ends}"}).status


def test_one_connection_too_many_is_refused_and_room_is_made_when_one_ends(published: Path) -> None:
    with running_server(published, max_connections=5) as server:
        held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(5)]
        answers: list[bytes] = []

        def is_refused() -> bool:
            answers.append(exchange(server.port))
            return bool(answers[-1])

        until(is_refused)
        assert refusal_in(answers[-1]) == (503, "service_unavailable")
        assert b"\r\nRetry-After: 1\r\n" in answers[-1]
        for connection in held:
            connection.close()
        until(lambda: _answers(server.port))


def _answers(port: int) -> bool:
    try:
        return ask(port, "/livez").status == 200
    except (OSError, http.client.HTTPException):
        return False


# --- slow clients --------------------------------------------------------------------------------------------------


def test_a_head_that_comes_a_byte_now_and_then_is_ended_while_others_are_answered(published: Path) -> None:
    drops = [bytes([byte]) for byte in POST[:40]]
    with running_server(published, head_seconds=2) as server, ThreadPoolExecutor(30) as pool:
        slow = [pool.submit(exchange, server.port, *drops, pause=0.2) for _ in range(30)]
        while not all(each.done() for each in slow):
            assert search(server.port).status == 200
        assert {refusal_in(each.result()) for each in slow} == {(408, "request_timeout")}


@pytest.fixture(scope="module")
def hasty_server(published: Path) -> Iterator[RunningServer]:
    """A server that waits half a second for a head."""
    with running_server(published, head_seconds=0.5) as server:
        yield server


def test_a_connection_on_which_nothing_comes_is_closed(hasty_server: RunningServer) -> None:
    assert exchange(hasty_server.port) == b""


def test_a_second_head_on_a_connection_has_the_same_time(hasty_server: RunningServer) -> None:
    first = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer = exchange(hasty_server.port, first + b"GET /livez HT")
    assert answer.startswith(b"HTTP/1.1 200 ")
    _, _, rest = answer.partition(b'{"status":"alive"}')
    assert refusal_in(rest) == (408, "request_timeout")


def test_a_head_that_begins_on_an_idle_connection_has_the_same_time(hasty_server: RunningServer) -> None:
    with socket.create_connection(("127.0.0.1", hasty_server.port), timeout=60) as connection:
        connection.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = b""
        while not answer.endswith(b'{"status":"alive"}'):
            answer += connection.recv(65_536)
        connection.sendall(b"GET /livez HT")
        late = b""
        while part := connection.recv(65_536):
            late += part
    assert refusal_in(late) == (408, "request_timeout")


def test_an_idle_connection_is_kept_longer_than_a_head_may_take(published: Path) -> None:
    with running_server(published, head_seconds=0.3) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.connect()
        kept = connection.sock
        for _ in range(3):
            connection.request("GET", "/livez")
            assert connection.getresponse().read()
            time.sleep(0.8)
            assert connection.sock is kept
        connection.close()


@pytest.mark.parametrize("framing", [b"Content-Length: 100\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n5\r\n"])
def test_a_body_that_does_not_come_is_answered_with_408_and_the_end(published: Path, framing: bytes) -> None:
    with running_server(published, body_seconds=0.5) as server:
        answer = exchange(server.port, POST + framing + b'{"que')
        assert refusal_in(answer) == (408, "request_timeout")
        lines = [json.loads(line) for line in server.stop().splitlines()]
        (line,) = [line for line in lines if line.get("path") == "/search"]
        assert line["status"] == 408
        assert not [line for line in lines if line["level"] == "error"]


def test_a_search_that_takes_longer_than_a_body_may_is_answered(published: Path, tmp_path: Path) -> None:
    began, ends = tmp_path / "began", tmp_path / "ends"
    with (
        running_server(published, definitions=SLOW, kind="Slow", body_seconds=0.3, head_seconds=0.3) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        slow = pool.submit(search_slowly, server.port, began, ends)
        until(began.exists)
        time.sleep(1)
        ends.touch()
        assert slow.result() == 200


def test_what_is_left_of_a_refused_body_does_not_hold_the_connection(hasty_server: RunningServer) -> None:
    answer = exchange(hasty_server.port, POST + b"Content-Length: 1000000\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_client_that_reads_nothing_is_left(hasty_server: RunningServer) -> None:
    request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.connect(("127.0.0.1", hasty_server.port))
        connection.sendall(request * 400)
        counts = [-2, -1]

        def is_over() -> bool:
            time.sleep(0.2)
            metrics = ask(hasty_server.port, "/metrics").content.decode()
            counts.extend(
                int(float(n)) for n in re.findall(r'requests_total{.*route="/openapi.json".*} (\S+)', metrics)
            )
            return under_way(hasty_server.port) == 0 and counts[-1] == counts[-2]

        until(is_over)
        assert 0 < counts[-1] < 400
        assert search(hasty_server.port).status == 200


# --- what is not a request -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server_for(published: Path) -> Iterator[Callable[[list[str]], RunningServer]]:
    """Servers to pages of other origins, one for each list of these."""
    with ExitStack() as running:

        @cache
        def started(origins: tuple[str, ...]) -> RunningServer:
            return running.enter_context(running_server(published, cors_origins=list(origins)))

        yield lambda origins: started(tuple(origins))


@pytest.mark.parametrize(
    ("origins", "sent", "allowed"),
    [
        (["*"], b"https://anywhere.example", b"*"),
        (["https://docs.example.org"], b"https://docs.example.org", b"https://docs.example.org"),
        (["https://docs.example.org"], b"https://elsewhere.example", None),
    ],
)
@pytest.mark.parametrize("trouble", [b"Host: a\r\nHost: b\r\n", b"X-Long: " + b"x" * MAX_HEAD_BYTES + b"\r\n"])
def test_a_page_may_read_what_is_answered_below_the_application_too(
    server_for: Callable[[list[str]], RunningServer],
    origins: list[str],
    sent: bytes,
    allowed: bytes | None,
    trouble: bytes,
) -> None:
    head = b"GET /livez HTTP/1.1\r\nOrigin: " + sent + b"\r\n" + trouble + b"\r\n"
    answer = exchange(server_for(origins).port, head)
    assert refusal_in(answer)[0] in {400, 431}
    found = re.search(rb"\r\nAccess-Control-Allow-Origin: (\S+)\r\n", answer)
    assert (found[1] if found else None) == allowed
    assert (b"\r\nVary: Origin\r\n" in answer) == ("*" not in origins)


def test_a_head_that_is_too_large_is_refused_with_its_limit(default_server: RunningServer) -> None:
    headers = b"".join(b"X-%d: %s\r\n" % (n, b"x" * 1_000) for n in range(MAX_HEAD_BYTES // 1_000 + 5))
    answer = exchange(default_server.port, POST + headers)
    assert refusal_in(answer) == (431, "validation_error")
    assert f"{MAX_HEAD_BYTES:,} bytes".encode() in answer
    assert search(default_server.port, **{"X-Long": "x" * (MAX_HEAD_BYTES - 1_000)}).status == 200
    before, after = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Long: ", b"\r\nConnection: close\r\n\r\n"
    longest = before + b"x" * (MAX_HEAD_BYTES - len(before) - len(after)) + after
    assert exchange(default_server.port, longest).startswith(b"HTTP/1.1 200 ")
    for too_long in (1, 10_000, 60_000):  # sent at once, and whole
        answer = exchange(default_server.port, longest.replace(b"X-Long: ", b"X-Long: " + b"x" * too_long))
        assert refusal_in(answer) == (431, "validation_error")


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"GET /livez\r\n\r\n",
        b"GET /livez HTTP/1.1\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost: localhost\r\nBad Header: x\r\n\r\n",
        b"GET livez HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET ftp://localhost/livez HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET http:///livez HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET http://user@localhost/livez HTTP/1.1\r\nHost: localhost\r\n\r\n",
        POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        POST + b"Content-Length: -1\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\nnonsense\r\n",
    ],
)
def test_what_is_not_a_request_is_told_so_in_the_error_body(default_server: RunningServer, sent: bytes) -> None:
    answer = exchange(default_server.port, sent)
    assert refusal_in(answer) == (400, "validation_error")
    assert b"server:" not in answer.lower()
    assert search(default_server.port).status == 200


def test_two_ways_to_say_where_a_body_ends_are_not_read_two_ways(default_server: RunningServer) -> None:
    smuggled = b"0\r\n\r\nGET /v1/admin/generations HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer = exchange(
        default_server.port,
        POST
        + b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" % len(smuggled)
        + smuggled,
    )
    assert answer.count(b"HTTP/1.1 ") == 1
    assert answer.startswith(b"HTTP/1.1 400 ")


def test_a_connection_ends_after_a_request_that_says_twice_how_long_it_is(default_server: RunningServer) -> None:
    body = b'{"query": "What are nodes?"}'
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    following = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
    framing = b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n" % len(chunked)
    answer = exchange(default_server.port, POST + framing + chunked + following)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b"\r\nconnection: close\r\n" in answer.lower()


def test_a_target_that_is_a_whole_url_is_served_under_its_own_host(default_server: RunningServer) -> None:
    for target, host, status in (
        (b"http://localhost/livez", b"localhost", 200),
        (b"HTTP://LOCALHOST:80/livez", b"localhost", 200),
        (b"http://127.0.0.1/openapi.json?x=/y", b"ignored.example", 200),
        (b"http://localhost", b"localhost", 200),
        (b"http://evil.example/livez", b"localhost", 400),
    ):
        head = b"GET " + target + b" HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n"
        assert exchange(default_server.port, head).startswith(b"HTTP/1.1 %d " % status), target


def test_the_answer_to_a_slow_upload_reaches_a_client_that_reads_only_after_sending(published: Path) -> None:
    with (
        running_server(published, body_seconds=0.3) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection,
    ):
        connection.sendall(POST + b"Content-Length: 60000\r\n\r\n")
        for _ in range(30):
            connection.sendall(b" " * 2_000)  # a closed connection would be reset by the second of these
            time.sleep(0.05)
        answer = b""
        while part := connection.recv(65_536):
            answer += part
    assert refusal_in(answer) == (408, "request_timeout")


# --- large answers -------------------------------------------------------------------------------------------------


def test_a_large_answer_is_compressed_for_who_takes_that_and_a_small_one_never(default_server: RunningServer) -> None:
    large = {"query": "replacing the camera", "top_k": 20, "include": {"vectors": True}}
    plain = ask(default_server.port, "/v1/search", large)
    packed = ask(default_server.port, "/v1/search", large, headers={"Accept-Encoding": "gzip, br"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert len(packed.content) < len(plain.content) / 2
    answers = [plain.body, json.loads(gzip.decompress(packed.content))]
    assert answers[0]["results"] == answers[1]["results"]
    small = ask(default_server.port, "/livez", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in small.headers
    refused = ask(default_server.port, "/v1/search", large, headers={"Accept-Encoding": "gzip;q=0, identity"})
    assert "Content-Encoding" not in refused.headers


# --- stopping ------------------------------------------------------------------------------------------------------


def test_a_kept_connection_is_asked_to_end_and_no_answer_on_it_is_cut(published: Path, tmp_path: Path) -> None:
    with running_server(published) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        told = False
        statuses = []
        for number in range(2_000):
            if number == 5:
                server.process.send_signal(signal.SIGTERM)
            connection.request("POST", "/search", json.dumps({"query": "What are nodes?"}), JSON)
            response = connection.getresponse()
            statuses.append(response.status)
            assert len(json.loads(response.read())["results"]) == 5
            if response.getheader("Connection") == "close":
                told = True
                break
        assert told
        assert set(statuses) == {200}
        server.process.wait(timeout=60)
        assert server.process.returncode == 0
