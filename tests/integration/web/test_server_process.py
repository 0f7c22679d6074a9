"""The server as a process, over real sockets."""

import http.client
import json
import signal
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.integration.web.conftest import PARTS, RunningServer, running_server, settings_for, write_pages

from assay.app import Assay
from assay.errors import ConfigurationError
from assay.web.serving.server import serve

JSON = {"Content-Type": "application/json"}
SLOW = """
import time
from pathlib import Path

class Slow(Searches):
    def search(self, query, *how, **named):
        if query.text.startswith("slow"):
            flag = Path(query.text.split()[1])
            flag.touch()
            time.sleep(float(query.text.split()[2]))
        return super().search(query, *how, **named)
"""


def ask(port: int, path: str = "/search", body: object = None, method: str = "POST") -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, JSON if body is not None else {})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def raw(port: int, request: bytes) -> bytes:
    """Send bytes as they are, and read until a JSON object has ended."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(request)
        answer = b""
        while not answer.endswith(b"}"):
            part = connection.recv(65_536)
            assert part, f"the connection closed after {answer!r}"
            answer += part
        return answer


def test_a_server_answers_says_so_once_and_ends_cleanly(published: Path) -> None:
    with running_server(published) as server:
        status, answer = ask(server.port, body={"query": "How do nodes communicate?"})
        assert status == 200
        assert len(answer["results"]) == 5
        assert ask(server.port, "/readyz", method="GET") == (200, {"status": "ready"})
        log = server.stop()
        assert server.process.returncode == 0
    lines = [json.loads(line) for line in log.splitlines()]
    (search,) = [line for line in lines if line.get("path") == "/search"]
    assert search["query"] == "How do nodes communicate?"
    assert search["status"] == 200
    assert "Traceback" not in log


def test_many_clients_at_once_all_get_their_own_answer(published: Path) -> None:
    with running_server(published, threads=4) as server, ThreadPoolExecutor(16) as pool:

        def question(part: str) -> tuple[str, int, Any]:
            return part, *ask(server.port, body={"query": f"replacing the {part}", "top_k": 4})

        for part, status, answer in pool.map(question, PARTS * 8):
            assert status == 200
            assert answer["query"] == f"replacing the {part}"
            assert any(part in result["snippet"] for result in answer["results"])


def test_probes_answer_while_every_thread_is_searching(published: Path, tmp_path: Path) -> None:
    flag = tmp_path / "begun"
    with running_server(published, definitions=SLOW, kind="Slow", threads=1) as server, ThreadPoolExecutor(1) as pool:
        slow = pool.submit(ask, server.port, "/search", {"query": f"slow {flag} 3"})
        _wait_for(flag)
        assert ask(server.port, "/livez", method="GET")[0] == 200
        assert ask(server.port, "/readyz", method="GET")[0] == 200
        assert ask(server.port, "/health", method="GET")[0] == 200
        assert not slow.done()
        assert slow.result()[0] == 200


# --- stopping ------------------------------------------------------------------------------------------------------


def test_sigterm_lets_requests_finish_says_no_to_probes_first_and_then_refuses(published: Path, tmp_path: Path) -> None:
    flag = tmp_path / "begun"
    with running_server(published, definitions=SLOW, kind="Slow") as server, ThreadPoolExecutor(1) as pool:
        slow = pool.submit(ask, server.port, "/search", {"query": f"slow {flag} 4"})
        _wait_for(flag)
        server.process.send_signal(signal.SIGTERM)
        status, body = _until_not_ready(server)
        assert (status, body["error"]) == (503, "service_unavailable")
        assert ask(server.port, body={"query": "nodes"})[0] == 200  # still answered: nobody has been told yet
        _until_refused(server)
        assert not slow.done()
        status, answer = slow.result()
        assert status == 200
        assert len(answer["results"]) == 5
        server.process.wait(timeout=60)
        assert server.process.returncode == 0


def test_what_does_not_finish_in_time_is_answered_with_503(published: Path, tmp_path: Path) -> None:
    flag = tmp_path / "begun"
    server_settings = {"drain_seconds": 1}
    with (
        running_server(published, definitions=SLOW, kind="Slow", **server_settings) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        slow = pool.submit(ask, server.port, "/search", {"query": f"slow {flag} 8"})
        _wait_for(flag)
        server.process.send_signal(signal.SIGTERM)
        status, body = slow.result()
        assert status == 503
        assert body["error"] == "service_unavailable"


def test_an_idle_connection_does_not_keep_a_stopping_server(published: Path) -> None:
    with running_server(published) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request("GET", "/livez")
        assert connection.getresponse().read()
        server.stop()
        assert server.process.returncode == 0


def test_interrupting_it_ends_it_cleanly_too(published: Path) -> None:
    with running_server(published) as server:
        log = server.stop(signal.SIGINT)
        assert server.process.returncode == 0
        assert "Traceback" not in log


# --- the port ------------------------------------------------------------------------------------------------------


def test_a_second_server_on_the_same_port_is_told_so(published: Path) -> None:
    with running_server(published) as server, Assay.open(settings_for(published)) as assay:
        with pytest.raises(ConfigurationError, match=f"Cannot listen on port {server.port} of 127.0.0.1"):
            serve(assay, "127.0.0.1", server.port)
        assert ask(server.port, "/livez", method="GET")[0] == 200


# --- bodies over the wire ------------------------------------------------------------------------------------------


def test_a_chunked_body_over_the_limit_is_refused_while_it_comes_in(default_server: RunningServer) -> None:
    part = b"1000\r\n" + b"x" * 0x1000 + b"\r\n"
    head = (
        b"POST /search HTTP/1.1\r\nHost: [::1]\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    answer = raw(default_server.port, head + part * 64)  # and never an end
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b'"payload_too_large"' in answer


def test_a_chunked_body_is_read(default_server: RunningServer) -> None:
    head = b"POST /search HTTP/1.1\r\nHost: [::1]\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
    body = b'9\r\n{"query":\r\n8\r\n"nodes"}\r\n0\r\n\r\n'
    answer = raw(default_server.port, head + b"\r\n" + body)
    assert answer.startswith(b"HTTP/1.1 200 ")


def test_a_declared_length_over_the_limit_is_refused_before_the_body_is_sent(default_server: RunningServer) -> None:
    head = b"POST /search HTTP/1.1\r\nHost: [::1]\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n"
    answer = raw(default_server.port, head + b"Expect: 100-continue\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"100 Continue" not in answer


def test_a_large_body_that_is_refused_does_not_break_its_connection(default_server: RunningServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", default_server.port, timeout=60)
    for _ in range(2):
        connection.request("POST", "/search", b"x" * 5_000_000, JSON)
        response = connection.getresponse()
        assert response.status == 413
        response.read()
    connection.request("POST", "/search", b'{"query": "nodes"}', JSON)
    assert connection.getresponse().status == 200
    connection.close()


def test_a_client_that_leaves_in_the_middle_leaves_the_server_well(default_server: RunningServer) -> None:
    head = b"POST /search HTTP/1.1\r\nHost: [::1]\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", default_server.port)) as connection:
            connection.sendall(head + b'{"query": ')
    assert ask(default_server.port, body={"query": "nodes"})[0] == 200


# --- promotion -----------------------------------------------------------------------------------------------------


def test_a_promotion_by_another_process_is_served_without_a_failed_or_mixed_answer(tmp_path: Path) -> None:
    write_pages(tmp_path / "pages")
    with Assay.open(settings_for(tmp_path)) as assay:
        first = assay.publish().promoted
        assert first
        with running_server(tmp_path, poll_seconds=0.2) as server:
            answers: list[tuple[int, Any]] = []
            stop = threading.Event()

            def keep_asking() -> None:
                while not stop.is_set():
                    answers.append(ask(server.port, "/v1/search", {"query": "What are nodes?", "top_k": 3}))

            asking = threading.Thread(target=keep_asking)
            asking.start()
            try:
                page = tmp_path / "pages" / "nodes.md"
                page.write_text("# Nodes\n\nNodes are now called agents of the robot.\n", encoding="utf-8")
                second = assay.publish().promoted
                assert second
                _until(lambda: bool(answers) and answers[-1][1].get("generation") == second.id)
            finally:
                stop.set()
                asking.join()
    assert {status for status, _ in answers} == {200}
    assert [answer["generation"] for _, answer in answers] == sorted(
        (answer["generation"] for _, answer in answers), key=[first.id, second.id].index
    )
    for _, answer in answers:
        is_new = any("now called agents" in result["content"] for result in answer["results"])
        assert is_new == (answer["generation"] == second.id)


# --- waiting -------------------------------------------------------------------------------------------------------


def _until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.02)


def _wait_for(flag: Path) -> None:
    _until(flag.exists)


def _until_not_ready(server: RunningServer) -> tuple[int, Any]:
    seen: list[tuple[int, Any]] = []

    def asked() -> bool:
        seen.append(ask(server.port, "/readyz", method="GET"))
        return seen[-1][0] != 200

    _until(asked)
    return seen[-1]


def _until_refused(server: RunningServer) -> None:
    def refused() -> bool:
        try:
            socket.create_connection(("127.0.0.1", server.port), timeout=5).close()
        except ConnectionRefusedError:
            return True
        return False

    _until(refused)
