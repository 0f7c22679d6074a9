"""Where a link leads, read in one step where nothing in its address needs care.

markdown-it-py goes through every address character by character, which is a tenth of what a page full of links takes.
"""

import re
from dataclasses import dataclass

from markdown_it import helpers

_PLAIN = re.compile(r"[^\x00-\x20\x7f()<\\&]+")
"""An address without parentheses, escapes and character references."""

_ENDS = frozenset("\n\t )")
"""What ends an address for sure."""


@dataclass(slots=True)
class Destination:
    """As markdown-it-py gives it. pos: behind the address. str: the address, escapes undone."""

    ok: bool
    pos: int
    str: str


class LinkHelpers:
    """What markdown-it-py's rules ask for by these names."""

    parseLinkLabel = staticmethod(helpers.parseLinkLabel)  # noqa: N815
    parseLinkTitle = staticmethod(helpers.parseLinkTitle)  # noqa: N815

    @staticmethod
    def parseLinkDestination(string: str, pos: int, maximum: int) -> Destination:  # noqa: N802
        """The address that begins at pos, as helpers.parseLinkDestination reads it."""
        found = _PLAIN.match(string, pos, maximum)
        if found is None or (found.end() < maximum and string[found.end()] not in _ENDS):
            read = helpers.parseLinkDestination(string, pos, maximum)
            return Destination(read.ok, read.pos, read.str)
        return Destination(ok=True, pos=found.end(), str=found[0])
