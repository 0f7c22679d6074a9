"""BM25 vectors of qdrant_edge, equal for the embedded store and for a Qdrant server.

The engine's word tokenizer gets text in two forms:

- Scripts with spaces between words are unchanged; the language's stop words and stemmer apply.
- Scripts without spaces (Chinese, Japanese, Thai, …), and Korean because of its endings, become overlapping character
  pairs (bigrams). A dictionary splits 検索 differently depending on its context, so that a page and a query may have
  different terms; bigrams are the same in both.

The engine's multilingual tokenizer is not used: it has such a dictionary, and it drops bare numbers ("HTTP 422",
"Python 3.11").
"""

import hashlib
import itertools
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import Any, Self

from qdrant_edge import Bm25, Bm25Config, DisabledStemmer, StopwordsSet, TokenizerType

from assay.adapters.stores.points import sorted_terms
from assay.errors import ConfigurationError, InputError
from assay.model.generations import SparseIdentity
from assay.ports import Names, SparseVector

_TERMS = "terms-2"
"""Version of the tokenization; changes whenever a text would get other terms."""

_TITLE, _HEADING = 0, 1
_NAME_COUNT = 3
"""Term count of a text's own name: high enough to rank it above longer texts with the same words."""

_NAME_WEIGHTS = (0.6, 0.5, 0.4, 0.3, 0.2)
"""Weights of the names that a query may be completed to."""

_CACHED_NAMES = 8_192
_CACHED_COUNTS = 10_000

_NAME_IDS = 1 << 31
"""First id of names; the engine's ids of words are lower."""

_K = 1.2
_B = 0.75

_COUNTING_K = 1e6
"""Saturation high enough that each weight can be converted back to its count."""

_NO_LANGUAGE = "none"

_UNSPACED_SCRIPTS = re.compile(
    "["
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\ua9e0-\ua9ff\uaa60-\uaa7f"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\u3131-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u2e80-\u2fdf\u3005-\u3007\u3031-\u3035\u3041-\u312f\u31a0-\u31bf\u31f0-\u31ff"  # Han radicals, Kana, Bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"  # Han
    "]+"
)
_SEPARATOR = "›"
"""Between the headings above a chunk; part of no term. Nearly every text has it, and most are ASCII without it."""

_TONES = re.compile("[\u0e47-\u0e4e\u0ec8-\u0ece\u1037-\u103a\u17c9-\u17d3\u17dd]")
"""South-East Asian tone marks, at which the word tokenizer would end a word."""


