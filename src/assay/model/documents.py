"""Raw pages of a source, documents that readers make from them, and chunks."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Literal

from assay.model.bounds import HEADING, shortened
from assay.model.headings import InnerHeading, Place, place_at

_HEAD_LIMIT = 300
"""Maximum embedded characters of title and heading path: more than real pages have, and little compared to a chunk."""


class MediaType(StrEnum):
    """Format of a raw page."""

    MARKDOWN = "text/markdown"
    MDX = "text/mdx"
    HTML = "text/html"


@dataclass(frozen=True, slots=True)
class MkDocsRules:
    """The rules of an MkDocs configuration for the text and the anchors of its pages.

    slug: the function that makes anchors: Python-Markdown's for ASCII or Unicode, or that of pymdownx.
    separator: between an anchor's words.
    case: "none", "lower", "lower-ascii" or "fold", of pymdownx. percent_encode, normalization: likewise.
    attribute_lists: `{#id .class}` is markup.
    macros: `{{ }}` and `{% %}` are templates, whose output only the site's build knows.
    emoji: what `:tada:` shows: itself as text, an image, or the character.
    icons: `:material-check:` is an image.
    footnotes: `[^1]` is a reference to a footnote.
    subscripts, superscripts: `H~2~O` and `x^2^` are markup.
    edits: `{++added++}` is markup (pymdownx.critic). code_languages: `#!py x` in backticks names the language of code.
    smart_dashes, smart_symbols: of the extensions smarty and pymdownx.smartsymbols.
    dedent_snippets: a part of an included file loses its common indentation.
    """

    slug: Literal["ascii", "unicode", "pymdownx"] = "ascii"
    separator: str = "-"
    case: str = "none"
    percent_encode: bool = False
    normalization: Literal["NFC", "NFD", "NFKC", "NFKD"] = "NFC"
    attribute_lists: bool = True
    macros: bool = True
    emoji: Literal["text", "image", "character"] = "image"
    icons: bool = True
    footnotes: bool = True
    subscripts: bool = True
    superscripts: bool = True
    edits: bool = False
    code_languages: bool = True
    smart_dashes: bool = False
    smart_symbols: bool = False
    dedent_snippets: bool = False


USUAL_MKDOCS = MkDocsRules()
"""For pages without a mkdocs.yml."""


@dataclass(frozen=True, slots=True)
class RawPage:
    """One page of a source, with everything that the source's conventions decide.

    key: id of the page within its source, stable between runs: a path relative to the folder, or a URL.
    url: the canonical URL of the page.
    content: the text after any front matter.
    first_line: line number in the file at which content begins, from 1.
    front_matter: the page's metadata, with YAML values.
    includes: contents of files that the page imports or embeds, by the path in the page.
    source_hash: SHA-256 over everything that could change the resulting document.
    site_root: base URL of links that begin with a slash.
    served_at: the URL that the page was fetched from, the base of its relative links; "" for url.
    address: url as the site writes it, such as with a trailing slash; "" for url.
    version_is_current: whether version is the default one; true if there is only one.
    locale_is_default: whether locale is the default one; true if there is only one.
    links: URL of each page that this one can link to by file path, relative to the source's root.
    mkdocs: rules of the MkDocs configuration; the usual ones without one.
    is_commonmark: Docusaurus reads the page as CommonMark instead of MDX.
    document: of an earlier reading, which only lacks the metadata, instead of content (see PageReader); b"" for none.
    """

    key: str
    url: str
    content: str
    media_type: MediaType
    source: str
    source_path: str
    source_hash: str
    slug: str
    title: str | None = None
    version: str | None = None
    locale: str | None = None
    version_is_current: bool = True
    locale_is_default: bool = True
    generator: str | None = None
    first_line: int = 1
    site_root: str = ""
    served_at: str = ""
    address: str = ""
    tags: tuple[str, ...] = ()
    front_matter: Mapping[str, object] = field(default_factory=dict)
    includes: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    mkdocs: MkDocsRules = USUAL_MKDOCS
    is_commonmark: bool = False
    document: bytes = field(default=b"", repr=False)

    @property
    def primary(self) -> bool:
        """Whether version and locale are both the default ones."""
        return self.version_is_current and self.locale_is_default


@dataclass(frozen=True, slots=True)
class PageUnchanged:
    """An unchanged page: the document of the last build is still valid."""

    key: str
    source_hash: str


@dataclass(frozen=True, slots=True)
class PageFailed:
    """A page that could not be read in this run. It is not a deleted page."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class PageExcluded:
    """A page that is excluded on purpose (a draft, a partial, out of scope), and why."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class PageGone:
    """A known page that was removed, with the evidence: `the site answers 410`, `moved to …`."""

    key: str
    reason: str


DOCUMENT_FORMATS = frozenset(
    {
        *("rst", "adoc", "asciidoc", "ipynb", "html", "htm", "xhtml", "qmd", "rmd", "org", "textile", "mediawiki"),
        *("wiki", "rdoc", "pod", "docx", "odt", "dita", "typ", "djot"),
    }
)
"""Suffixes of documentation formats that no folder reader supports."""


@dataclass(frozen=True, slots=True)
class UnreadFiles:
    """Numbers of files in a source that are not read as pages.

    files: by suffix, in lower case and without the dot.
    documents: documentation among them: by suffix in DOCUMENT_FORMATS, or by the name of a generator whose sources are
        not supported.
    folders: skipped folders: version control, dependencies, caches, built sites.
    key: id among the pages of its source.
    """

    files: Mapping[str, int]
    documents: Mapping[str, int]
    folders: tuple[str, ...] = ()
    key: str = "."

    def __bool__(self) -> bool:
        return bool(self.files or self.documents or self.folders)


def list_formats(documents: Mapping[str, int]) -> str:
    """Format UnreadFiles.documents, largest count first: `5 .adoc, 2 made for Hugo (hugo.toml)`."""
    ordered = sorted(documents.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{n} .{kind}" if kind in DOCUMENT_FORMATS else f"{n} made for {kind}" for kind, n in ordered)


PageRead = RawPage | PageUnchanged | PageFailed | PageExcluded | PageGone | UnreadFiles
"""The items that a source yields: one for each known page, and the numbers of other files."""


class BlockKind(StrEnum):
    """The kinds of block that chunking distinguishes."""

    HEADING = "heading"
    TEXT = "text"
    CODE = "code"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, code block or table: consecutive complete lines of a document's text.

    start, end: span in Document.text, without the newline of its last line; blocks do not overlap and are in order.
    body_start, body_end: span that may be split at line breaks. The lines outside it are repeated in each part: the
        fence of a code block, or the header and rule of a table. Equal to start and end in the other kinds.
    """

    kind: BlockKind
    start: int
    end: int
    body_start: int
    body_end: int


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text under it, up to the next heading of any level.

    level: 1 to 6; 0 for the text before the first heading.
    heading: the heading's plain text, at most 500 characters; "" for level 0.
    anchor: the heading's id in the page; None if it has none.
    path: the plain headings from the outermost to this one, without a level-1 heading that is the document's title; at
        most 1,000 characters.
    start, end: span in Document.text, heading line included.
    """

    level: int
    heading: str
    anchor: str | None
    path: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link in a document's text.

    start, end: span of the link's text in Document.text.
    target: absolute URL, with its fragment.
    """

    text: str
    target: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """Metadata of a document, shared by its chunks.

    source: name of the source.
    source_path: path in that source (file path, or the URL's path).
    source_type: kind of page, such as "docusaurus-page".
    version_is_current: whether it has the current version of its source; true if there is only one.
    locale_is_default: whether it has the default locale of its source; true if there is only one.
    address: url as its site writes it, such as with a trailing slash, for links to it; "" if it is url.
    """

    id: str
    url: str
    title: str
    source: str
    source_path: str
    slug: str
    source_type: str
    version: str | None = None
    locale: str | None = None
    version_is_current: bool = True
    locale_is_default: bool = True
    tags: tuple[str, ...] = ()
    address: str = ""

    @property
    def link(self) -> str:
        """The URL for links to the page, as its site writes it. Ids and comparisons use `url`."""
        return self.address or self.url

    def link_to(self, anchor: str | None) -> str:
        """Deep link to an anchor of the page; to the page without one."""
        return f"{self.link}#{anchor}" if anchor else self.link

    @property
    def short_title(self) -> str | None:
        """The title for seed 003's table: at most 255 characters, None if there is none."""
        return self.title[:255] or None

    @property
    def primary(self) -> bool:
        """Whether it has the current version and default locale of its source."""
        return self.version_is_current and self.locale_is_default


