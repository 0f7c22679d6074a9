"""Search quality of dense, sparse and hybrid mode, with plain RRF as the baseline.

    python -m benchmarks.quality              the table
    python -m benchmarks.quality --explore    and hybrid by method, weight and depth
    python -m benchmarks.quality --minilm X   with a transformer from the folder X instead of the built-in embedder

It uses the product's chunker, embedder, BM25, index and searcher with default settings, but not its page readers,
because the collections are plain text. It also computes the same rankings by exact formulas, and prints the number of
topics on which both agree.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.embedders.static import StaticEmbedder, is_common_word
from assay.adapters.stores.bm25 import Bm25Encoder
from assay.model.documents import Chunk
from assay.model.ranking import Filters, FusionMethod, Hit, Mode, Query, Ranking
from assay.ports import Embedder, IndexAnswer, IndexQuery, SparseEncoder
from assay.retrieval.completion import Completer
from assay.retrieval.fusion import Fused, FusionWeights, fuse
from assay.retrieval.searcher import Searcher, SearchRules
from assay.settings import DENSE_WEIGHT, STATIC_DENSE_WEIGHT, ChunkingSettings, SearchSettings, SparseSettings
from benchmarks.indexed_collections import IndexedCollection, PlainSearch, embedded_store, index_collection
from benchmarks.labelled_collections import (
    Passage,
    anthropic_docs,
    chunking_evaluation,
    xquad_en,
)
from benchmarks.measures import half_width, mean, ndcg, reciprocal_rank, success
from benchmarks.minilm import MiniLmEmbedder
from benchmarks.shared import shared_folder

TOP_K = 50
"""Number of hits, enough for ten different documents; also the depth of MRR."""

_SAME = 1e-4
"""Tolerance of equal scores: the index computes in single precision."""

GOALS = {"anthropic-docs": 0.790, "xquad-en": 0.970}
"""The minimum nDCG@10 of hybrid mode."""

PEERS = {"anthropic-docs": 0.577, "xquad-en": 0.908}
"""nDCG@10 of the same static vectors over whole documents, measured independently."""

EXPLORED_WEIGHTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5, 2.0, 3.0, 4.0)
EXPLORED_DEPTHS = (50, 100, 200)


@dataclass(frozen=True, slots=True)
class Scores:
    """One system's measures of each topic, in the order of the topics."""

    ndcg: list[float]
    reciprocal_rank: list[float]
    success: list[float]


class Bench:
    """One indexed collection under measurement."""

    def __init__(self, indexed: IndexedCollection, embedder: Embedder, encoder: SparseEncoder) -> None:
        self.indexed = indexed
        self._embedder = embedder
        self._encoder = encoder
        self._chunks = {chunk.id: chunk for chunk in indexed.chunks}
        self._relevant = [self._relevant_units(topic.relevant) for topic in indexed.collection.topics]

    def search(self, mode: Mode, rules: SearchRules) -> list[tuple[Hit, ...]]:
        """The product's hits for every topic."""
        indexed = self.indexed
        searcher = Searcher(indexed.generation, indexed.index, self._embedder, self._encoder, rules)
        return [searcher.search(Query(topic.text, TOP_K, mode)).hits for topic in indexed.collection.topics]

    def search_corrected(self, rules: SearchRules) -> list[Ranking]:
        """The rankings of hybrid search for every topic, with words corrected as in a generation."""
        indexed = self.indexed
        completer = Completer(indexed.vocabulary, self._encoder, is_common_word)
        searcher = Searcher(
            indexed.generation, indexed.index, self._embedder, self._encoder, rules, completer=completer
        )
        return [searcher.search(Query(topic.text, TOP_K, Mode.HYBRID)) for topic in indexed.collection.topics]

    def answers(self, depth: int) -> list[IndexAnswer]:
        """The dense and sparse rankings of the index for every topic."""
        queries = [
            IndexQuery(self._embedder.embed_query(topic.text), self._encoder.encode_query(topic.text), depth, Filters())
            for topic in self.indexed.collection.topics
        ]
        return [self.indexed.index.search(query).by_chunk_id() for query in queries]

    def plain_answers(self, depth: int) -> list[IndexAnswer]:
        """The same rankings by exact formulas."""
        plain = PlainSearch(self.indexed)
        return [
            IndexAnswer(
                tuple(plain.dense(self._embedder.embed_query(topic.text), depth)),
                tuple(plain.sparse(self._encoder.encode_query(topic.text), depth)),
            )
            for topic in self.indexed.collection.topics
        ]

    def score(self, rankings: Iterable[Sequence[str]]) -> Scores:
        """Measure a ranking of chunk ids for each topic."""
        units = [self._units(ranking) for ranking in rankings]
        judged = list(zip(units, self._relevant, strict=True))
        return Scores(
            [ndcg(*one) for one in judged], [reciprocal_rank(*one) for one in judged], [success(*one) for one in judged]
        )

    def agreeing(self, found: list[tuple[Hit, ...]], plain: Iterable[Sequence[Fused]]) -> int:
        """Number of topics whose ten best hits have the scores of the exact formulas."""
        return sum(self._agree(hits[:10], ranking) for hits, ranking in zip(found, plain, strict=True))

    def whole_document_ndcg(self) -> float:
        """nDCG@10 of dense search over whole documents, embedded without titles."""
        documents = self.indexed.collection.documents
        vectors = self._embedder.embed_documents([document.text for document in documents])
        values = []
        for topic, relevant in zip(self.indexed.collection.topics, self._relevant, strict=True):
            cosines = (vectors @ self._embedder.embed_query(topic.text)).tolist()
            ranked = sorted(zip(cosines, documents, strict=True), key=lambda one: -one[0])
            values.append(ndcg([document.info.url for _, document in ranked], relevant))
        return mean(values)

    def _agree(self, hits: Sequence[Hit], ranking: Sequence[Fused]) -> bool:
        scores: dict[str, float] = {}
        for fused in ranking:
            scores.setdefault(self._chunks[fused.point].content_hash, fused.score)
        expected = list(scores.values())[:10]
        return len(hits) == len(expected) and all(
            abs(hit.rank_score - score) <= _SAME * max(1.0, score) for hit, score in zip(hits, expected, strict=True)
        )

    def _unit(self, chunk: Chunk) -> str:
        """The unit of a hit: its document, or its text if spans are labelled."""
        return chunk.document.url if self.indexed.collection.by_document else chunk.content_hash

    def _units(self, ranking: Sequence[str]) -> list[str]:
        return list(dict.fromkeys(self._unit(self._chunks[chunk_id]) for chunk_id in ranking))

    def _relevant_units(self, passages: Sequence[Passage]) -> frozenset[str]:
        return frozenset(
            self._unit(chunk)
            for chunk in self.indexed.chunks
            if any(passage.overlaps(chunk.document.url, chunk.start, chunk.end) for passage in passages)
        )


