"""Find the chunks that a passage covers."""

from bisect import bisect_left, bisect_right

from assay.model.evaluation import Span
from assay.ports import ChunkPlace
from assay.validation.judgments.corpus import Page


def chunks_on(page: Page, span: Span) -> tuple[ChunkPlace, ...]:
    """The chunks that contain at least half of a passage, or are at least half inside it; ordered by position.

    Halves are measured in visible characters, because blank lines between chunks are in no chunk. A repeated fence or
    table header is not part of a chunk's span. If the chunks contain all visible text, a passage with visible text
    covers at least one chunk.
    """
    found = []
    visible = _visible(page.text, span.start, span.end)
    for chunk in _overlapping(page.chunks, span):
        if chunk.start <= span.start and span.end <= chunk.end:
            found.append(chunk)
            continue
        if span.start <= chunk.start and chunk.end <= span.end:
            found.append(chunk)
            continue
        shared = _visible(page.text, max(span.start, chunk.start), min(span.end, chunk.end))
        if shared and (2 * shared >= visible or 2 * shared >= _visible(page.text, chunk.start, chunk.end)):
            found.append(chunk)
    return tuple(found)


def _overlapping(chunks: tuple[ChunkPlace, ...], span: Span) -> tuple[ChunkPlace, ...]:
    """The chunks that share a character with a span. Both ends of chunks ascend with their position."""
    first = bisect_right(chunks, span.start, key=lambda chunk: chunk.end)
    last = bisect_left(chunks, span.end, key=lambda chunk: chunk.start)
    return chunks[first:last]


def _visible(text: str, start: int, end: int) -> int:
    return len("".join(text[start:end].split()))
