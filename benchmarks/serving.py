"""Search in 50,000 chunks: build time, memory, latency in process and over HTTP, recall, and the bare engine.

Run as `python -m benchmarks.serving [CHUNKS]`. The pages are react-native's, in slightly changed copies.
"""

import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Callable, Sequence
from http.client import HTTPConnection
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, sleep

import qdrant_edge

from assay.app import Assay
from assay.model.ranking import Filters, Mode, Query
from assay.ports import IndexQuery
from assay.settings import Settings, load_settings
from benchmarks.shared import shared_folder

_WORD = re.compile(r"[a-z]{4,}")


def perturbed(text: str, dice: random.Random, words: Sequence[str]) -> str:
    """The text with about one word in twelve replaced by another one of the corpus."""
    return _WORD.sub(lambda found: dice.choice(words) if dice.random() < 0.08 else found[0], text)


def write_corpus(source: Path, target: Path, wanted_chunks: int) -> None:
    """Copies of the source's pages, each perturbed differently, for about the given number of chunks."""
    dice = random.Random(7)
    pages = {path.name: path.read_text(encoding="utf-8") for path in sorted((source / "docs").glob("*.md*"))}
    words = sorted({word for text in pages.values() for word in _WORD.findall(text)})
    characters = 0
    copy = 0
    while characters < wanted_chunks * 950:
        folder = target / f"copy-{copy:03}"
        folder.mkdir(parents=True)
        for name, text in pages.items():
            if not name.startswith("_"):
                changed = perturbed(text, dice, words) if copy else text
                (folder / name).write_text(changed, encoding="utf-8")
                characters += len(changed)
        copy += 1


def percentiles(seconds: Sequence[float]) -> str:
    """p50, p95 and p99 in milliseconds."""
    cuts = quantiles(seconds, n=100)
    return f"p50 {1000 * median(seconds):.2f}  p95 {1000 * cuts[94]:.2f}  p99 {1000 * cuts[98]:.2f} ms"


def timed(ask: Callable[[str], object], queries: Sequence[str], clients: int) -> tuple[list[float], float]:
    """Seconds of each query, and queries per second over all clients."""
    shares = [queries[client::clients] for client in range(clients)]
    seconds: list[list[float]] = [[] for _ in range(clients)]

    def client(number: int) -> None:
        for text in shares[number]:
            started = perf_counter()
            ask(text)
            seconds[number].append(perf_counter() - started)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    started = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [second for share in seconds for second in share], len(queries) / (perf_counter() - started)


def queries_from(assay: Assay, count: int) -> list[str]:
    """Realistic queries: headings with some words of their section."""
    dice = random.Random(11)
    generation = assay.parts.catalog.live_id()
    assert generation
    chunks = [chunk for chunk in assay.parts.catalog.chunks(generation) if chunk.section]
    chosen = [dice.choice(chunks) for _ in range(count)]
    return [
        f"{chunk.section} {' '.join(dice.choices(_WORD.findall(chunk.text) or ['native'], k=3))}" for chunk in chosen
    ]


def in_process(assay: Assay, queries: Sequence[str]) -> None:
    """Latency of the searcher, and of the bare engine with the same vectors on the same shard."""
    with assay.searches.live.lease() as searcher:
        for mode in Mode:
            for text in queries[:50]:
                searcher.search(Query(text, 10, mode))
            seconds, _ = timed(lambda text, mode=mode: searcher.search(Query(text, 10, mode)), queries, 1)
            print(f"in process, {mode.value:6} 1 client:  {percentiles(seconds)}")
            if mode is Mode.HYBRID:
                ours = median(seconds)
        seconds, rate = timed(lambda text: searcher.search(Query(text, 10)), queries, 16)
        print(f"in process, hybrid 16 clients: {percentiles(seconds)}, {rate:.0f} queries/s")
        bare = bare_engine(assay, queries)
        print(f"bare engine, both top tens in one batch: {percentiles(bare)}; ours is {ours / median(bare):.2f} x")
        recall(assay, queries[:300])


