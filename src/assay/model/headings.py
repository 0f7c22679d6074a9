"""Headings within a chunk, and the place that a deep link leads to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class InnerHeading:
    """A heading in a chunk's text, after its beginning.

    offset: start of its line in Chunk.text, in code points, more than 0.
    depth: number of headings of its path, itself included; 0 for the document's title.
    text, anchor: as in Section.
    """

    offset: int
    depth: int
    text: str
    anchor: str | None


class Place(NamedTuple):
    """A heading with its path, as in Section. heading: "" before the first heading."""

    heading: str
    path: tuple[str, ...]
    anchor: str | None


def place_at(begin: Place, headings: Iterable[InnerHeading], offset: int) -> Place:
    """The place of the heading nearest above an offset of a chunk's text. begin: the place at the chunk's beginning."""
    place = begin
    for one in headings:
        if one.offset > offset:
            break
        place = Place(one.text, (*place.path[: one.depth - 1], one.text) if one.depth else (), one.anchor)
    return place


def to_rows(headings: Sequence[InnerHeading]) -> list[list[int | str | None]]:
    """JSON values of headings; from_rows is the inverse."""
    return [[one.offset, one.depth, one.text, one.anchor] for one in headings]


def from_rows(rows: object) -> tuple[InnerHeading, ...]:
    """Read what to_rows gave; nothing for None. Raises ValueError for anything else."""
    if rows is None:
        return ()
    if not isinstance(rows, list):
        raise ValueError("inner headings are no list")
    return tuple(map(_from_row, rows))


def _from_row(row: object) -> InnerHeading:
    match row:
        case [int(offset), int(depth), str(text), str() | None as anchor]:
            return InnerHeading(offset, depth, text, anchor)
    raise ValueError("an inner heading is not offset, depth, text and anchor")
