"""A preview of a build: nothing is stored, embedded or changed."""

from collections.abc import Iterable
from dataclasses import dataclass

from assay.ingest.intake import Cut, Kept
from assay.ingest.page_flow import PageFlow, newest_sealed
from assay.ingest.parts import BuildParts
from assay.ingest.stages import StageClock
from assay.ingest.survey import PageChanges
from assay.model.documents import Chunk
from assay.model.generations import Generation
from assay.ports import Progress, stage


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


class _Cost:
    """Counts texts without a vector. embedded_hashes: of texts that have one."""

    def __init__(self, embedded_hashes: Iterable[str]) -> None:
        self._seen = set(embedded_hashes)
        self.chunks = self.texts = self.tokens = 0

    def add(self, chunks: Iterable[Chunk]) -> None:
        for chunk in chunks:
            self.chunks += 1
            if chunk.embedded_hash not in self._seen:
                self._seen.add(chunk.embedded_hash)
                self.texts += 1
                self.tokens += chunk.token_count


def preview(parts: BuildParts, progress: Progress, *, rebuild: bool = False) -> Preview:
    """Read every source and report what a build would do.

    rebuild: preview a build that reuses nothing.

    Raises SourceError, CatalogError.
    """
    catalog = parts.catalog
    base = None if rebuild else newest_sealed(catalog)
    clock = StageClock(progress)
    flow = PageFlow(parts, base, clock)
    reusable = base is not None and base.embedder == parts.embedder.identity
    cost = _Cost(catalog.embedded_hashes(base.id) if base and reusable else ())
    kept: list[str] = []
    with stage(clock, "read"):
        for taken in flow.take():
            match taken:
                case Cut(_, chunks):
                    cost.add(chunks)
                case Kept(revision):
                    kept.append(revision)
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
