"""The site generators: how to detect each, where its content is, and which parts are not content.

To add a generator, add an `HtmlGenerator` to GENERATORS. Markup common to all sites (hash links, copy buttons,
breadcrumbs, admonitions, tabs) is in `element_types`. The first generator that matches a page is used.
"""

from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from assay.ingest.html.class_patterns import NOTHING, ClassPatterns
from assay.ingest.html.nodes import children

_HEAD = 6_000
"""Characters at the start of a page in which a generator's comment is searched."""


@dataclass(frozen=True, slots=True)
class HtmlGenerator:
    """One generator or theme.

    name: prefix of its pages' type, as in `docusaurus-page`.
    metas: prefixes of `<meta name="generator">`, or of one of its comma-separated parts; lower case.
    comments: parts of a comment near the page's start.
    marks: CSS selectors that identify the generator if nothing else does.
    content: CSS selectors of the element that holds the content, the best first.
    chrome: classes and ids inside the content that are not content, as in `class_patterns`.
    code_panels: classes of the container of a code group's panels, whose labels are code titles.
    tab_lists: classes of the container of tab labels written as `<label>`.
    default_languages: written where the author named no language.
    code_frames: classes of the container of a code block with a title that no class names.
    separate: classes of inline elements that are shown as blocks.
    callouts: classes of its admonitions that name no kind. colours: pairs of a class and a kind, for these.
    empty_line: written for an empty line of code.
    signatures: classes of the signatures of members of a programming interface.
    code_lines: classes of code blocks without `pre`.
    folds_sections: headings in its summaries are the page's, not only labels.
    title: CSS selector of the page's title, where it is no heading.
    removed: CSS selectors of parts that are not content and have no class or id.
    lowercase_titles: it titles an untitled admonition with its kind in the page's language, in lower case.
    """

    name: str
    metas: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    chrome: ClassPatterns = NOTHING
    code_panels: ClassPatterns = NOTHING
    tab_lists: ClassPatterns = NOTHING
    code_frames: ClassPatterns = NOTHING
    separate: ClassPatterns = NOTHING
    callouts: ClassPatterns = NOTHING
    colours: tuple[tuple[str, str], ...] = ()
    default_languages: frozenset[str] = frozenset()
    empty_line: str = ""
    signatures: ClassPatterns = NOTHING
    code_lines: ClassPatterns = NOTHING
    title: str = ""
    folds_sections: bool = False
    removed: tuple[str, ...] = ()
    lowercase_titles: bool = False


