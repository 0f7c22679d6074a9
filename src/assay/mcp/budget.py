"""Texts cut to a number of tokens."""

import re
from collections.abc import Sequence

from assay.ports import TokenCounter

HEADING_TOKENS = 60
"""The most tokens of a page's title or a passage's headings, which leave room for the text."""


def fitting(lines: Sequence[str], most: int, count: TokenCounter) -> int:
    """Number of whole lines, from the first, that have at most this many tokens together.

    Tokens are counted line by line, and the line break with each.
    """
    spent = 0
    for number, tokens in enumerate(count([f"{line}\n" for line in lines])):
        spent += tokens
        if spent > most:
            return number
    return len(lines)


def cut(text: str, most: int, count: TokenCounter) -> str:
    """The beginning of a text with at most this many tokens, in whole lines; a long first line is cut within it."""
    if most > 0 and count([text])[0] <= most:
        return text
    lines = text.split("\n")
    whole = fitting(lines, most, count)
    if whole:
        return "\n".join(lines[:whole]).rstrip()
    words = _WORD.findall(lines[0])
    return "".join(words[: fitting(words, most, count)])


_WORD = re.compile(r"\s*\S{1,40}")
"""A word with the space before it; text without spaces, such as Chinese, in pieces."""
