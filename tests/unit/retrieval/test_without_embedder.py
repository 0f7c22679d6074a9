"""What a search does where its query cannot be embedded, or need not be."""

import logging
from dataclasses import replace

import pytest
from tests.memory_embedder import MemoryEmbedder
from tests.worlds import RULES, World

from assay.adapters.embedders.deferred import DeferredEmbedder
from assay.errors import ConfigurationError, EmbedderRefused, EmbedderUnavailable, IdentityMismatch, InputError
from assay.model.ranking import Embed, Filters, Mode, Query
from assay.ports import Batching, Embedder, Vector
from assay.retrieval.searcher import Searcher
from assay.testing.catalog_samples import page

NAME = "g1"
NOT_ALWAYS = (Embed.WHERE_NEEDED, Embed.WHERE_POSSIBLE)


class Provider(MemoryEmbedder):
    """Costs something, counts what it is asked, and fails with what it is told to."""

    def __init__(self, failure: Exception | None = None, *, costly: bool = True) -> None:
        super().__init__(64, None)
        self.failure = failure
        self.asked = 0
        self._costly = costly

    @property
    def batching(self) -> Batching:
        return replace(super().batching, costly=self._costly)

    def embed_query(self, text: str) -> Vector:
        self.asked += 1
        if self.failure is not None:
            raise self.failure
        return super().embed_query(text)


def gone() -> Provider:
    return Provider(EmbedderUnavailable("The provider at 10.0.0.7 does not answer."))


@pytest.fixture(scope="module")
def world() -> World:
    world = World()
    world.build(
        NAME,
        page("gripper", "The gripper opens wide.", "Grease the gripper weekly.", title="Gripper"),
        page("camera", "The camera focuses.", title="Camera"),
        page("wheel", "The wheel turns.", "Wheels wear.", title="Wheel"),
    )
    return world


def _over(world: World, embedder: Provider) -> Searcher:
    return world.searcher(NAME, embedder=embedder)


# --- keyword search ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("embed", NOT_ALWAYS)
def test_keyword_search_asks_no_provider_and_has_no_similarities(world: World, embed: Embed) -> None:
    provider = gone()
    ranking = _over(world, provider).search(Query("gripper", 5, Mode.SPARSE), embed)
    scored = world.searcher(NAME).search(Query("gripper", 5, Mode.SPARSE))
    assert [(hit.chunk, hit.rank_score) for hit in ranking.hits] == [(hit.chunk, hit.rank_score) for hit in scored.hits]
    assert {hit.similarity for hit in ranking.hits} == {None}
    assert (ranking.degraded, ranking.warnings, ranking.query.mode) == (False, (), Mode.SPARSE)
    assert provider.asked == 0


@pytest.mark.parametrize("embed", NOT_ALWAYS)
@pytest.mark.parametrize(
    ("provider", "more", "similar"),
    [
        pytest.param(Provider(costly=False), {}, True, id="costs nothing"),
        pytest.param(Provider(), {}, False, id="costs something"),
        pytest.param(Provider(), {"threshold": 0.01}, True, id="a threshold needs it"),
        pytest.param(Provider(), {"with_similarity": True}, True, id="asked for"),
    ],
)
def test_keyword_search_has_similarities_where_they_cost_nothing_or_are_needed(
    world: World, embed: Embed, provider: Provider, more: dict[str, object], similar: bool
) -> None:
    query = replace(Query("gripper", 5, Mode.SPARSE), **more)  # type: ignore[arg-type]  # fields of Query
    found = [hit.similarity for hit in _over(world, provider).search(query, embed).hits]
    expected = [hit.similarity for hit in world.searcher(NAME).search(query).hits]
    assert found == (expected if similar else [None] * len(expected))


def test_a_keyword_query_in_which_a_free_model_knows_nothing_is_answered_all_the_same(world: World) -> None:
    class Blank(Provider):
        def embed_query(self, text: str) -> Vector:
            return super().embed_query(text.replace("gripper", "!?"))

    query = Query("gripper", 5, Mode.SPARSE)
    ranking = _over(world, Blank(costly=False)).search(query, Embed.WHERE_NEEDED)
    assert [hit.similarity for hit in ranking.hits] == [None, None]
    with pytest.raises(InputError):
        _over(world, Blank(costly=False)).search(query)


