"""The catalog in dictionaries: the SQL catalog's twin for tests, and for an index that need not outlive its process."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from assay.adapters.catalog.sql import rules
from assay.adapters.catalog.sql.packing import packed_checksums, unpacked_checksums
from assay.adapters.catalog.sql.records import generation_of, generation_row, now_utc
from assay.errors import BuildInProgress
from assay.model.documents import Chunk, Document
from assay.model.evaluation import Passage
from assay.model.generations import Generation, State, check_transition
from assay.model.ids import content_hash
from assay.ports import ChunkMetadata, ChunkPlace, EmbeddedChunk, KnownPage, ListedDocument, StoredDocument


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
        self._checksums: dict[str, dict[str, bytes]] = {}  # generation id → URL → of its chunks, packed
        self._anchors: dict[str, Passage] = {}

    @contextmanager
    def build_lock(self) -> Iterator[None]:
        """Hold the one right to build. Raises BuildInProgress."""
        if not self._building.acquire(blocking=False):
            raise BuildInProgress("Another build of this process is running.", hint="Wait for it to end.")
        try:
            yield
        finally:
            self._building.release()

    def check(self) -> None:
        """Do nothing: memory can be reached."""

    def close(self) -> None:
        """Do nothing: there is no connection."""

    # generations

    def add_generation(self, generation: Generation) -> None:
        """Store a new generation."""
        rules.check_new(generation)
        with self._lock:
            if generation.id in self._generations:
                raise rules.already_there(generation.id)
            self._generations[generation.id] = _as_stored(generation)
            self._contents[generation.id], self._checksums[generation.id] = {}, {}

    def update_generation(self, generation: Generation) -> None:
        """Store the fields of a generation anew, except its state and when it went live."""
        with self._lock:
            state = self._state(generation.id)
            promoted_at = self._generations[generation.id].promoted_at
            stored = replace(_as_stored(generation), state=state, promoted_at=promoted_at)
            self._generations[generation.id] = stored

    def generation(self, generation_id: str) -> Generation:
        """One generation."""
        with self._lock:
            self._state(generation_id)
            return _as_stored(self._generations[generation_id])

    def generations(self) -> list[Generation]:
        """All generations, newest first."""
        with self._lock:
            ordered = sorted(self._generations.values(), key=lambda each: (each.created_at, each.id), reverse=True)
            return [_as_stored(generation) for generation in ordered]

    def live_id(self) -> str | None:
        """Id of the live generation."""
        return self._live

    def transition(self, generation_id: str, target: State, *, reason: str | None = None) -> Generation:
        """Change the state, except to live; a live generation that is retired leaves none in its place."""
        with self._lock:
            current = self._state(generation_id)
            rules.check_step(generation_id, current, target)
            if current is State.LIVE:
                self._live = None
            before = self._generations[generation_id]
            after = replace(before, state=target, reason=before.reason if reason is None else reason)
            self._generations[generation_id] = after
            return _as_stored(after)

    def promote(self, generation_id: str, at: datetime) -> Generation:
        """Make a candidate or retired generation live and the live one retired."""
        moment = rules.as_utc(at)
        with self._lock:
            check_transition(generation_id, self._state(generation_id), State.LIVE)
            if self._live is not None:
                self._generations[self._live] = replace(self._generations[self._live], state=State.RETIRED)
            promoted = replace(self._generations[generation_id], state=State.LIVE, promoted_at=moment)
            self._generations[generation_id] = promoted
            self._live = generation_id
            return _as_stored(promoted)

    def forget(self, generation_id: str) -> None:
        """Delete a generation that is not live, and the documents that only it has; nothing for an unknown one."""
        with self._lock:
            if generation_id not in self._generations:
                return
            rules.check_forgettable(generation_id, self._state(generation_id))
            del self._generations[generation_id], self._contents[generation_id], self._checksums[generation_id]
            kept = {revision for contents in self._contents.values() for revision in contents.values()}
            self._revisions = {name: revision for name, revision in self._revisions.items() if name in kept}

    # documents and chunks

    def known_pages(self, generation_id: str) -> dict[tuple[str, str], KnownPage]:
        """What a generation knows of each page, by (source name, key)."""
        return {
            (stored.info.source, stored.key): KnownPage(
                key=stored.key,
                source=stored.info.source,
                url=stored.info.url,
                source_hash=stored.source_hash,
                revision=stored.revision,
            )
            for stored in self.documents(generation_id)
        }

    def add_documents(self, generation_id: str, documents: Iterable[tuple[Document, Sequence[Chunk]]]) -> None:
        """Store documents with their chunks in a generation: all of them or, when one is refused, none."""
        now = now_utc()
        revisions: dict[str, _Revision] = {}
        for document, chunks in documents:
            rules.check_storable(document, chunks)
            name = rules.revision_id(document, chunks)
            revisions[name] = _revision(name, document, chunks, now)
        with self._lock:
            rules.check_building(generation_id, self._state(generation_id))
            # What is stored already stays as it is: its chunks know when they were first stored.
            known = {**revisions, **self._revisions}
            self._contents[generation_id] = self._including(generation_id, revisions, known)
            self._revisions = known

    def include_revisions(self, generation_id: str, revisions: Sequence[str]) -> None:
        """Include documents that are stored already: all of them or, when one is refused, none."""
        with self._lock:
            rules.check_building(generation_id, self._state(generation_id))
            self._contents[generation_id] = self._including(generation_id, revisions, self._revisions)

    def damaged_revisions(self, revisions: Sequence[str]) -> set[str]:  # noqa: ARG002
        """None: nothing but this class writes to what it stores."""
        return set()

    def documents(self, generation_id: str) -> Iterator[StoredDocument]:
        """Every document of a generation, by URL."""
        return iter([revision.document for revision in self._sorted(generation_id)])

    def listing(self, generation_id: str) -> Iterator[ListedDocument]:
        """Every document of a generation, by URL, without its text."""
        stored = self.documents(generation_id)
        return (ListedDocument(one.revision, one.info, one.text_hash, one.chunk_count) for one in stored)

    def document(self, generation_id: str, url: str) -> StoredDocument | None:
        """One document of a generation by its canonical URL."""
        with self._lock:
            self._state(generation_id)
            revision = self._contents[generation_id].get(url)
            return None if revision is None else self._revisions[revision].document

    def documents_at(self, generation_id: str, urls: Sequence[str]) -> Iterator[StoredDocument]:
        """The documents of a generation at these URLs, by URL."""
        wanted = set(urls)
        return iter([document for document in self.documents(generation_id) if document.info.url in wanted])

    def urls_of_texts(self, generation_id: str, text_hashes: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """URLs of the documents of a generation that have these texts, ascending."""
        found: dict[str, tuple[str, ...]] = {}
        for document in self.documents(generation_id):
            if document.text_hash in text_hashes:
                found[document.text_hash] = (*found.get(document.text_hash, ()), document.info.url)
        return found

    def text_of(self, text_hash: str) -> str | None:
        """The text with this hash, of any document that is still stored."""
        with self._lock:
            stored = (revision.document for revision in self._revisions.values())
            return next((document.text for document in stored if document.text_hash == text_hash), None)

    def chunks(self, generation_id: str, revisions: Sequence[str] | None = None) -> Iterator[Chunk]:
        """Chunks by URL and position, of the whole generation or of these revisions in it."""
        wanted = None if revisions is None else set(revisions)
        found = self._sorted(generation_id)
        return iter(
            [chunk for each in found if wanted is None or each.document.revision in wanted for chunk in each.chunks]
        )

    def chunk_metadata(self, chunk_ids: Sequence[str], generation_id: str) -> dict[str, ChunkMetadata]:
        """What the documents view says of these chunks, as long as this generation is the live one."""
        with self._lock:
            wanted = set(chunk_ids)
            live = self._sorted(generation_id) if self._live == generation_id else []
            return {chunk.id: _metadata(chunk) for revision in live for chunk in revision.chunks if chunk.id in wanted}

    def places_at(self, generation_id: str, urls: Sequence[str]) -> list[ChunkPlace]:
        """Where the chunks of the documents at these URLs stand, by URL and position."""
        wanted = set(urls)
        return [place for place in self._places(generation_id) if place.url in wanted]

    def places_of_ids(self, generation_id: str, chunk_ids: Sequence[str]) -> list[ChunkPlace]:
        """Where these chunks stand, by URL and position."""
        wanted = set(chunk_ids)
        return [place for place in self._places(generation_id) if place.chunk_id in wanted]

    def places_of_texts(self, generation_id: str, content_hashes: Sequence[str]) -> list[ChunkPlace]:
        """Where the chunks with these texts stand, by URL and position."""
        wanted = set(content_hashes)
        return [place for place in self._places(generation_id) if place.content_hash in wanted]

    def embedded_hashes(self, generation_id: str) -> dict[str, EmbeddedChunk]:
        """For each hash of an embedded text, a chunk of this generation that has it."""
        with self._lock:
            self._state(generation_id)
            recorded = self._checksums[generation_id]
            known = self._unpacked(generation_id, recorded, skip_damaged=True)
            chunks = [
                (chunk.embedded_hash, EmbeddedChunk(chunk.id, known.get(chunk.id)))
                for chunk in self.chunks(generation_id)
            ]
            return {digest: chunk for digest, chunk in chunks if chunk.checksum is not None or not recorded}

    def record_checksums(self, generation_id: str, checksums: Mapping[str, Mapping[str, bytes]]) -> None:
        """Record the checksums of the vectors of whole documents: by URL, and by chunk id."""
        with self._lock:
            rules.check_building(generation_id, self._state(generation_id))
            there = self._contents[generation_id]
            packed = {url: packed_checksums(by_id) for url, by_id in checksums.items() if url in there}
            self._checksums[generation_id].update(packed)

    def checksums(self, generation_id: str, urls: Sequence[str]) -> dict[str, bytes]:
        """The recorded checksums of the vectors of the documents at these URLs, by chunk id."""
        with self._lock:
            self._state(generation_id)
            return self._unpacked(generation_id, urls)

    # judgments

    def anchors(self, keys: Sequence[str]) -> dict[str, Passage]:
        """What is kept under these keys."""
        with self._lock:
            return {key: self._anchors[key] for key in keys if key in self._anchors}

    def keep_anchors(self, generation_id: str, anchors: Mapping[str, Passage]) -> None:
        """Keep what judgments turned out to be about; what is kept already stays as it is."""
        with self._lock:
            self._state(generation_id)
            self._anchors = {**anchors, **self._anchors}

    def _unpacked(self, generation_id: str, urls: Iterable[str], *, skip_damaged: bool = False) -> dict[str, bytes]:
        recorded, contents = self._checksums[generation_id], self._contents[generation_id]
        wanted = set(urls) & set(recorded)
        chunks = ((url, chunk.id) for url in wanted for chunk in self._revisions[contents[url]].chunks)
        return unpacked_checksums([(url, url, recorded[url]) for url in wanted], chunks, skip_damaged=skip_damaged)

    def _places(self, generation_id: str) -> list[ChunkPlace]:
        return [
            ChunkPlace(c.id, c.document.url, c.position, c.start, c.end, c.content_hash)
            for c in self.chunks(generation_id)
        ]

    def _state(self, generation_id: str) -> State:
        if generation_id not in self._generations:
            raise rules.not_found(generation_id)
        return self._generations[generation_id].state

    def _sorted(self, generation_id: str) -> list[_Revision]:
        with self._lock:
            self._state(generation_id)
            return [self._revisions[revision] for _, revision in sorted(self._contents[generation_id].items())]

    def _including(self, generation_id: str, names: Iterable[str], known: dict[str, _Revision]) -> dict[str, str]:
        """The generation's contents with these revisions."""
        contents = dict(self._contents[generation_id])
        for name in names:
            if name not in known:
                raise rules.not_stored(name)
            url = known[name].document.info.url
            if contents.setdefault(url, name) != name:
                raise rules.two_documents(generation_id, url)
        return contents


def _as_stored(generation: Generation) -> Generation:
    """A copy that shares nothing, as a database would give it back."""
    return generation_of(generation_row(generation))


def _revision(name: str, document: Document, chunks: Sequence[Chunk], now: datetime) -> _Revision:
    stored = StoredDocument(
        revision=name,
        info=document.info,
        key=document.key,
        source_hash=document.source_hash,
        text=document.text,
        text_hash=content_hash(document.text),
        chunk_count=len(chunks),
        sections=document.sections,
        links=document.links,
    )
    times = [now if chunk.created_at is None else rules.as_utc(chunk.created_at) for chunk in chunks]
    return _Revision(stored, tuple(replace(c, created_at=time) for c, time in zip(chunks, times, strict=True)))


def _metadata(chunk: Chunk) -> ChunkMetadata:
    document = chunk.document
    return ChunkMetadata(chunk.id, document.source_path, document.slug, document.short_title)
