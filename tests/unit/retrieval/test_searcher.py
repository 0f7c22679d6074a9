"""The searcher: what it finds in each mode, what it leaves out, and what it refuses."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.memory_embedder import MemoryEmbedder
from tests.worlds import RULES, World

from assay.adapters.stores.edge.store import EdgeStore
from assay.errors import IdentityMismatch, InputError, StoreUnavailable
from assay.model.generations import EmbedderIdentity
from assay.model.ranking import Filters, FusionMethod, Mode, Query, Ranking, by_page
from assay.ports import IndexAnswer, IndexQuery, Vector, VectorIndex
from assay.retrieval.fusion import FusionWeights, fuse
from assay.retrieval.searcher import Searcher, SearchRules
from assay.testing.catalog_samples import page

NAME = "g1"
PAGES = (
    page("gripper", "The gripper opens wide.", "Grease the gripper weekly.", title="Gripper"),
    page("camera", "The camera focuses.", title="Camera", source="wiki"),
    page("old/camera", "The camera had no focus.", title="Camera", version="1.0", version_is_current=False),
    page("fr/camera", "La lentille est propre.", title="Camera", locale="fr", locale_is_default=False),
    page("wheel", "The wheel turns.", "The wheel stops.", "Wheels wear.", title="Wheel"),
)


class Renamed(MemoryEmbedder):
    """The same vectors under another identity."""

    @property
    def identity(self) -> EmbedderIdentity:
        return replace(super().identity, revision="2")


@pytest.fixture(scope="module")
def world() -> World:
    world = World()
    world.build(NAME, *PAGES)
    return world


@pytest.fixture
def searcher(world: World) -> Searcher:
    return world.searcher(NAME)


def _paths(ranking: Ranking) -> list[str]:
    return [hit.chunk.document.url.removeprefix("https://docs.example.org/") for hit in ranking.hits]


# --- modes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", Mode)
def test_every_mode_ranks_the_page_that_says_it_first(searcher: Searcher, mode: Mode) -> None:
    ranking = searcher.search(Query("gripper grease", 3, mode))
    assert ranking.hits[0].chunk.text == "Grease the gripper weekly."
    assert [hit.rank for hit in ranking.hits] == list(range(1, len(ranking.hits) + 1))
    assert ranking.generation == NAME


def test_sparse_finds_only_what_shares_a_word(searcher: Searcher) -> None:
    assert set(_paths(searcher.search(Query("gripper", 10, Mode.SPARSE)))) == {"gripper"}


def test_sparse_with_no_word_in_common_finds_nothing_and_warns_of_nothing(searcher: Searcher) -> None:
    ranking = searcher.search(Query("zeppelin", 10, Mode.SPARSE))
    assert (ranking.hits, ranking.warnings) == ((), ())


@pytest.mark.parametrize(("mode", "found"), [(Mode.SPARSE, False), (Mode.HYBRID, True)])
def test_a_query_of_stop_words_warns_and_only_dense_search_answers(searcher: Searcher, mode: Mode, found: bool) -> None:
    ranking = searcher.search(Query("the and of", 10, mode))
    assert bool(ranking.hits) is found
    assert len(ranking.warnings) == 1
    assert "no words" in ranking.warnings[0]


def test_dense_needs_no_words_and_warns_of_nothing(searcher: Searcher) -> None:
    ranking = searcher.search(Query("the and of", 10, Mode.DENSE))
    assert ranking.hits
    assert ranking.warnings == ()


def test_hybrid_finds_whatever_one_of_its_sides_finds(searcher: Searcher) -> None:
    everything = Filters(everything=True)
    hybrid = set(_paths(searcher.search(Query("gripper", 50, filters=everything))))
    assert hybrid == set(_paths(searcher.search(Query("gripper", 50, Mode.DENSE, filters=everything))))


@pytest.mark.parametrize("method", FusionMethod)
@pytest.mark.parametrize(("weights", "mode"), [((1.0, 0.0), Mode.DENSE), ((0.0, 1.0), Mode.SPARSE)])
def test_hybrid_with_one_weight_of_zero_ranks_as_the_other_side(
    world: World, method: FusionMethod, weights: tuple[float, float], mode: Mode
) -> None:
    query = Query("the gripper stops and wheels wear", 10)
    alone = world.searcher(NAME).search(replace(query, mode=mode)).hits
    hybrid = world.searcher(NAME, rules=SearchRules(method, FusionWeights(*weights), 60, 50)).search(query).hits
    assert len(alone) >= 3
    assert [hit.chunk.id for hit in hybrid[: len(alone)]] == [hit.chunk.id for hit in alone]


@pytest.mark.parametrize("method", FusionMethod)
def test_hybrid_scores_are_the_fusion_of_both_sides(world: World, method: FusionMethod) -> None:
    query = Query("gripper stops wear", 10)
    weights = FusionWeights(0.4, 1.0)
    index = world.open(NAME)
    dense = index.search(IndexQuery(world.embedder.embed_query(query.text), None, 50, query.filters)).dense
    sparse = index.search(IndexQuery(None, world.encoder.encode_query(query.text), 50, query.filters)).sparse
    fused = fuse(method, dense, sparse, weights, 60)[: query.top_k]
    hits = world.searcher(NAME, rules=SearchRules(method, weights, 60, 50)).search(query).hits
    assert len(sparse) >= 3
    assert [(hit.chunk.id, hit.rank_score) for hit in hits] == [(one.point, pytest.approx(one.score)) for one in fused]


@pytest.mark.parametrize("mode", Mode)
def test_the_similarity_of_a_hit_is_its_true_cosine_in_every_mode(world: World, searcher: Searcher, mode: Mode) -> None:
    ranking = searcher.search(Query("gripper wheel", 10, mode, filters=Filters(everything=True)))
    query = world.embedder.embed_query("gripper wheel")
    for hit in ranking.hits:
        cosine = float(query @ world.embedder.embed_query(hit.chunk.embedded_text))
        assert hit.similarity == pytest.approx(max(cosine, 0.0), abs=1e-5)


def test_rank_scores_fall_and_dense_is_ranked_by_similarity(searcher: Searcher) -> None:
    for mode in Mode:
        hits = searcher.search(Query("gripper wheel", 10, mode)).hits
        assert [hit.rank_score for hit in hits] == sorted((hit.rank_score for hit in hits), reverse=True)
    dense = searcher.search(Query("gripper wheel", 10, Mode.DENSE)).hits
    assert [hit.rank_score for hit in dense] == [hit.similarity for hit in dense]


def test_the_method_and_the_weights_of_the_rules_are_used(world: World) -> None:
    query = Query("gripper wheel", 10)
    dense_only = world.searcher(NAME, rules=replace(RULES, weights=FusionWeights(1.0, 0.0)))
    in_dense_mode = world.searcher(NAME).search(replace(query, mode=Mode.DENSE))
    assert [hit.chunk.id for hit in dense_only.search(query).hits] == [hit.chunk.id for hit in in_dense_mode.hits]
    rrf = world.searcher(NAME, rules=SearchRules(FusionMethod.RRF, FusionWeights(1.0, 1.0), 60, 50)).search(query)
    assert rrf.hits[0].rank_score != world.searcher(NAME).search(query).hits[0].rank_score


# --- filters, threshold, limit -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), {"camera"}),
        (Filters(everything=True), {"camera", "old/camera", "fr/camera"}),
        (Filters(versions=("1.0",)), {"old/camera"}),
        (Filters(versions=("1.0", "2.0")), {"camera", "old/camera"}),
        (Filters(locales=("fr",)), {"fr/camera"}),
        (Filters(sources=("wiki",)), {"camera"}),
        (Filters(sources=("docs",)), set()),
        (Filters(url_prefix="https://docs.example.org/camera"), {"camera"}),
        (Filters(url_prefix="https://docs.example.org/cam"), set()),
        (Filters(url_prefix="https://docs.example.org", everything=True), {"camera", "old/camera", "fr/camera"}),
        (Filters(sections=("Part 0",)), {"camera"}),
        (Filters(sections=("Part 9",)), set()),
        (Filters(versions=("9.9",)), set()),
    ],
)
def test_a_filter_leaves_only_what_it_names(
    searcher: Searcher, filters: Filters, expected: set[str], mode: Mode
) -> None:
    hits = _paths(searcher.search(Query("camera", 50, mode, filters=filters)))
    assert {path for path in hits if path.endswith("camera")} == expected


@pytest.mark.parametrize("mode", Mode)
def test_a_hit_exactly_on_the_threshold_is_in_and_one_below_is_out(searcher: Searcher, mode: Mode) -> None:
    query = Query("gripper wheel", 50, mode)
    everything = searcher.search(query).hits
    limit = sorted(hit.similarity for hit in everything)[len(everything) // 2]
    assert limit > 0.0
    at = searcher.search(replace(query, threshold=limit)).hits
    above = searcher.search(replace(query, threshold=float(np.nextafter(limit, 1.0)))).hits
    assert {hit.chunk.id for hit in at} == {hit.chunk.id for hit in everything if hit.similarity >= limit}
    assert {hit.chunk.id for hit in above} == {hit.chunk.id for hit in everything if hit.similarity > limit}
    assert [hit.rank for hit in at] == list(range(1, len(at) + 1))


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.DENSE])
def test_a_search_goes_no_deeper_than_where_the_threshold_is_passed(
    mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()
    world.build(NAME, *(page(f"part-{number}", f"Part {number} of the wheel.") for number in range(60)))
    searcher = world.searcher(NAME, rules=replace(RULES, depth=10))
    everything = searcher.search(Query("part 7 wheel", 60, Mode.DENSE)).hits
    depths: list[int] = []
    search = searcher.index.search
    monkeypatch.setattr(searcher.index, "search", lambda query: (depths.append(query.limit), search(query))[1])
    hits = searcher.search(Query("part 7 wheel", 5, mode, threshold=everything[2].similarity)).hits
    assert {hit.chunk.id for hit in hits} == {hit.chunk.id for hit in everything[:3]}
    assert depths == [10]


@pytest.mark.parametrize("mode", Mode)
def test_a_threshold_that_nothing_reaches_leaves_nothing(searcher: Searcher, mode: Mode) -> None:
    assert searcher.search(Query("gripper", 5, mode, threshold=1.0)).hits == ()


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("top_k", [1, 2, 3])
def test_there_are_as_many_hits_as_were_asked_for(searcher: Searcher, top_k: int, mode: Mode) -> None:
    assert len(searcher.search(Query("wheel", top_k, mode)).hits) == top_k


def test_more_than_there_is_gives_what_there_is(searcher: Searcher) -> None:
    everything = Filters(everything=True)
    assert len(searcher.search(Query("wheel", 100, Mode.DENSE, filters=everything)).hits) == 8


def test_the_first_hits_do_not_depend_on_how_many_are_asked_for(searcher: Searcher) -> None:
    for mode in Mode:
        many = [hit.chunk.id for hit in searcher.search(Query("wheel gripper", 6, mode)).hits]
        for top_k in range(1, 6):
            few = [hit.chunk.id for hit in searcher.search(Query("wheel gripper", top_k, mode)).hits]
            assert few == many[:top_k]


def test_vectors_come_only_when_they_are_asked_for(world: World, searcher: Searcher) -> None:
    assert searcher.search(Query("wheel", 1)).hits[0].vector is None
    hit = searcher.search(Query("wheel", 1, with_vectors=True)).hits[0]
    assert hit.vector == tuple(world.embedder.embed_query(hit.chunk.embedded_text).tolist())


# --- equal passages ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", Mode)
def test_a_passage_that_stands_on_many_pages_comes_once_and_makes_room(mode: Mode) -> None:
    world = World()
    copies = [page(f"copy-{number}", "Switch the power off.", title="Power") for number in range(120)]
    world.build(NAME, *copies, page("other", "The power cable.", title="Power"), page("lamp", "Power for the lamp."))
    rules = replace(RULES, depth=10)
    hits = world.searcher(NAME, rules=rules).search(Query("power off", 3, mode)).hits
    assert sorted(hit.chunk.text for hit in hits) == [
        "Power for the lamp.",
        "Switch the power off.",
        "The power cable.",
    ]


class Translated:
    """An index that names points by chunk ids, so that copies of a text are known only when they are read."""

    def __init__(self, index: VectorIndex) -> None:
        self._index = index

    def search(self, query: IndexQuery) -> IndexAnswer:
        return self._index.search(query).by_chunk_id()

    def __getattr__(self, name: str) -> object:
        return getattr(self._index, name)


@pytest.fixture(scope="module")
def with_copies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searcher]:
    """Over an embedded index in which most texts are on several pages, in two versions."""
    world = World(EdgeStore(tmp_path_factory.mktemp("copies") / "index", hnsw_threshold=10**9))
    dice = random.Random(5)
    words = ["gear", "wheel", "power", "cable", "lamp", "switch", "grease", "turns"]
    texts = [" ".join(dice.choices(words, k=5)) for _ in range(25)]
    old = {"version": "1.0", "version_is_current": False}
    pages = []
    for number in range(90):
        version = old if number % 3 == 0 else {"version": "2.0"}
        found = dice.choices(texts, k=3)
        pages.append(page(f"page-{number}", *found, title=dice.choice(("Gear", "Power", "Lamp")), **version))  # type: ignore[arg-type]
    world.build(NAME, *pages)
    searcher = world.searcher(NAME)
    yield searcher
    searcher.close()


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"threshold": 0.4},
        {"filters": Filters(versions=("1.0",))},
        {"filters": Filters(versions=("1.0", "2.0"))},
        {"filters": Filters(everything=True)},
        {"passages_per_page": 2},
    ],
)
def test_hits_are_the_same_whether_copies_are_known_before_or_after_reading(
    with_copies: Searcher, mode: Mode, options: dict[str, Any]
) -> None:
    slow = with_copies.over(Translated(with_copies.index))
    found = 0
    for text in ("gear turns", "lamp", "power cable switch", "grease the wheel", "lamp power gear"):
        for top_k in (1, 4, 10, 30):
            query = Query(text, top_k, mode, **options)
            hits = with_copies.search(query).hits
            assert hits == slow.search(query).hits
            assert len({hit.chunk.content_hash for hit in hits}) == len(hits)
            found += len(hits)
    assert found


def test_chunks_whose_text_an_earlier_candidate_has_are_not_read(
    with_copies: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    read = type(with_copies.index)._records
    monkeypatch.setattr(
        type(with_copies.index), "_records", lambda self, ids, **how: asked.append(len(ids)) or read(self, ids, **how)
    )
    assert len(with_copies.search(Query("gear turns", 10)).hits) == 10
    assert asked == [10]


# --- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
def test_an_empty_query_is_refused(searcher: Searcher, text: str) -> None:
    with pytest.raises(InputError, match="query: it is empty"):
        searcher.search(Query(text, 5))


@pytest.mark.parametrize("mode", Mode)
def test_a_query_that_the_embedder_knows_nothing_of_is_the_callers_error(searcher: Searcher, mode: Mode) -> None:
    with pytest.raises(InputError, match=r"query: '!\?' has no word that the model knows"):
        searcher.search(Query("!?", 5, mode))


def test_another_embedder_of_the_same_dimension_is_refused_with_both_named(world: World) -> None:
    with pytest.raises(IdentityMismatch, match=r"memory model hashed-words.*assay publish"):
        world.searcher(NAME, embedder=Renamed(64, None))


def test_another_dimension_is_refused(world: World) -> None:
    with pytest.raises(IdentityMismatch, match=r"\(64 dimensions\).*\(32\)"):
        world.searcher(NAME, embedder=MemoryEmbedder(32, None))


def test_a_closed_searcher_fails_and_does_not_answer_with_nothing(searcher: Searcher) -> None:
    searcher.close()
    for mode in Mode:
        with pytest.raises(StoreUnavailable):
            searcher.search(Query("wheel", 5, mode))


@pytest.mark.parametrize("mode", Mode)
def test_an_empty_index_answers_with_nothing(mode: Mode) -> None:
    world = World()
    empty = page("empty", "x")
    world.build(NAME, (replace(empty[0], text=""), []))
    ranking = world.searcher(NAME).search(Query("wheel", 5, mode))
    assert (ranking.hits, ranking.generation) == ((), NAME)


def test_the_stages_are_timed_and_add_up(searcher: Searcher) -> None:
    timings = searcher.search(Query("wheel", 5)).timings
    parts = (timings.embed_ms, timings.search_ms, timings.fuse_ms, timings.filter_ms)
    assert all(part > 0.0 for part in parts)
    assert timings.total_ms >= sum(parts)


def test_a_query_is_embedded_once(world: World) -> None:
    class Counting(MemoryEmbedder):
        asked = 0

        def embed_query(self, text: str) -> Vector:
            self.asked += 1
            return super().embed_query(text)

    embedder = Counting(64, None)
    world.searcher(NAME, embedder=embedder).search(Query("wheel", 5))
    assert embedder.asked == 1


# --- pages without a version -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def blogged() -> World:
    world = World()
    world.build(NAME, *PAGES, page("blog/camera", "We bought a camera.", source="blog", version=None))
    return world


@pytest.mark.parametrize("mode", Mode)
def test_pages_without_a_version_are_found_next_to_the_named_versions(blogged: World, mode: Mode) -> None:
    searcher = blogged.searcher(NAME)
    old = Query("camera", 10, mode, filters=Filters(versions=("1.0",)))
    assert _paths(searcher.search(old)) == ["old/camera"]
    ranking = searcher.search(replace(old, filters=replace(old.filters, include_unversioned=True)))
    assert set(_paths(ranking)) == {"old/camera", "blog/camera"}


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("url", ["a", "z"])
def test_a_copy_without_a_version_does_not_hide_the_page_of_the_named_one(mode: Mode, url: str) -> None:
    world = World()
    old = page("m/camera", "We bought a camera.", version="1.0", version_is_current=False)
    world.build(NAME, old, page(f"{url}/camera", "We bought a camera.", version=None))
    filters = Filters(versions=("1.0",), include_unversioned=True)
    assert _paths(world.searcher(NAME).search(Query("camera", 10, mode, filters=filters))) == ["m/camera"]


def test_the_versions_are_read_once_and_only_for_searches_that_need_them(
    blogged: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    monkeypatch.setattr(blogged, "versions", lambda name: reads.append(name) or frozenset({"1.0", "2.0"}))
    searcher = blogged.searcher(NAME)
    for filters in (Filters(versions=("1.0",)), Filters(include_unversioned=True)):
        searcher.search(Query("camera", 10, filters=filters))
    assert reads == []
    with_blog = Filters(versions=("1.0",), include_unversioned=True)
    assert searcher.page_of(with_blog)
    assert searcher.has_pages(with_blog)
    searcher.search(Query("camera", 10, filters=with_blog))
    assert reads == [NAME]


# --- without keywords ----------------------------------------------------------------------------------------------


def _without_keywords(world: World) -> Searcher:
    index = world.searcher(NAME).index
    return Searcher(world.catalog.generation(NAME), index, world.embedder, None, RULES)


def test_without_keyword_vectors_a_hybrid_query_is_answered_by_meaning_and_says_so(
    world: World, searcher: Searcher
) -> None:
    dense = searcher.search(Query("gripper grease", 3, Mode.DENSE))
    hybrid = _without_keywords(world).search(Query("gripper grease", 3))
    assert hybrid.hits == dense.hits
    assert hybrid.query.mode is Mode.DENSE
    assert [warning.split(":")[0] for warning in hybrid.warnings] == ["Keyword search was skipped"]
    assert _without_keywords(world).search(Query("gripper grease", 3, Mode.DENSE)).warnings == ()


def test_without_keyword_vectors_a_sparse_query_is_refused(world: World) -> None:
    with pytest.raises(InputError, match=r"^mode: "):
        _without_keywords(world).search(Query("gripper grease", 3, Mode.SPARSE))


# --- nothing was found ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("filters", "warnings"),
    [
        (Filters(locales=("xx", "yy")), ('No page is in locale "xx" or "yy".',)),
        (Filters(versions=("9",)), ('No page is of version "9".',)),
        (Filters(sources=("handbook",)), ('No page is of source "handbook".',)),
        (Filters(sections=("Weather",)), ('No page has a section "Weather".',)),
        (Filters(url_prefix="https://docs.invalid/a"), ('No page is under "https://docs.invalid/a".',)),
        (
            Filters(locales=("xx",), versions=("9",), sources=("wiki",)),
            ('No page is of version "9".', 'No page is in locale "xx".'),
        ),
        (
            Filters(versions=("1.0",), sources=("wiki",), include_unversioned=True),
            ("No page matches all of these filters; `everything` lifts the defaults of version and locale.",),
        ),
        (
            Filters(sources=("wiki",), url_prefix="https://docs.example.org/wheel"),
            ("No page matches all of these filters; `everything` lifts the defaults of version and locale.",),
        ),
    ],
)
@pytest.mark.parametrize("mode", Mode)
def test_a_filter_that_no_page_fits_is_named(
    searcher: Searcher, mode: Mode, filters: Filters, warnings: tuple[str, ...]
) -> None:
    ranking = searcher.search(Query("camera", 3, mode, filters=filters))
    assert (ranking.hits, ranking.warnings) == ((), warnings)


def test_filters_that_pages_fit_are_not_blamed_for_a_threshold(searcher: Searcher) -> None:
    ranking = searcher.search(Query("camera", 3, Mode.DENSE, threshold=1.0, filters=Filters(sources=("wiki",))))
    assert (ranking.hits, ranking.warnings) == ((), ())


# --- boosts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", Mode)
def test_a_boosted_source_comes_first_and_similarity_stays_the_true_cosine(world: World, mode: Mode) -> None:
    query = Query("the camera and the gripper", 5, mode)
    plain = world.searcher(NAME).search(query)
    ranking = world.searcher(NAME, rules=replace(RULES, boosts={"wiki": 10.0})).search(query)
    assert ranking.hits[0].chunk.document.source == "wiki"
    cosines = {hit.chunk.id: hit.similarity for hit in plain.hits}
    assert all(
        hit.similarity == pytest.approx(cosines[hit.chunk.id]) for hit in ranking.hits if hit.chunk.id in cosines
    )
    scores = [hit.rank_score for hit in ranking.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores) or mode is Mode.SPARSE


def test_a_boost_does_not_help_over_the_threshold(world: World) -> None:
    query = Query("gripper", 5, Mode.DENSE, threshold=0.99)
    assert not world.searcher(NAME, rules=replace(RULES, boosts={"wiki": 10.0})).search(query).hits


# --- the same passage in several versions --------------------------------------------------------------------------


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("top_k", [1, 3, 10])
def test_of_equal_passages_the_hit_is_that_of_the_current_version(mode: Mode, top_k: int) -> None:
    """Whatever their ids are: ids order equal scores, and half of all old versions would come first."""
    paths = [f"page-{number}" for number in range(6)]
    old = {"version": "1.0", "version_is_current": False}
    french = {"version": "2.0", "locale": "fr", "locale_is_default": False}
    pages = [page(path, f"The {path} gear turns.", title="Gear", version="2.0") for path in paths]
    pages += [page(f"1.0/{path}", f"The {path} gear turns.", title="Gear", **old) for path in paths]  # type: ignore[arg-type]
    pages += [page(f"fr/{path}", f"The {path} gear turns.", title="Gear", **french) for path in paths]  # type: ignore[arg-type]
    world = World()
    world.build(NAME, *pages)
    ranking = world.searcher(NAME).search(Query("gear turns", top_k, mode, filters=Filters(everything=True)))
    assert len(ranking.hits) == min(top_k, len(paths))
    assert all(hit.chunk.document.primary for hit in ranking.hits), _paths(ranking)


# --- groups --------------------------------------------------------------------------------------------------------


def test_a_grouped_search_gives_the_best_pages_with_few_passages_each(searcher: Searcher) -> None:
    ranking = searcher.search(Query("wheel gripper", 2, passages_per_page=2))
    pages = by_page(ranking.hits)
    assert {page[0].title for page in pages} == {"Wheel", "Gripper"}
    assert [len(page) for page in pages] == [2, 2]
    assert [hit.rank for hit in ranking.hits] == [1, 2, 3, 4]
    scores = [hit.rank_score for hit in ranking.hits]
    assert scores == sorted(scores, reverse=True)


def test_a_grouped_search_looks_deeper_when_one_page_has_all_of_the_first_hits() -> None:
    world = World()
    texts = [f"The wheel number {number} turns." for number in range(60)]
    world.build(NAME, page("wheels", *texts, title="Wheels"), page("axle", "An axle of one wheel."))
    ranking = world.searcher(NAME).search(Query("wheel turns", 2, passages_per_page=1))
    assert [len(page) for page in by_page(ranking.hits)] == [1, 1]
    everything = world.searcher(NAME).search(Query("wheel turns", 5, passages_per_page=1))
    assert len(everything.hits) == 2


def test_a_grouped_search_without_keyword_vectors_counts_pages_too(world: World) -> None:
    ranking = _without_keywords(world).search(Query("wheel turns stops wear", 2, passages_per_page=1))
    assert len(_paths(ranking)) == len(set(_paths(ranking))) == 2


def test_a_grouped_search_gives_vectors_of_its_hits(searcher: Searcher) -> None:
    grouped = searcher.search(Query("wheel gripper", 2, with_vectors=True, passages_per_page=2))
    plain = searcher.search(Query("wheel gripper", 20, with_vectors=True))
    vectors = {hit.chunk.id: hit.vector for hit in plain.hits}
    assert [hit.vector for hit in grouped.hits] == [vectors[hit.chunk.id] for hit in grouped.hits]
    assert None not in vectors.values()


def test_a_grouped_search_finds_pages_behind_a_page_with_very_many_passages() -> None:
    world = World()
    long = page("long", *(f"The wheel turns {at}." for at in range(450)), title="Wheel turns")
    world.build(NAME, long, page("short", "Somewhere a wheel, long after other things, turns."))
    ranking = world.searcher(NAME).search(Query("wheel turns", 2, Mode.SPARSE, passages_per_page=1))
    assert _paths(ranking) == ["long", "short"]
