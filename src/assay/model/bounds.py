"""How long the strings may be that a document's chunks repeat: without bounds, one long heading fills the disk."""

from collections.abc import Sequence

TITLE = 500
HEADING = 500
HEADING_PATH = 1_000
"""Characters of all headings of a path together."""

URL = 2_000
"""Characters of a page's URL, and of the target of a link. A longer one is refused: a cut URL is a dead link."""

URL_SEGMENTS = 50
"""Folders that a page can stand in: filters by URL ask for each of them."""

ANCHOR = 500
NAME = 200
"""Characters of a version, a locale or a tag."""

TAGS = 50
"""The most tags of a document."""

_CUT = "…"


def shortened(text: str, most: int) -> str:
    """The text, cut to `most` characters with an ellipsis at its end where it is longer."""
    return text if len(text) <= most else text[: most - len(_CUT)].rstrip() + _CUT


def short_path(names: Sequence[str]) -> tuple[str, ...]:
    """A path of bounded headings with at most 1,000 characters: the last stays whole, those above it share the rest."""
    if sum(map(len, names)) <= HEADING_PATH:
        return tuple(names)
    *outer, last = names
    room = (HEADING_PATH - len(last)) // len(outer)
    return (*(shortened(name, room) for name in outer), last)
