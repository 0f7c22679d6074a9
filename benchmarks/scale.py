"""Growth with the number of chunks: build by stage, memory, disk, searches, and recall of the approximate search.

Run as `python -m benchmarks.scale [CHUNKS ...]`, such as 100000 300000 1000000; 20,000 and 60,000 by default. The text
is `generated_text`'s. Each size is built and searched in a process of its own. With several sizes, the exponent b of
cost = a · chunks^b is fitted to each figure by least squares of its logarithms.

The embedded store is measured; with QDRANT_URL, the server there, with ASSAY_QDRANT__ settings such as
ASSAY_QDRANT__QUANTIZATION=scalar. Its collections and their alias have a name of their own. The collection is removed
afterwards. With QDRANT_PID, the process id of that server on this machine, its CPU time and memory are measured too.

`python -m benchmarks.scale build FOLDER`, `search FOLDER` and `remove FOLDER` do a part alone, with the pages in
FOLDER/docs.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import mean
from time import perf_counter, process_time
from typing import Any

import httpx
import numpy as np
from qdrant_client import QdrantClient, models
from tokenizers import Tokenizer

from assay.app import Assay
from assay.model.ranking import Filters, Mode, Query
from assay.ports import IndexQuery, Silence
from assay.settings import Settings, load_settings
from benchmarks.generated_text import NEAR_DUPLICATES, GeneratedText
from benchmarks.serving import bare_engine, resident_megabytes, timed

SIZES = (20_000, 60_000)
_QUERIES = 300
_COMPARED = 200
_TOP = 10
_WORD_MARK = "▁"
_COLLECTION = "assay-scale"
"""Name of the alias, and prefix of the collections, on a server: not those of an Assay in use."""


def vocabulary() -> list[str]:
    """The English-looking words of the built-in model's vocabulary, which it does not split."""
    spec = find_spec("wordllama")
    assert spec
    assert spec.submodule_search_locations
    (definition,) = (Path(spec.submodule_search_locations[0]) / "tokenizers").glob("l2_supercat_*.json")
    tokenizer = Tokenizer.from_file(str(definition))
    tokens = sorted(token for token in tokenizer.get_vocab() if token.startswith(_WORD_MARK))
    words = [token.removeprefix(_WORD_MARK) for token in tokens]
    return [word for word in words if word.isascii() and word.isalpha() and word.islower() and len(word) > 3]


def settings_of(work: Path) -> Settings:
    """One folder of generated pages; the gate judges them, but for their titles, which are no questions."""
    source = {"path": work / "docs", "base_url": "https://docs.example", "name": "generated", "convention": "plain"}
    gate = {"max_unreachable": 1.0, "title_sample": 100, "max_alike_pages": 1.0, "max_repeated": 1.0}
    overrides = {"data_dir": work / "data", "sources": [source], "gate": gate, "qdrant": {"collection": _COLLECTION}}
    return load_settings(None, overrides)


def build(work: Path) -> dict[str, float]:
    """Publish, in this process."""
    spent: dict[str, float] = {}
    with Assay.open(settings_of(work)) as assay:
        assay.parts.embedder.embed_documents = _timed(assay.parts.embedder.embed_documents, "of it embedder s", spent)  # type: ignore[method-assign]
        QdrantClient.upsert = _timed(QdrantClient.upsert, "of it upsert s", spent)  # type: ignore[method-assign]
        started = perf_counter()
        report = assay.publish(progress=_Stages())
        whole = perf_counter() - started
    if report.promoted is None:
        raise SystemExit(f"not promoted: {report.verdict and report.verdict.summary}")
    recall = next((one.value for one in report.verdict.findings if one.check == "recall of dense search"), None)  # type: ignore[union-attr]
    used = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = {f"{stage} s": seconds for stage, seconds in report.build.seconds.items()}
    found |= spent
    found |= {
        "rest of the publish s": whole - sum(report.build.seconds.values()),
        "chunks": report.build.generation.chunks,
        "pages": report.build.generation.documents,
        "publish s": whole,
        "CPU s": used.ru_utime + used.ru_stime + children.ru_utime + children.ru_stime,
        "peak MB": used.ru_maxrss / 1024,
        "peak MB of a child": children.ru_maxrss / 1024,
        "disk MB": sum(path.stat().st_blocks for path in (work / "data").rglob("*")) * 512 / 1e6,
    }
    return found | ({"recall in the gate": recall} if recall is not None else {})


class _Stages(Silence):
    """Prints the time and the memory of each stage when it ends.

    CPU seconds of this process, and of the server; not of the processes that read pages.
    """

    def __init__(self) -> None:
        self._running: list[tuple[str, float, float, float]] = []

    def begin(self, stage: str, total: int | None) -> None:
        """Note when it begins."""
        del total
        self._running.append((stage, perf_counter(), process_time(), server_seconds()))

    def end(self) -> None:
        """Print its figures. Memory is that of the process, of which the first figure is the peak so far."""
        name, started, used, served = self._running.pop()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        now, mapped = resident_megabytes("self")
        print(
            f"    {name}: {perf_counter() - started:.0f} s, CPU {process_time() - used:.0f} s, "
            f"server's CPU {server_seconds() - served:.0f} s, memory {peak:.0f}, {now:.0f}, {mapped:.0f} mapped MB",
            file=sys.stderr,
            flush=True,
        )