@dataclass(frozen=True, slots=True)
class Document:
    """The normalized text of a page, with sections, blocks and links.

    text: Markdown without link targets, invisible markup and boilerplate. Lines are separated by a newline; the last
        has none. Outside code, no line ends in blanks and no two blank lines are adjacent.
    sections: in order, covering the text without gaps.
    blocks: in order, not overlapping, with only newlines between them.
    source_hash: as in RawPage.
    notices: descriptions of what was truncated, each as the end of a sentence about the page; not stored.
    references: the targets of its links by how the page writes them, for copies of the page; not stored. None if these
        do not suffice.
    """

    info: DocumentInfo
    text: str
    sections: tuple[Section, ...]
    blocks: tuple[Block, ...]
    links: tuple[Link, ...] = ()
    source_hash: str = ""
    key: str = ""
    notices: tuple[str, ...] = ()
    references: Mapping[str, str | None] | None = field(default=None, compare=False, repr=False)


_HEADING = re.compile(r"#{1,6} (.*)")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_CAMEL = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z0-9]|[a-z](?![A-Z]))*+[a-z][A-Z][A-Za-z0-9]*+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


@lru_cache(maxsize=1_024)  # the chunks of a page share titles and headings
def _with_parts(text: str) -> str:
    """The text, with the parts of each camel-case name appended to that name."""
    return _CAMEL.sub(lambda name: f"{name[0]} {' '.join(_PART.findall(name[0]))}", text)