def main(arguments: Sequence[str] = ()) -> int:
    """Print the table; return 1 if a goal is missed, and 0 also without the collections."""
    parser = argparse.ArgumentParser(description="Measure the quality of the answers.")
    parser.add_argument("--explore", action="store_true", help="also print hybrid by method, weight and depth")
    parser.add_argument("--max-characters", type=int, help="cut chunks of this size instead of the default")
    parser.add_argument("--minilm", type=Path, help="folder of all-MiniLM-L6-v2 (see benchmarks/minilm.py)")
    options = parser.parse_args(arguments)
    shared = shared_folder()
    if shared is None:
        return 0
    chunking = ChunkingSettings()
    if options.max_characters:
        chunking = chunking.model_copy(update={"max_characters": options.max_characters})
    encoder = Bm25Encoder(SparseSettings().language)
    embedder: Embedder = MiniLmEmbedder(options.minilm) if options.minilm else StaticEmbedder()
    met = True
    for load in (anthropic_docs, xquad_en, chunking_evaluation):
        with tempfile.TemporaryDirectory(prefix="assay-quality-") as folder:
            bench = Bench(
                index_collection(load(shared), embedder, encoder, chunking, embedded_store(Path(folder))),
                embedder,
                encoder,
            )
            met &= report(bench, DENSE_WEIGHT if options.minilm else STATIC_DENSE_WEIGHT)
            if options.explore:
                explore(bench)
            bench.indexed.index.close()
    embedder.close()
    return 0 if met or options.minilm else 1


def report(bench: Bench, dense_weight: float) -> bool:
    """Print one collection's table; return whether its goals are met."""
    indexed, rules = bench.indexed, configured_rules(dense_weight)
    collection = indexed.collection
    print(
        f"\n{collection.name}: {len(collection.documents)} documents, {len(indexed.chunks):,} chunks of at most "
        f"{indexed.generation.chunker.max_characters:,} characters, {len(collection.topics):,} topics"
    )
    found = {mode: bench.search(mode, rules) for mode in (Mode.SPARSE, Mode.DENSE, Mode.HYBRID)}
    baseline = SearchRules(FusionMethod.RRF, FusionWeights(1.0, 1.0), 60, rules.depth)
    scores = {mode: bench.score(_ids(hits)) for mode, hits in found.items()}
    print(f"  {'':<36}{'nDCG@10':>14}{'MRR':>9}{'Success@5':>11}")
    _print_row("sparse", scores[Mode.SPARSE])
    _print_row("dense", scores[Mode.DENSE])
    _print_row(f"hybrid ({_name(rules)})", scores[Mode.HYBRID])
    corrected = bench.search_corrected(rules)
    _print_row("hybrid, misspelt words corrected", bench.score(_ids(ranking.hits for ranking in corrected)))
    _print_row("hybrid (rrf 1 : 1), baseline", bench.score(_ids(bench.search(Mode.HYBRID, baseline))))
    _print_corrected(found[Mode.HYBRID], corrected)
    _print_agreement(bench, found, rules)
    return _print_goals(bench, scores)


