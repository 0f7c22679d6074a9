"""Whether a passage is another one in other words, or another text in its place. Pure."""

import re

from assay.validation.deriving.phrases import gist

REWORDED = 0.4
"""Share of a passage's words that a new wording keeps. Two sections of one page share fewer: 0.29 at most in a handbook
of 25 pages, 0.45 in 95 of 100 pairs of the pages of two open-source projects."""

_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


def is_reworded(before: str, after: str) -> bool:
    """Whether a text keeps at least REWORDED of the words of another; stop words do not count."""
    words = _words(before)
    return bool(words) and len(words & _words(after)) >= REWORDED * len(words)


def _words(text: str) -> set[str]:
    """The distinct words; pairs of characters in scripts without blanks between words."""
    found: set[str] = set()
    for word in gist(text, lambda _: False):
        if len(word) > 2 and _UNSPACED.search(word):
            found.update(word[place : place + 2] for place in range(len(word) - 1))
        else:
            found.add(word)
    return found
