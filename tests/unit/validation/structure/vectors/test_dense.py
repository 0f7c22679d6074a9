"""Wrong vectors are found by the vectors alone, at the share that each check claims; sound ones pass."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.memory_embedder import MemoryEmbedder
from tests.structures import LIMITS
from tests.worlds import DIMENSION, World

from assay.errors import EmbedderUnavailable
from assay.model.evaluation import Finding, Outcome
from assay.model.generations import Generation
from assay.ports import Batching, Embedder, IndexPoint, Silence, Vectors
from assay.testing.catalog_samples import page
from assay.validation.structure import CheckContext, structure_findings
from assay.validation.structure.vectors.dense import _found_by_ranks

Change = Callable[[list[IndexPoint]], Sequence[np.ndarray]]

PAGES = 300
NAMES = [f"{first}{second}" for first in "bdfgklmnprst" for second in ("ala", "ebo", "iri", "omu", "uke", "ane", "oti")]
TITLES = random.Random(3).sample([f"{one} {other}" for one in NAMES for other in NAMES if one != other], PAGES)


class Costly:
    """An embedder of which every request costs something. down: whether it does not answer."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.embedded: list[str] = []
        self.down = False
        self.batching = Batching(texts=8, calls=1, costly=True)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if self.down:
            raise EmbedderUnavailable("The provider does not answer.")
        self.embedded += texts
        made: Vectors = self._embedder.embed_documents(texts)
        return made

    def __getattr__(self, name: str) -> object:
        return getattr(self._embedder, name)


@pytest.fixture(scope="module")
def built() -> tuple[World, Generation]:
    world = World()
    pages = [
        page(f"p{n}", f"All about {title}. Its number is {n}.", f"More of it, by {n} words.", title=title)
        for n, title in enumerate(TITLES)
    ]
    return world, world.build("g1", *pages)


@pytest.fixture
def sound(built: tuple[World, Generation]) -> Iterator[tuple[World, Generation]]:
    """The generation as it was built; what a test changes of its points is put back."""
    world, generation = built
    points = world.store._generations["g1"].points
    before = dict(points)
    yield world, generation
    points.update(before)


def _findings(world: World, generation: Generation, embedder: object = None, again: int = 20) -> dict[str, Finding]:
    searcher = world.searcher(generation.id)
    judged = CheckContext(
        generation,
        None,
        world.catalog,
        searcher.index,
        searcher.search,
        world.embedder.prefetch_queries,
        None,
        None,
        embedder or world.embedder,  # type: ignore[arg-type]  # as much of one as is asked
    )
    found = structure_findings(judged, replace(LIMITS, embedded_again=again, title_sample=1), Silence())
    return {finding.check: finding for finding in found}


def _change(world: World, share: float, change: Change) -> None:
    """Give a share of the points, drawn at random, the vectors that `change` makes of them."""
    points = world.store._generations["g1"].points
    ids = list(points)
    chosen = (
        [points[one] for one in random.Random(7).sample(ids, round(share * len(ids)))]
        if share < 1.0
        else [*points.values()]
    )
    for point, dense in zip(chosen, change(chosen), strict=True):
        points[point.chunk.id] = replace(point, dense=dense)


def _rotated(points: list[IndexPoint]) -> list[np.ndarray]:
    return [point.dense for point in points[-1:] + points[:-1]]


def _rotated_forwards(points: list[IndexPoint]) -> list[np.ndarray]:
    """A page's first chunk gets the vector of its second, which begins with the same title."""
    return [point.dense for point in points[1:] + points[:1]]


def _shuffled(points: list[IndexPoint]) -> list[np.ndarray]:
    return [point.dense for point in random.Random(11).sample(points, len(points))]


def _one(points: list[IndexPoint]) -> list[np.ndarray]:
    return [points[0].dense] * len(points)


def _narrow(points: list[IndexPoint]) -> list[np.ndarray]:
    moved = [points[0].dense * 6.0 + point.dense for point in points]
    return [(one / np.linalg.norm(one)).astype(np.float32) for one in moved]


CHECKS = {"distinct vectors", "spread of vectors", "titles by vectors", "embedded again"}


def test_sound_vectors_pass_every_check_and_each_says_what_it_finds(sound: tuple[World, Generation]) -> None:
    found = _findings(*sound, Costly(sound[0].embedder))
    assert set(found) >= CHECKS
    assert {found[check].outcome for check in CHECKS} == {Outcome.PASS}
    assert "finds 35" in found["titles by vectors"].limit or "finds 4" in found["titles by vectors"].limit
    assert "finds 13.91% wrong vectors with 95% certainty" in found["embedded again"].limit
    assert "finds one vector given to more texts than that" in found["distinct vectors"].limit


