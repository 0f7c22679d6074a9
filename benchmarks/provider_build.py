"""A build with a provider's rate limit: share of the limit that is used, requests refused, and where the time goes.

Run as `python -m benchmarks.provider_build [CASE [CHUNKS]]`; every case with 20,000 chunks by default, which takes half
an hour. A simulation of the provider in its own process enforces a sliding window of a minute, and answers 429 with
Retry-After above it. The index is embedded; with QDRANT_URL, on the server there.

used: what was embedded within the first complete minutes, as a share of the limit.
"""

import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import Any, Self

from tests.peers.process import PeerProcess

from assay.app import Assay
from assay.settings import load_settings
from benchmarks.generated_text import GeneratedText
from benchmarks.scale import vocabulary

CHUNKS = 20_000
_LATENCY = 0.3
_COLLECTION = "assay-provider-build"
_COHERE = {"provider": "cohere", "cohere_api_key": "peer-key"}
_COMPATIBLE = {"provider": "openai", "openai_api_key": "peer-key", "model": "peer", "dimensions": 1024}


@dataclass(frozen=True, slots=True)
class Case:
    """A provider with a limit, and what the settings say of it.

    limit: of `inputs` or `tokens` a minute, which the provider enforces.
    settings: of [embedding], without its address.
    """

    peer: str
    counted: str
    limit: int
    settings: Mapping[str, object]


CASES = {
    "inputs": Case("cohere", "inputs", 2_000, _COHERE),
    "tokens": Case("openai", "tokens", 1_000_000, _COMPATIBLE | {"tokens_per_minute": 1_000_000, "batch_texts": 128}),
    "unknown": Case("openai", "tokens", 1_000_000, _COMPATIBLE),
    "half": Case("cohere", "inputs", 1_000, _COHERE),
}
"""The limit is known, by inputs and by tokens; not known; and half of what the settings assume."""


def measure(name: str, chunks: int) -> None:
    """Build once, and print the figures."""
    case = CASES[name]
    enforced = (f"--{case.counted}", str(case.limit), "--latency", str(_LATENCY))
    with tempfile.TemporaryDirectory() as folder, PeerProcess(case.peer, *enforced) as peer:
        work = Path(folder)
        GeneratedText(vocabulary()).write(work / "docs", chunks)
        with Assay.open(_settings(work, case, peer.url)) as assay, _Watched(peer) as watched:
            started, cpu = perf_counter(), process_time()
            report = assay.builds.ingest()
            whole, cpu = perf_counter() - started, process_time() - cpu
            assay.parts.store.delete(report.generation.id)
        counts = peer.counts()
    stages = ", ".join(f"{stage} {seconds:.0f} s" for stage, seconds in report.seconds.items())
    print(f"{name}: {case.limit:,} {case.counted} a minute; {chunks:,} chunks in {whole:.0f} s: {stages}")
    print(f"  used {watched.used(case):.1%} in {watched.minutes} minutes; CPU of the builder {cpu:.0f} s")
    print(f"  {counts['requests']} requests, {counts['statuses']}, at most {counts['most_in_flight']} at once")
    print(f"  {counts['embeddings']:,} texts, {counts['tokens'] / counts['embeddings']:.0f} tokens each", flush=True)


def _settings(work: Path, case: Case, url: str) -> Any:  # noqa: ANN401 - settings of a class made for the call
    address = f"{url}/v1" if case.peer == "openai" else url
    source = {"path": work / "docs", "base_url": "https://docs.example", "name": "generated", "convention": "plain"}
    return load_settings(
        None,
        {
            "data_dir": work / "data",
            "sources": [source],
            "embedding": {**case.settings, "base_url": address},
            "qdrant": {"collection": _COLLECTION},
        },
    )


class _Watched:
    """Looks at a peer's counts every half second, within a `with` block."""

    def __init__(self, peer: PeerProcess) -> None:
        self._peer = peer
        self._seen: list[tuple[float, Mapping[str, Any]]] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def minutes(self) -> int:
        """Complete minutes from the first request to the last one."""
        return int((self._last - self._first) / 60.0)

    def used(self, case: Case) -> float:
        """Share of the limit that was used in these minutes."""
        end = self._first + 60.0 * self.minutes
        counts = next(counts for at, counts in reversed(self._seen) if at <= end)
        amount = counts["embeddings" if case.counted == "inputs" else "tokens"]
        return float(amount) / (case.limit * max(self.minutes, 1))

    @property
    def _first(self) -> float:
        return next((at for at, counts in self._seen if counts["requests"]), 0.0)

    @property
    def _last(self) -> float:
        most = self._seen[-1][1]["embeddings"]
        return next(at for at, counts in self._seen if counts["embeddings"] == most)

    def _watch(self) -> None:
        while not self._ended.is_set():
            self._seen.append((perf_counter(), self._peer.counts()))
            sleep(0.5)


def main(arguments: Sequence[str]) -> None:
    """Measure one case, or all."""
    names = arguments[:1] or list(CASES)
    for name in names:
        measure(name, int(arguments[1]) if len(arguments) > 1 else CHUNKS)


if __name__ == "__main__":
    main(sys.argv[1:])
