"""Documents and chunks: what a source gives, what a reader makes of it, what is embedded and returned."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from assay.model.bounds import HEADING, shortened

_HEAD_LIMIT = 300
"""Characters of title and heading path that are embedded: more than real pages have, and little beside a chunk."""


class MediaType(StrEnum):
    """How a raw page is written."""

    MARKDOWN = "text/markdown"
    MDX = "text/mdx"
    HTML = "text/html"


@dataclass(frozen=True, slots=True)
class RawPage:
    """One page as its source has it, with everything that the source's conventions decide.

    key: names the page within its source, stable between runs: a path relative to the folder, or a URL.
    url: the canonical URL that a reader would visit.
    content: the text to read, after any front matter.
    first_line: line number in the file at which content begins, from 1.
    front_matter: the page's own metadata; values are YAML's.
    includes: files that the page imports or embeds, by the path that the page names them with.
    source_hash: SHA-256 over everything that could change the resulting document.
    site_root: URL under which links that begin with a slash are resolved.
    served_at: the address that the page was fetched from, by which its relative links are resolved; "" for url.
    version_is_current: whether that version is the one that a reader meets by default; true where there is only one.
    locale_is_default: the same of the locale.
    links: URL of each page that can be linked to from here by file path, as written relative to the source's root.
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
    tags: tuple[str, ...] = ()
    front_matter: Mapping[str, object] = field(default_factory=dict)
    includes: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)

    @property
    def primary(self) -> bool:
        """Whether version and locale are both the ones that a reader meets by default."""
        return self.version_is_current and self.locale_is_default


@dataclass(frozen=True, slots=True)
class PageUnchanged:
    """A page that is as it was: the document made from it before still holds."""

    key: str
    source_hash: str


@dataclass(frozen=True, slots=True)
class PageFailed:
    """A page that could not be read this time. It is not a deleted page."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class PageExcluded:
    """A page left out on purpose (a draft, a partial, out of scope), and why."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class PageGone:
    """A known page that its place says is no more, and how: `the site answers 410`, `moved to …`."""

    key: str
    reason: str


DOCUMENT_FORMATS = frozenset(
    {
        *("rst", "adoc", "asciidoc", "ipynb", "html", "htm", "xhtml", "qmd", "rmd", "org", "textile", "mediawiki"),
        *("wiki", "rdoc", "pod", "docx", "odt", "dita", "typ", "djot"),
    }
)
"""Suffixes of formats that documentation is written in and that no reader of folders takes."""


@dataclass(frozen=True, slots=True)
class UnreadFiles:
    """The files of a source that are no pages, counted.

    files: how many there are of each suffix, in lower case and without the dot.
    documents: those of them that are documentation: by suffix, of DOCUMENT_FORMATS; pages that are made for a
        generator that is not read from source, by its name.
    folders: those that are not looked into, each once: version control, dependencies, caches, built sites.
    key: names this among the pages of its source.
    """

    files: Mapping[str, int]
    documents: Mapping[str, int]
    folders: tuple[str, ...] = ()
    key: str = "."

    def __bool__(self) -> bool:
        return bool(self.files or self.documents or self.folders)


