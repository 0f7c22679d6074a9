"""One server of two worker processes: what they share, a death, a promotion and the end."""

import json
import os
import re
import signal
import socket
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.integration.web.conftest import RunningServer, running_server, settings_for, write_pages
from tests.integration.web.wire import Answer, ask, bearer, make_key, until

from assay.app import Assay
from assay.cli import server_process
from assay.errors import ConfigurationError
from assay.web.serving.workers import supervisor

pytestmark = pytest.mark.skipif(os.name != "posix", reason="several workers share a port on POSIX systems only")

SEARCH = {"query": "What are nodes?", "top_k": 3}


@dataclass
class Workers:
    """A server of two workers, and its folder."""

    server: RunningServer
    folder: Path

    def search(self, **headers: str) -> Answer:
        return ask(self.server.port, "/v1/search", SEARCH, headers=headers)

    def metrics(self) -> dict[tuple[str, str], float]:
        """The samples by name and by the values of their labels."""
        text = ask(self.server.port, "/metrics").content.decode()
        families = text_string_to_metric_families(text)
        return {(one.name, " ".join(one.labels.values())): one.value for each in families for one in each.samples}

    def logged(self) -> list[dict[str, Any]]:
        """The lines of the log, without one that is being written."""
        whole = self.server.log.read_text("utf-8").rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    def searches(self) -> list[dict[str, Any]]:
        """The logged searches."""
        return [line for line in self.logged() if line.get("path") == "/v1/search"]

    def pids(self) -> dict[int, int]:
        """The process of each worker that runs."""
        found = [re.fullmatch(r"Worker (\d+) answers, process (\d+)\.", line["message"]) for line in self.logged()]
        return {int(one[1]): int(one[2]) for one in found if one}


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    folder = tmp_path_factory.mktemp("workers")
    write_pages(folder / "pages")
    with Assay.open(settings_for(folder)) as assay:
        assert assay.publish().promoted
    with running_server(folder, workers=2, log_format="json", poll_seconds=0.2) as server:
        yield Workers(server, folder)


def test_both_workers_answer_on_one_port(workers: Workers) -> None:
    def both_have_answered() -> bool:
        assert workers.search().status == 200
        return len({line["pid"] for line in workers.searches()}) == 2

    until(both_have_answered)
    assert {line["pid"] for line in workers.searches()} == set(workers.pids().values())


def test_a_rate_limit_counts_the_requests_to_all_workers(workers: Workers) -> None:
    key = make_key(workers.folder / "index" / "keys.json", "limited", rate_limit="7/hour")
    with ThreadPoolExecutor(8) as clients:
        answers = list(clients.map(lambda _: workers.search(**bearer(key)), range(20)))
    assert Counter(answer.status for answer in answers) == {200: 7, 429: 13}
    assert all(answer.headers["Retry-After"] for answer in answers if answer.status == 429)
    left = [int(answer.headers["RateLimit-Remaining"]) for answer in answers if answer.status == 200]
    assert min(left) == 0


def test_metrics_are_those_of_all_workers(workers: Workers) -> None:
    def requests() -> float:
        return workers.metrics().get(("assay_http_requests_total", "POST /v1/search 200"), 0.0)

    before = requests()
    with ThreadPoolExecutor(8) as clients:
        assert [answer.status for answer in clients.map(lambda _: workers.search(), range(30))] == [200] * 30
    # A worker counts an answer as sent a moment after the client has it.
    until(lambda: requests() == before + 30)
    until(lambda: workers.metrics()["assay_http_requests_in_flight", ""] == 1.0)  # the request for the metrics
    metrics = workers.metrics()
    assert (metrics["assay_worker_up", "1"], metrics["assay_worker_up", "2"]) == (1.0, 1.0)
    assert metrics["assay_live_generation", ""] == 1.0
    assert ("process_resident_memory_bytes", "2") in metrics or not Path("/proc/stat").exists()


