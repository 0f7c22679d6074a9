"""Collects the vocabulary of a generation, chunk by chunk."""

from array import array
from collections import Counter
from collections.abc import Sequence

from assay.model.documents import Chunk
from assay.model.vocabulary import Name, NameList, Vocabulary, folded, words_of
from assay.ports import Names

_LONGEST = 40
"""Characters of the longest word: longer ones are hashes and encoded data, which nobody types."""


class VocabularyBuilder:
    """Collects words, terms and names."""

    def __init__(self) -> None:
        self._words: Counter[str] = Counter()
        self._terms: set[int] = set()
        self._names: dict[tuple[str, str], Name] = {}

    def add(self, chunk: Chunk, text: str, names: Names, terms: Sequence[int]) -> None:
        """Add a chunk. text: its keyword text; terms: ids of that text's terms."""
        self._words.update([word for word in words_of(text) if len(word) <= _LONGEST])
        self._terms.update(terms)
        document = chunk.document
        if not document.primary:
            return
        if names.title:
            self._add_name(Name(names.title, document.link, is_title=True))
        links = {_plain(one.text): document.link_to(one.anchor) for one in reversed(chunk.inner_headings)}
        links[_plain(chunk.section)] = chunk.section_url
        for heading in names.headings:
            if heading and _plain(heading) != _plain(document.title):
                self._add_name(Name(heading, links.get(_plain(heading), document.link), is_title=False))

    def vocabulary(self) -> Vocabulary:
        """Everything collected."""
        names = sorted(self._names.values(), key=lambda name: (len(words_of(name.text)), not name.is_title))
        return Vocabulary(dict(self._words), array("I", sorted(self._terms)), NameList.of(names))

    def _add_name(self, name: Name) -> None:
        self._names.setdefault((folded(name.text), name.url.partition("#")[0]), name)


def _plain(name: str) -> str:
    """A name without the marks of code, which only some of its places keep."""
    return name.replace("`", "")
