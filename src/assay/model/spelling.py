"""The known word that a misspelled one stands for."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str], *, likeness: float = 0.6) -> str | None:
    """The known word that is spelled most like this one; None where none is alike.

    likeness: how alike two words have to be, from 0 to 1.
    """
    return next(iter(get_close_matches(word, list(known), n=1, cutoff=likeness)), None)


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """The end of a sentence about an unknown word: the known one that is near, or the other text."""
    near = nearest(word.lower(), known)
    return f"did you mean `{near}`?" if near else otherwise