def bare_engine(assay: Assay, queries: Sequence[str]) -> list[float]:
    """Seconds of the bare qdrant_edge: a dense and a sparse query in one batch, ten hits each with payload."""
    generation = assay.parts.catalog.live_id()
    assert generation
    shard = qdrant_edge.EdgeShard.load(str(assay.settings.index_dir / generation))
    seconds = []
    for text in queries:
        dense = assay.parts.embedder.embed_query(text).tolist()
        sparse = assay.parts.encoder.encode_query(text)
        wanted = [
            (qdrant_edge.Query.Nearest(dense, using="dense")),
            (
                qdrant_edge.Query.Nearest(
                    qdrant_edge.SparseVector(list(sparse.indices), list(sparse.values)), using="bm25"
                )
            ),
        ]
        started = perf_counter()
        requests = [qdrant_edge.QueryRequest(limit=10, query=query, with_payload=True) for query in wanted]
        shard.query_batch(qdrant_edge.QueryBatchRequest(requests))
        seconds.append(perf_counter() - started)
    shard.close()
    return seconds


def recall(assay: Assay, queries: Sequence[str]) -> None:
    """Recall of the exact top 10 in dense search."""
    found = total = 0
    with assay.searches.live.lease() as searcher:
        for text in queries:
            vector = assay.parts.embedder.embed_query(text)
            answers = [
                {s.point for s in searcher.index.search(IndexQuery(vector, None, 10, Filters(), exact)).dense}
                for exact in (False, True)
            ]
            found += len(answers[0] & answers[1])
            total += len(answers[1])
    print(f"recall@10 of dense search against exact search: {found / total:.4f} ({len(queries)} queries)")


def resident_megabytes(pid: int | str) -> tuple[float, float]:
    """Resident memory of a process in MB, and its reclaimable part (pages of files)."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = dict(re.findall(r"(VmRSS|RssFile):\s+(\d+) kB", status))
    return int(found["VmRSS"]) / 1024, int(found["RssFile"]) / 1024


def over_http(settings: Settings, queries: Sequence[str]) -> None:
    """Latency over a real socket, start-up time and memory of the serving process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = perf_counter()
    command = [sys.executable, "-m", "assay", "serve", "--port", str(port), "--data-dir", str(settings.data_dir)]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz") as answer:
                    if answer.status == 200:
                        break
            except OSError:
                sleep(0.02)
        print(f"start to ready: {perf_counter() - started:.2f} s")
        connections = threading.local()

        def ask(text: str) -> None:
            if not hasattr(connections, "open"):
                connections.open = HTTPConnection("127.0.0.1", port)
            body = json.dumps({"query": text, "top_k": 10})
            connections.open.request("POST", "/v1/search", body, {"content-type": "application/json"})
            answer = connections.open.getresponse()
            answer.read()
            assert answer.status == 200, answer.status

        timed(ask, queries[:100], 1)
        for clients in (1, 16):
            seconds, rate = timed(ask, queries, clients)
            print(f"HTTP, hybrid {clients:2} clients: {percentiles(seconds)}, {rate:.0f} queries/s")
        whole, files = resident_megabytes(server.pid)
        print(f"memory of the serving process: {whole:.0f} MB, of which pages of files {files:.0f} MB")
    finally:
        server.terminate()
        server.wait()


def main(chunks: int) -> None:
    """Build, then measure."""
    shared = shared_folder()
    if shared is None:
        return
    with tempfile.TemporaryDirectory() as work:
        docs = Path(work) / "docs"
        write_corpus(shared / "corpora" / "react-native", docs, chunks)
        source = {"path": docs, "base_url": "https://docs.example", "name": "copies", "convention": "docusaurus"}
        gate = {"max_unreachable": 1.0, "title_sample": 100}
        settings = load_settings(None, {"data_dir": Path(work) / "data", "sources": [source], "gate": gate})
        with Assay.open(settings) as assay:
            started, before = perf_counter(), os.times()
            build = assay.builds.ingest()
            used = [after - earlier for after, earlier in zip(os.times(), before, strict=True)]
            print(
                f"built {build.generation.chunks} chunks of {build.generation.documents} pages in "
                f"{perf_counter() - started:.1f} s: { ({k: round(v, 1) for k, v in build.seconds.items()}) }; "
                f"CPU {used[0] + used[1]:.1f} s, of the workers {used[2] + used[3]:.1f} s"
            )
            started = perf_counter()
            assay.promote()
            print(f"checked and promoted in {perf_counter() - started:.1f} s")
        with Assay.open(settings) as assay:
            started = perf_counter()
            with assay.searches.live.lease():
                print(f"opened in {perf_counter() - started:.2f} s")
            queries = queries_from(assay, 1_000)
            in_process(assay, queries)
        over_http(settings, queries)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
