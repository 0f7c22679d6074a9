"""Markdown and MDX pages → documents, as their site would show them.

The steps, each in a module of its own: `grammar` parses the page with the rules of its dialect, `rendering` walks the
tokens, `elements` tracks tags and containers, and `normalized` writes the text in the form its docstring shows.
`anchors` gives headings the ids of the real page, and `links` resolves links.
"""

import re

from assay.errors import InputError
from assay.ingest.markdown.grammar import Dialect
from assay.ingest.markdown.links import MarkdownLinkResolver
from assay.ingest.markdown.page_context import PageContext
from assay.ingest.markdown.rendering import Renderer
from assay.ingest.page_info import document_of, info_of
from assay.ingest.text.inlines import storable
from assay.model.bounds import TITLE, shortened
from assay.model.documents import Document, MediaType, RawPage

_BLANKS = re.compile(r"\s+")


def read_markdown(page: RawPage) -> Document:
    """Convert a Markdown or MDX page to a document. Deterministic, no I/O.

    Raises InputError for a page of another media type.
    """
    if page.media_type not in {MediaType.MARKDOWN, MediaType.MDX}:
        raise InputError(f"{page.key}: {page.media_type} is not Markdown.", hint="Give it to the reader for its type.")
    context = PageContext(
        dialect=dialect_of(page),
        is_docusaurus=page.generator == "docusaurus",
        includes=page.includes,
        mkdocs=page.mkdocs,
        is_github=page.generator is None and page.media_type is MediaType.MARKDOWN,
    )
    links = MarkdownLinkResolver(page)
    Renderer(context, links).render(page.content)
    title = _title(page, context.writer.first_title)
    normalized = context.writer.finish(title)
    return document_of(page, info_of(page, title, page.generator or "markdown"), normalized, links.references)


def dialect_of(page: RawPage) -> Dialect:
    """The dialect of a page. Docusaurus reads `.md` as MDX, unless the page or the site says otherwise."""
    if page.generator == "mkdocs":
        return Dialect.MKDOCS
    if page.media_type is MediaType.MDX or page.generator == "docusaurus":
        return Dialect.PLAIN if page.is_commonmark else Dialect.MDX
    return Dialect.PLAIN


def _title(page: RawPage, first_heading: str | None) -> str:
    """The front matter's title, else the first level-1 heading, else the source's title, else the file's name."""
    written = page.front_matter.get("title")
    named = _BLANKS.sub(" ", str(written)).strip() if isinstance(written, str | int | float) else ""
    title = named or first_heading or page.title or _name(page.source_path) or page.slug
    return shortened(storable(title), TITLE)


def _name(path: str) -> str:
    """A file name as a title: `import_notes.md` gives `Import notes`; an index has its folder's name.

    Capitals in a name are kept, as in MkDocs.
    """
    *folders, file = path.split("/")
    stem = file.rpartition(".")[0] or file
    name = folders[-1] if folders and stem.lower() in {"index", "readme"} else stem
    words = _BLANKS.sub(" ", name.replace("-", " ").replace("_", " ")).strip()
    return words.capitalize() if words.islower() else words
