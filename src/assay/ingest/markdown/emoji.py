"""Emoji by their names, as in `:tada:`.

The names are GitHub's (gemoji, MIT licence), in emoji.txt: a character and its names on each line.
"""

import re
from functools import cache
from importlib.resources import files

NAMED = re.compile(r":([a-z0-9_+-]{1,50}):")
"""A possible name of an emoji."""

_FLAG = re.compile(r"flag_([a-z])([a-z])")
_REGIONAL_A = 0x1F1E6


def emoji(name: str) -> str | None:
    """The character of a name, "tada"; None if there is none. Flags have their pymdownx names too, `flag_de`."""
    if flag := _FLAG.fullmatch(name):
        return "".join(chr(_REGIONAL_A + ord(letter) - ord("a")) for letter in flag.groups())
    return _characters().get(name)


@cache
def _characters() -> dict[str, str]:
    lines = files("assay.ingest.markdown").joinpath("emoji.txt").read_text(encoding="utf-8").splitlines()
    return {name: character for character, *names in map(str.split, lines) for name in names}
