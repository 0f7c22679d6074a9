"""Run an audit: read the catalog once, in order, and fetch the points of each batch of chunks from the index."""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, fields

from assay.errors import CatalogCorrupt, IndexCorrupt
from assay.model.documents import Chunk
from assay.model.generations import ContentFingerprint, EmbedderIdentity, Generation, SparseIdentity
from assay.ports import Catalog, Progress, SparseEncoder, StoredPoint, VectorIndex, stage
from assay.validation.integrity.documents import (
    Unreadable,
    Watcher,
    check_chunk,
    check_document,
    documents_with_chunks,
)
from assay.validation.integrity.faults import Audit, Found
from assay.validation.integrity.points import Recorded, check_checksums, check_counts, check_ids, check_points
from assay.validation.integrity.recheck import EmbeddingCheck, KeywordCheck, Recheck, WrongVector, in_sample

_CHUNKS_AT_ONCE = 1_000
_AHEAD = 2
"""Batches that may be queued for each thread."""


def audit(
    generation: Generation,
    catalog: Catalog,
    index: VectorIndex | None,
    progress: Progress,
    recheck: Recheck | None = None,
    problems: Sequence[str] = (),
    watcher: Watcher | None = None,
) -> Audit:
    """Check every document and chunk of a generation.

    index: None if it could not be opened.
    problems: faults that the store reported when it was opened.
    recheck: the encoders to recompute vectors with; without it vectors are not recomputed.
    watcher: gets everything that is read from the catalog.

    A fault does not end the audit. Raises CatalogError, StoreUnavailable, EmbeddingError.
    """
    return _Auditor(generation, catalog, index, recheck or Recheck(), problems, watcher).run(progress)


@dataclass(frozen=True, slots=True)
class _Part:
    """A batch of chunks. embedded, weighed: places in it whose vector and keyword vector are recomputed."""

    chunks: list[Chunk]
    embedded: list[int]
    weighed: list[int]


@dataclass(slots=True)
class _Looked:
    """The result of a batch."""

    chunks: int
    found: list[Found] = field(default_factory=list)
    wrong: list[WrongVector] = field(default_factory=list)
    recorded: Recorded = field(default_factory=Recorded)
    terms: float = 0.0
    compared_vectors: int = 0
    compared_keywords: int = 0


