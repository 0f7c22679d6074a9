"""The words and names of a generation, by which unfinished and misspelt queries are completed and corrected."""

import re
import unicodedata
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, overload

_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u06d6-\u06ed"  # Latin, Hebrew, Arabic
    "\u0900-\u0903\u093a-\u094f\u0951-\u0963\u0980-\u0df3"  # of India and Sri Lanka
    "\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3"  # Thai, Lao, Burmese, Khmer
)
"""Accents and vowel signs, which `\\w` lacks."""

WORD = re.compile(rf"[^\W_]+(?:[{_MARKS}]+[^\W_]*|['’][^\W_]+)*")
"""A word of a text: letters with their marks and digits, with apostrophes inside."""


_ASCII_WORDS = bytes(code if code > 127 or chr(code).isalnum() or chr(code) == "'" else ord(" ") for code in range(256))
"""For bytes.translate of UTF-8: replaces the ASCII characters that no word has by spaces."""


_LONE = "surrogatepass"
"""Error handler for text with half of a surrogate pair, which is in no word."""


def folded(text: str) -> str:
    """A text whose words equal those of the vocabulary: in lower case as the keyword index has it, and composed."""
    text = text.lower()
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text.replace("’", "'").replace("i\u0307", "i"))  # of a Turkish İ


@dataclass(frozen=True, slots=True)
class Name:
    """A page's title, or one of its headings.

    url: of the page; for a heading with the anchor of its section, if that is known.
    """

    text: str
    url: str
    is_title: bool


class NameList(Sequence[Name]):
    """Names without line breaks in few objects: a server holds as many as its pages have headings.

    texts, urls: a line for each name. titles: a 1 for each title, a 0 for each heading.

    Raises ValueError if their lengths differ.
    """

    def __init__(self, texts: str, urls: str, titles: str) -> None:
        self.titles = titles.encode()
        self._texts, self._urls = (_Lines(lines, len(titles)) for lines in (texts, urls))

    @classmethod
    def of(cls, names: Iterable[Name]) -> Self:
        """These names, in this order."""
        kept = list(names)
        texts = "\n".join(" ".join(name.text.split()) for name in kept)
        urls = "\n".join(name.url.replace("\n", "%0A") for name in kept)  # of an anchor with a line break
        return cls(texts, urls, "".join(str(int(name.is_title)) for name in kept))

    @property
    def texts(self) -> str:
        """The names, one a line."""
        return self._texts.joined

    @property
    def urls(self) -> str:
        """The URL of each name, one a line."""
        return self._urls.joined

    def __len__(self) -> int:
        return len(self.titles)

    @overload
    def __getitem__(self, at: int) -> Name: ...

    @overload
    def __getitem__(self, at: slice) -> list[Name]: ...

    def __getitem__(self, at: int | slice) -> Name | list[Name]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        return Name(self._texts[at], self._urls[at], self.titles[at] == ord("1"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NameList) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


class _Lines:
    """Lines of a text, read by number."""

    def __init__(self, joined: str, count: int) -> None:
        self._bytes = joined.encode()
        self._starts = array("I", [0])
        at = -1
        while (at := self._bytes.find(b"\n", at + 1)) >= 0:
            self._starts.append(at + 1)
        self._starts.append(len(self._bytes) + 1)
        if len(self._starts) - 1 != max(count, 1):
            raise ValueError(f"{count} names have {len(self._starts) - 1} lines")

    @property
    def joined(self) -> str:
        return self._bytes.decode()

    def __getitem__(self, at: int) -> str:
        return self._bytes[self._starts[at] : self._starts[at + 1] - 1].decode()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words and names of a generation, collected while its chunks are counted; it never changes.

    words: number of chunks with each folded word.
    terms: ids of the keyword index's terms, ascending; a word with these terms is known in another form.
    names: of the pages of the current version and the default locale, without repetitions; those with fewest words
        first, titles before headings.
    """

    words: Mapping[str, int]
    terms: "array[int]"
    names: NameList


def words_of(text: str) -> set[str]:
    """The folded words of a text."""
    text = folded(text)
    # Twice as fast as the pattern, which then reads only the words that may be several.
    words = set(text.encode("utf-8", _LONE).translate(_ASCII_WORDS).decode("utf-8", _LONE).split())
    if "'" in text or not text.isascii():
        unclear = {word for word in words if "'" in word or not word.isascii()}
        words = (words - unclear).union(*map(WORD.findall, unclear))
    return words
