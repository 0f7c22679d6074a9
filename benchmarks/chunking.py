"""Chunk size, overlap, sections and embedded headings compared in one table.

    python -m benchmarks.chunking

Chunking, embedding and fusion are the product's; the search is exact. nDCG@10 favours large chunks, which are relevant
more easily. The last column is the share of the labelled text in the first 4,000 characters of hits, which makes sizes
comparable.
"""

import math
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.adapters.embedders.static import StaticEmbedder
from assay.adapters.stores.bm25 import Bm25Encoder
from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.model.documents import Block, BlockKind, Chunk, Document, Section
from assay.ports import Scored, SparseVector
from assay.retrieval.fusion import Fused, fuse
from assay.settings import STATIC_DENSE_WEIGHT, ChunkingSettings, SparseSettings
from benchmarks.labelled_collections import (
    LabelledCollection,
    LabelledTopic,
    Passage,
    anthropic_docs,
    chunking_evaluation,
)
from benchmarks.measures import mean, ndcg
from benchmarks.quality import configured_rules
from benchmarks.shared import shared_folder

SIZES = (400, 600, 800, 1_000, 1_200, 1_500, 1_800, 1_999)
OVERLAP = 200
BUDGET = 4_000
"""Characters of hits that count."""

_BLANK_LINES = re.compile(r"\n\s*\n")
_PARAGRAPH = re.compile(r"\S.*?(?=\n\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Variant:
    """A chunking and embedding configuration.

    flatten: whether headings become running text, so that only the size decides.
    """

    name: str
    size: int
    overlap: int = 0
    with_headings: bool = True
    flatten: bool = False


class ExactSearch:
    """Exact cosine and BM25 of every chunk (Qdrant's IDF)."""

    def __init__(self, texts: Sequence[str], embedder: StaticEmbedder, encoder: Bm25Encoder) -> None:
        self._embedder = embedder
        self._encoder = encoder
        self._vectors = embedder.embed_documents(texts)  # (texts, dimension)
        counts = encoder.term_counts(texts)
        average = sum(sum(one.values) for one in counts) / len(counts)
        self._postings: dict[int, list[tuple[int, float]]] = {}
        for row, weighed in enumerate(encoder.weigh(counts, average)):
            for term, weight in zip(weighed.indices, weighed.values, strict=True):
                self._postings.setdefault(term, []).append((row, weight))

    def best(self, query: str) -> list[Fused]:
        """The fused ranking of the query with the product's configuration; ids are rows."""
        rules = configured_rules(STATIC_DENSE_WEIGHT)
        cosines = self._vectors @ self._embedder.embed_query(query)  # (texts,)
        scores = self._bm25(self._encoder.encode_query(query))  # (texts,)
        sparse = [one for one in _top(scores, rules.depth) if one.score > 0.0]
        return fuse(rules.method, _top(cosines, rules.depth), sparse, rules.weights, rules.rrf_k)

    def _bm25(self, terms: SparseVector) -> NDArray[np.float64]:
        count = len(self._vectors)
        scores = np.zeros(count)
        for term in terms.indices:
            postings = self._postings.get(term, [])
            idf = math.log1p((count - len(postings) + 0.5) / (len(postings) + 0.5))
            for row, weight in postings:
                scores[row] += idf * weight
        return scores


def _top(scores: NDArray[np.floating], depth: int) -> list[Scored]:
    """The best rows by score, ties by row."""
    return [Scored(str(row), float(scores[row])) for row in np.argsort(-scores, kind="stable")[:depth]]


def measure(collection: LabelledCollection, variant: Variant, embedder: StaticEmbedder, encoder: Bm25Encoder) -> str:
    """One line of the table."""
    rules = ChunkingRules(variant.size, embedder.max_tokens, variant.overlap, embedder.tokenizer)
    documents = [_flat(document) if variant.flatten else document for document in collection.documents]
    chunks = [chunk for document in documents for chunk in chunk_document(document, rules, embedder.count_tokens)]
    search = ExactSearch([c.embedded_text if variant.with_headings else c.text for c in chunks], embedder, encoder)
    gains, seen = [], []
    for topic in collection.topics:
        ranking = [int(one.point) for one in search.best(topic.text)]
        relevant = {
            str(row)
            for row, chunk in enumerate(chunks)
            if any(passage.overlaps(chunk.document.url, chunk.start, chunk.end) for passage in topic.relevant)
        }
        gains.append(ndcg([str(row) for row in ranking], relevant))
        seen.append(_share_seen([chunks[row] for row in ranking], topic))
    return f"  {variant.name:<34}{len(chunks):>8,}{mean(gains):>10.4f}{mean(seen):>10.4f}"


def _share_seen(hits: Sequence[Chunk], topic: LabelledTopic) -> float:
    """Share of the labelled characters in the first characters of the hits, up to the budget."""
    unseen = {(passage.url, offset) for passage in topic.relevant for offset in range(passage.start, passage.end)}
    labelled, left = len(unseen), BUDGET
    for chunk in hits:
        read = min(left, chunk.end - chunk.start)
        unseen.difference_update((chunk.document.url, offset) for offset in range(chunk.start, chunk.start + read))
        left -= read
        if left <= 0:
            break
    return 1.0 - len(unseen) / labelled


def _flat(document: Document) -> Document:
    """The document as running text without sections."""
    blocks = tuple(replace(block, kind=BlockKind.TEXT) for block in document.blocks)
    return replace(document, blocks=blocks, sections=(Section(0, "", None, (), 0, len(document.text)),))


def anthropic_pages(shared: Path) -> LabelledCollection:
    """The sections of anthropic-docs, joined into their 45 original pages; labels are whole sections."""
    sections = anthropic_docs(shared)
    pages: dict[str, list[Document]] = {}
    for section in sections.documents:
        pages.setdefault(section.info.url.rpartition("/")[0], []).append(section)
    spans: dict[str, Passage] = {}
    documents = tuple(_page(url, parts, spans) for url, parts in pages.items())
    topics = tuple(
        replace(topic, relevant=tuple(spans[passage.url] for passage in topic.relevant)) for topic in sections.topics
    )
    return LabelledCollection("anthropic-docs, as pages", documents, topics, by_document=False)


def _page(url: str, parts: Sequence[Document], spans: dict[str, Passage]) -> Document:
    """One page with a heading for each part; writes the position of each part to spans."""
    text = ""
    blocks: list[Block] = []
    sections: list[Section] = []
    for part in parts:
        start, heading = len(text), part.info.title
        body = _BLANK_LINES.sub("\n\n", part.text.strip().removeprefix(heading)).strip()
        text += f"## {heading}\n\n{body}\n\n"
        end = len(text.rstrip())
        spans[part.info.url] = Passage(url, start, end)
        sections.append(Section(2, heading, None, (heading,), start, len(text)))
        blocks.extend(_blocks(text, start, end))
    title = url.rpartition("/")[2].replace("-", " ").capitalize()
    info = replace(parts[0].info, url=url, title=title)
    return Document(info, text, tuple(sections), tuple(blocks))


def _blocks(text: str, start: int, end: int) -> Iterator[Block]:
    """The paragraphs of a section; the first one is its heading."""
    for match in _PARAGRAPH.finditer(text, start, end):
        kind = BlockKind.HEADING if match.start() == start else BlockKind.TEXT
        yield Block(kind, *match.span(), *match.span())


def variants() -> list[Variant]:
    """All sizes, then the other options at the default size."""
    size = ChunkingSettings().max_characters
    return [
        *(Variant(f"up to {size:,} characters", size) for size in SIZES),
        Variant(f"{size:,}, an overlap of {OVERLAP}", size, overlap=OVERLAP),
        Variant(f"{size:,}, no title and headings", size, with_headings=False),
        Variant(f"{size:,}, sections ignored", size, flatten=True),
    ]


def main() -> int:
    """Print the table. Returns the exit code."""
    shared = shared_folder()
    if shared is None:
        return 0
    embedder, encoder = StaticEmbedder(), Bm25Encoder(SparseSettings().language)
    for load in (chunking_evaluation, anthropic_pages):
        collection = load(shared)
        print(f"{collection.name}: {len(collection.documents)} documents, {len(collection.topics)} topics, hybrid")
        print(f"  {'':<34}{'chunks':>8}{'nDCG@10':>10}{'in 4,000':>10}")
        for variant in variants():
            print(measure(collection, variant, embedder, encoder), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
