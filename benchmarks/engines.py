"""The embedded store and a Qdrant server give the same hits: on labelled collections, corpora, and one with versions.

Run as `python -m benchmarks.engines`, with ASSAY_TEST_QDRANT_URL naming a server for this purpose alone (see
tests/real_qdrant.py). Every topic of the collections, and every title of the corpora, is searched in each mode in both
stores; every title of a built site with two versions and two locales, next to the same pages without a version, also
with each filter. Rankings with the same chunks in the same order are equal; chunks whose scores differ by less than
1e-5 may change places. The time of each search is compared too.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from tests.qdrant_stores import qdrant_store
from tests.real_qdrant import Server, real_server

from assay.adapters.embedders.static import StaticEmbedder
from assay.adapters.stores.bm25 import Bm25Encoder
from assay.app import Assay
from assay.model.ranking import Filters, Hit, Mode, Query
from assay.retrieval.fusion import FusionWeights
from assay.retrieval.searcher import Searcher, SearchRules
from assay.settings import STATIC_DENSE_WEIGHT, ChunkingSettings, SearchSettings, SparseSettings, load_settings
from benchmarks.built_folder import unpacked_site
from benchmarks.indexed_collections import embedded_store, index_collection
from benchmarks.labelled_collections import anthropic_docs, chunking_evaluation, xquad_en
from benchmarks.shared import shared_folder

TOP_K = 10
SAME = 1e-5
CORPORA = {"redux-toolkit": "https://redux-toolkit.js.org", "react-native": "https://reactnative.dev"}

FILTERS = {
    "default": Filters(),
    "2.0": Filters(versions=("2.0",)),
    "2.0, unversioned": Filters(versions=("2.0",), include_unversioned=True),
    "fr": Filters(locales=("fr",)),
    "2.0, fr": Filters(versions=("2.0",), locales=("fr",)),
    "2.0, all locales": Filters(versions=("2.0",), everything=True),
    "everything": Filters(everything=True),
    "url prefix": Filters(everything=True, url_prefix="http://127.0.0.1:3111/docs/api"),
}
"""Searches of the built site: current version and default locale, others, and those that find copies of a passage."""

_Search = Callable[[Query], Sequence[Hit]]


def compare(
    name: str, embedded: _Search, remote: _Search, texts: Iterable[str], filters: Filters | None = None
) -> None:
    """Print how many rankings are equal, and the largest difference of a score and of a similarity, by mode."""
    wanted = list(texts)
    for mode in Mode:
        equal = exchanged = 0
        scores = relative = similarities = 0.0
        hits = 0
        seconds: tuple[list[float], list[float]] = ([], [])
        for text in wanted:
            query = Query(text, TOP_K, mode, filters=filters or Filters())
            both = []
            for side, search in enumerate((embedded, remote)):
                started = perf_counter()
                both.append(search(query))
                seconds[side].append(perf_counter() - started)
            ours, theirs = both
            equal += [hit.chunk.id for hit in ours] == [hit.chunk.id for hit in theirs]
            largest = max((abs(a.rank_score - b.rank_score) for a, b in zip(ours, theirs, strict=False)), default=0.0)
            exchanged += len(ours) == len(theirs) and largest <= SAME
            hits += len(ours)
            scores = max(scores, largest)
            relative = max(relative, largest / max((hit.rank_score for hit in ours), default=1.0))
            by_id = {hit.chunk.id: hit.similarity or 0.0 for hit in theirs}
            common = [(hit.similarity or 0.0, by_id[hit.chunk.id]) for hit in ours if hit.chunk.id in by_id]
            similarities = max([similarities, *(abs(a - b) for a, b in common)])
        print(
            f"{name:20} {mode.value:6} {equal:5} of {len(wanted)} rankings with {hits} hits equal, {exchanged} with "
            f"equal scores; largest difference of a score {scores:.1e} ({relative:.1e} of the best), of a similarity "
            f"{similarities:.1e}; p50 embedded {1000 * median(seconds[0]):.2f} ms, server "
            f"{1000 * median(seconds[1]):.2f} ms",
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
            source = {"path": shared / "corpora" / name / "docs", "base_url": url, "name": name}
            with published(Path(folder), [source], server) as (embedded, remote):
                compare(name, _searches(embedded), _searches(remote), titles_of(embedded))


def versions(shared: Path, server: Server) -> None:
    """Publish pages with and without versions and locales to both stores; compare on every title with each filter."""
    with tempfile.TemporaryDirectory() as folder:
        name = "redux-toolkit"
        sources = [
            {"path": unpacked_site(Path(folder)), "base_url": "http://127.0.0.1:3111", "name": "built"},
            {"path": shared / "corpora" / name / "docs", "base_url": CORPORA[name], "name": name},
        ]
        with published(Path(folder), sources, server) as (embedded, remote):
            titles = sorted(set(titles_of(embedded)))
            for name, filters in FILTERS.items():
                compare(name, _searches(embedded), _searches(remote), titles, filters)


@contextmanager
def published(folder: Path, sources: list[dict[str, Any]], server: Server) -> Iterator[tuple[Assay, Assay]]:
    """Publish sources to the embedded store and to the server. Raises SystemExit if the gate refuses them."""
    name = sources[0]["name"]
    with ExitStack() as opened:
        both = []
        for store in ("embedded", "qdrant"):
            values = {
                "data_dir": folder / store,
                "sources": sources,
                "index": {"store": store},
                "qdrant": {"url": server.url, "api_key": server.key, "collection": f"bench-{name}"},
            }
            assay = opened.enter_context(Assay.open(load_settings(None, values)))
            started = perf_counter()
            report = assay.publish()
            seconds = {stage: round(spent, 1) for stage, spent in report.build.seconds.items()}
            chunks, took = report.build.generation.chunks, perf_counter() - started
            print(f"{name:20} {store}: {chunks} chunks published in {took:.1f} s, {seconds}", flush=True)
            if report.promoted is None:
                sys.exit(f"{name} was not promoted: {report.verdict.summary if report.verdict else 'no verdict'}")
            both.append(assay)
        embedded, remote = both
        yield embedded, remote


def titles_of(assay: Assay) -> list[str]:
    """The titles of all pages that are live."""
    live = assay.parts.catalog.live_id()
    assert live
    return [one.info.title for one in assay.parts.catalog.listing(live) if one.info.title.strip()]


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
        versions(shared, server)


if __name__ == "__main__":
    main()
