"""The words and names of a generation, by which unfinished and misspelt queries are completed and corrected."""

import re
from array import array
from collections.abc import Mapping
from dataclasses import dataclass

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
"""A word of a text: letters and digits, with apostrophes inside."""


def folded(text: str) -> str:
    """A text whose words equal those of the vocabulary."""
    return text.casefold().replace("’", "'")


@dataclass(frozen=True, slots=True)
class Name:
    """A page's title, or one of its headings.

    url: of the page; for a heading with the anchor of its section, if that is known.
    """

    text: str
    url: str
    is_title: bool


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a generation knows, made when its chunks are counted; it never changes.

    words: number of chunks with each folded word.
    terms: ids of the keyword index's terms, ascending; a word with these terms is known in another form.
    names: of the pages of the current version and the default locale, without repetitions.
    """

    words: Mapping[str, int]
    terms: "array[int]"
    names: tuple[Name, ...]