def test_a_filter_that_no_page_fits_is_named_without_an_embedding_too(world: World) -> None:
    query = Query("gripper", 5, Mode.SPARSE, filters=Filters(versions=("9",)))
    ranking = _over(world, gone()).search(query, Embed.WHERE_NEEDED)
    assert (ranking.hits, ranking.warnings) == ((), ('No page is of version "9".',))


# --- falling back --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("failure", [EmbedderUnavailable("no answer"), EmbedderRefused("no such key")])
def test_a_hybrid_query_that_cannot_be_embedded_is_answered_by_keyword_and_says_so(
    world: World, failure: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    ranking = _over(world, Provider(failure)).search(Query("gripper", 5), Embed.WHERE_POSSIBLE)
    scored = world.searcher(NAME).search(Query("gripper", 5, Mode.SPARSE))
    assert [(hit.chunk, hit.rank_score) for hit in ranking.hits] == [(hit.chunk, hit.rank_score) for hit in scored.hits]
    assert {hit.similarity for hit in ranking.hits} == {None}
    assert (ranking.degraded, ranking.query.mode) == (True, Mode.SPARSE)
    (warning,) = ranking.warnings
    assert "keyword search alone answered" in warning
    assert str(failure) not in warning
    assert str(failure) in caplog.text


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.SPARSE])
def test_a_threshold_that_cannot_be_applied_is_named(world: World, mode: Mode) -> None:
    ranking = _over(world, gone()).search(Query("gripper", 5, mode, threshold=0.99), Embed.WHERE_POSSIBLE)
    assert (len(ranking.hits), ranking.degraded) == (2, True)
    assert "The threshold of 0.99 was not applied." in ranking.warnings[0]


@pytest.mark.parametrize(
    ("query", "embed"),
    [
        *((Query("gripper", 5, Mode.DENSE), embed) for embed in Embed),
        *((Query("gripper", 5, mode), Embed.ALWAYS) for mode in Mode),
        (Query("gripper", 5), Embed.WHERE_NEEDED),
        (Query("gripper", 5, Mode.SPARSE, threshold=0.1), Embed.WHERE_NEEDED),
        (Query("gripper", 5, Mode.SPARSE, with_similarity=True), Embed.WHERE_NEEDED),
        (Query("the and of", 5), Embed.WHERE_POSSIBLE),
    ],
    ids=str,
)
def test_what_cannot_do_without_an_embedding_fails(world: World, query: Query, embed: Embed) -> None:
    with pytest.raises(EmbedderUnavailable):
        _over(world, gone()).search(query, embed)


def test_a_hit_without_a_similarity_is_none_that_can_be_sorted_by(world: World) -> None:
    hit = _over(world, gone()).search(Query("gripper", 5), Embed.WHERE_POSSIBLE).hits[0]
    with pytest.raises(ValueError, match="has no similarity"):
        _ = hit.known_similarity


# --- an embedder that cannot be built ------------------------------------------------------------------------------


def test_an_embedder_that_cannot_be_built_is_tried_again_when_it_is_needed(world: World) -> None:
    tries: list[Exception | Embedder] = [
        ConfigurationError("There is no key."),
        EmbedderUnavailable("The model is not here yet."),
        MemoryEmbedder(64, None),
    ]

    def make() -> Embedder:
        made = tries.pop(0)
        if isinstance(made, Exception):
            raise made
        return made

    late = DeferredEmbedder(world.embedder.identity, make, "no key")
    searcher = Searcher(world.catalog.generation(NAME), world.open(NAME), late, world.encoder, RULES)
    with pytest.raises(ConfigurationError):
        searcher.search(Query("gripper", 5), Embed.WHERE_POSSIBLE)
    assert late.problem == "There is no key."
    assert searcher.search(Query("gripper", 5), Embed.WHERE_POSSIBLE).degraded
    assert late.problem == "The model is not here yet."
    assert not searcher.search(Query("gripper", 5), Embed.WHERE_POSSIBLE).degraded
    assert late.problem == ""


def test_an_embedder_that_turns_out_to_be_another_is_refused(world: World) -> None:
    late = DeferredEmbedder(world.embedder.identity, lambda: MemoryEmbedder(32, None), "")
    with pytest.raises(IdentityMismatch):
        late.embed_query("gripper")
    assert late.problem
