"""Collects the vocabulary of a generation, page by page."""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

from assay.model.documents import Chunk
from assay.model.vocabulary import Name, NameList, Vocabulary, folded, words_of
from assay.ports import Names

_LONGEST = 40
"""Characters of the longest word: longer ones are hashes and encoded data, which nobody types."""


def list_words(texts: Iterable[str]) -> str:
    """The folded words of each text, one a line, without the longest words."""
    return "\n".join([word for text in texts for word in words_of(text) if len(word) <= _LONGEST])


def names_of_page(chunks: Sequence[Chunk], names: Sequence[Names]) -> tuple[Name, ...]:
    """The title and headings of a page, without repetitions; none if its version or locale is not the default.

    names: of each chunk.
    """
    found: dict[tuple[str, str], Name] = {}
    for chunk, named in zip(chunks, names, strict=True):
        document = chunk.document
        if not document.primary:
            return ()
        if named.title:
            _add(found, Name(named.title, document.link, is_title=True))
        links = {_plain(one.text): document.link_to(one.anchor) for one in reversed(chunk.inner_headings)}
        links[_plain(chunk.section)] = chunk.section_url
        for heading in named.headings:
            if heading and _plain(heading) != _plain(document.title):
                _add(found, Name(heading, links.get(_plain(heading), document.link), is_title=False))
    return tuple(found.values())


class VocabularyBuilder:
    """Collects words, terms and names. The order of the pages does not matter."""

    def __init__(self) -> None:
        self._words: Counter[str] = Counter()
        self._terms: set[int] = set()
        self._names: dict[str, tuple[Name, ...]] = {}

    def add(self, url: str, words: str, terms: Iterable[int], names: tuple[Name, ...]) -> None:
        """Add a page: its words from list_words, the ids of its terms, and its names."""
        self._words.update(words.split("\n") if words else ())
        self._terms.update(terms)
        if names:
            self._names[url] = names

    def vocabulary(self) -> Vocabulary:
        """Everything collected."""
        by_url = (name for url in sorted(self._names) for name in self._names[url])
        names = sorted(by_url, key=lambda name: (len(words_of(name.text)), not name.is_title))
        return Vocabulary(dict(self._words), array("I", sorted(self._terms)), NameList.of(names))


def _add(found: dict[tuple[str, str], Name], name: Name) -> None:
    found.setdefault((folded(name.text), name.url.partition("#")[0]), name)


def _plain(name: str) -> str:
    """A name without the marks of code, which only some of its places keep."""
    return name.replace("`", "")