def list_formats(documents: Mapping[str, int]) -> str:
    """The counts of UnreadFiles.documents in one phrase, the largest first: `5 .adoc, 2 made for Hugo (hugo.toml)`."""
    ordered = sorted(documents.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{n} .{kind}" if kind in DOCUMENT_FORMATS else f"{n} made for {kind}" for kind, n in ordered)


PageRead = RawPage | PageUnchanged | PageFailed | PageExcluded | PageGone | UnreadFiles
"""What a source yields for each page that it knows of, and what it counted of its other files."""


class BlockKind(StrEnum):
    """The kinds of block that chunking tells apart."""

    HEADING = "heading"
    TEXT = "text"
    CODE = "code"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Block:
    """A run of whole lines of a document's text that belongs together.

    start, end: span in Document.text, without the newline of its last line; blocks do not overlap and are in order.
    body_start, body_end: what lies between may be cut at line borders. In a code block the lines before and
        after it are the fence (body_end is where the closing one begins), in a table the lines before it are the
        header and its rule; whoever cuts the body repeats them. Equal to start and end in the other kinds.
    """

    kind: BlockKind
    start: int
    end: int
    body_start: int
    body_end: int


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it, up to the next heading of any level.

    level: 1 to 6; 0 for what stands before the first heading.
    heading: the heading's plain text, at most 500 characters; "" for level 0.
    anchor: the id that the page gives the heading; None where the page has none.
    path: the plain headings from the outermost to this one, without the document's title when that is level 1; at
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
    """What is known of a document besides its text; shared by its chunks.

    source: name of the source it comes from.
    source_path: path in that source (file path, or the URL's path).
    source_type: what kind of page it is, e.g. "docusaurus-page".
    version_is_current: whether it is of the current version of its source; true where there is only one.
    locale_is_default: whether it is in the default locale of its source; true where there is only one.
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

    @property
    def short_title(self) -> str | None:
        """The title as seed 003's table has it: at most 255 characters, None where there is none."""
        return self.title[:255] or None

    @property
    def primary(self) -> bool:
        """Whether it is in the current version and default locale of its source."""
        return self.version_is_current and self.locale_is_default


@dataclass(frozen=True, slots=True)
class Document:
    """One page, read: the normalized text with everything that points into it.

    text: Markdown without link targets, markup that shows nothing, or page chrome. Lines are parted by a newline, the
        last has none; outside code no line ends in blanks and no two blank lines follow one another.
    sections: in order, covering the text without gap.
    blocks: in order, not overlapping; nothing but newlines lies between them.
    source_hash: as in RawPage.
    notices: what of the page is kept in a shortened form only, each as the end of a sentence about it; not stored.
    """

    info: DocumentInfo
    text: str
    sections: tuple[Section, ...]
    blocks: tuple[Block, ...]
    links: tuple[Link, ...] = ()
    source_hash: str = ""
    key: str = ""
    notices: tuple[str, ...] = ()


_HEADING = re.compile(r"#{1,6} (.*)")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")


_CAMEL = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z0-9]|[a-z](?![A-Z]))*+[a-z][A-Z][A-Za-z0-9]*+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def _with_parts(text: str) -> str:
    """The text with the parts of each name in it that is written in camel case after that name."""
    return _CAMEL.sub(lambda name: f"{name[0]} {' '.join(_PART.findall(name[0]))}", text)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of one document's text: the unit that is embedded, stored and returned.

    text: repeated_before + Document.text[start:end] + repeated_after.
    repeated_before, repeated_after: a fence or table header said again because the block had to be cut; "" in
        every other chunk.
    position: 0, 1, 2, … within the document.
    section: heading of the section in which the chunk begins; "" before the first.
    heading_path: headings from the outermost to that section's.
    anchor: id of that section's heading in the page; None where there is none.
    token_count: of what is embedded, by the tokenizer named; it is what embedders limit.
    content_hash: SHA-256 hex of text.
    embedded_hash: SHA-256 hex of what is embedded (title, heading path and text).
    previous_id, next_id: the neighbours in the document; None at its ends.
    created_at: when a chunk of this id was first stored, UTC; None until it is.
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

    @property
    def section_url(self) -> str:
        """Deep link to the section in which it begins: the document's URL with the anchor, where there is one."""
        return f"{self.document.url}#{self.anchor}" if self.anchor else self.document.url

    @property
    def trail(self) -> str:
        """Where the chunk stands: `title › heading › …`, the title once; "" when there is neither."""
        path = [self.document.title, *(heading for heading in self.heading_path if heading != self.document.title)]
        return " › ".join(part for part in path if part)

    @property
    def embedded_text(self) -> str:
        """What the embedder sees: title and heading path, in 300 characters at most, in front of the text."""
        head = self._head
        return f"{head}\n{self.text}" if head else self.text

    @property
    def keyword_text(self) -> str:
        """What BM25 sees: what is embedded, with the title twice more, so that a page is found by its own name.

        In title and headings the parts of a name such as `extraReducers` stand beside it, for people ask for "extra
        reducers". Weighting a field by repeating it: Robertson, Zaragoza and Taylor, CIKM 2004.
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
        """Headings of the sections that are in it, without backticks, each once: first the one in which it begins."""
        return tuple(dict.fromkeys([self.section, *(heading.replace("`", "") for heading in self.headings)]))

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings in the text, code left out."""
        found = []
        fence = ""
        for line in self.text.split("\n"):
            if line[:1] != "#" and "```" not in line and "~~~" not in line:  # nearly all lines, and a third of the time
                continue
            mark = _FENCE.match(line)
            if fence:
                fence = "" if mark and mark[1].startswith(fence) else fence
            elif mark:
                fence = mark[1]
            elif heading := _HEADING.match(line):
                found.append(shortened(heading[1], HEADING))
        return tuple(found)
