"""The type of an element by its class, for all generators.

Classes that only one generator uses are in `generators`.
"""

import re
from enum import Enum
from functools import lru_cache

from assay.ingest.html.class_patterns import ClassPatterns
from assay.ingest.html.generators import HtmlGenerator
from assay.ingest.html.nodes import HEADINGS, name_set


class ElementType(Enum):
    """The type of an element."""

    CHROME = "chrome"  # not content
    CODE_TITLE = "code title"
    NUMBERED_CODE = "numbered code"  # a table of line numbers and code
    TAB_LIST = "tab list"
    TAB = "tab"
    PANEL = "panel"
    CODE_PANELS = "code panels"
    CODE_FRAME = "code frame"
    SEPARATE = "apart"
    ADMONITION = "admonition"
    ADMONITION_TITLE = "admonition title"
    FORMULA = "formula"
    FOOTNOTES = "footnotes"
    FOOTNOTE_REFERENCE = "footnote reference"
    ICON = "icon"
    DEFINITIONS = "definitions"
    TERM = "term"
    DEFINITION = "definition"
    SIGNATURE = "signature"  # of a member of a programming interface; its heading
    CODE_LINES = "code lines"  # a code block that is no pre
    TABLE = "table"
    ROW_START = "row start"  # the first cell of a row
    CELL = "cell"
    CALLOUTS = "callouts"  # the notes to marks in a code block


_ELEMENT_TYPES: tuple[tuple[ElementType, ClassPatterns], ...] = (
    (
        ElementType.CHROME,
        ClassPatterns(
            # self-links of headings
            "hash-link headerlink header-anchor heading-anchor a.anchor-link anchorjs-link sl-anchor-link "
            "subheading-anchor td-heading-self-link a.permalink heading-link octicon-link "
            # buttons to copy, share, play
            "button.copy copybtn copy-button copy-btn btn-copy btn-clipboard clipboard-button md-clipboard "
            "copy-to-clipboard* zeroclipboard-container toolbar-item "
            # for screen readers only
            "sr-only visually-hidden visuallyhidden screen-reader-text sl-sr-only "
            # navigation
            "breadcrumb breadcrumbs breadcrumb-nav skip-link skip-to-content* skipToContent* skip-nav pagination-nav "
            "pagination-links prev-next prev-next-area prev-next-links docs-pagination page-nav page-navigation "
            "#table-of-contents #toc #TableOfContents nav.toc div.toc ul.toc nav.table-of-contents toc-wrapper "
            "toc-container tableOfContents* tocCollapsible* on-this-page sidebar-toc back-to-top* backToTop* "
            "#markdown-toc "
            # tab labels, written again for print
            "vp-tab-title vp-code-tab-title "
            # page metadata
            "edit-page edit-this-page edit-page-link edit-link edit-on-github theme-edit-this-page last-updated "
            "lastupdated last-modified page-meta theme-last-updated feedback-widget page-feedback feedback--* "
            "cookie-banner cookie-consent cookie-notice cookieconsent* cc-window #onetrust-consent-sdk "
            "version-banner announcement-bar announcementBar* theme-announcement-bar version-warning versionwarning"
        ),
    ),
    (
        ElementType.CODE_TITLE,
        ClassPatterns(
            "codeBlockTitle* code-block-caption span.filename th.filename code-block-title code-title "
            "remark-code-title rehype-code-title code-header code-block-header gatsby-code-title "
            "figcaption.header nextra-code-title code-block-title-bar rp-codeblock__title "
            "vocs_CodeTitle"
        ),
    ),
    (
        ElementType.NUMBERED_CODE,
        ClassPatterns(
            "table.highlighttable table.lntable table.codehilitetable table.rouge-table table.linenodiv "
            "figure.highlight"
        ),
    ),
    (ElementType.TAB_LIST, ClassPatterns("sd-tab-set nav-tabs tabbed-labels div.tablist rp-tabs__label")),
    (ElementType.TAB, ClassPatterns("sd-tab-label rp-tabs__label__item")),
    (ElementType.PANEL, ClassPatterns("tabbed-block sd-tab-content tab-pane div.tabpanel rp-tabs__content__item")),
    (
        ElementType.ADMONITION_TITLE,
        ClassPatterns(
            "admonition-title admonitionHeading* custom-block-title starlight-aside__title markdown-alert-title "
            "blockquote-tag-title alert-heading callout-title callout-header hint-title callout__title "
            "hint-container-title rp-callout__title tsd-alert-title"
        ),
    ),
    (ElementType.FORMULA, ClassPatterns(
        "katex katex-display arithmatex div.math span.math math-display math-inline MathJax div.stemblock"
    )),
    (
        ElementType.FOOTNOTES,
        ClassPatterns(
            "footnotes section.footnotes div.footnote aside.footnote-list aside.footnote ol.footnote-definition "
            "div.footnote-definition dl.footnote"
        ),
    ),
    (ElementType.FOOTNOTE_REFERENCE, ClassPatterns(
        "a.footnote-ref a.footnote-reference sup.footnote-ref sup.footnote-reference sup.footnote"
    )),
    (ElementType.CODE_FRAME, ClassPatterns("div.listingblock div.literalblock")),
    (ElementType.ICON, ClassPatterns("i.fa-check-square-o i.fa-square-o i.caret")),
    (ElementType.DEFINITIONS, ClassPatterns("div.hdlist")),
    (ElementType.TERM, ClassPatterns("td.hdlist1")),
    (ElementType.DEFINITION, ClassPatterns("td.hdlist2")),
    (ElementType.CALLOUTS, ClassPatterns("div.colist")),
    (ElementType.TABLE, ClassPatterns("div.summary-table")),
    (ElementType.ROW_START, ClassPatterns("div.col-first div.col-constructor-name div.col-summary-item-name")),
    (ElementType.CELL, ClassPatterns("div.col-second div.col-last")),
)  # fmt: skip

