"""Survival of 790 labelled spans under other chunkings, and after random edits of the texts.

    python -m benchmarks.judgments [ROUNDS]

The ground truth is independent of the product: edits track the origin of each character, and a found passage is wrong
unless its letters and digits are exactly the judged ones. A passage is recoverable if its words are unchanged, and
unique together with one side of their stored context.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter

from assay.adapters.catalog.memory import MemoryCatalog
from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.model.documents import Chunk, Document
from assay.model.evaluation import Judgment, Passage, Resolution, Span, TestSet, Topic
from assay.model.generations import ChunkerIdentity, EmbedderIdentity, Generation, SparseIdentity, State
from assay.model.ids import content_hash
from assay.validation.judgments.corpus import CatalogCorpus
from assay.validation.judgments.quoting import SearchedText, quote_at
from assay.validation.judgments.resolving import resolve
from benchmarks.edits import EditedText, edited
from benchmarks.labelled_collections import as_document, chunking_evaluation
from benchmarks.shared import shared_folder

CHUNKINGS = tuple((size, overlap) for size in (300, 500, 800, 1_200, 1_600, 2_000) for overlap in (0, size // 5))
"""Maximum characters of a chunk, and of its overlap."""

_LETTERS = re.compile(r"[^\W_]")

ROUNDS = 20
EDITS = 60
"""Edits of each text in one round."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A labelled span of a document."""

    url: str
    span: Span


def generation(name: str) -> Generation:
    """A generation in state building."""
    return Generation(
        id=name,
        state=State.BUILDING,
        created_at=datetime.now(UTC),
        embedder=EmbedderIdentity("static", "none", 8),
        chunker=ChunkerIdentity("1", "1", 2_000, None, 0, "none"),
        sparse=SparseIdentity("english", 1.2, 0.75, 80.0),
        sources=("texts",),
    )


def cut(document: Document, size: int, overlap: int) -> tuple[Chunk, ...]:
    """The chunks of a document, by the product's chunker."""
    rules = ChunkingRules(size, None, overlap, "none")
    return chunk_document(document, rules, lambda texts: [0] * len(texts))


def add(catalog: MemoryCatalog, name: str, documents: Sequence[Document], size: int, overlap: int) -> None:
    """Store documents as a generation with this id."""
    catalog.add_generation(generation(name))
    catalog.add_documents(name, [(document, cut(document, size, overlap)) for document in documents])


def test_set(passages: Sequence[Passage]) -> TestSet:
    """A topic for each passage."""
    topics = [Topic(str(number), "?", judgments=(Judgment(each, 2),)) for number, each in enumerate(passages)]
    return TestSet("spans", tuple(topics), "")


def resolutions(catalog: MemoryCatalog, name: str, passages: Sequence[Passage]) -> list[Resolution]:
    """Resolve each passage on a generation."""
    return [topic.resolutions[0] for topic in resolve(test_set(passages), CatalogCorpus(catalog, name))]


def passages_of(documents: Mapping[str, Document], labelled: Sequence[Labelled]) -> list[Passage]:
    """Labelled spans as stored passages."""
    searched = {url: SearchedText(document.text) for url, document in documents.items()}
    hashes = {url: content_hash(document.text) for url, document in documents.items()}
    return [Passage(one.url, quote_at(searched[one.url], one.span), one.span, hashes[one.url]) for one in labelled]


# --- other chunkings -----------------------------------------------------------------------------------------------