def server_seconds() -> float:
    """CPU seconds of the server that QDRANT_PID names; 0 without it."""
    process = os.environ.get("QDRANT_PID")
    if not process:
        return 0.0
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _timed(function: Callable[..., Any], name: str, spent: dict[str, float]) -> Callable[..., Any]:
    """The function, whose wall time is added up under a name."""

    def call(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - those of any function
        started = perf_counter()
        try:
            return function(*arguments, **named)
        finally:
            spent[name] = spent.get(name, 0.0) + perf_counter() - started

    return call


def search(work: Path) -> dict[str, float]:
    """Search the live generation, in this process."""
    found: dict[str, float] = {}
    queries = list(GeneratedText(vocabulary()).queries(_QUERIES))
    with Assay.open(settings_of(work)) as assay:
        started = perf_counter()
        with assay.searches.live.lease() as searcher:
            found["open s"] = perf_counter() - started
            for mode in Mode:
                for text in queries[:50]:
                    searcher.search(Query(text, _TOP, mode))
                used, served = process_time(), server_seconds()
                seconds, _ = timed(lambda text, mode=mode: searcher.search(Query(text, _TOP, mode)), queries, 1)
                found[f"{mode.value} CPU ms"] = (process_time() - used) / len(queries) * 1000.0
                found[f"{mode.value} server's CPU ms"] = (server_seconds() - served) / len(queries) * 1000.0
                for share in (50, 95, 99):
                    found[f"{mode.value} p{share} ms"] = float(np.percentile(seconds, share)) * 1000.0
            vectors = [assay.parts.embedder.embed_query(text) for text in queries[:_COMPARED]]
            answers = [
                [
                    {one.point for one in searcher.index.search(IndexQuery(v, None, _TOP, Filters(), exact)).dense}
                    for exact in (False, True)
                ]
                for v in vectors
            ]
            found["recall@10"] = mean(len(usual & exact) / max(len(exact), 1) for usual, exact in answers)
            whole, files = resident_megabytes("self")
            found |= {"serving MB": whole, "of it files MB": files}
        if assay.settings.vector_store == "qdrant":
            found |= server_memory(assay.settings)
        bare = bare_server if assay.settings.vector_store == "qdrant" else bare_engine
        found["bare engine p50 ms"] = float(np.median(bare(assay, queries))) * 1000.0
    found["hybrid / bare engine"] = found["hybrid p50 ms"] / found["bare engine p50 ms"]
    return found


def bare_server(assay: Assay, queries: Sequence[str]) -> list[float]:
    """Seconds of the client alone: a dense and a sparse query in one request, ten hits each with payload."""
    wanted = assay.settings.qdrant
    key = wanted.api_key.get_secret_value() if wanted.api_key else None
    client = QdrantClient(wanted.url, api_key=key, prefer_grpc=wanted.grpc, grpc_port=wanted.grpc_port)
    seconds = []
    for text in queries:
        dense = assay.parts.embedder.embed_query(text).tolist()
        sparse = assay.parts.encoder.encode_query(text)
        terms = models.SparseVector(indices=list(sparse.indices), values=list(sparse.values))
        started = perf_counter()
        requests = [
            models.QueryRequest(query=query, using=using, limit=_TOP, with_payload=True)
            for query, using in ((dense, "dense"), (terms, "bm25"))
        ]
        client.query_batch_points(_COLLECTION, requests)
        seconds.append(perf_counter() - started)
    client.close()
    return seconds


def server_memory(settings: Settings) -> dict[str, float]:
    """Memory that the server's allocator holds: without its mapped files."""
    wanted = settings.qdrant
    key = {"api-key": wanted.api_key.get_secret_value()} if wanted.api_key else {}
    said = httpx.get(f"{wanted.url}/metrics", headers=key).raise_for_status().text
    lines = dict(line.rsplit(" ", 1) for line in said.splitlines() if line.startswith("memory_resident_bytes"))
    return {"server's heap MB": float(lines["memory_resident_bytes"]) / 2**20}


def remove(work: Path) -> dict[str, float]:
    """Remove the collection of a server, which the folder does not hold."""
    with Assay.open(settings_of(work)) as assay:
        for generation in assay.generations():
            assay.parts.store.delete(generation.id)
    return {}


TASKS = {"build": build, "search": search, "remove": remove}
"""The parts of a measurement, each in a process of its own, in this order."""


def measure(chunks: int) -> dict[str, float]:
    """All figures of one size."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        started = perf_counter()
        GeneratedText(vocabulary()).write(work / "docs", chunks)
        print(f"{chunks} chunks, {NEAR_DUPLICATES:.0%} near-duplicates: written in {perf_counter() - started:.0f} s")
        found: dict[str, float] = {}
        for task in TASKS:
            command = [sys.executable, "-m", "benchmarks.scale", task, folder]
            run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            figures: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
            found |= figures
            for name, value in figures.items():
                print(f"  {name:24} {value:12.4g}", flush=True)
        return found


def exponents(rows: Sequence[Mapping[str, float]]) -> None:
    """Print the fitted exponent of each figure."""
    sizes = np.log([row["chunks"] for row in rows])
    for name in rows[0]:
        values = [row.get(name, 0.0) for row in rows]
        if name != "chunks" and min(values) > 0.0:
            print(f"  {name:24} chunks^{np.polyfit(sizes, np.log(values), 1)[0]:.2f}")


def main(arguments: Sequence[str] = ()) -> None:
    """Measure each size; or, in a process of its own, one task of one size."""
    if len(arguments) == 2 and arguments[0] in TASKS:
        print(json.dumps(TASKS[arguments[0]](Path(arguments[1]))))
        return
    rows = [measure(int(size)) for size in arguments or SIZES]
    if len(rows) > 1:
        exponents(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
