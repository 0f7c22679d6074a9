"""Use of a provider's rate limit by a build, with and without faults: `python -m benchmarks.embedders`.

A simulation of Cohere's API in its own process enforces a sliding window, scaled down from a minute to 15 seconds. The
chunks go through VectorSupply, as in a build.

used: texts whose vectors arrived within the first complete windows, as a share of the limit.
worked: texts that the provider embedded, as a share of the distinct ones. More than 100% is work that was lost in an
    unusable response or a broken connection, which no client can avoid.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import perf_counter

from tests.peers.process import PeerProcess

from assay.adapters.embedders.cohere import CohereEmbedder
from assay.adapters.embedders.remote.embedder import RemoteRules
from assay.ingest.indexing.vectors import VectorSupply, no_chunks
from assay.model.documents import Chunk
from assay.model.ids import content_hash
from assay.ports import EmbedderCall
from assay.testing.catalog_samples import page

WINDOW = 15.0
LIMIT = 2_000
WINDOWS = 2
LATENCY = 0.3
CASES: tuple[tuple[str, float, Sequence[str]], ...] = (
    ("no faults", 0.0, ()),
    ("10% refused or dropped before any work", 0.1, ("429", "429-bare", "500", "503", "reset")),
    ("10% of every kind", 0.1, ("429", "429-bare", "500", "503", "reset", "cut", "malformed", "nan", "partial")),
)


def main() -> None:
    """Print a table."""
    print(
        f"{LIMIT} inputs in {WINDOW:g} s are allowed; an answer takes {LATENCY:g} s; {WINDOWS} windows are measured.\n"
    )
    print("| faults | used | requests | of them failed | refused for the rate | worked | most at once |")
    print("|---|---|---|---|---|---|---|")
    for name, rate, kinds in CASES:
        print(f"| {name} | {_measure(rate, kinds)} |", flush=True)


def _measure(rate: float, kinds: Sequence[str]) -> str:
    options = ("--latency", str(LATENCY), "--inputs", str(LIMIT), "--window", str(WINDOW))
    arrived: list[tuple[float, EmbedderCall]] = []
    with PeerProcess("cohere", *options) as peer:
        peer.fail(rate=rate, kinds=kinds, seed=7)
        rules = RemoteRules(
            max_tokens=512,
            batch_texts=96,
            batch_tokens=96 * 512,
            calls=8,
            rates={"inputs": LIMIT},
            timeout=30.0,
            retry_seconds=300.0,
            query_timeout=3.0,
            query_seconds=5.0,
            query_cache=0,
            rate_seconds=WINDOW,
            first_retry=WINDOW / 60.0,  # scaled like the window
        )
        embedder = CohereEmbedder(
            "peer-key", "embed-english-v3.0", None, peer.url, rules, lambda call: arrived.append((perf_counter(), call))
        )
        list(VectorSupply(embedder, None, no_chunks).stream(_batches(int(LIMIT * (WINDOWS + 0.5)))))
        embedder.close()
        counts = peer.counts()
    began = min(at - call.seconds for at, call in arrived)
    in_time = sum(call.texts for at, call in arrived if call.status == "ok" and at <= began + WINDOWS * WINDOW)
    failed = sum(call.status != "ok" for _, call in arrived)
    return (
        f"{in_time / (WINDOWS * LIMIT):.1%} | {counts['requests']} | {failed} | {counts['over_limit']} | "
        f"{counts['embeddings'] / counts['texts']:.1%} | {counts['most_in_flight']}"
    )


def _batches(count: int, size: int = 512) -> Iterator[list[Chunk]]:
    for start in range(0, count, size):
        yield [_chunk(number) for number in range(start, min(start + size, count))]


def _chunk(number: int) -> Chunk:
    text = " ".join(
        f"Part {number + step} is turned {step} times before part {number * step} is fitted." for step in range(8)
    )
    _, (made,) = page(f"part-{number}", text)
    return replace(made, embedded_hash=content_hash(made.embedded_text))


if __name__ == "__main__":
    main()
