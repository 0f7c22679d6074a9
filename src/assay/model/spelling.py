"""Suggestions for misspelled words."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """The most similar known word; None if none is similar enough. cutoff: minimum similarity, 0 to 1."""
    return next(iter(get_close_matches(word, list(known), n=1, cutoff=cutoff)), None)


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """The end of a message about an unknown word: the nearest known word, or `otherwise`."""
    near = nearest(word.lower(), known)
    return f"did you mean `{near}`?" if near else otherwise
