"""The site generators: how a page of each is told, where its content stands, and what in it is no content.

To add a generator, add a `Generator` to GENERATORS: nothing else in this package names one. What every site writes
alike (hash links, copy buttons, breadcrumbs, admonitions, tabs) is in `marks` and need not be said here again. Order
matters where a page carries the marks of two: the first is taken.
"""

from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from assay.ingest.html.patterns import NOTHING, Patterns

_HEAD = 6_000
"""Characters of a page in which a comment of its generator is looked for."""


@dataclass(frozen=True, slots=True)
class HtmlGenerator:
    """One generator or theme.

    name: what the type of its pages begins with, as in `docusaurus-page`.
    metas: beginnings of what `<meta name="generator">` says, or of one of its parts between commas; lower case.
    comments: parts of a comment near the page's beginning.
    marks: CSS selectors any of which tells the generator where nothing else does.
    content: CSS selectors of the element that holds what a page says, the best first.
    chrome: classes and ids within that which are no content, as `patterns` reads them.
    code_panels: classes of what holds the panels of a code group, whose labels are the titles of the code in them.
    tab_lists: classes of what holds the labels of tabs as `<label>`.
    unnamed: languages that it puts where an author named none.
    code_frames: classes of what holds a code block with its title above it, where no class names the title.
    apart: classes of elements that stand apart from what is beside them though their tags do not say so.
    callouts: classes of its admonitions where they name no kind; colours: what class tells which kind, for these.
    empty_line: what it writes for an empty line of code.
    cut: CSS selectors of what is no content where neither a class nor an id tells it.
    lower_titles: whether it calls an admonition without a title by its kind in the page's language, in small letters.
    """

    name: str
    metas: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    chrome: Patterns = NOTHING
    code_panels: Patterns = NOTHING
    tab_lists: Patterns = NOTHING
    code_frames: Patterns = NOTHING
    apart: Patterns = NOTHING
    callouts: Patterns = NOTHING
    colours: tuple[tuple[str, str], ...] = ()
    unnamed: frozenset[str] = frozenset()
    empty_line: str = ""
    cut: tuple[str, ...] = ()
    lower_titles: bool = False


