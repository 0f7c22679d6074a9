"""HTML pages → documents, read as a person reads them: what the page says, without what the site has around it.

The steps, each in a module of its own: `generators` tells which generator made the page, `content` finds the element
that holds what it says, `walking` goes through that element, `marks` and the handlers say what each element in it is,
and `assay.ingest.normalized` writes the text, in the form that the same page gives when it is read from its source.
"""

from selectolax.lexbor import LexborHTMLParser, LexborNode

from assay.errors import InputError
from assay.ingest.html.blocks import heading, write_footnotes
from assay.ingest.html.content import content_of
from assay.ingest.html.footnotes import Footnotes
from assay.ingest.html.generators import HtmlGenerator, generator_of
from assay.ingest.html.links import HtmlLinkResolver
from assay.ingest.html.nodes import all_text
from assay.ingest.html.surroundings import Surroundings
from assay.ingest.html.titles import heading_outside, title_of
from assay.ingest.html.walking import walk
from assay.ingest.inlines import Inline, storable
from assay.ingest.normalized import NormalizedWriter
from assay.ingest.page_info import document_of, info_of
from assay.ingest.text_flow import TextFlow
from assay.model.bounds import TITLE, shortened
from assay.model.documents import Document, MediaType, RawPage
from assay.model.nesting import limit_nesting

READER_REVISION = "3"
"""Changes whenever the same page would give another document, or more of it would be kept."""

_WITHOUT_SCRIPTS = "noscript, noframes"
"""Elements for browsers without JavaScript or frames: no reader sees them, and a page with nothing else is empty."""


def read_html(page: RawPage) -> Document:
    """The document that an HTML page shows. Pure: the same page gives the same document.

    Raises InputError for a page of another media type.
    """
    if page.media_type is not MediaType.HTML:
        raise InputError(f"{page.key}: {page.media_type} is not HTML.", hint="Give it to the reader for its type.")
    content = storable(page.content)
    tree = LexborHTMLParser(limit_nesting(content))
    generator = generator_of(content, tree, page.generator)
    for selector in (_WITHOUT_SCRIPTS, *generator.cut):
        for node in tree.css(selector):
            node.decompose()
    writer = _unwritten(page, tree, generator)
    title = (
        title_of(tree, writer.first_title)
        or page.title
        or page.slug.replace("-", " ").replace("_", " ").strip().capitalize()
    )
    title = shortened(storable(title), TITLE)
    normalized = writer.finish(title)
    return document_of(page, info_of(page, title, generator.name), normalized)


def _unwritten(page: RawPage, tree: LexborHTMLParser, generator: HtmlGenerator) -> NormalizedWriter:
    """The content, written down: of the first element that shows any text, so that no page with text is empty."""
    links = HtmlLinkResolver(page, tree)
    writer = NormalizedWriter()
    for root in content_of(tree, generator):
        writer = _walked(tree, root, links, generator)
        if not writer.is_empty:
            return writer
    if tree.body is not None and (text := all_text(tree.body)):
        writer.paragraph(Inline(text))
    return writer


def _walked(
    tree: LexborHTMLParser, root: LexborNode, links: HtmlLinkResolver, generator: HtmlGenerator
) -> NormalizedWriter:
    flow = TextFlow(NormalizedWriter(), links.target)
    surroundings = Surroundings(flow, generator, links, root, Footnotes(root), walk)
    surroundings.language = _language(tree)
    if (title := heading_outside(tree, root)) is not None:
        close = heading(surroundings, title, title.attributes)
        walk(surroundings, title)
        if close is not None:
            close()
    walk(surroundings, root)
    surroundings.spend_code_title()
    write_footnotes(surroundings, everything=True)
    return flow.writer


def _language(tree: LexborHTMLParser) -> str:
    """The page's language without its region: `pt` for `pt-BR`; "" where it does not say."""
    written = (tree.root.attributes.get("lang") or "") if tree.root is not None else ""
    return written.strip().lower().replace("_", "-").partition("-")[0]