@lru_cache(maxsize=1_024)
def _trail(title: str, headings: tuple[str, ...]) -> str:
    """As Chunk.trail."""
    return " › ".join(filter(None, [title, *(heading for heading in headings if heading != title)]))


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of one document's text: the unit that is embedded, stored and returned.

    text: repeated_before + Document.text[start:end] + repeated_after.
    repeated_before, repeated_after: the fence or table header of a block that spans several chunks; "" in others.
    position: index of the chunk in the document, from 0.
    section: heading of the section in which the chunk begins; "" before the first heading.
    heading_path: headings from the outermost to that section's.
    anchor: id of that section's heading in the page; None if there is none.
    token_count: of embedded_text, by the named tokenizer; embedders limit it.
    content_hash: SHA-256 hex of text.
    embedded_hash: SHA-256 hex of embedded_text.
    previous_id, next_id: neighbours in the document; None at its ends.
    created_at: when a chunk with this id was first stored, UTC; None before that.
    inner_headings: the headings in text after its beginning, in order; none in chunks of older versions.
    """

    id: str
    document: DocumentInfo
    text: str
    start: int
    end: int
    position: int
    section: str
    heading_path: tuple[str, ...]
    anchor: str | None
    token_count: int
    tokenizer: str
    content_hash: str
    embedded_hash: str
    repeated_before: str = ""
    repeated_after: str = ""
    previous_id: str | None = None
    next_id: str | None = None
    created_at: datetime | None = None
    inner_headings: tuple[InnerHeading, ...] = ()

    @property
    def section_url(self) -> str:
        """Deep link to the section in which it begins: the document's link with the anchor, if any."""
        return self.document.link_to(self.anchor)

    def place_at(self, offset: int) -> Place:
        """The heading nearest above an offset of the text."""
        return place_at(Place(self.section, self.heading_path, self.anchor), self.inner_headings, offset)

    def at(self, offset: int) -> "Chunk":
        """The chunk as if it began under the heading nearest above an offset of the text."""
        place = self.place_at(offset)
        return replace(self, section=place.heading, heading_path=place.path, anchor=place.anchor)

    @property
    def trail(self) -> str:
        """The breadcrumb `title › heading › …`, with the title once; "" without title and headings."""
        return _trail(self.document.title, self.heading_path)

    @property
    def embedded_text(self) -> str:
        """The text to embed: title and heading path, at most 300 characters, in front of the chunk's text."""
        head = self._head
        return f"{head}\n{self.text}" if head else self.text

    @property
    def keyword_text(self) -> str:
        """The text for BM25: embedded_text with the title twice more, so that a query for the title finds the page.

        In title and headings, a name such as `extraReducers` is followed by its parts, because users search for "extra
        reducers". Weighting a field by repetition: Robertson, Zaragoza and Taylor, CIKM 2004.
        """
        title = _with_parts(self.document.title[:_HEAD_LIMIT])
        head = _with_parts(self._head)
        return "\n".join(part for part in (title, title, head, self.text) if part)

    @property
    def _head(self) -> str:
        head = self.trail
        if len(head) > _HEAD_LIMIT:
            head = f"{head[: _HEAD_LIMIT // 2]} … {head[3 - _HEAD_LIMIT // 2 :]}"
        return head

    @property
    def sections(self) -> tuple[str, ...]:
        """Headings of its sections, without backticks and duplicates, the one in which it begins first."""
        return tuple(dict.fromkeys([self.section, *(heading.replace("`", "") for heading in self.headings)]))

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings in the text, without those in code."""
        found = []
        fence = ""
        if "\n#" not in self.text and self.text[:1] != "#":
            return ()
        for line in self.text.split("\n"):
            if line[:1] != "#" and "```" not in line and "~~~" not in line:  # fast path: three times as fast
                continue
            mark = _FENCE.match(line)
            if fence:
                fence = "" if mark and mark[1].startswith(fence) else fence
            elif mark:
                fence = mark[1]
            elif heading := _HEADING.match(line):
                found.append(shortened(heading[1], HEADING))
        return tuple(found)
