"""Page → document: selects the reader for the page's media type."""

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.ingest.html import READER_REVISION as HTML_REVISION
from assay.ingest.markdown import READER_REVISION as MARKDOWN_REVISION
from assay.ingest.page_info import info_of
from assay.model.documents import Document, MediaType, RawPage

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

READER_REVISION = f"markdown-{MARKDOWN_REVISION} html-{HTML_REVISION}"
"""Version of the readers; a change makes every page be read again."""


def read_page(page: RawPage, tree: "LexborHTMLParser | None" = None) -> Document:
    """Read a page. Raises InputError for a page that cannot be read.

    Imports the reader only here, because a build without a changed page needs none.

    tree: of an HTML page, as it was parsed; it is changed. None to parse the page.
    """
    if page.document:
        return _with_metadata(pickle.loads(page.document), page)  # noqa: S301 - written by this build
    if page.media_type in {MediaType.MARKDOWN, MediaType.MDX}:
        from assay.ingest.markdown.reader import read_markdown

        return read_markdown(page)
    if page.media_type is MediaType.HTML:
        from assay.ingest.html.reader import read_html

        return read_html(page, tree)
    raise InputError(f"{page.key}: there is no reader for {page.media_type}.")


def _with_metadata(document: Document, page: RawPage) -> Document:
    """An earlier document of this page with the page's metadata of now."""
    generator = document.info.source_type.removesuffix("-page")
    return replace(
        document, info=info_of(page, document.info.title, generator), source_hash=page.source_hash, key=page.key
    )
