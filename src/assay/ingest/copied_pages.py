"""Pages with the content of an earlier page, as in another version of the docs: read, chunked and counted once.

Such a copy has another URL, and so other links and other ids of chunks; all else is the same (decision 76).
"""

import hashlib
from collections.abc import Hashable

from assay.ingest.cuts import Cut
from assay.model.documents import MediaType, RawPage

_MOST_CHARACTERS = 4_000_000
"""Of all kept pages. Each character takes about 23 bytes of memory."""

_PAGE_CHARACTERS = 100
"""A page counts as this many characters more, because of its metadata: one without content takes 1 to 3 KB."""


class CopiedPages:
    """Keeps the pages of a build that may have copies: Markdown pages of a version or locale.

    most_characters: of all kept pages. No more are kept, so the copies of others are read.
    """

    def __init__(self, most_characters: int = _MOST_CHARACTERS) -> None:
        self._room = most_characters
        self._pages: dict[Hashable, Cut | None] = {}

    def is_copy(self, page: RawPage) -> bool:
        """Whether an earlier page has the same content. Notes the page if it is the first."""
        content = _content_of(page)
        if content is None:
            return False
        if content not in self._pages and _size(page) <= self._room:
            self._pages[content] = None
            return False
        return content in self._pages

    def has_read(self, page: RawPage) -> bool:
        """Whether a page with the same content is kept."""
        return self._pages.get(_content_of(page)) is not None

    def keep(self, page: RawPage, cut: Cut) -> None:
        """Keep a noted page if there is room. Its chunks must not have creation dates."""
        content = _content_of(page)
        if self._pages.get(content, cut) is not None:
            return
        if cut.document.references is None or _size(page) > self._room:
            del self._pages[content]
        else:
            self._pages[content] = cut
            self._room -= _size(page)

    def forget(self, page: RawPage) -> None:
        """Do not expect copies of a noted page, because it will not be kept."""
        if not self.has_read(page):
            self._pages.pop(_content_of(page), None)

    def clear(self) -> None:
        """Free the memory; no more copies are found."""
        self._room = 0
        self._pages.clear()

    def cut(self, page: RawPage) -> Cut | None:
        """The page as if it had been read, chunked and counted; None if it has to be. Raises InputError."""
        kept = self._pages.get(_content_of(page))
        return None if kept is None else kept.of_copy(page)


def _size(page: RawPage) -> int:
    return len(page.content) + _PAGE_CHARACTERS


def _content_of(page: RawPage) -> Hashable:
    """Equal for two pages that are the same but for their metadata and links.

    None for a page without a version and locale, and for one with links that are relative to several files.
    """
    if not (page.version or page.locale) or page.includes or page.document or page.media_type is MediaType.HTML:
        return None
    # An index has its folder's name if it has no title.
    *folders, name = page.source_path.split("/")
    place = folders[-1:] if name.lower().startswith(("index.", "readme.")) else []
    parts = (page.content, page.title, page.tags, page.front_matter, *place, name)
    digest = hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace")).digest()
    return digest, page.media_type, page.generator, page.is_commonmark, page.mkdocs
