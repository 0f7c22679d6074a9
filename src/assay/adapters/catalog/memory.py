"""The catalog in memory, for tests and for an index that ends with its process."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from assay.adapters.catalog.sql import rules
from assay.adapters.catalog.sql.packing import (
    packed_checksums,
    packed_vocabulary,
    unpacked_checksums,
    unpacked_vocabulary,
)
from assay.adapters.catalog.sql.records import generation_of, generation_row, now_utc
from assay.errors import BuildInProgress
from assay.model.documents import Chunk, Document
from assay.model.evaluation import Passage
from assay.model.generations import Generation, State, check_transition
from assay.model.ids import content_hash
from assay.model.vocabulary import Vocabulary
from assay.ports import ANY_LIVE, ChunkMetadata, ChunkPlace, EmbeddedChunk, KnownPage, ListedDocument, StoredDocument


@dataclass(frozen=True, slots=True)
class _Revision:
    document: StoredDocument
    chunks: tuple[Chunk, ...]


class MemoryCatalog:
    """Catalog in memory; safe to use from several threads of one process."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._building = threading.Lock()
        self._live: str | None = None
        self._generations: dict[str, Generation] = {}
        self._revisions: dict[str, _Revision] = {}
        self._contents: dict[str, dict[str, str]] = {}  # generation id → URL → revision
        self._checksums: dict[str, dict[str, bytes]] = {}  # generation id → URL → packed checksums of its chunks
        self._anchors: dict[str, Passage] = {}
        self._vocabularies: dict[str, bytes] = {}

    @contextmanager
    def build_lock(self) -> Iterator[None]:
        """Hold the build lock, released when the process dies. Raises BuildInProgress if another process holds it."""
        if not self._building.acquire(blocking=False):
            raise BuildInProgress("Another build of this process is running.", hint="Wait until it ends.")
        try:
            yield
        finally:
            self._building.release()

    def check(self) -> None:
        """Do nothing: memory is always available."""

    def close(self) -> None:
        """Do nothing."""

    # generations

    def add_generation(self, generation: Generation) -> None:
        """Store a new generation, in state building."""
        rules.check_new(generation)
        with self._lock:
            if generation.id in self._generations:
                raise rules.already_exists(generation.id)
            self._generations[generation.id] = _as_stored(generation)
            self._contents[generation.id], self._checksums[generation.id] = {}, {}

    def update_generation(self, generation: Generation) -> None:
        """Overwrite the fields of a generation, except its state and the time it went live."""
        with self._lock:
            state = self._state(generation.id)
            promoted_at = self._generations[generation.id].promoted_at
            stored = replace(_as_stored(generation), state=state, promoted_at=promoted_at)
            self._generations[generation.id] = stored

    def generation(self, generation_id: str) -> Generation:
        """One generation. Raises GenerationNotFound."""
        with self._lock:
            self._state(generation_id)
            return _as_stored(self._generations[generation_id])

    def generations(self) -> list[Generation]:
        """All generations, newest first."""
        with self._lock:
            ordered = sorted(self._generations.values(), key=lambda each: (each.created_at, each.id), reverse=True)
            return [_as_stored(generation) for generation in ordered]

    def live_id(self) -> str | None:
        """Id of the live generation; reads one row."""
        return self._live

    def transition(self, generation_id: str, target: State, *, reason: str | None = None) -> Generation:
        """Change the state, except to live. Raises InvalidTransition, GenerationNotFound."""
        with self._lock:
            current = self._state(generation_id)
            rules.check_step(generation_id, current, target)
            if current is State.LIVE:
                self._live = None
            before = self._generations[generation_id]
            after = replace(before, state=target, reason=before.reason if reason is None else reason)
            self._generations[generation_id] = after
            return _as_stored(after)

    def promote(self, generation_id: str, at: datetime, *, over: str | None = ANY_LIVE) -> Generation:
        """Make a candidate or retired generation live and retire the live one, in one transaction."""
        moment = rules.as_utc(at)
        with self._lock:
            check_transition(generation_id, self._state(generation_id), State.LIVE)
            rules.check_replaced(generation_id, self._live, over)
            if self._live is not None:
                self._generations[self._live] = replace(self._generations[self._live], state=State.RETIRED)
            promoted = replace(self._generations[generation_id], state=State.LIVE, promoted_at=moment)
            self._generations[generation_id] = promoted
            self._live = generation_id
            return _as_stored(promoted)

    def forget(self, generation_id: str) -> None:
        """Delete the rows of a generation that is not live, and documents that no generation includes any more."""
        with self._lock:
            if generation_id not in self._generations:
                return
            rules.check_forgettable(generation_id, self._state(generation_id))
            del self._generations[generation_id], self._contents[generation_id], self._checksums[generation_id]
            self._vocabularies.pop(generation_id, None)
            kept = {revision for contents in self._contents.values() for revision in contents.values()}
            self._revisions = {name: revision for name, revision in self._revisions.items() if name in kept}

    # documents and chunks

    def known_pages(self, generation_id: str) -> dict[tuple[str, str], KnownPage]:
        """The pages of a generation, by (source name, key)."""
        pages = (
            KnownPage(stored.key, stored.info.source, stored.info.url, stored.source_hash, stored.revision)
            for stored in self.documents(generation_id)
        )
        return {(page.source, page.key): page for page in pages}

    def add_documents(self, generation_id: str, documents: Iterable[tuple[Document, Sequence[Chunk]]]) -> None:
        """Store documents with their chunks in a generation, in one transaction. URLs are unique in a generation."""
        now = now_utc()
        revisions: dict[str, _Revision] = {}
        for document, chunks in documents:
            rules.check_storable(document, chunks)
            name = rules.revision_id(document, chunks)
            revisions[name] = _revision(name, document, chunks, now)
        with self._lock:
            rules.check_building(generation_id, self._state(generation_id))
            # Stored revisions are kept, because their chunks record when they were first stored.
            known = {**revisions, **self._revisions}
            self._contents[generation_id] = self._including(generation_id, revisions, known)
            self._revisions = known

    def include_revisions(self, generation_id: str, revisions: Sequence[str]) -> None:
        """Include stored documents in a generation, in one transaction."""
        with self._lock:
            rules.check_building(generation_id, self._state(generation_id))
            self._contents[generation_id] = self._including(generation_id, revisions, self._revisions)

    def damaged_revisions(self, revisions: Sequence[str]) -> set[str]:  # noqa: ARG002
        """The revisions whose rows no longer match their id."""
        return set()

    def documents(self, generation_id: str) -> Iterator[StoredDocument]:
        """Every document of a generation, by URL."""
        return iter([revision.document for revision in self._sorted(generation_id)])

    def listing(self, generation_id: str) -> Iterator[ListedDocument]:
        """Every document of a generation, by URL, without its text: much less is read."""
        stored = self.documents(generation_id)
        return (ListedDocument(one.revision, one.info, one.text_hash, one.chunk_count) for one in stored)

    def document(self, generation_id: str, url: str) -> StoredDocument | None:
        """One document of a generation by its canonical URL."""
        with self._lock:
            self._state(generation_id)
            revision = self._contents[generation_id].get(url)
            return None if revision is None else self._revisions[revision].document

    def documents_at(self, generation_id: str, urls: Sequence[str]) -> Iterator[StoredDocument]:
        """The documents of a generation at these URLs, ordered by URL; unknown URLs are left out."""
        wanted = set(urls)
        return iter([document for document in self.documents(generation_id) if document.info.url in wanted])

    def urls_of_texts(self, generation_id: str, text_hashes: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """URLs of the documents of a generation with these texts, ascending; unknown hashes are left out."""
        found: dict[str, tuple[str, ...]] = {}
        for document in self.documents(generation_id):
            if document.text_hash in text_hashes:
                found[document.text_hash] = (*found.get(document.text_hash, ()), document.info.url)
        return found

    def text_of(self, text_hash: str) -> str | None:
        """The text with this hash, from any stored document."""
        with self._lock:
            stored = (revision.document for revision in self._revisions.values())
            return next((document.text for document in stored if document.text_hash == text_hash), None)

    def chunks(self, generation_id: str, revisions: Sequence[str] | None = None) -> Iterator[Chunk]:
        """Chunks of a generation, by URL and position; only those of the given revisions, if given."""
        wanted = None if revisions is None else set(revisions)
        found = self._sorted(generation_id)
        return iter(
            [chunk for each in found if wanted is None or each.document.revision in wanted for chunk in each.chunks]
        )

    def chunk_metadata(self, chunk_ids: Sequence[str], generation_id: str) -> dict[str, ChunkMetadata]:
        """Rows of the documents view for these chunks while this generation is live; else none."""
        with self._lock:
            wanted = set(chunk_ids)
            live = self._sorted(generation_id) if self._live == generation_id else []
            chunks = (chunk for revision in live for chunk in revision.chunks if chunk.id in wanted)
            pages = ((chunk.id, chunk.document) for chunk in chunks)
            return {name: ChunkMetadata(name, page.source_path, page.slug, page.short_title) for name, page in pages}

    def places_at(self, generation_id: str, urls: Sequence[str]) -> list[ChunkPlace]:
        """Positions of the chunks of the documents at these URLs, by URL and position."""
        return self._places(generation_id, "url", urls)

    def places_of_ids(self, generation_id: str, chunk_ids: Sequence[str]) -> list[ChunkPlace]:
        """Positions of these chunks, by URL and position; ids that the generation lacks are left out."""
        return self._places(generation_id, "chunk_id", chunk_ids)

    def places_of_texts(self, generation_id: str, content_hashes: Sequence[str]) -> list[ChunkPlace]:
        """Positions of the chunks with these texts, by URL and position."""
        return self._places(generation_id, "content_hash", content_hashes)

    def embedded_chunks(self, generation_id: str, hashes: Sequence[str]) -> dict[str, EmbeddedChunk]:
        """One chunk of this generation for each of these hashes of embedded texts; unknown hashes are left out."""
        with self._lock:
            self._state(generation_id)
            wanted = set(hashes)
            recorded = self._checksums[generation_id]
            known = self._unpacked(generation_id, recorded, skip_damaged=True)
            chunks = [
                (chunk.embedded_hash, EmbeddedChunk(chunk.id, known.get(chunk.id)))
                for chunk in self.chunks(generation_id)
                if chunk.embedded_hash in wanted
            ]
            return {digest: chunk for digest, chunk in chunks if chunk.checksum is not None or not recorded}

    def record_checksums(self, generation_id: str, checksums: Mapping[str, Mapping[str, bytes]]) -> None:
        """Record the vector checksums of whole documents, by URL and chunk id, in one transaction."""
        with self._lock:
            rules.check_building(generation_id, self._state(generation_id))
            there = self._contents[generation_id]
            packed = {url: packed_checksums(by_id) for url, by_id in checksums.items() if url in there}
            self._checksums[generation_id].update(packed)

    def checksums(self, generation_id: str, urls: Sequence[str]) -> dict[str, bytes]:
        """The recorded vector checksums of the documents at these URLs, by chunk id."""
        with self._lock:
            self._state(generation_id)
            return self._unpacked(generation_id, urls)

    # vocabularies

    def keep_vocabulary(self, generation_id: str, vocabulary: Vocabulary) -> None:
        """Store the vocabulary of a generation, in place of an earlier one. Raises GenerationNotFound."""
        with self._lock:
            self._state(generation_id)
            self._vocabularies[generation_id] = packed_vocabulary(vocabulary)

    def vocabulary(self, generation_id: str) -> Vocabulary | None:
        """The vocabulary of a generation; None if it has none. Raises CatalogCorrupt if it is damaged."""
        with self._lock:
            content = self._vocabularies.get(generation_id)
        return None if content is None else unpacked_vocabulary(content, generation_id)

    # judgments

    def anchors(self, keys: Sequence[str]) -> dict[str, Passage]:
        """The stored passages by key; unknown keys are left out."""
        with self._lock:
            return {key: self._anchors[key] for key in keys if key in self._anchors}

    def keep_anchors(self, generation_id: str, anchors: Mapping[str, Passage]) -> None:
        """Store the passages that judgments resolved to on a generation; they outlive it."""
        with self._lock:
            self._state(generation_id)
            self._anchors = {**anchors, **self._anchors}

    def _unpacked(self, generation_id: str, urls: Iterable[str], *, skip_damaged: bool = False) -> dict[str, bytes]:
        recorded, contents = self._checksums[generation_id], self._contents[generation_id]
        wanted = set(urls) & set(recorded)
        chunks = ((url, chunk.id) for url in wanted for chunk in self._revisions[contents[url]].chunks)
        return unpacked_checksums([(url, url, recorded[url]) for url in wanted], chunks, skip_damaged=skip_damaged)

    def _places(self, generation_id: str, field: str, values: Sequence[str]) -> list[ChunkPlace]:
        """The places whose field has one of these values."""
        wanted = set(values)
        places = (
            ChunkPlace(c.id, c.document.url, c.position, c.start, c.end, c.content_hash)
            for c in self.chunks(generation_id)
        )
        return [place for place in places if getattr(place, field) in wanted]

    def _state(self, generation_id: str) -> State:
        if generation_id not in self._generations:
            raise rules.not_found(generation_id)
        return self._generations[generation_id].state

    def _sorted(self, generation_id: str) -> list[_Revision]:
        with self._lock:
            self._state(generation_id)
            return [self._revisions[revision] for _, revision in sorted(self._contents[generation_id].items())]

    def _including(self, generation_id: str, names: Iterable[str], known: dict[str, _Revision]) -> dict[str, str]:
        """Return the generation's contents with these revisions added."""
        contents = dict(self._contents[generation_id])
        for name in names:
            if name not in known:
                raise rules.unknown_revision(name)
            url = known[name].document.info.url
            if contents.setdefault(url, name) != name:
                raise rules.duplicate_url(generation_id, url)
        return contents


def _as_stored(generation: Generation) -> Generation:
    """Return a deep copy, as a database would."""
    return generation_of(generation_row(generation))


def _revision(name: str, document: Document, chunks: Sequence[Chunk], now: datetime) -> _Revision:
    same = {field: getattr(document, field) for field in ("info", "key", "source_hash", "text", "sections", "links")}
    stored = StoredDocument(revision=name, text_hash=content_hash(document.text), chunk_count=len(chunks), **same)
    times = [now if chunk.created_at is None else rules.as_utc(chunk.created_at) for chunk in chunks]
    return _Revision(stored, tuple(replace(c, created_at=time) for c, time in zip(chunks, times, strict=True)))
