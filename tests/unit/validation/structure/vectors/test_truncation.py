"""An embedder that drops the end of long texts is found by their vectors alone."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.structures import LIMITS
from tests.worlds import World

from assay.model.evaluation import Finding, Outcome
from assay.ports import Batching, Silence, Vectors
from assay.testing.catalog_samples import page
from assay.validation.structure import CheckContext
from assay.validation.structure.vectors.truncation import read_to_the_end

WORDS = ("anchor", "battery", "camera", "diagram", "encoder", "flange", "gripper", "hinge", "inverter", "joint")


class Shortsighted:
    """Embeds the beginning of each text. characters: how many are read."""

    def __init__(self, world: World, characters: int, *, costly: bool = False) -> None:
        self._embedder = world.embedder
        self._characters = characters
        self.batching = Batching(texts=8, calls=1, costly=costly)
        self.embedded = 0

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.embedded += len(texts)
        made: Vectors = self._embedder.embed_documents([text[: self._characters] for text in texts])
        return made

    def __getattr__(self, name: str) -> object:
        return getattr(self._embedder, name)


def _text(number: int, words: int) -> str:
    return " ".join(f"{WORDS[(number * 3 + at * (at + number)) % len(WORDS)]}{at}" for at in range(words))


def _found(characters: int, words: int = 120, *, costly: bool = False, again: int = 20) -> tuple[list[Finding], int]:
    world = World()
    embedder = Shortsighted(world, characters, costly=costly)
    world.embedder = embedder  # type: ignore[assignment]  # as much of one as is asked
    generation = world.build("g1", *(page(f"p{n}", _text(n, words)) for n in range(5)))
    embedder.embedded = 0
    searcher = world.searcher(generation.id)
    judged = CheckContext(
        generation, None, world.catalog, searcher.index, searcher.search, lambda _: None, embedder=world.embedder
    )
    return list(read_to_the_end(judged, replace(LIMITS, embedded_again=again), Silence())), embedder.embedded


@pytest.mark.parametrize("characters", [40, 400, 700])
def test_a_model_that_drops_the_last_fifth_of_long_chunks_fails(characters: int) -> None:
    ((finding,), _) = _found(characters)
    assert (finding.check, finding.outcome) == ("read to the end", Outcome.FAIL)
    assert "max_characters" in finding.detail


@pytest.mark.parametrize("costly", [False, True])
def test_a_model_that_reads_all_of_them_passes(costly: bool) -> None:
    ((finding,), embedded) = _found(100_000, costly=costly)
    assert finding.outcome is Outcome.PASS
    assert embedded == 3


def test_short_chunks_and_a_provider_that_may_not_be_asked_say_nothing() -> None:
    assert _found(40, words=10) == ([], 0)
    assert _found(40, costly=True, again=0) == ([], 0)
