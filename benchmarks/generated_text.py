"""Generated documentation of any size, with known topics and a known share of near-duplicates, and queries for it.

Words are those of the built-in model's vocabulary, so that each has a vector of its own. A topic is a distribution over
120 of them, with the weights of Zipf's law; a page mixes two topics and common words, in sections of one chunk each.
One page in ten is a near-duplicate: an earlier page with one word in twenty replaced. Queries draw words from a topic,
never from a page.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TOPICS = 3_000
NEAR_DUPLICATES = 0.1
"""Share of pages that repeat an earlier one but for one word in twenty."""

SECTIONS = 8
_TOPIC_WORDS = 120
_COMMON = 300
_WORDS = 125
"""Words of a section: about 900 characters, which is one chunk."""
_REPLACED = 0.05
_FOLDER = 1_000
"""Pages of one folder."""

Numbers = NDArray[np.int64]


class GeneratedText:
    """Pages and queries. words: the vocabulary, at least a few thousand."""

    def __init__(self, words: list[str], seed: int = 20) -> None:
        self._words = np.array(words, dtype=object)
        draw = np.random.default_rng(seed)
        self._common = draw.choice(len(words), _COMMON, replace=False)
        self._topics = np.stack([draw.choice(len(words), _TOPIC_WORDS, replace=False) for _ in range(TOPICS)])
        self._seed = seed

    def write(self, folder: Path, chunks: int) -> int:
        """Write pages of about that many chunks in all. Returns the number of pages."""
        pages = max(chunks // SECTIONS, 1)
        for number in range(pages):
            target = folder / f"part-{number // _FOLDER:04}"
            if number % _FOLDER == 0:
                target.mkdir(parents=True)
            (target / f"page-{number:07}.md").write_text(self.page(number), encoding="utf-8")
        return pages

    def page(self, number: int) -> str:
        """The Markdown of one page; the same for the same number."""
        draw = np.random.default_rng((self._seed, 1, number))
        if number and draw.random() < NEAR_DUPLICATES:
            words = self._original(int(draw.integers(number)))
            changed = draw.random(words.shape) < _REPLACED
            words[changed] = draw.integers(len(self._words), size=int(changed.sum()))
        else:
            words = self._original(number)
        title, *headings = (" ".join(self._words[row[:4]]) for row in words)
        sections = [
            f"## {heading}\n\n{text}\n"
            for heading, text in zip([title, *headings], map(self._sentences, words), strict=True)
        ]
        return f"# {title} {number}\n\n" + "\n".join(sections)

    def queries(self, count: int) -> Iterator[str]:
        """Queries of three to eight words of one topic."""
        draw = np.random.default_rng((self._seed, 2))
        for _ in range(count):
            topic = self._topics[draw.integers(TOPICS)]
            yield " ".join(self._words[topic[_zipf(draw, int(draw.integers(3, 9)), _TOPIC_WORDS)]])

    def _original(self, number: int) -> Numbers:
        """Word numbers of a page that repeats no other, of shape (sections, words)."""
        draw = np.random.default_rng((self._seed, 3, number))
        main, other = self._topics[draw.integers(TOPICS, size=2)]
        shape = SECTIONS, _WORDS
        kind = draw.random(shape)
        places = _zipf(draw, shape[0] * shape[1], _TOPIC_WORDS).reshape(shape)
        common = self._common[_zipf(draw, shape[0] * shape[1], _COMMON).reshape(shape)]
        found: Numbers = np.where(kind < 0.45, main[places], np.where(kind < 0.65, other[places], common))
        return found

    def _sentences(self, words: Numbers) -> str:
        parts = [" ".join(self._words[words[start : start + 14]]) for start in range(0, len(words), 14)]
        return ". ".join(part.capitalize() for part in parts) + "."


def _zipf(draw: np.random.Generator, count: int, most: int) -> Numbers:
    """Ranks from 0 to most - 1, of which rank r is drawn in proportion to 1 / (r + 1)."""
    places = np.exp(draw.random(count) * np.log(most + 1.0)).astype(np.int64) - 1
    return np.clip(places, 0, most - 1)