GENERATORS: tuple[HtmlGenerator, ...] = (
    HtmlGenerator(
        name="docusaurus",
        metas=("docusaurus",),
        marks=("#__docusaurus",),
        content=(".theme-doc-markdown", "article .markdown", "main article", "main"),
        chrome=ClassPatterns(
            "theme-doc-breadcrumbs theme-doc-version-badge theme-doc-version-banner theme-doc-toc-mobile "
            "theme-doc-toc-desktop theme-doc-footer theme-edit-this-page theme-last-updated pagination-nav "
            "theme-unlisted-banner theme-draft-banner theme-announcement-bar ul.table-of-contents buttonGroup*"
        ),
        default_languages=frozenset(["text"]),
        lowercase_titles=True,
    ),
    HtmlGenerator(
        name="mkdocs",
        metas=("mkdocs",),
        marks=(".md-content__inner", "body .wm-page-content", ".rst-content .mkdocs"),
        content=("article.md-content__inner", ".md-content", "[role=main] .section", "[role=main]"),
        chrome=ClassPatterns(
            "md-content__button md-source-file md-feedback nav.md-tags md-tags md-banner md-path md-announce "
            "md-clipboard md-annotation__index md-source-date md-code__nav div.toc"
        ),
        tab_lists=ClassPatterns("tabbed-labels tabbed-set"),
        default_languages=frozenset(["text"]),
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
        chrome=ClassPatterns(
            "viewcode-link viewcode-back linkcode-link related-pages bottom-of-page content-icon-container "
            "rst-footer-buttons prev-next-area div.contents nav.contents div.local aside.toc-drawer sphinx-bs "
            "sd-d-none header-article span.backrefs sd-summary-state-marker sd-summary-chevron-right "
            "sd-summary-chevron-up sd-summary-chevron-down"
        ),
        default_languages=frozenset(["default", "none", "text"]),
    ),
    HtmlGenerator(
        name="starlight",
        metas=("starlight",),
        marks=("starlight-toc", ".sl-markdown-content"),
        content=(".sl-markdown-content", "main"),
        chrome=ClassPatterns("pagination-links sl-anchor-link sl-banner meta"),
        separate=ClassPatterns("span.description"),
        default_languages=frozenset(["plaintext"]),
    ),
    HtmlGenerator(
        name="vitepress",
        metas=("vitepress",),
        marks=("#VPContent",),
        content=("main.main .vp-doc", ".vp-doc", ".VPContent main", ".VPContent"),
        chrome=ClassPatterns("nav.table-of-contents VPDocFooter button.copy span.lang line-numbers-wrapper"),
        code_panels=ClassPatterns("div.blocks"),
        tab_lists=ClassPatterns("div.tabs"),
        default_languages=frozenset(["txt", "text"]),
    ),
    HtmlGenerator(
        name="mdbook",
        comments=("Book generated using mdBook",),
        marks=("#mdbook-content", "#menu-bar + #search-wrapper", "mdbook-sidebar-scrollbox"),
        content=("#mdbook-content main", "#content main", "main"),
        chrome=ClassPatterns("nav-wrapper div.buttons img-wrapper checkbox-img fold-toggle"),
        default_languages=frozenset(["plaintext"]),
    ),
    HtmlGenerator(
        name="gitbook",
        metas=("gitbook", "honkit"),
        marks=("section.markdown-section", ".gitbook-root"),
        content=("section.markdown-section", "main"),
        chrome=ClassPatterns("page-footer can-override-bg"),
        code_frames=ClassPatterns("group/codeblock"),
        removed=("main > .whitespace-pre-wrap ~ *",),
    ),
    HtmlGenerator(
        name="docsy",
        marks=("main .td-content", ".td-main"),
        content=(".td-content", "main[role=main]", "main"),
        chrome=ClassPatterns(
            "article-meta feedback--* td-page-meta__lastmod td-page-meta td-heading-self-link td-version-banner td-toc "
            "td-search taxonomy pager td-pager td-page-feedback"
        ),
        default_languages=frozenset(["fallback"]),
    ),
    HtmlGenerator(
        name="nextra",
        marks=(".nextra-content", "[class*=nextra-]", "main[data-pagefind-body]"),
        content=("main[data-pagefind-body]", "article main", "main"),
        chrome=ClassPatterns("nextra-breadcrumb nextra-toc subheading-anchor nextra-copy-icon"),
        code_frames=ClassPatterns("div.nextra-code"),
        callouts=ClassPatterns("nextra-callout"),
        colours=(
            ("x:bg-blue-100", "info"),
            ("x:bg-green-100", "tip"),
            ("x:bg-yellow-50", "warning"),
            ("x:bg-red-100", "error"),
            ("x:bg-purple-100", "important"),
        ),
        default_languages=frozenset(["plaintext", "text"]),
        empty_line=" ",
    ),
    HtmlGenerator(
        name="antora",
        metas=("antora",),
        content=("article.doc", "main"),
        chrome=ClassPatterns("aside.toc prerelease-banner edit-this-page page-versions toolbar"),
    ),
    HtmlGenerator(
        name="asciidoctor",
        metas=("asciidoctor",),
        content=("body",),
        chrome=ClassPatterns("div#footer"),
        removed=("#header > .details",),
    ),
    HtmlGenerator(
        name="jekyll",
        metas=("jekyll",),
        content=("#main-content main", "#main-content"),
        chrome=ClassPatterns("a.anchor-heading"),
        callouts=ClassPatterns("p.note p.tip p.info p.important p.warning p.caution p.danger"),
        colours=tuple((kind, kind) for kind in ("note", "tip", "info", "important", "warning", "caution", "danger")),
        default_languages=frozenset(["plaintext"]),
    ),
    HtmlGenerator(
        name="vuepress",
        metas=("vuepress",),
        content=("[vp-content]", ".theme-default-content", "main"),
        chrome=ClassPatterns("vp-page-meta vp-page-nav page-meta table-of-contents"),
        default_languages=frozenset(["text"]),
    ),
    HtmlGenerator(
        name="rspress",
        metas=("rspress",),
        content=(".rspress-doc", ".rp-doc", "main"),
        chrome=ClassPatterns("rp-header-anchor rp-llms-container"),
    ),
    HtmlGenerator(
        name="vocs",
        marks=("html[data-vocs]",),
        content=("article.vocs_Content", "main"),
        chrome=ClassPatterns("vocs_Autolink vocs_Footer vocs_Icon"),
        callouts=ClassPatterns("vocs_Callout"),
        colours=tuple(
            (f"vocs_Callout_{kind}", kind) for kind in ("note", "info", "tip", "success", "warning", "danger")
        ),
        empty_line=" ",
    ),
    HtmlGenerator(
        name="docfx",
        marks=("meta[name^='docfx:']", "article#_content"),
        content=("article#_content", "article[data-uid]", "article"),
        callouts=ClassPatterns("div.NOTE div.TIP div.IMPORTANT div.CAUTION div.WARNING"),
        colours=tuple((kind.upper(), kind) for kind in ("note", "tip", "important", "caution", "warning")),
        chrome=ClassPatterns("actionbar contribution next-article affix span.pull-right"),
    ),
    HtmlGenerator(
        name="doxygen",
        metas=("doxygen",),
        content=("div.contents",),
        title=".headertitle .title",
        chrome=ClassPatterns("span.permalink div.ttc"),
        code_lines=ClassPatterns("div.fragment"),
        signatures=ClassPatterns("div.memproto tr.memitem:*"),
        removed=(".headertitle .mlabels",),
    ),
    HtmlGenerator(
        name="rustdoc",
        metas=("rustdoc",),
        content=("#main-content", "main"),
        folds_sections=True,
        chrome=ClassPatterns(
            "button#copy-path a.src span.rightside a.anchor a.doc-anchor summary.hideme rustdoc-breadcrumbs "
            "sub-heading out-of-band #blanket-implementations #blanket-implementations-list"
        ),
    ),
    HtmlGenerator(
        name="javadoc",
        metas=("javadoc",),
        content=("main",),
        chrome=ClassPatterns("div.table-tabs"),
    ),
    HtmlGenerator(
        name="typedoc",
        marks=(".tsd-page-title",),
        content=(".col-content",),
        folds_sections=True,
        chrome=ClassPatterns("tsd-breadcrumb tsd-anchor-icon tsd-sources tsd-index-panel"),
    ),
    HtmlGenerator(
        name="jsdoc",
        marks=("#main > h1.page-title",),
        content=("#main",),
        chrome=ClassPatterns("dt.tag-source dd.tag-source"),
    ),
    HtmlGenerator(
        name="pdoc",
        metas=("pdoc",),
        content=("main.pdoc",),
        chrome=ClassPatterns("label.view-source-button"),
        signatures=ClassPatterns("div.attr"),
        removed=("input.view-source-toggle-state ~ div.pdoc-code",),
    ),
)

UNKNOWN = HtmlGenerator(name="html")
"""Any other generator."""

_BY_NAME = {generator.name: generator for generator in GENERATORS}


def generator_of(content: str, tree: LexborHTMLParser, named: str | None) -> HtmlGenerator:
    """Detect the generator of a page.

    content: the page's source. tree: the same, parsed. named: the generator according to the source, if known.
    """
    if named is not None and named in _BY_NAME:
        return _BY_NAME[named]
    metas = _metas(tree)
    for generator in GENERATORS:
        if any(part.startswith(beginning) for beginning in generator.metas for part in metas):
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
    """The comma-separated parts of the page's `<meta name="generator">`, in lower case."""
    parts: list[str] = []
    for node in children(tree.head) if tree.head is not None else ():
        if node.tag == "meta" and (node.attributes.get("name") or "").lower() == "generator":
            parts += [part.strip() for part in (node.attributes.get("content") or "").lower().split(",")]
    return parts