def test_a_killed_worker_is_replaced_and_no_other_request_fails(workers: Workers) -> None:
    before, first = workers.metrics(), workers.pids()
    os.kill(first[1], signal.SIGKILL)
    statuses: list[int] = []

    def is_replaced() -> bool:
        statuses.append(workers.search().status)
        return workers.pids()[1] != first[1]

    until(is_replaced)
    assert set(statuses) == {200}
    after = workers.metrics()
    assert (after["assay_worker_up", "1"], after["assay_worker_starts_total", "1"]) == (1.0, 2.0)
    counted = ("assay_http_requests_total", "POST /v1/search 200")
    assert after[counted] == before.get(counted, 0.0) + len(statuses)
    deaths = [line["message"] for line in workers.logged() if "ended by SIGKILL" in line["message"]]
    assert len(deaths) == 1
    assert str(first[1]) in deaths[0]


def test_a_promotion_reaches_all_workers_and_no_answer_is_mixed(workers: Workers) -> None:
    old = workers.search().body["generation"]
    page = workers.folder / "pages" / "nodes.md"
    page.write_text("# Nodes\n\nNodes are now called agents of the robot.\n", encoding="utf-8")
    with Assay.open(settings_for(workers.folder)) as assay:
        promoted = assay.publish().promoted
    assert promoted
    bodies: list[dict[str, Any]] = []

    def all_serve_the_new_one() -> bool:
        bodies.append(workers.search().body)
        served = {line["pid"]: line["generation"] for line in workers.searches() if "generation" in line}
        return {served[pid] for pid in workers.pids().values() if pid in served} == {promoted.id}

    until(all_serve_the_new_one)
    for body in bodies:
        assert body["generation"] in {old, promoted.id}
        is_new = any("now called agents" in result["content"] for result in body["results"])
        assert is_new == (body["generation"] == promoted.id)
    for pid in workers.pids().values():
        order = [line["generation"] for line in workers.searches() if line["pid"] == pid and "generation" in line]
        assert order == sorted(order, key=lambda one: one == promoted.id)


def test_a_port_in_use_is_reported_as_with_one_worker(workers: Workers) -> None:
    with (
        Assay.open(settings_for(workers.folder, workers=2)) as assay,
        pytest.raises(ConfigurationError, match="another program is already listening there"),
    ):
        supervisor.serve_with_workers(
            assay, "127.0.0.1", workers.server.port, server_process.__name__, allow_public=False
        )


def test_a_public_address_is_refused_as_with_one_worker(tmp_path: Path) -> None:
    with (
        Assay.open(settings_for(tmp_path, workers=2)) as assay,
        pytest.raises(ConfigurationError, match="Other machines can reach the address"),
    ):
        supervisor.serve_with_workers(assay, "0.0.0.0", 0, server_process.__name__, allow_public=True)


def test_on_windows_several_workers_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor.sys, "platform", "win32")
    with (
        Assay.open(settings_for(tmp_path, workers=2)) as assay,
        pytest.raises(ConfigurationError, match="cannot share a port on Windows"),
    ):
        supervisor.serve_with_workers(assay, "127.0.0.1", 0, server_process.__name__, allow_public=False)


def test_sigterm_lets_requests_in_progress_finish_and_ends_with_0(workers: Workers) -> None:
    content = json.dumps(SEARCH).encode()
    head = "POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", workers.server.port), timeout=60) as connection:
        connection.sendall(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content[:10])
        until(lambda: workers.metrics()["assay_http_requests_in_flight", ""] == 2.0)
        workers.server.process.send_signal(signal.SIGTERM)
        until(lambda: ask(workers.server.port, "/readyz").status == 503)
        connection.sendall(content[10:])
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200 ")
    workers.server.process.wait(timeout=60)
    assert workers.server.process.returncode == 0
    assert "Traceback" not in workers.server.log.read_text("utf-8")
    for pid in workers.pids().values():
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
