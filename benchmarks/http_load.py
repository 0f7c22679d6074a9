"""Throughput and latency over HTTP at 1, 16 and 64 clients, with and without the catalog, and each stage's share.

Run as `python -m benchmarks.http_load`. The pages are react-native's. Clients run in their own process and share the
machine. The baseline is `/livez`, a request without a search.
"""

import asyncio
import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

from assay.app import Assay
from assay.settings import load_settings
from benchmarks.serving import percentiles, queries_from
from benchmarks.shared import shared_folder

CLIENTS = (1, 16, 64)
REQUESTS = 1_500
ROUTES = {
    "/livez (nothing)": ("GET", "/livez", None),
    "/query (000, no catalog)": ("POST", "/query", "query_text"),
    "/search (003, with catalog)": ("POST", "/search", "query"),
    "/v1/search (hybrid)": ("POST", "/v1/search", "query"),
}


async def _client(port: int, requests: Sequence[bytes], found: list[tuple[float, bytes]]) -> None:
    """Send the requests in sequence on one connection; record the seconds and head of each response."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for request in requests:
        started = perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        await reader.readexactly(int(length[1]) if length else 0)
        found.append((perf_counter() - started, head))
    writer.close()


async def _load(port: int, requests: Sequence[bytes], clients: int) -> dict[str, object]:
    found: list[tuple[float, bytes]] = []
    started = perf_counter()
    await asyncio.gather(*(_client(port, requests[first::clients], found) for first in range(clients)))
    elapsed = perf_counter() - started
    stages = defaultdict(list)
    for _, head in found:
        timing = re.search(rb"(?i)server-timing: (.*)\r\n", head)
        for stage, milliseconds in re.findall(r"(\w+);dur=([\d.]+)", timing[1].decode() if timing else ""):
            stages[stage].append(float(milliseconds))
    return {
        "seconds": [seconds for seconds, _ in found],
        "rate": len(found) / elapsed,
        "failed": sum(b" 200 " not in head.split(b"\r\n", 1)[0] for _, head in found),
        "stages": {stage: median(values) for stage, values in stages.items()},
    }


def client_process() -> None:
    """Run the client process: read the task from standard input, print the measurements."""
    task = json.load(sys.stdin)
    requests = [request.encode("latin-1") for request in task["requests"]]
    print(json.dumps(asyncio.run(_load(task["port"], requests, task["clients"]))))


def _measured(port: int, requests: Sequence[str], clients: int) -> dict[str, object]:
    task = json.dumps({"port": port, "requests": list(requests), "clients": clients})
    command = [sys.executable, "-c", "from benchmarks.http_load import client_process; client_process()"]
    done = subprocess.run(command, input=task, capture_output=True, text=True, check=True)
    measured: dict[str, object] = json.loads(done.stdout)
    return measured


def _request(method: str, path: str, body: str) -> str:
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n{body}"


def main() -> None:
    """Publish, serve, and measure every route."""
    shared = shared_folder()
    if shared is None:
        return
    with tempfile.TemporaryDirectory() as work:
        source = {"path": shared / "corpora" / "react-native", "base_url": "https://docs.example", "name": "docs"}
        settings = load_settings(None, {"data_dir": Path(work) / "data", "sources": [source]})
        with Assay.open(settings) as assay:
            chunks = assay.publish().build.generation.chunks
            queries = queries_from(assay, REQUESTS)
        print(f"{chunks:,} chunks, {REQUESTS:,} requests a row, {len(queries):,} different queries")
        command = [sys.executable, "-m", "assay", "serve", "--port", "0", "--data-dir", str(settings.data_dir)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            try:
                _measure_all(_port_of(server), queries)
            finally:
                server.terminate()


def _port_of(server: subprocess.Popen[str]) -> int:
    """Wait until a server is ready, and return its port."""
    assert server.stdout is not None
    for line in server.stdout:
        if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
            port = int(found[1])
            break
    else:
        raise RuntimeError("the server did not start")
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz"):
                return port
        except OSError:
            sleep(0.05)


def _measure_all(port: int, queries: Sequence[str]) -> None:
    for name, (method, path, field) in ROUTES.items():
        bodies = [json.dumps({field: query[:400], "top_k": 5}) if field else "" for query in queries]
        requests = [_request(method, path, body) for body in bodies]
        _measured(port, requests[:100], 1)
        for clients in CLIENTS:
            measured = _measured(port, requests, clients)
            print(
                f"{name:28} {clients:2} clients: {percentiles(measured['seconds'])}, {measured['rate']:.0f}/s, "  # type: ignore[arg-type]
                f"{measured['failed']} failed"
            )
            if clients == 1 and measured["stages"]:
                shares = ", ".join(f"{stage} {ms:.2f}" for stage, ms in measured["stages"].items())  # type: ignore[attr-defined]
                print(f"{'':28} median ms of each stage: {shares}")


if __name__ == "__main__":
    main()
