"""The pages of all sources on their way into a build: read, chunked, and compared with the previous generation."""

from collections.abc import Collection, Iterator, Mapping

from assay.ingest.copied_pages import CopiedPages
from assay.ingest.cuts import Cut
from assay.ingest.indexing.counting import PageCounter
from assay.ingest.intake import Intake, Kept
from assay.ingest.parts import BuildParts
from assay.ingest.workers.messages import Setup
from assay.ingest.workers.read_ahead import ReadAhead, SourcePage
from assay.model.generations import Generation, State
from assay.ports import Catalog, KnownPage, Progress, Relay, TaskRunner

PageName = tuple[str, str]
"""A page's source name and its key in that source."""


def newest_sealed(catalog: Catalog) -> Generation | None:
    """The candidate if there is one, else the live generation. Its documents and vectors can be reused."""
    generations = catalog.generations()
    for state in (State.CANDIDATE, State.LIVE):
        for generation in generations:
            if generation.state is state:
                return generation
    return None


class PageFlow:
    """The pages of one build or preview.

    base: the previous generation; None if there is none, or nothing of it is reused.
    damaged: revisions of its documents that must not be reused.
    counts: whether new pages are counted, and embedded if that needs no network.
    known: its pages whose documents may be reused, by source name and key.
    survey: counts of what happened to the pages; complete when `take` has ended.
    """

    def __init__(
        self,
        parts: BuildParts,
        base: Generation | None,
        progress: Progress,
        damaged: Collection[str] = (),
        *,
        counts: bool,
    ) -> None:
        self._parts = parts
        self._progress = progress
        self._yielded = 0
        self._pages: Mapping[PageName, KnownPage] = parts.catalog.known_pages(base.id) if base else {}
        usable = base is not None and base.chunker == parts.chunker
        self.known = {name: page for name, page in self._pages.items() if usable and page.revision not in damaged}
        counter = PageCounter(parts.encoder, None) if counts else None
        self._worker_counter = PageCounter(parts.encoder, parts.embedder.local_embedder) if counts else None
        self._copies = CopiedPages()
        count_tokens = parts.embedder.count_tokens
        self._intake = Intake(
            parts.catalog, base, self._pages, self.known, parts.rules, count_tokens, counter, self._copies
        )
        self.survey = self._intake.survey

    def take(self) -> Iterator[Cut | Kept]:
        """Yield every page with a document, new or kept, in source order. Raises the errors of sources."""
        parts = self._parts
        token_counter = parts.embedder.token_counter
        setup = token_counter and Setup(parts.rules, token_counter, parts.limits, self._worker_counter)
        with ReadAhead(setup, self._copies, workers=parts.workers) as ahead:
            for source, page, cut in ahead.read(self._source_pages(ahead)):
                taken = self._intake.take(source, page, cut)
                if taken is not None:
                    yield taken
                self._progress.advance()
        self._copies.clear()
        self.survey.note_removed(page.url for page in self._pages.values())

    def _source_pages(self, tasks: TaskRunner) -> Iterator[SourcePage]:
        """Every page of every source, with the source's name."""
        for source in self._parts.sources:
            hashes = {key: page.source_hash for (name, key), page in self.known.items() if name == source.name}
            for page in source.read(hashes, _OffsetProgress(self._progress, self._yielded), tasks):
                self._yielded += 1
                yield source.name, page


class _OffsetProgress(Relay):
    """Progress for one source: adds the pages of earlier sources to its total."""

    def __init__(self, progress: Progress, before: int) -> None:
        super().__init__(progress)
        self._before = before
        self._own_stages = 0

    def begin(self, stage: str, total: int | None) -> None:
        """Start a stage of the source."""
        self._own_stages += 1
        super().begin(stage, total)

    def expect(self, total: int) -> None:
        """Set the total of the source's stage; outside a stage, the number of pages it will yield."""
        super().expect(total if self._own_stages else self._before + total)

    def end(self) -> None:
        """End the stage."""
        self._own_stages -= 1
        super().end()
