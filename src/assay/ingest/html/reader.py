"""HTML pages → documents: the content of a page, without the site around it.

The steps, each in a module of its own: `generators` detects the site generator, `content` finds the element with the
content, `walk` visits its elements, `element_types` and the handlers interpret each, and `assay.ingest.text.normalized`
writes the text, in the same form as a page read from its source.
"""

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from assay.errors import InputError
from assay.ingest.html.blocks import heading, write_footnotes
from assay.ingest.html.content import content_of
from assay.ingest.html.footnotes import Footnotes
from assay.ingest.html.generators import HtmlGenerator, generator_of
from assay.ingest.html.links import HtmlLinkResolver
from assay.ingest.html.nodes import all_text, short_text
from assay.ingest.html.page_state import PageState
from assay.ingest.html.titles import heading_above_content, title_of
from assay.ingest.html.walk import walk
from assay.ingest.page_info import document_of, info_of
from assay.ingest.text.inlines import Inline, storable
from assay.ingest.text.normalized import NormalizedWriter
from assay.ingest.text.text_flow import TextFlow
from assay.model.bounds import TITLE, shortened
from assay.model.documents import Document, MediaType, RawPage
from assay.model.nesting import limit_nesting

_FALLBACK_ELEMENTS = "noscript, noframes"
"""Elements for browsers without JavaScript or frames; readers do not see them."""


def read_html(page: RawPage, tree: LexborHTMLParser | None = None) -> Document:
    """Convert an HTML page to a document. Deterministic, no I/O.

    tree: of the page's content, as it was parsed; it is changed. None to parse the content.

    Raises InputError for another media type, and MemoryError when the page's tree does not fit in memory.
    """
    if page.media_type is not MediaType.HTML:
        raise InputError(f"{page.key}: {page.media_type} is not HTML.", hint="Give it to the reader for its type.")
    try:
        return _read(page, tree)
    except SelectolaxError as error:  # any text is HTML, and the selectors are constants: only a lack of memory fails
        raise MemoryError(str(error)) from error


def _read(page: RawPage, parsed: LexborHTMLParser | None) -> Document:
    content = storable(page.content)
    tree = LexborHTMLParser(limit_nesting(content)) if parsed is None or content != page.content else parsed
    generator = generator_of(content, tree, page.generator)
    for selector in (_FALLBACK_ELEMENTS, *generator.removed):
        for node in tree.css(selector):
            node.decompose()
    writer = _write_content(page, tree, generator)
    title = (
        title_of(tree, writer.first_title)
        or page.title
        or page.slug.replace("-", " ").replace("_", " ").strip().capitalize()
    )
    title = shortened(storable(title), TITLE)
    normalized = writer.finish(title)
    return document_of(page, info_of(page, title, generator.name), normalized)


def _write_content(page: RawPage, tree: LexborHTMLParser, generator: HtmlGenerator) -> NormalizedWriter:
    """Write the content: of the first candidate element with text, so that no page with text becomes empty."""
    links = HtmlLinkResolver(page, tree)
    writer = NormalizedWriter()
    for root in content_of(tree, generator):
        writer = _write_element(tree, root, links, generator)
        if not writer.is_empty:
            return writer
    if tree.body is not None and (text := all_text(tree.body)):
        writer.paragraph(Inline(text))
    return writer


def _write_element(
    tree: LexborHTMLParser, root: LexborNode, links: HtmlLinkResolver, generator: HtmlGenerator
) -> NormalizedWriter:
    flow = TextFlow(NormalizedWriter(), links.target)
    state = PageState(flow, generator, links, root, Footnotes(root), walk)
    state.language = _language(tree)
    if (title := heading_above_content(tree, root)) is not None:
        close = heading(state, title, title.attributes)
        walk(state, title)
        if close is not None:
            close()
    elif generator.title and (named := tree.css_first(generator.title)) is not None:
        flow.heading(1, Inline(short_text(named)), None)
    walk(state, root)
    state.flush_code_title()
    write_footnotes(state, include_unreferenced=True)
    return flow.writer


def _language(tree: LexborHTMLParser) -> str:
    """The page's language without its region: `pt` for `pt-BR`; "" if not declared."""
    written = (tree.root.attributes.get("lang") or "") if tree.root is not None else ""
    return written.strip().lower().replace("_", "-").partition("-")[0]