def explore(bench: Bench) -> None:
    """Print nDCG@10 of hybrid by method, dense weight (sparse 1) and depth."""
    answers = bench.answers(max(EXPLORED_DEPTHS))
    print(f"  {'nDCG@10, dense weight':<28}" + "".join(f"{weight:>7.1f}" for weight in EXPLORED_WEIGHTS))
    for method in FusionMethod:
        for depth in EXPLORED_DEPTHS:
            values = []
            for weight in EXPLORED_WEIGHTS:
                weights = FusionWeights(dense=weight, sparse=1.0)
                fused = [fuse(method, one.dense[:depth], one.sparse[:depth], weights, 60) for one in answers]
                values.append(mean(bench.score([one.point for one in ranking] for ranking in fused).ndcg))
            print(f"  {f'{method}, depth {depth}':<28}" + "".join(f"{value:>7.4f}" for value in values))


def configured_rules(dense_weight: float) -> SearchRules:
    """The product's default fusion, with the dense weight of the embedder."""
    settings = SearchSettings()
    weights = FusionWeights(dense=dense_weight, sparse=settings.sparse_weight)
    return SearchRules(settings.fusion, weights, settings.rrf_k, settings.depth)


def _print_row(name: str, scores: Scores) -> None:
    print(
        f"  {name:<36}{mean(scores.ndcg):>7.4f} ±{half_width(scores.ndcg):.3f}"
        f"{mean(scores.reciprocal_rank):>9.4f}{mean(scores.success):>11.4f}"
    )


def _print_corrected(plain: Sequence[tuple[Hit, ...]], corrected: Sequence[Ranking]) -> None:
    """Print the number of topics in which a word is corrected, and whether all others have the same hits."""
    changed = sum(bool(ranking.corrections) for ranking in corrected)
    same = all(ranking.corrections or ranking.hits == hits for hits, ranking in zip(plain, corrected, strict=True))
    print(f"  a word is corrected in {changed} topics; the others have {'the same' if same else 'OTHER'} hits")


def _print_agreement(bench: Bench, found: dict[Mode, list[tuple[Hit, ...]]], rules: SearchRules) -> None:
    """Print the number of topics that the product ranks like the exact formulas."""
    plain = bench.plain_answers(max(rules.depth, 2 * TOP_K))
    sides: dict[Mode, Callable[[IndexAnswer], Sequence[Fused]]] = {
        Mode.SPARSE: lambda one: [Fused(scored.point, scored.score) for scored in one.sparse],
        Mode.DENSE: lambda one: [Fused(scored.point, max(scored.score, 0.0)) for scored in one.dense],
        Mode.HYBRID: lambda one: fuse(rules.method, one.dense, one.sparse, rules.weights, rules.rrf_k),
    }
    counts = [f"{mode} {bench.agreeing(found[mode], map(rank, plain)):,}" for mode, rank in sides.items()]
    print(f"  topics on which plain arithmetic gives the same ten best: {', '.join(counts)} of {len(plain):,}")


def _print_goals(bench: Bench, scores: dict[Mode, Scores]) -> bool:
    collection = bench.indexed.collection
    hybrid = scores[Mode.HYBRID].ndcg
    better = max((scores[Mode.SPARSE].ndcg, scores[Mode.DENSE].ndcg), key=mean)
    gain = [one - other for one, other in zip(hybrid, better, strict=True)]
    goals = [(f"hybrid - better part {mean(gain):+.4f} ±{half_width(gain):.4f} (same topics)", mean(gain) >= 0.0)]
    if (least := GOALS.get(collection.name)) is not None:
        goals.append((f"hybrid {mean(hybrid):.4f}, goal {least:.3f}", mean(hybrid) >= least))
    if (peers := PEERS.get(collection.name)) is not None:
        whole = bench.whole_document_ndcg()
        goals.append((f"dense over whole documents {whole:.4f}, peers {peers:.3f}", abs(whole - peers) < 0.0005))
    for text, met in goals:
        print(f"  {'met   ' if met else 'MISSED'} {text}")
    return all(met for _, met in goals)


def _ids(found: Iterable[Sequence[Hit]]) -> list[list[str]]:
    return [[hit.chunk.id for hit in hits] for hits in found]


def _name(rules: SearchRules) -> str:
    return f"{rules.method} {rules.weights.dense:g} : {rules.weights.sparse:g}, depth {rules.depth}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
