"""Pages that were read and chunked, and copies of them at other addresses."""

from dataclasses import dataclass, replace

from assay.ingest.chunking.chunker import chunks_of_copy
from assay.ingest.indexing.counting import CountedPage
from assay.ingest.page_info import info_of
from assay.model.documents import Chunk, Document, RawPage


@dataclass(frozen=True, slots=True)
class Cut:
    """A page that was read and chunked. counted: None if the pages are not indexed."""

    document: Document
    chunks: tuple[Chunk, ...]
    counted: CountedPage | None = None

    def of_copy(self, page: RawPage) -> "Cut | None":
        """The result for a page with the same content (see CopiedPages). None if it has to be read.

        Raises InputError for a URL that is too long.
        """
        from assay.ingest.markdown.links import links_of_copy  # only here, as in read_page

        links, own = links_of_copy(self.document, page), self.document.info
        if links is None or own.title == own.slug:  # the title of last resort, which may differ
            return None
        info = info_of(page, own.title, own.source_type.removesuffix("-page"))
        document = replace(self.document, info=info, links=links, source_hash=page.source_hash, key=page.key)
        chunks = chunks_of_copy(self.chunks, info)
        return Cut(document, chunks, None if self.counted is None else self.counted.of_copy(chunks))
