"""A builder of HTML pages, for tests of the reader of HTML."""

from assay.ingest.html.reader import read_html
from assay.model.documents import Document, MediaType
from tests.pages import page


def read(body: str, head: str = "", **changes: object) -> Document:
    """The document of a page with this body; the whole body is its content."""
    content = f"<!doctype html><html><head>{head}</head><body><main>{body}</main></body></html>"
    return read_whole(content, **changes)


def read_whole(content: str, **changes: object) -> Document:
    """The document of a page that is written out in full."""
    return read_html(page(content, media_type=MediaType.HTML, **changes))


def text_of(body: str, head: str = "", **changes: object) -> str:
    """The normalized text of such a page."""
    return read(body, head, **changes).text


def made_by(name: str) -> str:
    """What the head of a page says that this generator made."""
    return f'<meta name="generator" content="{name}">'
