"""The embedded store and a Qdrant server give the same hits: on the labelled collections and on two corpora.

Run as `python -m benchmarks.engines`, with ASSAY_TEST_QDRANT_URL naming a server for this purpose alone (see
tests/real_qdrant.py). Every topic of the collections, and every title of the corpora, is searched in each mode in both
stores. Rankings with the same chunks in the same order are equal; chunks whose scores differ by less than 1e-5 may
change places. The time of each search is compared too.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from tests.qdrant_stores import qdrant_store
from tests.real_qdrant import Server, real_server

from assay.adapters.embedders.static import StaticEmbedder
from assay.adapters.stores.bm25 import Bm25Encoder
from assay.app import Assay
from assay.model.ranking import Hit, Mode, Query
from assay.retrieval.fusion import FusionWeights
from assay.retrieval.searcher import Searcher, SearchRules
from assay.settings import STATIC_DENSE_WEIGHT, ChunkingSettings, SearchSettings, SparseSettings, load_settings
from benchmarks.indexed_collections import embedded_store, index_collection
from benchmarks.labelled_collections import anthropic_docs, chunking_evaluation, xquad_en
from benchmarks.shared import shared_folder

TOP_K = 10
SAME = 1e-5
CORPORA = {"redux-toolkit": "https://redux-toolkit.js.org", "react-native": "https://reactnative.dev"}

_Search = Callable[[Query], Sequence[Hit]]


def compare(name: str, embedded: _Search, remote: _Search, texts: Iterable[str]) -> None:
    """Print how many rankings are equal, and the largest difference of a score and of a similarity, by mode."""
    wanted = list(texts)
    for mode in Mode:
        equal = exchanged = 0
        scores = similarities = 0.0
        seconds: tuple[list[float], list[float]] = ([], [])
        for text in wanted:
            query = Query(text, TOP_K, mode)
            both = []
            for side, search in enumerate((embedded, remote)):
                started = perf_counter()
                both.append(search(query))
                seconds[side].append(perf_counter() - started)
            ours, theirs = both
            equal += [hit.chunk.id for hit in ours] == [hit.chunk.id for hit in theirs]
            largest = max((abs(a.rank_score - b.rank_score) for a, b in zip(ours, theirs, strict=False)), default=0.0)
            exchanged += len(ours) == len(theirs) and largest <= SAME
            scores = max(scores, largest)
            by_id = {hit.chunk.id: hit.similarity or 0.0 for hit in theirs}
            common = [(hit.similarity or 0.0, by_id[hit.chunk.id]) for hit in ours if hit.chunk.id in by_id]
            similarities = max([similarities, *(abs(a - b) for a, b in common)])
        print(
            f"{name:20} {mode.value:6} {equal:5} of {len(wanted)} rankings equal, {exchanged} with equal scores; "
            f"largest difference of a score {scores:.1e}, of a similarity {similarities:.1e}; p50 embedded "
            f"{1000 * median(seconds[0]):.2f} ms, server {1000 * median(seconds[1]):.2f} ms",
            flush=True,
        )


def collections(shared: Path, server: Server) -> None:
    """Compare on every topic of the labelled collections."""
    embedder, encoder = StaticEmbedder(), Bm25Encoder(SparseSettings().language)
    search = SearchSettings()
    weights = FusionWeights(STATIC_DENSE_WEIGHT, 1.0)
    rules = SearchRules(search.fusion, weights, search.rrf_k, search.depth)
    for load in (anthropic_docs, xquad_en, chunking_evaluation):
        collection = load(shared)
        remote = qdrant_store(server.url, api_key=server.key, collection=f"bench-{collection.name}")
        with tempfile.TemporaryDirectory() as folder:
            searches = []
            for store in (embedded_store(Path(folder)), remote):
                indexed = index_collection(collection, embedder, encoder, ChunkingSettings(), store)
                searches.append(Searcher(indexed.generation, indexed.index, embedder, encoder, rules))
            ours, theirs = searches
            compare(collection.name, _searches(ours), _searches(theirs), [topic.text for topic in collection.topics])


def _searches(searcher: Searcher | Assay) -> _Search:
    return lambda query: searcher.search(query).hits


def corpora(shared: Path, server: Server) -> None:
    """Publish each corpus to both stores, and compare on every title."""
    for name, url in CORPORA.items():
        with tempfile.TemporaryDirectory() as folder:
            both = []
            for store in ("embedded", "qdrant"):
                values = {
                    "data_dir": Path(folder) / store,
                    "sources": [{"path": shared / "corpora" / name / "docs", "base_url": url, "name": name}],
                    "index": {"store": store},
                    "qdrant": {"url": server.url, "api_key": server.key, "collection": f"bench-{name}"},
                }
                assay = Assay.open(load_settings(None, values))
                started = perf_counter()
                report = assay.publish()
                seconds = {stage: round(spent, 1) for stage, spent in report.build.seconds.items()}
                chunks, took = report.build.generation.chunks, perf_counter() - started
                print(f"{name:20} {store}: {chunks} chunks published in {took:.1f} s, {seconds}", flush=True)
                if report.promoted is None:
                    print(f"  not promoted: {report.verdict.summary if report.verdict else 'no verdict'}")
                    return
                both.append(assay)
            embedded, remote = both
            live = embedded.parts.catalog.live_id()
            assert live
            titles = [one.info.title for one in embedded.parts.catalog.listing(live) if one.info.title.strip()]
            compare(name, _searches(embedded), _searches(remote), titles)
            for assay in both:
                assay.close()


def main() -> None:
    """Compare both, if there is a server and the shared folder."""
    shared = shared_folder()
    if not os.environ.get("ASSAY_TEST_QDRANT_URL"):
        print("Skipped: set ASSAY_TEST_QDRANT_URL to a Qdrant server.")
        sys.exit()
    if shared is not None:
        server = real_server()
        collections(shared, server)
        corpora(shared, server)


if __name__ == "__main__":
    main()