def chunking_faults(
    documents: Mapping[str, Document], labelled: Sequence[Labelled], size: int, overlap: int
) -> Iterator[str]:
    """Errors under one chunking, of passages and of judgments by the chunk ids of another chunking."""
    catalog = MemoryCatalog()
    add(catalog, "first", list(documents.values()), 1_000, 0)
    add(catalog, "second", list(documents.values()), size, overlap)
    by_id = {chunk.id: chunk for chunk in catalog.chunks("second")}
    passages = passages_of(documents, labelled)
    for each, found in zip(labelled, resolutions(catalog, "second", passages), strict=True):
        yield from _misplaced(each, found, by_id, documents)
    chunks = list(catalog.chunks("first"))[:: max(1, sum(1 for _ in catalog.chunks("first")) // 500)]
    named = [Passage(chunk_id=chunk.id) for chunk in chunks]
    for generation_name in ("first", "second"):
        ids = {chunk.id: chunk for chunk in catalog.chunks(generation_name)}
        for chunk, found in zip(chunks, resolutions(catalog, generation_name, named), strict=True):
            yield from _misplaced(Labelled(chunk.document.url, Span(chunk.start, chunk.end)), found, ids, documents)


def _misplaced(
    each: Labelled, found: Resolution, chunks: Mapping[str, Chunk], documents: Mapping[str, Document]
) -> Iterator[str]:
    if not found.anchoring.scores:
        yield f"{each}: {found.anchoring}: {found.reason}"
    elif (found.url, found.span) != (each.url, each.span):
        yield f"{each}: found at {found.url} {found.span}"
    elif not found.chunk_ids or not all(
        _is_half(documents[each.url].text, each.span, chunks[one]) for one in found.chunk_ids
    ):
        yield f"{each}: on the wrong chunks {found.chunk_ids}"


def _is_half(text: str, span: Span, chunk: Chunk) -> bool:
    """Whether a chunk contains half of a span, or is half inside it, without blanks."""
    of_span, of_chunk = set(range(span.start, span.end)), set(range(chunk.start, chunk.end))
    visible = {place for place in of_span | of_chunk if not text[place].isspace()}
    shared = len(of_span & of_chunk & visible)
    return 2 * shared >= min(len(of_span & visible), len(of_chunk & visible)) > 0


# --- edits ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Tally:
    """Counts of passages after edits. wrong: examples."""

    outcomes: Counter[str]
    recoverable: int = 0
    recovered: int = 0
    unique: int = 0
    unique_recovered: int = 0
    wrong: list[str] | None = None


def edit_round(
    documents: Mapping[str, Document], labelled: Sequence[Labelled], edits: int, seed: int, *, remembers: bool
) -> Tally:
    """One round of edits of every text. remembers: whether the catalog still has the judged versions."""
    quotes: dict[str, list[tuple[int, int]]] = {}
    for each in labelled:
        quotes.setdefault(each.url, []).append((each.span.start, each.span.end))
    after = {
        url: edited(document.text, quotes.get(url, ()), edits, seed * 100 + number)
        for number, (url, document) in enumerate(documents.items())
    }
    catalog = MemoryCatalog()
    if remembers:
        add(catalog, "before", list(documents.values()), 1_000, 0)
    changed = [as_document(url, documents[url].info.title, after[url].text) for url in documents]
    add(catalog, "after", changed, 800, 0)
    passages = passages_of(documents, labelled)
    tally = Tally(Counter(), wrong=[])
    for each, passage, found in zip(labelled, passages, resolutions(catalog, "after", passages), strict=True):
        _count(tally, each, passage, found, after[each.url])
    return tally


def _count(tally: Tally, each: Labelled, passage: Passage, found: Resolution, now: EditedText) -> None:
    tally.outcomes[str(found.anchoring)] += 1
    is_found = False
    if found.anchoring.scores:
        assert found.span is not None
        is_found = _is_what_was_judged(passage, each, found.span, now)
        if not is_found:
            assert tally.wrong is not None
            tally.wrong.append(f"{each} found at {found.span}: {found.reason}")
    if can_be_recovered(passage, each, now):
        tally.recoverable += 1
        tally.recovered += is_found
    if now.descendants(each.span.start, each.span.end) and now.text.count(_exact(passage)) == 1:
        tally.unique += 1
        tally.unique_recovered += is_found


def _is_what_was_judged(passage: Passage, each: Labelled, found: Span, now: EditedText) -> bool:
    """Whether the letters and digits are exactly the judged ones, in order."""
    origin = now.origin[found.start : found.end].tolist()
    said = now.text[found.start : found.end]
    own = [
        each.span.start <= origin[place] < each.span.end for place, character in enumerate(said) if character.isalnum()
    ]
    return all(own) and _LETTERS.findall(said) == _LETTERS.findall(_exact(passage))


def can_be_recovered(passage: Passage, each: Labelled, now: EditedText) -> bool:
    """Whether the words occur unchanged, and only once together with one side of their context."""
    assert passage.quote is not None
    quote = passage.quote
    places = now.descendants(each.span.start, each.span.end)
    before = [at for at in places if quote.prefix and now.text.endswith(quote.prefix, 0, at)]
    after = [at for at in places if quote.suffix and now.text.startswith(quote.suffix, at + len(quote.exact))]
    return (len(before) == 1 and now.text.count(quote.prefix + quote.exact) == 1) or (
        len(after) == 1 and now.text.count(quote.exact + quote.suffix) == 1
    )


def _exact(passage: Passage) -> str:
    assert passage.quote is not None
    return passage.quote.exact


# --- all of it -----------------------------------------------------------------------------------------------------


def collection() -> tuple[dict[str, Document], list[Labelled]] | None:
    """The five texts by URL and their labelled spans; None without the shared folder."""
    shared = shared_folder()
    if shared is None:
        return None
    found = chunking_evaluation(shared)
    documents = {document.info.url: document for document in found.documents}
    labelled = [Labelled(each.url, Span(each.start, each.end)) for topic in found.topics for each in topic.relevant]
    return documents, labelled


def main(rounds: int = ROUNDS) -> None:
    """Print both tables."""
    found = collection()
    if found is None:
        return
    documents, labelled = found
    print(f"\n{len(labelled)} spans, and up to 500 chunks by id of another chunking\n")
    print("| chunks of at most | overlap | faults | seconds |\n|---|---|---|---|")
    for size, overlap in CHUNKINGS:
        started = perf_counter()
        faults = list(chunking_faults(documents, labelled, size, overlap))
        print(f"| {size} | {overlap} | {len(faults)} | {perf_counter() - started:.1f} |", *faults[:3])
    print("\n| earlier texts known | outcomes | wrong | recoverable found | unchanged and once, found | seconds |")
    print("|---|---|---|---|---|---|")
    for remembers in (False, True):
        total = Tally(Counter(), wrong=[])
        started = perf_counter()
        for seed in range(rounds):
            _add_to(total, edit_round(documents, labelled, EDITS, seed, remembers=remembers))
        assert total.wrong is not None
        outcomes = ", ".join(f"{name} {count}" for name, count in sorted(total.outcomes.items()))
        print(
            f"| {remembers} | {outcomes} | {len(total.wrong)} | {_share(total.recovered, total.recoverable)} | "
            f"{_share(total.unique_recovered, total.unique)} | {perf_counter() - started:.1f} |",
            *total.wrong[:5],
        )


def _add_to(total: Tally, one: Tally) -> None:
    total.outcomes += one.outcomes
    total.recoverable += one.recoverable
    total.recovered += one.recovered
    total.unique += one.unique
    total.unique_recovered += one.unique_recovered
    total.wrong = [*(total.wrong or []), *(one.wrong or [])]


def _share(some: int, of: int) -> str:
    return f"{some} of {of} ({some / of:.2%})" if of else "–"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
