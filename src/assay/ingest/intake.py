"""Decides for each page of a source: a new document, its stored document, or none."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from assay.errors import CatalogCorrupt, InputError
from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.ingest.copied_pages import CopiedPages
from assay.ingest.cuts import Cut
from assay.ingest.indexing.counting import CountedPage, PageCounter
from assay.ingest.reading import read_page
from assay.ingest.survey import PageTally
from assay.model.documents import (
    Chunk,
    PageExcluded,
    PageFailed,
    PageGone,
    PageRead,
    PageUnchanged,
    RawPage,
    UnreadFiles,
)
from assay.model.generations import Generation
from assay.ports import Catalog, KnownPage

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kept:
    """A page whose stored document is reused. revision: as in KnownPage."""

    revision: str


@dataclass
class Intake:
    """Takes the pages of one build and keeps the survey.

    base, pages: the previous generation and its pages by (source name, key); None and empty if there is none.
    known: the pages whose documents may be reused.
    counter: counts the pages that no worker counted; None for no counts.
    copies: the pages so far that may have copies.
    """

    catalog: Catalog
    base: Generation | None
    pages: Mapping[tuple[str, str], KnownPage]
    known: Mapping[tuple[str, str], KnownPage]
    rules: ChunkingRules
    count_tokens: Callable[[Sequence[str]], list[int]]
    counter: PageCounter | None
    copies: CopiedPages
    survey: PageTally = field(default_factory=PageTally)

    def __post_init__(self) -> None:
        self._by_url = {page.url: page for page in self.pages.values()}

    def take(self, source: str, page: PageRead, cut: Cut | None) -> Cut | Kept | None:
        """Read and chunk a new page, or name the stored document to reuse; None if there is no document.

        cut: the result of a worker, or a copy of an earlier page; None to read the page here.
        """
        earlier = self.known.get((source, page.key))
        match page:
            case RawPage():
                return self._read(source, page, cut, earlier)
            case PageUnchanged():
                return self._keep(source, page.key, earlier, self.survey.kept)
            case PageFailed():
                return self._fail(source, page, earlier)
            case PageExcluded():
                self.survey.excluded.append(page)
                return None
            case PageGone():
                self.survey.gone.append(page)
                return None
            case UnreadFiles():
                self.survey.unread.append(page)
                return None

    def _read(self, source: str, page: RawPage, cut: Cut | None, earlier: KnownPage | None) -> Cut | Kept | None:
        try:
            document = cut.document if cut else read_page(page)
        except InputError as error:
            return self._fail(source, PageFailed(page.key, error.message), earlier)
        if not self.survey.claim(document.info.url, source, page.key):
            self.copies.forget(page)
            return None
        for notice in document.notices:
            logger.warning("%s: %s.", page.key, notice)
        chunks = cut.chunks if cut else chunk_document(document, self.rules, self.count_tokens)
        if not chunks:
            self.survey.empty.append(document.info.url)
        # A renamed file with the same URL is the same page.
        before = self.pages.get((source, page.key)) or self._by_url.get(document.info.url)
        if before and before.url != document.info.url:
            self.survey.moved.append((before.url, document.info.url))
        else:
            (self.survey.changed if before else self.survey.added).append(page.key)
        result = Cut(document, chunks, self._counted(chunks, cut))
        self.copies.keep(page, result)
        return replace(result, chunks=self._with_dates(chunks, before))

    def _counted(self, chunks: Sequence[Chunk], cut: Cut | None) -> CountedPage | None:
        if cut is not None and cut.counted is not None:
            return cut.counted
        return self.counter.count(chunks) if self.counter is not None else None

    def _keep(self, source: str, key: str, earlier: KnownPage | None, key_list: list[str]) -> Kept | None:
        if earlier is None or not self.survey.claim(earlier.url, source, key):
            return None
        key_list.append(key)
        return Kept(earlier.revision)

    def _fail(self, source: str, failure: PageFailed, earlier: KnownPage | None) -> Kept | None:
        """Record a failed page; it keeps its stored document."""
        self.survey.failed.append(failure)
        kept = self._keep(source, failure.key, earlier, self.survey.carried)
        logger.warning("%s failed: %s%s", failure.key, failure.reason, " (its stored document is kept)" if kept else "")
        return kept

    def _with_dates(self, chunks: Sequence[Chunk], before: KnownPage | None) -> tuple[Chunk, ...]:
        """Set the creation date of each chunk that was stored before; the others get theirs when they are stored."""
        dates: dict[str, datetime | None] = {}
        if self.base and before:
            with suppress(CatalogCorrupt):  # damaged documents are overwritten
                dates = {c.id: c.created_at for c in self.catalog.chunks(self.base.id, [before.revision])}
        return tuple([replace(chunk, created_at=dates[chunk.id]) if chunk.id in dates else chunk for chunk in chunks])
