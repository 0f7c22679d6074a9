"""A small builder of valid documents, for tests that need one without reading a page."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from assay.model.documents import Block, BlockKind, Document, DocumentInfo, Section
from assay.model.ids import document_id


@dataclass(frozen=True, slots=True)
class Part:
    """A block to be: its lines, and how many of them stand before and after what may be cut.

    level: of a heading; 0 for every other kind.
    """

    kind: BlockKind
    text: str
    opening_lines: int = 0
    closing_lines: int = 0
    level: int = 0


def heading(level: int, text: str) -> Part:
    return Part(BlockKind.HEADING, f"{'#' * level} {text}", level=level)


def text(content: str) -> Part:
    return Part(BlockKind.TEXT, content)


def code(body: str, info: str = "", fence: str = "```", indent: str = "") -> Part:
    lines = [f"{fence}{info}", *body.split("\n"), fence]
    return Part(BlockKind.CODE, "\n".join(f"{indent}{line}" if line else "" for line in lines), 1, 1)


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> Part:
    names = list(header)
    lines = [_row(names), _row(["---"] * len(names)), *(_row(row) for row in rows)]
    return Part(BlockKind.TABLE, "\n".join(lines), 2, 0)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def document_of(*parts: Part, title: str = "A page", url: str = "https://docs.example.org/a-page") -> Document:
    """The document whose blocks are these, with a blank line between two of them."""
    blocks: list[Block] = []
    position = 0
    for part in parts:
        lines = part.text.split("\n")
        opening = sum(len(line) + 1 for line in lines[: part.opening_lines])
        closing = sum(len(line) + 1 for line in lines[len(lines) - part.closing_lines :])
        end = position + len(part.text)
        blocks.append(Block(part.kind, position, end, position + opening, min(end, end + 1 - closing)))
        position = end + 2
    content = "\n\n".join(part.text for part in parts)
    return Document(
        info=DocumentInfo(
            id=document_id(url),
            url=url,
            title=title,
            source="tests",
            source_path="a-page.md",
            slug="a-page",
            source_type="page",
        ),
        text=content,
        sections=tuple(_sections(parts, blocks, len(content), title)),
        blocks=tuple(blocks),
    )


def _sections(parts: Iterable[Part], blocks: Iterable[Block], length: int, title: str) -> list[Section]:
    """A section for each heading, and one before the first where something stands there."""
    starts: list[tuple[int, Part]] = []
    for part, block in zip(parts, blocks, strict=True):
        if part.level:
            starts.append((block.start, part))
    ends = [*(start for start, _ in starts[1:]), length]
    sections: list[Section] = []
    if not starts or starts[0][0] > 0:
        first = starts[0][0] if starts else length
        sections.append(Section(0, "", None, (), 0, first))
    path: list[tuple[int, str]] = []
    for (start, part), end in zip(starts, ends, strict=False):
        name = part.text.lstrip("#").strip()
        path = [step for step in path if step[0] < part.level] + [(part.level, name)]
        names = tuple(step[1] for step in path if step != (1, title))
        anchor = re.sub(r"[^\w]+", "-", name.lower()).strip("-") or None
        sections.append(Section(part.level, name, anchor, names, start, end))
    return sections


def fences_are_closed(content: str) -> bool:
    """Whether every code fence that a text opens is closed in it, by CommonMark's rule for the closing fence."""
    fence: str | None = None
    for line in content.split("\n"):
        if fence is None:
            opened = re.match(r"[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})", line)
            fence = opened.group(1) if opened else None
        else:
            closed = re.fullmatch(r"[ \t>]*(`{3,}|~{3,})[ \t]*", line)
            if closed and closed.group(1).startswith(fence):
                fence = None
    return fence is None
