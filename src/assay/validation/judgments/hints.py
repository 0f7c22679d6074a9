"""Hints at text similar to a lost quote."""

from assay.validation.judgments.folding import folded_words
from assay.validation.judgments.quoting import SearchedText

_FEWEST_WORDS = 3
_MOST_TRIES = 64
_SHOWN = 80


def nearest(searched: SearchedText, exact: str) -> str:
    """Quote the longest run of the words that is still in a text, as a sentence to append; "" without any."""
    words = folded_words(exact).split()
    size = len(words) // 2
    tries = 0
    while size >= _FEWEST_WORDS and tries < _MOST_TRIES:
        for start in range(0, len(words) - size + 1, max(1, size // 2)):
            tries += 1
            run = " ".join(words[start : start + size])
            at = searched.folded.text.find(run)
            if at >= 0:
                span = searched.folded.span(at, at + len(run))
                there = " ".join(searched.text[span.start : span.start + _SHOWN].split())
                return f" The most similar text is at {span.start}: “{there}…”."
        size = size * 3 // 4
    return ""
