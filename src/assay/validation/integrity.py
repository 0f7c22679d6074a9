"""Is the generation what it says it is? Every chunk and document is looked at, in the catalog and in the index."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from assay.model.documents import Chunk
from assay.model.evaluation import MOST_EXAMPLES
from assay.model.generations import Generation
from assay.model.ids import chunk_id, content_hash
from assay.ports import Catalog, Progress, StoredDocument, Vector, VectorIndex

_CHUNKS_AT_ONCE = 1_000
_UNIT = 1e-3
"""How far from 1 the squared length of a vector may be."""


@dataclass(slots=True)
class Fault:
    """One kind of fault: how often it was found, and where first."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, example: str) -> None:
        """Count one more."""
        self.count += 1
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(example)


KINDS = {
    "completeness": "every chunk has its URL, title, position, content, time and hash",
    "hashes": "the recomputed SHA-256 of every document's, chunk's and embedded text equals the stored one",
    "ids": "every chunk's id follows from its URL and text",
    "spans": "every chunk's text is its span of the document's text",
    "positions": "the chunks of every document count 0, 1, 2, … and name their neighbours",
    "agreement": "index and catalog hold the same chunks with the same content, as many as the generation says",
    "vectors": "every chunk has a vector that is finite, of length 1 and of the right dimension",
}
"""What is checked, as a promise that holds when nothing was found."""


@dataclass(slots=True)
class Audit:
    """What an audit found: a fault for each kind, and how much was looked at."""

    faults: dict[str, Fault] = field(default_factory=lambda: {kind: Fault() for kind in KINDS})
    documents: int = 0
    chunks: int = 0


def audit(generation: Generation, catalog: Catalog, index: VectorIndex, progress: Progress) -> Audit:
    """Check every document and chunk of a generation. Raises CatalogError, VectorStoreError."""
    report = Audit()
    seen: set[str] = set()
    waiting: list[Chunk] = []
    progress.begin("audit", generation.chunks)
    for document, chunks in _documents_with_chunks(generation, catalog, report):
        report.documents += 1
        report.chunks += len(chunks)
        seen.update(chunk.id for chunk in chunks)
        _check_document(document, chunks, report)
        waiting += chunks
        if len(waiting) >= _CHUNKS_AT_ONCE:
            _check_index(waiting, index, generation, report)
            progress.advance(len(waiting))
            waiting = []
    _check_index(waiting, index, generation, report)
    progress.advance(len(waiting))
    _check_ids(seen, index, report)
    _check_counts(index.count(), generation, report)
    progress.end()
    return report


def _documents_with_chunks(
    generation: Generation, catalog: Catalog, report: Audit
) -> Iterator[tuple[StoredDocument, list[Chunk]]]:
    """Every document by URL, with its chunks; both sides of the catalog come in the same order.

    Chunks whose document does not come in its turn are a fault, for nothing they say can be checked.
    """
    groups = groupby(catalog.chunks(generation.id), key=lambda chunk: chunk.document.url)
    none: tuple[str | None, Iterator[Chunk]] = (None, iter(()))
    url, chunks = next(groups, none)
    for document in catalog.documents(generation.id):
        if document.info.url == url:
            yield document, list(chunks)
            url, chunks = next(groups, none)
        else:
            yield document, []
    if url is not None:
        report.faults["agreement"].add(f"the catalog has chunks of {url}, but no such document in its place")


def _check_index(chunks: Sequence[Chunk], index: VectorIndex, generation: Generation, report: Audit) -> None:
    """The index's copy of these chunks against the catalog's."""
    ids = [chunk.id for chunk in chunks]
    stored, vectors = index.chunks(ids), index.vectors(ids)
    for chunk in chunks:
        if chunk.id not in stored:
            report.faults["agreement"].add(f"{chunk.id} ({chunk.section_url}) is missing from the index")
        elif stored[chunk.id] != chunk:
            report.faults["agreement"].add(f"{chunk.id} ({chunk.section_url}) differs between index and catalog")
        if chunk.id in stored:
            _check_vector(chunk, vectors.get(chunk.id), generation.embedder.dimension, report)


def _check_vector(chunk: Chunk, vector: Vector | None, dimension: int, report: Audit) -> None:
    """A chunk's vector: a direction of the right dimension. NaN compares false with everything."""
    if vector is None:
        report.faults["vectors"].add(f"{chunk.id} ({chunk.section_url}) has no vector")
        return
    length = float((vector.astype("float64") ** 2).sum())
    if vector.shape != (dimension,) or not abs(length - 1.0) < _UNIT:
        report.faults["vectors"].add(
            f"{chunk.id} ({chunk.section_url}): {vector.size} dimensions, squared length {length:.6g}"
        )


def _check_document(document: StoredDocument, chunks: Sequence[Chunk], report: Audit) -> None:
    """The chunks of one document against its text and each other."""
    if content_hash(document.text) != document.text_hash:
        report.faults["hashes"].add(f"{document.info.url}: its text does not have the hash {document.text_hash}")
    ordinals: dict[str, int] = {}
    for expected, chunk in enumerate(chunks):
        name = f"{chunk.id} ({chunk.section_url})"
        info = chunk.document
        if not all((info.url, info.title, chunk.text, chunk.created_at, chunk.content_hash)):
            report.faults["completeness"].add(f"{name} lacks url, title, content, time or hash")
        if content_hash(chunk.text) != chunk.content_hash:
            report.faults["hashes"].add(f"{name}: its text does not have the hash {chunk.content_hash}")
        if content_hash(chunk.embedded_text) != chunk.embedded_hash:
            report.faults["hashes"].add(f"{name}: what is embedded does not have the hash {chunk.embedded_hash}")
        ordinal = ordinals.get(chunk.content_hash, 0)
        ordinals[chunk.content_hash] = ordinal + 1
        if chunk.id != chunk_id(info.url, chunk.content_hash, ordinal):
            report.faults["ids"].add(f"{name} should have another id")
        if chunk.text != chunk.repeated_before + document.text[chunk.start : chunk.end] + chunk.repeated_after:
            report.faults["spans"].add(f"{name} is not {chunk.start} to {chunk.end} of its document")
        before = chunks[expected - 1].id if expected else None
        after = chunks[expected + 1].id if expected + 1 < len(chunks) else None
        if (chunk.position, chunk.previous_id, chunk.next_id) != (expected, before, after):
            report.faults["positions"].add(f"{name} has position {chunk.position} where {expected} was due")
    if len(chunks) != document.chunk_count:
        report.faults["positions"].add(f"{document.info.url} has {len(chunks)} chunks, not {document.chunk_count}")


def _check_ids(catalog_ids: set[str], index: VectorIndex, report: Audit) -> None:
    """Points that only the index has."""
    for identity in index.ids():
        if identity not in catalog_ids:
            report.faults["agreement"].add(f"{identity} is in the index only")


def _check_counts(points: int, generation: Generation, report: Audit) -> None:
    """Counts that do not add up."""
    if not report.chunks == points == generation.chunks:
        report.faults["agreement"].add(
            f"the generation says {generation.chunks} chunks, the catalog has {report.chunks}, the index {points}"
        )
    if report.documents != generation.documents:
        report.faults["agreement"].add(
            f"the generation says {generation.documents} documents, the catalog has {report.documents}"
        )
