"""Detect pages with almost no text: only a title, `Please wait…`, or a request for JavaScript. Pure."""

import re

_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)
_SIGN = re.compile(r"[^\W_]")

_FEWEST_WORDS = 3
_LEAST_BYTES = 40
"""UTF-8 bytes of letters and digits: more is a sentence in a script without spaces, which splits into one word."""

_SHELL = re.compile(r"javascript|please wait|loading|just a moment|checking your browser|redirect", re.IGNORECASE)
_LONGEST_SHELL = 160
"""A page with fewer characters that matches _SHELL has no other content."""

_FIRST = 1_000
"""Characters in which nearly every page has more words than that."""


def is_almost_empty(text: str) -> bool:
    """Whether a page's text, without headings, has fewer than three words, or only asks to wait."""
    first_lines = text[: text.rfind("\n", 0, _FIRST) + 1]
    if _has_content(_HEADING.sub("", first_lines).split()):
        return False  # nearly all pages
    words = _HEADING.sub("", text).split()
    if _has_content(words):
        return False
    shown = " ".join(words)
    if len(shown) < _LONGEST_SHELL and _SHELL.search(shown):
        return True
    said = [word for word in words if _SIGN.search(word)]
    signs = sum(len(sign.encode()) for word in said for sign in _SIGN.findall(word))
    return len(said) < _FEWEST_WORDS and signs < _LEAST_BYTES


def _has_content(words: list[str]) -> bool:
    return len(words) >= _FEWEST_WORDS * 2 and len(" ".join(words)) >= _LONGEST_SHELL