@pytest.mark.parametrize(
    ("share", "change", "named"),
    [
        (1.0, _rotated, {"titles by vectors", "embedded again"}),
        (1.0, _rotated_forwards, {"embedded again"}),
        (1.0, _shuffled, {"titles by vectors", "embedded again"}),
        (_found_by_ranks(PAGES) + 0.01, _shuffled, {"titles by vectors", "embedded again"}),
        (1.0, _one, {"distinct vectors", "spread of vectors", "titles by vectors", "embedded again"}),
        (0.14, _one, {"distinct vectors", "embedded again"}),
        (1.0, _narrow, {"spread of vectors", "embedded again"}),
        (0.25, _rotated, {"embedded again"}),
    ],
    ids=[
        "rotated",
        "rotated forwards",
        "shuffled",
        "shuffled at the share",
        "one vector",
        "one at the share",
        "narrow",
        "a quarter",
    ],
)
def test_vectors_of_other_texts_are_named_by_every_check_that_claims_to_find_them(
    sound: tuple[World, Generation],
    share: float,
    change: Callable[[list[IndexPoint]], Sequence[np.ndarray]],
    named: set[str],
) -> None:
    world, generation = sound
    _change(world, share, change)
    found = _findings(world, generation, Costly(world.embedder))
    assert {check for check in CHECKS if found[check].outcome is Outcome.FAIL} == named
    for check in named:
        assert "assay publish --rebuild" in found[check].detail


def test_the_share_that_is_claimed_is_found_in_95_of_100_draws() -> None:
    rng = np.random.default_rng(5)
    for titles in (25, 300):
        share = _found_by_ranks(titles)
        wrong = rng.random((2_000, titles)) < share
        means = np.where(wrong, rng.random((2_000, titles)), 1.0).mean(axis=1)
        assert (means < 0.8).mean() > 0.93


def test_a_provider_that_is_gone_leaves_what_needs_it_undecided_and_the_rest_is_judged(
    sound: tuple[World, Generation],
) -> None:
    costly = Costly(sound[0].embedder)
    costly.down = True
    found = _findings(*sound, costly)
    assert found["embedded again"].outcome is Outcome.INCONCLUSIVE
    assert "The provider does not answer." in found["embedded again"].detail
    assert found["distinct vectors"].outcome is Outcome.PASS


def test_so_many_texts_are_embedded_again_as_the_setting_says_and_the_report_says_what_it_cost(
    sound: tuple[World, Generation],
) -> None:
    costly = Costly(sound[0].embedder)
    found = _findings(*sound, costly, again=7)["embedded again"]
    assert len(costly.embedded) == 7 + 3
    assert set(costly.embedded[7:]) < set(costly.embedded[:7]), "three of them once more, alone"
    assert f"7 of {2 * PAGES} texts embedded again (" in found.limit
    assert "tokens of hashed-words" in found.limit
    assert "embedded again" not in _findings(*sound, costly, again=0)
    assert "embedded again" not in _findings(*sound)  # the audit does it where it costs nothing


def test_texts_of_the_same_words_may_have_one_vector() -> None:
    world = World()
    pages = [page(f"p{n}", f"Same words{'!' * n}", title=f"Same{'.' * n}") for n in range(12)]
    found = _findings(world, world.build("g1", *pages))
    assert found["distinct vectors"].outcome is Outcome.PASS


