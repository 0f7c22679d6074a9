"""A builder of raw pages, for tests of the readers."""

from dataclasses import dataclass, replace

from assay.ingest.markdown.reader import read_markdown
from assay.model.documents import Block, BlockKind, Document, MediaType, RawPage

URL = "https://docs.example.org/guide/page"

_PAGE = RawPage(
    key="guide/page.md",
    url=URL,
    content="",
    media_type=MediaType.MARKDOWN,
    source="tests",
    source_path="guide/page.md",
    source_hash="0" * 64,
    slug="guide-page",
    site_root="https://docs.example.org",
)


def page(content: str, generator: str | None = None, **changes: object) -> RawPage:
    """A page with this content, of the site that the generator makes."""
    return replace(_PAGE, content=content, generator=generator, **changes)  # type: ignore[arg-type]  # any field


def read(content: str, generator: str | None = None, **changes: object) -> Document:
    """The document that such a page gives."""
    return read_markdown(page(content, generator, **changes))


def text_of(content: str, generator: str | None = None, **changes: object) -> str:
    """The normalized text of such a page."""
    return read(content, generator, **changes).text


def mdx(content: str, **changes: object) -> str:
    """The normalized text of a page of Docusaurus."""
    return text_of(content, "docusaurus", **changes)


def mkdocs(content: str, **changes: object) -> str:
    """The normalized text of a page of MkDocs."""
    return text_of(content, "mkdocs", **changes)


def shown(document: Document, block: Block) -> str:
    """What a block shows."""
    return document.text[block.start : block.end]


def code_of(document: Document) -> list[str]:
    """The bodies of a document's code blocks, fences left away."""
    return [document.text[b.body_start : b.body_end] for b in document.blocks if b.kind is BlockKind.CODE]


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that no document may have, and where."""

    what: str
    where: str


def flaws(document: Document) -> list[Flaw]:
    """Everything about a document's spans that breaks what Document, Block, Section and Link promise."""
    return [*_section_flaws(document), *_block_flaws(document), *_line_flaws(document), *_link_flaws(document)]


def _section_flaws(document: Document) -> list[Flaw]:
    found: list[Flaw] = []
    position = 0
    for section in document.sections:
        if section.start != position or section.end < section.start:
            found.append(Flaw("a gap between sections", repr(section)))
        if section.level and (section.end == section.start or not section.heading):
            found.append(Flaw("an empty section", repr(section)))
        if section.level and not document.text[section.start :].lstrip(" >-0123456789.:[^]").startswith("#"):
            found.append(Flaw("a section that does not begin with its heading", repr(section)))
        position = section.end
    if position != len(document.text):
        found.append(Flaw("text outside the sections", document.text[position:]))
    anchors = [section.anchor for section in document.sections if section.anchor is not None]
    found += [Flaw("an anchor given twice", anchor) for anchor in anchors if anchors.count(anchor) > 1]
    headings = {block.start for block in document.blocks if block.kind is BlockKind.HEADING}
    if headings != {section.start for section in document.sections if section.level}:
        found.append(Flaw("sections that do not begin at the heading blocks", ""))
    return found


def _block_flaws(document: Document) -> list[Flaw]:
    text, found, position = document.text, [], 0
    for block in document.blocks:
        if block.start < position or block.end <= block.start:
            found.append(Flaw("blocks out of order", repr(block)))
        if text[position : block.start].strip():
            found.append(Flaw("text outside the blocks", text[position : block.start]))
        if block.start and text[block.start - 1] != "\n":
            found.append(Flaw("a block that begins inside a line", shown(document, block)))
        if block.end < len(text) and text[block.end] != "\n":
            found.append(Flaw("a block that ends inside a line", shown(document, block)))
        found += _body_flaws(document, block)
        position = block.end
    if text[position:].strip():
        found.append(Flaw("text after the last block", text[position:]))
    return found


def _body_flaws(document: Document, block: Block) -> list[Flaw]:
    text = document.text
    if not block.start <= block.body_start <= block.body_end <= block.end:
        return [Flaw("a body outside its block", repr(block))]
    if block.kind is BlockKind.CODE:
        opening, closing = text[block.start : block.body_start], text[block.body_end : block.end]
        fence = closing.strip(" >")
        if opening.count("\n") != 1 or not opening.lstrip(" >").startswith(fence) or set(fence) != {"`"}:
            return [Flaw("a fence that is not closed as it was opened", shown(document, block))]
        if fence in text[block.body_start : block.body_end]:
            return [Flaw("a fence that is not longer than the runs inside", shown(document, block))]
    elif block.kind is BlockKind.TABLE:
        lines = shown(document, block).split("\n")
        widths = {len(line.replace("\\|", "").split("|")) for line in lines}
        if len(widths) != 1 or "---" not in lines[1]:
            return [Flaw("a table whose rows are not alike", shown(document, block))]
    elif (block.body_start, block.body_end) != (block.start, block.end):
        return [Flaw("a body in a block without one", repr(block))]
    return []


def _line_flaws(document: Document) -> list[Flaw]:
    """Lines outside code that end in blanks, and more than one blank line in a row."""
    found: list[Flaw] = []
    position = 0
    for block in [*document.blocks, None]:
        if block and block.kind is not BlockKind.CODE:
            continue
        between = document.text[position : block.start if block else len(document.text)]
        found += [
            Flaw("a line that ends in blanks", line) for line in between.split("\n") if line != line.rstrip(" \t")
        ]
        if "\n\n\n" in between:
            found.append(Flaw("two blank lines in a row", between))
        position = block.end if block else position
    return found


def _link_flaws(document: Document) -> list[Flaw]:
    found = [
        Flaw("a link whose span is not its text", repr(link))
        for link in document.links
        if document.text[link.start : link.end] != link.text or not link.text.strip()
    ]
    return found + [
        Flaw("a link that is not absolute", repr(link)) for link in document.links if ":" not in link.target
    ]
