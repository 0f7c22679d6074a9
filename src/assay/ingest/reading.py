"""Page → document: selects the reader for the page's media type."""

from assay.errors import InputError
from assay.ingest.html.reader import READER_REVISION as HTML_REVISION
from assay.ingest.html.reader import read_html
from assay.ingest.markdown.reader import READER_REVISION as MARKDOWN_REVISION
from assay.ingest.markdown.reader import read_markdown
from assay.model.documents import Document, MediaType, RawPage

READER_REVISION = f"markdown-{MARKDOWN_REVISION} html-{HTML_REVISION}"
"""Version of the readers; a change makes every page be read again."""


def read_page(page: RawPage) -> Document:
    """Read a page. Raises InputError for a page that cannot be read."""
    if page.media_type in {MediaType.MARKDOWN, MediaType.MDX}:
        return read_markdown(page)
    if page.media_type is MediaType.HTML:
        return read_html(page)
    raise InputError(f"{page.key}: there is no reader for {page.media_type}.")
