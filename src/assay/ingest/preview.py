"""A preview of a build: nothing is stored, embedded or changed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from assay.ingest.cuts import Cut
from assay.ingest.indexing.vectors import EarlierChunks, no_chunks
from assay.ingest.intake import Kept
from assay.ingest.page_flow import PageFlow, newest_sealed
from assay.ingest.parts import BuildParts
from assay.ingest.stages import StageClock
from assay.ingest.survey import PageChanges
from assay.model.batches import batched
from assay.model.documents import Chunk
from assay.model.generations import Generation
from assay.ports import Progress, stage

_CHUNKS_AT_ONCE = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview(PageChanges):
    """The result of a preview.

    base: the generation that pages are compared with; None if there is none.
    documents, chunks: numbers in the new generation.
    embedded, tokens: number of distinct texts to embed, and their tokens.
    seconds: of each stage.
    """

    base: Generation | None
    documents: int
    chunks: int
    embedded: int
    tokens: int
    seconds: dict[str, float]


def _cut_chunks(flow: PageFlow, kept: list[str]) -> Iterator[Chunk]:
    """Chunks of the new pages; adds the revisions of the others to `kept`."""
    for taken in flow.take():
        match taken:
            case Cut(chunks=chunks):
                yield from chunks
            case Kept(revision):
                kept.append(revision)


class _Cost:
    """Counts texts without a vector. earlier_chunks: finds those that have one."""

    def __init__(self, earlier_chunks: EarlierChunks) -> None:
        self._earlier_chunks = earlier_chunks
        self._new: set[str] = set()
        self.chunks = self.texts = self.tokens = 0

    def add(self, chunks: Iterable[Chunk]) -> None:
        for batch in batched(chunks, _CHUNKS_AT_ONCE):
            self.chunks += len(batch)
            tokens = {one.embedded_hash: one.token_count for one in batch if one.embedded_hash not in self._new}
            new = tokens.keys() - self._earlier_chunks(list(tokens)).keys()
            self._new |= new
            self.texts += len(new)
            self.tokens += sum(tokens[digest] for digest in new)


def preview(parts: BuildParts, progress: Progress, *, rebuild: bool = False) -> Preview:
    """Read every source and report what a build would do.

    rebuild: preview a build that reuses nothing.

    Raises SourceError, CatalogError.
    """
    catalog = parts.catalog
    base = None if rebuild else newest_sealed(catalog)
    clock = StageClock(progress)
    flow = PageFlow(parts, base, clock, counts=False)
    reusable = base is not None and base.embedder == parts.embedder.identity
    cost = _Cost(partial(catalog.embedded_chunks, base.id) if base and reusable else no_chunks)
    kept: list[str] = []
    with stage(clock, "read"):
        cost.add(_cut_chunks(flow, kept))
        if base is not None:
            cost.add(catalog.chunks(base.id, kept))
    return Preview(
        base=base,
        documents=len(flow.survey.claimed),
        chunks=cost.chunks,
        embedded=cost.texts,
        tokens=cost.tokens,
        seconds=dict(clock.seconds),
        **flow.survey.changes(),
    )