GENERATORS: tuple[HtmlGenerator, ...] = (
    HtmlGenerator(
        name="docusaurus",
        metas=("docusaurus",),
        marks=("#__docusaurus",),
        content=(".theme-doc-markdown", "article .markdown", "main article", "main"),
        chrome=Patterns(
            "theme-doc-breadcrumbs theme-doc-version-badge theme-doc-version-banner theme-doc-toc-mobile "
            "theme-doc-toc-desktop theme-doc-footer theme-edit-this-page theme-last-updated pagination-nav "
            "theme-unlisted-banner theme-draft-banner theme-announcement-bar ul.table-of-contents buttonGroup*"
        ),
        unnamed=frozenset(["text"]),
        lower_titles=True,
    ),
    HtmlGenerator(
        name="mkdocs",
        metas=("mkdocs",),
        marks=(".md-content__inner", "body .wm-page-content", ".rst-content .mkdocs"),
        content=("article.md-content__inner", ".md-content", "[role=main] .section", "[role=main]"),
        chrome=Patterns(
            "md-content__button md-source-file md-feedback nav.md-tags md-tags md-banner md-path md-announce "
            "md-clipboard md-annotation__index md-source-date md-code__nav div.toc"
        ),
        tab_lists=Patterns("tabbed-labels tabbed-set"),
        unnamed=frozenset(["text"]),
    ),
    HtmlGenerator(
        name="sphinx",
        metas=("sphinx", "docutils"),
        comments=("Generated with Sphinx",),
        marks=("html[data-content_root]", ".rst-content", "script#documentation_options", "div.sphinxsidebar"),
        content=(
            "article#furo-main-content",
            "[itemprop=articleBody]",
            "article.bd-article",
            "div.body[role=main]",
            "div.body",
            "[role=main]",
            "main",
        ),
        chrome=Patterns(
            "viewcode-link viewcode-back linkcode-link related-pages bottom-of-page content-icon-container "
            "rst-footer-buttons prev-next-area div.contents nav.contents div.local aside.toc-drawer sphinx-bs "
            "sd-d-none header-article span.backrefs sd-summary-state-marker sd-summary-chevron-right "
            "sd-summary-chevron-up sd-summary-chevron-down"
        ),
        unnamed=frozenset(["default", "none", "text"]),
    ),
    HtmlGenerator(
        name="starlight",
        metas=("starlight",),
        marks=("starlight-toc", ".sl-markdown-content"),
        content=(".sl-markdown-content", "main"),
        chrome=Patterns("pagination-links sl-anchor-link sl-banner meta"),
        apart=Patterns("span.description"),
        unnamed=frozenset(["plaintext"]),
    ),
    HtmlGenerator(
        name="vitepress",
        metas=("vitepress",),
        marks=("#VPContent",),
        content=("main.main .vp-doc", ".vp-doc", ".VPContent main", ".VPContent"),
        chrome=Patterns("nav.table-of-contents VPDocFooter button.copy span.lang line-numbers-wrapper"),
        code_panels=Patterns("div.blocks"),
        tab_lists=Patterns("div.tabs"),
        unnamed=frozenset(["txt", "text"]),
    ),
    HtmlGenerator(
        name="mdbook",
        comments=("Book generated using mdBook",),
        marks=("#mdbook-content", "#menu-bar + #search-wrapper", "mdbook-sidebar-scrollbox"),
        content=("#mdbook-content main", "#content main", "main"),
        chrome=Patterns("nav-wrapper div.buttons img-wrapper checkbox-img fold-toggle"),
        unnamed=frozenset(["plaintext"]),
    ),
    HtmlGenerator(
        name="gitbook",
        metas=("gitbook", "honkit"),
        marks=("section.markdown-section", ".gitbook-root"),
        content=("section.markdown-section", "main"),
        chrome=Patterns("page-footer can-override-bg"),
        code_frames=Patterns("group/codeblock"),
        cut=("main > .whitespace-pre-wrap ~ *",),
    ),
    HtmlGenerator(
        name="docsy",
        marks=("main .td-content", ".td-main"),
        content=(".td-content", "main[role=main]", "main"),
        chrome=Patterns(
            "article-meta feedback--* td-page-meta__lastmod td-page-meta td-heading-self-link td-version-banner td-toc "
            "td-search taxonomy pager td-pager td-page-feedback"
        ),
        unnamed=frozenset(["fallback"]),
    ),
    HtmlGenerator(
        name="nextra",
        marks=(".nextra-content", "[class*=nextra-]", "main[data-pagefind-body]"),
        content=("main[data-pagefind-body]", "article main", "main"),
        chrome=Patterns("nextra-breadcrumb nextra-toc subheading-anchor nextra-copy-icon"),
        code_frames=Patterns("div.nextra-code"),
        callouts=Patterns("nextra-callout"),
        colours=(
            ("x:bg-blue-100", "info"),
            ("x:bg-green-100", "tip"),
            ("x:bg-yellow-50", "warning"),
            ("x:bg-red-100", "error"),
            ("x:bg-purple-100", "important"),
        ),
        unnamed=frozenset(["plaintext", "text"]),
        empty_line=" ",
    ),
)

UNKNOWN = HtmlGenerator(name="html")
"""Stands for every other."""

_BY_NAME = {generator.name: generator for generator in GENERATORS}


def generator_of(content: str, tree: LexborHTMLParser, named: str | None) -> HtmlGenerator:
    """The generator of a page.

    content: the page as it is written; tree: the same, parsed; named: what the source knows of it, if anything.
    """
    if named is not None and named in _BY_NAME:
        return _BY_NAME[named]
    said = _metas(tree)
    for generator in GENERATORS:
        if any(part.startswith(beginning) for beginning in generator.metas for part in said):
            return generator
    head = content[:_HEAD]
    for generator in GENERATORS:
        if any(comment in head for comment in generator.comments):
            return generator
    for generator in GENERATORS:
        if any(tree.css_first(mark) is not None for mark in generator.marks):
            return generator
    return UNKNOWN


def _metas(tree: LexborHTMLParser) -> list[str]:
    """What the page's `<meta name="generator">` say, in parts, lower case."""
    parts: list[str] = []
    node = tree.head.first_child if tree.head is not None else None
    while node is not None:
        if node.tag == "meta":
            attributes = node.attributes
            if (attributes.get("name") or "").lower() == "generator":
                parts += [part.strip() for part in (attributes.get("content") or "").lower().split(",")]
        node = node.next
    return parts
