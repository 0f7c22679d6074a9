"""Checks within the catalog: documents with their chunks, and each chunk with its document and its neighbours."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from assay.errors import CatalogCorrupt
from assay.model.documents import Chunk
from assay.model.generations import Generation
from assay.model.ids import chunk_id, content_hash
from assay.ports import Catalog, StoredDocument
from assay.validation.integrity.faults import Audit, Found
from assay.validation.integrity.recheck import name_of


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A document that cannot be read from the catalog, or whose chunks cannot."""

    url: str
    reason: str


Read = tuple[StoredDocument | Unreadable, list[Chunk]]
"""A document with its chunks."""


class Watcher(Protocol):
    """Gets each document with its chunks, so that it need not read the catalog again."""

    def add(self, document: StoredDocument, chunks: Sequence[Chunk]) -> None:
        """Take the next document, by URL."""

    def complete(self) -> None:
        """Everything was read in one walk; not called if a part was unreadable or out of order."""


def documents_with_chunks(
    generation: Generation, catalog: Catalog, report: Audit, watcher: Watcher | None
) -> Iterator[Read]:
    """Every document by URL, with its chunks.

    After the first unreadable document, the rest is read one by one. Raises CatalogError for other failures.
    """
    last = ""
    try:
        for document, chunks in _side_by_side(generation, catalog, report, watcher):
            yield document, chunks
            last = document.info.url
    except CatalogCorrupt:
        yield from _one_by_one(generation, catalog, last)


def _side_by_side(
    generation: Generation, catalog: Catalog, report: Audit, watcher: Watcher | None
) -> Iterator[tuple[StoredDocument, list[Chunk]]]:
    """Join documents and chunks, which the catalog returns in the same order.

    Chunks without their document in that order are a fault, because they cannot be checked.
    """
    groups = groupby(catalog.chunks(generation.id), key=lambda chunk: chunk.document.url)
    none: tuple[str | None, Iterator[Chunk]] = (None, iter(()))
    url, chunks = next(groups, none)
    for document in catalog.documents(generation.id):
        has_chunks = document.info.url == url
        own = list(chunks) if has_chunks else []
        if watcher is not None:
            watcher.add(document, own)
        yield document, own
        if has_chunks:
            url, chunks = next(groups, none)
    if watcher is not None and url is None:
        watcher.complete()
    elif url is not None:
        report.faults["agreement"].add(f"the catalog has chunks of {url}, but no such document in its place")


def _one_by_one(generation: Generation, catalog: Catalog, after: str) -> Iterator[Read]:
    """Read the documents after a URL one by one, as far as they are readable."""
    pages = [page for page in catalog.known_pages(generation.id).values() if page.url > after]
    for page in sorted(pages, key=lambda page: page.url):
        try:
            document: StoredDocument | Unreadable | None = catalog.document(generation.id, page.url)
        except CatalogCorrupt as error:
            document = Unreadable(page.url, error.message)
        try:
            chunks = list(catalog.chunks(generation.id, [page.revision]))
        except CatalogCorrupt as error:
            document, chunks = Unreadable(page.url, error.message), []
        if document is not None:
            yield document, chunks


def check_document(document: StoredDocument, chunks: Sequence[Chunk]) -> list[Found]:
    """Check the chunks of one document against its text and each other."""
    found: list[Found] = []
    if content_hash(document.text) != document.text_hash:
        found.append(("hashes", f"{document.info.url}: its text does not have the hash {document.text_hash}"))
    ordinals: dict[str, int] = {}
    for expected, chunk in enumerate(chunks):
        found += check_chunk(chunk)
        ordinal = ordinals.get(chunk.content_hash, 0)
        ordinals[chunk.content_hash] = ordinal + 1
        if chunk.id != chunk_id(chunk.document.url, chunk.content_hash, ordinal):
            found.append(("ids", f"{name_of(chunk)} should have another id"))
        if not is_span(chunk, document.text):
            found.append(("spans", f"{name_of(chunk)} is not {chunk.start} to {chunk.end} of its document"))
        before = chunks[expected - 1].id if expected else None
        after = chunks[expected + 1].id if expected + 1 < len(chunks) else None
        if chunk.position != expected:
            found.append(("positions", f"{name_of(chunk)} has position {chunk.position}, expected {expected}"))
        if (chunk.previous_id, chunk.next_id) != (before, after):
            found.append(("positions", f"{name_of(chunk)} does not name the chunks before and after it"))
    if len(chunks) != document.chunk_count:
        found.append(("positions", f"{document.info.url} has {len(chunks)} chunks, not {document.chunk_count}"))
    return found


def check_chunk(chunk: Chunk) -> list[Found]:
    """Check a chunk by itself: its six fields, and the hashes of its texts."""
    found: list[Found] = []
    if lacking := missing_fields(chunk):
        found.append(("completeness", f"{name_of(chunk)} lacks {', '.join(lacking)}"))
    if content_hash(chunk.text) != chunk.content_hash:
        found.append(("hashes", f"{name_of(chunk)}: its text does not have the hash {chunk.content_hash}"))
    if content_hash(chunk.embedded_text) != chunk.embedded_hash:
        found.append(("hashes", f"{name_of(chunk)}: its embedded text does not have the hash {chunk.embedded_hash}"))
    return found


def missing_fields(chunk: Chunk) -> list[str]:
    """The missing ones of seed 001's six fields."""
    fields = {
        "url": chunk.document.url,
        "title": chunk.document.title,
        "position": chunk.position is not None,  # damaged stores may return None
        "content": chunk.text,
        "time": chunk.created_at,
        "hash": chunk.content_hash,
    }
    return [name for name, value in fields.items() if not value]


def is_span(chunk: Chunk, text: str) -> bool:
    """Whether a chunk is its span of the document's text, with the repeated fence or table header around it."""
    return chunk.text == chunk.repeated_before + text[chunk.start : chunk.end] + chunk.repeated_after