class _BlindToDigits(MemoryEmbedder):
    """A model that drops digits, as the built-in one nearly does."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return super().embed_documents([re.sub(r"\d+", "", text) for text in texts])


def test_generated_pages_that_differ_in_digits_alone_may_have_one_vector() -> None:
    world = World()
    world.embedder = _BlindToDigits(DIMENSION, None)
    pages = [page(f"p{n}", f"The part {n} weighs {n * 7} grams.", title=f"Part {n}") for n in range(60)]
    others = [page(f"q{n}", f"About {title}.", title=title) for n, title in enumerate(TITLES[:10])]
    found = _findings(world, world.build("g1", *pages, *others))
    assert found["distinct vectors"].outcome is Outcome.PASS
    assert found["spread of vectors"].outcome is Outcome.PASS
    alone = _findings(world, world.build("g2", *pages))
    assert alone["distinct vectors"].outcome is Outcome.PASS
    assert "spread of vectors" not in alone


def test_few_titles_say_nothing() -> None:
    world = World()
    found = _findings(world, world.build("g1", *[page(f"p{n}", f"About {n}.", title=TITLES[n]) for n in range(9)]))
    assert "titles by vectors" not in found


def test_titles_that_differ_in_their_numbers_alone_say_nothing() -> None:
    world = World()
    pages = [page(f"p{n}", f"Something about {title}.", title=f"Document {n}") for n, title in enumerate(TITLES)]
    assert "titles by vectors" not in _findings(world, world.build("g1", *pages))


def test_pages_that_say_other_things_than_their_titles_are_named_as_a_cause_too() -> None:
    world = World()
    said = random.Random(5).sample(TITLES, 40)
    pages = [page(f"p{n:02}", f"All about {text}.", title=TITLES[n]) for n, text in enumerate(said)]
    generation = world.build("g1", *pages)
    points = world.store._generations["g1"].points
    for one, point in points.items():  # a model that gives the text more weight than its title
        points[one] = replace(point, dense=world.embedder.embed_documents([point.chunk.text])[0])
    found = _findings(world, generation)["titles by vectors"]
    assert found.outcome is Outcome.FAIL
    for words in (
        "vectors are of other texts",
        "pages do not match their titles",
        "Run `assay audit`",
        "--rebuild",
    ):
        assert words in found.detail


# --- alone and in batches ---


class Batched(Costly):
    """A provider that gives other vectors for what is in a request with others."""

    def __init__(self, embedder: Embedder, *, documents: bool = True, queries: bool = True) -> None:
        super().__init__(embedder)
        self._spoils = documents, queries
        self._expected: dict[str, np.ndarray] = {}

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        made = super().embed_documents(texts)
        return _of_another_space(made) if self._spoils[0] and len(texts) > 1 else made

    def prefetch_queries(self, texts: Sequence[str], seconds: float | None = None) -> None:
        made = self._embedder.embed_documents(texts) if texts else []
        spoiled = _of_another_space(made) if self._spoils[1] and len(texts) > 1 else made
        self._expected = dict(zip(texts, spoiled, strict=True))

    def embed_query(self, text: str) -> np.ndarray:
        return self._expected[text] if text in self._expected else self._embedder.embed_query(text)


def _of_another_space(rows: Vectors) -> Vectors:
    return np.ascontiguousarray(np.roll(rows, 5, axis=1))


APART = {"documents alone and in batches", "queries alone and in batches"}


def test_a_provider_that_embeds_in_batches_otherwise_fails_though_titles_and_texts_agree_in_batches(
    sound: tuple[World, Generation],
) -> None:
    world, generation = sound
    _change(world, 1.0, lambda points: list(_of_another_space(np.stack([point.dense for point in points]))))
    batched = Batched(world.embedder)
    batched.prefetch_queries([f"All about {title}" for title in TITLES])  # as an earlier check leaves it
    found = _findings(world, generation, batched)
    assert {check for check in CHECKS | APART if found[check].outcome is Outcome.FAIL} == APART
    for check in APART:
        assert found[check].value == 0.0
        assert found[check].count == 3
        assert "batch_texts = 1" in found[check].detail


@pytest.mark.parametrize("side", ["documents", "queries"])
def test_each_side_is_looked_at_by_itself(sound: tuple[World, Generation], side: str) -> None:
    world, generation = sound
    if side == "documents":
        _change(world, 1.0, lambda points: list(_of_another_space(np.stack([point.dense for point in points]))))
    batched = Batched(world.embedder, documents=side == "documents", queries=side == "queries")
    found = _findings(world, generation, batched)
    assert {check for check in APART if found[check].outcome is Outcome.FAIL} == {f"{side} alone and in batches"}


def test_a_provider_that_embeds_alike_passes_and_a_model_that_takes_one_text_at_a_time_is_not_asked(
    sound: tuple[World, Generation],
) -> None:
    found = _findings(*sound, Costly(sound[0].embedder))
    assert {found[check].outcome for check in APART} == {Outcome.PASS}
    assert not APART & set(_findings(*sound))


def test_texts_whose_vectors_are_wrong_anyway_are_not_laid_to_batches(sound: tuple[World, Generation]) -> None:
    world, generation = sound
    _change(world, 1.0, _rotated_forwards)
    found = _findings(world, generation, Costly(world.embedder))
    assert found["embedded again"].outcome is Outcome.FAIL
    assert "documents alone and in batches" not in found
