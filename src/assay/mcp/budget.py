"""Texts cut to a number of tokens."""

from collections.abc import Callable, Sequence

TokenCounter = Callable[[Sequence[str]], list[int]]


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
    """The beginning of a text with at most this many tokens, in whole lines; a long first line is cut in words."""
    lines = text.split("\n")
    whole = fitting(lines, most, count)
    if whole:
        return "\n".join(lines[:whole]).rstrip()
    words = lines[0].split(" ")
    return " ".join(words[: fitting(words, most, count)])