_KINDS = (
    "abstract attention bug caution check danger error example failure faq help hint important info information note "
    "question quote seealso success summary tip todo tldr warning deprecated security experimental"
)
KINDS = name_set(_KINDS)
"""Kinds of admonitions."""
QUOTED_TITLE = "-title"
"""End of the class of a quotation whose first paragraph is the title of an admonition."""
_OWN_KIND = re.compile(
    r"(?:^|\s)(?:theme-admonition-|starlight-aside--|markdown-alert-|blockquote-tag-|admonish-|rp-callout--)([a-z]+)(?=\s|$)"
)
_KIND_AFTER = re.compile(r"(?:^|\s)(?:tsd-)?(?:callout|hint|aside|admonition|alert)-{1,2}([a-z]+)(?=\s|$)")
_COLOUR = re.compile(r"(?:^|\s)alert-{1,2}([a-z]+)(?=\s|$)")
_KIND_OF_COLOUR = {
    "primary": "note", "secondary": "note", "info": "info", "success": "tip", "warning": "warning", "danger": "danger",
    "light": "note", "dark": "note", "error": "danger", "note": "note", "tip": "tip",
}  # fmt: skip
_CONTAINERS = name_set(
    "admonition custom-block starlight-aside markdown-alert callout hint hint-container admonitionblock tsd-alert"
)
_NEVER_ADMONITIONS = name_set("p span a code h1 h2 h3 h4 h5 h6 li svg img td th button i")


@lru_cache(maxsize=16_384)
def element_type(generator: HtmlGenerator, tag: str, class_: str) -> ElementType | None:
    """The type of an element with this tag and class attribute."""
    classes = class_.split()
    if generator.chrome.match(tag, classes):
        return ElementType.CHROME
    if generator.callouts.match(tag, classes) or admonition_kind(tag, class_) is not None:
        return ElementType.ADMONITION
    generator_types = (
        (ElementType.SIGNATURE, generator.signatures),
        (ElementType.CODE_LINES, generator.code_lines),
        (ElementType.CODE_PANELS, generator.code_panels),
        (ElementType.TAB_LIST, generator.tab_lists),
        (ElementType.CODE_FRAME, generator.code_frames),
        (ElementType.SEPARATE, generator.separate),
    )
    found = next((mark for mark, patterns in (*generator_types, *_ELEMENT_TYPES) if patterns.match(tag, classes)), None)
    return None if found is ElementType.CODE_TITLE and tag in HEADINGS else found


def is_chrome_id(generator: HtmlGenerator, tag: str, given: str) -> bool:
    """Whether an element with this id is chrome."""
    return generator.chrome.match_id(tag, given) or _ELEMENT_TYPES[0][1].match_id(tag, given)


def callout_kind(generator: HtmlGenerator, tag: str, class_: str) -> str:
    """The kind of an admonition by its class attribute; `note` by default."""
    classes = class_.split()
    if generator.callouts.match(tag, classes):
        return next((kind for colour, kind in generator.colours if colour in classes), "note")
    return admonition_kind(tag, class_) or "note"


def _kind_of_quotation(classes: list[str]) -> str | None:
    """The kind that the class of a quotation names, as `note`, or `note-title` if its first paragraph is a title."""
    kinds = (name.removesuffix(QUOTED_TITLE) for name in classes)
    return next((kind for kind in kinds if kind in KINDS and kind != "quote"), None)


@lru_cache(maxsize=4_096)
def admonition_kind(tag: str, class_: str) -> str | None:
    """The kind of admonition that a class attribute names, e.g. `warning`; None for other elements."""
    if tag in _NEVER_ADMONITIONS:
        return None
    class_ = class_.lower()
    classes = class_.split()
    named = next((name for name in classes if name in KINDS), None)
    if tag in {"details", "dl"}:  # a `dl` of Doxygen
        return named if tag == "details" or "section" in classes else None
    if tag == "blockquote" and (quoted := _kind_of_quotation(classes)):
        return quoted
    if found := _OWN_KIND.search(class_):
        return found[1]
    name_set = set(classes)
    if not name_set.isdisjoint(_CONTAINERS):
        found = _KIND_AFTER.search(class_)
        given = found[1] if found and found[1] in KINDS else named
        return given or ("note" if "details" not in name_set and "hint" not in name_set else None)
    coloured = _COLOUR.search(class_) if "alert" in name_set or "hints-alert" in name_set else None
    return _KIND_OF_COLOUR.get(coloured[1]) if coloured else None