class Bm25Encoder:
    """Turns text into BM25 vectors. Safe to use from several threads.

    language: English name, in lower case, of the language of the stop words and stemmer; "none" for neither.

    Raises ConfigurationError for a language that the engine lacks.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._counter = _counter(language)
        # Versions of a page repeat titles and headings, and each page has its title twice.
        self._terms_of_name = lru_cache(_CACHED_NAMES)(lambda name: self._count(name).indices)

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (self._language,)

    def identity(self, average_length: float) -> SparseIdentity:
        """Everything that vectors with this average length depend on."""
        revision = f"qdrant-edge-py {version('qdrant-edge-py')}, {_TERMS}"
        return SparseIdentity(self._language, _K, _B, average_length, revision)

    def term_counts(self, texts: Sequence[str], names: Sequence[Names] = ()) -> list[SparseVector]:
        """Count the terms of each text without stop words. Raises InputError for invalid Unicode.

        names: of each text; empty for none. A name is one more term, which a query with exactly its words has too.
        """
        counts = [self._count(text) for text in texts]
        return [self._with_names(*pair) for pair in zip(counts, names, strict=True)] if names else counts

    def weigh(self, counts: Sequence[SparseVector], average_length: float) -> list[SparseVector]:
        """BM25 document weights, tf (k + 1) / (tf + k (1 - b + b L / average_length)); the index adds the IDF.

        average_length: more than 0. Source: Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009.
        """
        if not average_length > 0.0:
            raise ValueError(f"average_length must be more than 0, not {average_length}")
        weighed = []
        for vector in counts:
            norm = _K * (1.0 - _B + _B * sum(vector.values) / average_length)
            weights = tuple([tf * (_K + 1.0) / (tf + norm) for tf in vector.values])
            weighed.append(SparseVector(vector.indices, weights))
        return weighed

    def encode_query(self, text: str, names: Sequence[str] = ()) -> SparseVector:
        """Each distinct term of a query and the names that it may be, with weight 1; empty for stop words alone.

        names: further names that the query may become, the likeliest first; they weigh less.
        """
        words = self._count(text).indices
        weights = dict.fromkeys(words, 1.0)
        for terms, weight in [(words, 1.0), *zip(map(self._terms_of_name, names), _NAME_WEIGHTS, strict=False)]:
            for kind in (_TITLE, _HEADING) if terms else ():
                weights.setdefault(_name_id(kind, terms), weight)
        return sorted_terms(list(weights), list(weights.values()))

    def _with_names(self, counted: SparseVector, names: Names) -> SparseVector:
        """Append the names as terms."""
        named = [(_TITLE, names.title), *((_HEADING, heading) for heading in (names.title, *names.headings))]
        words = [(kind, self._terms_of_name(name)) for kind, name in named if name]
        ids = sorted({_name_id(kind, indices) for kind, indices in words if indices})
        return SparseVector((*counted.indices, *ids), (*counted.values, *(float(_NAME_COUNT),) * len(ids)))

    def _count(self, text: str) -> SparseVector:
        try:
            vector = self._counter.embed_document(_segmented(text))
        except UnicodeEncodeError as error:
            raise InputError(
                f"The text {text[:80]!r} contains an unpaired surrogate at {error.start} and has no terms.",
                hint="Send it as UTF-8.",
            ) from None
        if not (pairs := sorted(zip(vector.indices, vector.values, strict=True))):
            return SparseVector((), ())
        ids, weights = zip(*pairs, strict=True)
        return SparseVector(ids, tuple(map(_FREQUENCIES.__getitem__, weights)))


def _name_id(kind: int, words: Sequence[int]) -> int:
    """Term id of a name with these words in any order."""
    digest = hashlib.blake2b(repr((kind, words)).encode(), digest_size=4).digest()
    return _NAME_IDS | int.from_bytes(digest, "big")


def _counter(language: str) -> Bm25:
    try:
        words: Any = {"language": language}
        if language == _NO_LANGUAGE:
            words = {"stopwords": StopwordsSet(), "stemmer": DisabledStemmer()}
        # ASCII folding unifies "naïve" and "naive", but breaks the lists of accented stop words.
        folded = language in {"english", _NO_LANGUAGE}
        return Bm25(Bm25Config(k=_COUNTING_K, b=0.0, tokenizer=TokenizerType.Word, ascii_folding=folded, **words))
    except ValueError as error:
        raise ConfigurationError(
            f"BM25 has no language {language!r} ({error}).",
            hint='Use the English name of a language in lower case, such as "german", or "none".',
        ) from None


class _Frequencies(dict[float, float]):
    """The count of each saturated weight: w = tf (k + 1) / (tf + k), so tf = w k / (k + 1 - w)."""

    def __missing__(self, weight: float) -> float:
        count = float(round(weight * _COUNTING_K / (_COUNTING_K + 1.0 - weight)))
        if len(self) < _CACHED_COUNTS:
            self[weight] = count
        return count


_FREQUENCIES = _Frequencies({1.0: 1.0})


def _segmented(text: str) -> str:
    """Normalize a text (NFKC) and split scripts without spaces into bigrams."""
    text = text.replace(_SEPARATOR, " ")
    if text.isascii():
        return text
    return _UNSPACED_SCRIPTS.sub(_pairs, _TONES.sub("", unicodedata.normalize("NFKC", text)))


def _pairs(run: re.Match[str]) -> str:
    """Bigrams of a run, separated by spaces; a single character stays."""
    characters = run.group()
    if len(characters) == 1:
        return f" {characters} "
    return f" {' '.join(map(''.join, itertools.pairwise(characters)))} "