class _Auditor:
    """Runs one audit."""

    def __init__(
        self,
        generation: Generation,
        catalog: Catalog,
        index: VectorIndex | None,
        recheck: Recheck,
        problems: Sequence[str],
        watcher: Watcher | None,
    ) -> None:
        self._generation = generation
        self._catalog = catalog
        self._recheck = recheck
        self._watcher = watcher
        self._report = Audit()
        self._index = index
        self._report.add(("index", problem) for problem in problems)
        if index is None:
            self._report.skipped |= dict.fromkeys(("vectors", "vector checksums"), "there is no index to read")
        self._embeddings = self._embedding_check()
        self._keywords = self._keyword_check()
        self._recorded = Recorded()
        self._fingerprint = ContentFingerprint()
        self._ids: set[str] = set()

    def run(self, progress: Progress) -> Audit:
        """Audit every document and chunk."""
        with stage(progress, "audit", self._generation.chunks):
            self._look_at_parts(progress)
            self._conclude()
        return self._report

    def _look_at_parts(self, progress: Progress) -> None:
        waiting: deque[Future[_Looked]] = deque()
        calls = 1 if self._embeddings is None else self._embeddings.embedder.batching.calls
        with ThreadPoolExecutor(calls, "audit") as threads:
            try:
                for part in self._parts():
                    waiting.append(threads.submit(self._look, part))
                    while len(waiting) > _AHEAD * calls or (waiting and waiting[0].done()):
                        self._take(waiting.popleft().result(), progress)
                while waiting:
                    self._take(waiting.popleft().result(), progress)
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                raise

    def _conclude(self) -> None:
        """Run the checks that need all batches."""
        report, generation = self._report, self._generation
        if self._index is not None:
            check_ids(self._ids, self._index, report)
        check_counts(None if self._index is None else self._index.count(), generation, report)
        self._check_fingerprint()
        self._recorded.conclude(report)
        if self._embeddings is not None and self._index is not None:
            self._embeddings.conclude(self._index, report)
        if self._keywords is not None and report.compared_keywords == report.chunks:
            self._keywords.conclude(report.chunks, report)

    def _parts(self) -> Iterator[_Part]:
        """Batches of whole documents' chunks. Checks the documents on the way."""
        embed, weigh = (in_sample(self._generation, n) for n in (self._recheck.vectors, self._recheck.keywords))
        suspects = self._recheck.suspects
        part = _Part([], [], [])
        read = documents_with_chunks(self._generation, self._catalog, self._report, self._watcher)
        for document, chunks in read:
            if isinstance(document, Unreadable):
                self._report.faults["catalog"].add(f"{document.url}: {document.reason}")
                self._report.add(found for chunk in chunks for found in check_chunk(chunk))
            else:
                self._report.add(check_document(document, chunks))
            self._report.documents += 1
            for chunk in chunks:
                self._fingerprint.add(chunk)
                place = self._report.chunks
                if self._embeddings is not None and (place in suspects or embed(place)):
                    part.embedded.append(len(part.chunks))
                if self._keywords is not None and weigh(place):
                    part.weighed.append(len(part.chunks))
                part.chunks.append(chunk)
                self._report.chunks += 1
            self._ids.update(chunk.id for chunk in chunks)
            if len(part.chunks) >= _CHUNKS_AT_ONCE:
                yield part
                part = _Part([], [], [])
        yield part

    def _look(self, part: _Part) -> _Looked:
        """Check the points of a batch; called from several threads."""
        looked = _Looked(len(part.chunks))
        if self._index is None or not part.chunks:
            return looked
        try:
            points = self._index.stored([chunk.id for chunk in part.chunks])
        except IndexCorrupt as error:
            looked.found.append(("index", f"{error.message} {len(part.chunks)} chunks from {part.chunks[0].id} on."))
            return looked
        looked.found = check_points(part.chunks, points, self._generation.embedder.dimension)
        self._look_at_checksums(part, points, looked)
        if self._embeddings is not None:
            chunks, theirs = _those(part.chunks, part.embedded, points)
            looked.wrong, found = self._embeddings.look(chunks, theirs)
            looked.found += found
            looked.compared_vectors = len(chunks)
        if self._keywords is not None:
            chunks, theirs = _those(part.chunks, part.weighed, points)
            looked.terms, found = self._keywords.look(chunks, theirs)
            looked.found += found
            looked.compared_keywords = len(chunks)
        return looked

    def _look_at_checksums(self, part: _Part, points: dict[str, StoredPoint], looked: _Looked) -> None:
        urls = list(dict.fromkeys(chunk.document.url for chunk in part.chunks))
        checksums: dict[str, bytes] = {}
        unreadable = set()
        try:
            checksums = self._catalog.checksums(self._generation.id, urls)
        except CatalogCorrupt:
            for url in urls:
                try:
                    checksums |= self._catalog.checksums(self._generation.id, [url])
                except CatalogCorrupt as error:
                    unreadable.add(url)
                    looked.found.append(("catalog", error.message))
        chunks = [chunk for chunk in part.chunks if chunk.document.url not in unreadable]
        looked.recorded, found = check_checksums(chunks, points, checksums, self._generation.embedder.dimension)
        looked.found += found

    def _take(self, looked: _Looked, progress: Progress) -> None:
        report = self._report
        report.add(looked.found)
        self._recorded.add(looked.recorded)
        report.compared_vectors += looked.compared_vectors
        report.compared_keywords += looked.compared_keywords
        if self._embeddings is not None:
            self._embeddings.keep(looked.wrong)
        if self._keywords is not None:
            self._keywords.terms += looked.terms
        progress.advance(looked.chunks)

    def _check_fingerprint(self) -> None:
        recorded, found = self._generation.content_fingerprint, self._fingerprint.value
        if recorded != found:
            self._report.faults["fingerprint"].add(
                f"the generation was sealed with {recorded or 'none'}; its chunks have {found}"
            )

    def _embedding_check(self) -> EmbeddingCheck | None:
        """The check of embeddings; None, with the reason in the report, if vectors cannot be compared."""
        embedder = self._recheck.embedder
        made_by = self._generation.embedder
        at_hand = self._recheck.identity if embedder is None else embedder.identity
        if at_hand not in {None, made_by}:
            self._report.faults["identity"].add(f"the embedder: {_differences(made_by, at_hand)}")
            self._report.skipped["embeddings"] = "the configured embedder is another one"
        elif embedder is None:
            self._report.skipped["embeddings"] = "the embedder was not called"
        elif self._index is None:
            self._report.skipped["embeddings"] = "there is no index to read"
        else:
            return EmbeddingCheck(embedder)
        return None

    def _keyword_check(self) -> KeywordCheck | None:
        encoder: SparseEncoder | None = self._recheck.encoder
        if encoder is None:
            self._report.skipped["keywords"] = "there is no keyword encoder"
            return None
        made_by = self._generation.sparse
        at_hand = encoder.identity(made_by.average_length)
        if self._index is None:
            self._report.skipped["keywords"] = "there is no index to read"
            return None
        if made_by == at_hand:
            return KeywordCheck(encoder, made_by.average_length)
        self._report.faults["identity"].add(f"the keyword encoder: {_differences(made_by, at_hand)}")
        self._report.skipped["keywords"] = "the configured keyword encoder is another one"
        return None


def _those(
    chunks: Sequence[Chunk], places: Sequence[int], points: dict[str, StoredPoint]
) -> tuple[list[Chunk], list[StoredPoint]]:
    """The chunks at these places that have a point, and their points."""
    there = [chunks[place] for place in places if chunks[place].id in points]
    return there, [points[chunk.id] for chunk in there]


def _differences(made_by: EmbedderIdentity | SparseIdentity, at_hand: EmbedderIdentity | SparseIdentity) -> str:
    """List every field in which they differ, with the value at build time and the current one."""
    pairs = ((f.name, getattr(made_by, f.name), getattr(at_hand, f.name)) for f in fields(made_by))
    return ", ".join(
        f"{name} {before!r} when it was built and {now!r} now" for name, before, now in pairs if before != now
    )
