"""Maximum lengths of strings that every chunk repeats; otherwise one long heading could fill the disk."""

from collections.abc import Sequence

TITLE = 500
HEADING = 500
HEADING_PATH = 1_000
"""Characters of all headings of a path."""

URL = 2_000
"""Characters of a page's URL and of a link's target. A longer one is refused, because a truncated URL is broken."""

URL_SEGMENTS = 50
"""Maximum folder depth of a page; each folder is a value for URL filters."""

ANCHOR = 500
NAME = 200
"""Characters of a version, a locale or a tag."""

TAGS = 50
"""Maximum number of tags of a document."""

_CUT = "…"


def shortened(text: str, most: int) -> str:
    """The text, truncated to `most` characters with an ellipsis at its end."""
    return text if len(text) <= most else text[: most - len(_CUT)].rstrip() + _CUT


def short_path(names: Sequence[str]) -> tuple[str, ...]:
    """A heading path of at most HEADING_PATH characters: the last name stays, the others share the rest."""
    if sum(map(len, names)) <= HEADING_PATH:
        return tuple(names)
    *outer, last = names
    room = (HEADING_PATH - len(last)) // len(outer)
    return (*(shortened(name, room) for name in outer), last)
