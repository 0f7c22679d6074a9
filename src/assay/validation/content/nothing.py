"""Pages that say almost nothing: a title alone, `Please wait…`, or a word about JavaScript. Pure."""

import re

_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)
_SIGN = re.compile(r"[^\W_]")

_FEWEST_WORDS = 3
_LEAST_BYTES = 40
"""Of letters and digits: more is a sentence in a script that is written without blanks, and one word to a computer."""

_SHELL = re.compile(r"javascript|please wait|loading|just a moment|checking your browser|redirect", re.IGNORECASE)
_LONGEST_SHELL = 160
"""A page of fewer characters that tells to wait, or to switch JavaScript on, says nothing else."""


def says_almost_nothing(text: str) -> bool:
    """Whether a page's text, headings left out, has no three words, or only tells to wait."""
    words = _HEADING.sub("", text).split()
    shown = " ".join(words)
    if len(shown) < _LONGEST_SHELL and _SHELL.search(shown):
        return True
    if len(words) >= _FEWEST_WORDS * 2 and len(shown) >= _LONGEST_SHELL:
        return False  # nearly all pages
    said = [word for word in words if _SIGN.search(word)]
    signs = sum(len(sign.encode()) for word in said for sign in _SIGN.findall(word))
    return len(said) < _FEWEST_WORDS and signs < _LEAST_BYTES
