"""Explanations: the parts of each score, which add up to the ranking's."""

from array import array
from dataclasses import replace

import pytest
from tests.worlds import RULES, World

from assay.adapters.embedders.static import is_common_word
from assay.model.explanation import Explanation, TermKind
from assay.model.ranking import Embed, Filters, FusionMethod, Mode, Query
from assay.model.vocabulary import Name, NameList, Vocabulary, words_of
from assay.ports import StoredPoint
from assay.retrieval.completion import Completer
from assay.retrieval.explaining import explain
from assay.retrieval.fusion import FusionWeights
from assay.retrieval.searcher import Searcher, SearchRules
from assay.testing.catalog_samples import page

NAME = "g1"
PAGES = (
    page("gripper", "The gripper opens wide.", "Grease the gripper weekly.", title="Gripper"),
    page("camera", "The camera focuses on the gripper.", title="Camera", source="wiki"),
    page("old/camera", "The camera had no focus.", title="Camera", version="1.0", version_is_current=False),
    page("wheel", "The wheel turns.", "The wheel stops, and the wheel stands.", "Wheels wear.", title="Wheel"),
    page("search", "検索エンジンは速い。", title="検索"),
)
QUERIES = (
    "gripper",
    "grease the gripper of the camera",
    "wheels and cameras stop",
    "検索エンジン",
    "zeppelin",
    "the and of",
)


@pytest.fixture(scope="module")
def world() -> World:
    world = World()
    world.build(NAME, *PAGES)
    return world


def check_sums(explanation: Explanation) -> None:
    """Every score is the sum, or the product, of its parts."""
    assert [each.hit for each in explanation.hits] == list(explanation.ranking.hits)
    for each in explanation.hits:
        assert each.score == pytest.approx(each.hit.rank_score, abs=1e-5)
        assert each.dense_part + each.keyword_part == pytest.approx(each.fused, abs=1e-5)
        assert max(each.fused, 0.0) * each.boost == pytest.approx(each.score, abs=1e-5)
        if each.bm25 is not None:
            assert sum(term.score for term in each.terms) == pytest.approx(each.bm25, rel=1e-5)
        for term in each.terms:
            assert term.idf is not None
            assert term.weight is not None
            assert term.query_weight * term.idf * term.weight == pytest.approx(term.score, rel=1e-5)


@pytest.mark.parametrize("boosts", [{}, {"wiki": 2.0, "docs": 0.5}])
@pytest.mark.parametrize("method", FusionMethod)
@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("query", QUERIES)
def test_the_parts_add_up_to_the_score(
    world: World, query: str, mode: Mode, method: FusionMethod, boosts: dict[str, float]
) -> None:
    rules = SearchRules(method, FusionWeights(0.4, 1.0), rrf_k=60, depth=50, boosts=boosts)
    searcher = world.searcher(NAME, rules=rules)
    explanation = explain(searcher, Query(query, 10, mode))
    check_sums(explanation)
    found = searcher.search(Query(query, 10, mode))
    assert explanation.ranking.hits == found.hits


def test_a_shallow_search_is_explained_by_the_whole_index(world: World) -> None:
    """A term may be in more chunks than a search looks at."""
    searcher = world.searcher(NAME, rules=replace(RULES, depth=1))
    explanation = explain(searcher, Query("wheel stops", 1))
    check_sums(explanation)
    assert {term.term for term in explanation.hits[0].terms} == {"wheel", "stops"}


def test_the_words_of_the_query_are_named_as_it_has_them(world: World) -> None:
    best = explain(world.searcher(NAME), Query("Greasing a gripper", 1, Mode.SPARSE)).hits[0]
    assert {(term.term, term.kind) for term in best.terms} == {
        ("Greasing", TermKind.WORD),
        ("gripper", TermKind.WORD),
    }


def test_a_script_without_spaces_is_named_by_its_pairs(world: World) -> None:
    best = explain(world.searcher(NAME), Query("検索エンジン", 1, Mode.SPARSE)).hits[0]
    assert {"検索", "索エ", "ンジ"} <= {term.term for term in best.terms}


def test_a_query_that_is_a_name_has_it_as_a_term(world: World) -> None:
    best = explain(world.searcher(NAME), Query("wheel", 1, Mode.SPARSE)).hits[0]
    kinds = {term.kind: term.term for term in best.terms}
    assert kinds == {TermKind.WORD: "wheel", TermKind.TITLE: "wheel", TermKind.HEADING: "wheel"}


def test_words_that_no_chunk_has_are_listed(world: World) -> None:
    explanation = explain(world.searcher(NAME), Query("zeppelin gripper", 3, correct=False))
    assert explanation.unknown_terms == ("zeppelin",)


def test_idf_is_that_of_the_filters(world: World) -> None:
    query = Query("camera", 1, Mode.SPARSE)
    current = explain(world.searcher(NAME), query).hits[0].terms[0]
    everything = explain(world.searcher(NAME), replace(query, filters=Filters(everything=True))).hits[0].terms[0]
    assert current.idf != pytest.approx(everything.idf)


def test_pages_without_a_version_are_explained_in_the_scope_that_has_them() -> None:
    world = World()
    old = page("old", "A camera.", "The lens of a camera.", version="1.0", version_is_current=False)
    world.build(NAME, old, page("blog", "A camera and a lens.", version=None), page("now", "A lens.", version="2.0"))
    filters = Filters(versions=("1.0",), include_unversioned=True)
    explanation = explain(world.searcher(NAME), Query("camera lens", 5, filters=filters))
    check_sums(explanation)
    assert {hit.hit.chunk.document.version for hit in explanation.hits} == {"1.0", None}


def test_a_completed_query_is_explained_as_it_was_searched(world: World) -> None:
    texts = [chunk.keyword_text for chunk in world.catalog.chunks(NAME)]
    counts: dict[str, int] = {}
    for word in (word for text in texts for word in words_of(text)):
        counts[word] = counts.get(word, 0) + 1
    names = NameList.of([Name("Gripper", "https://docs.example.org/gripper", is_title=True)])
    terms = sorted({term for vector in world.encoder.term_counts(texts) for term in vector.indices})
    vocabulary = Vocabulary(counts, array("I", terms), names)
    generation = world.catalog.generation(NAME)
    completer = Completer(vocabulary, world.encoder, is_common_word)
    searcher = Searcher(generation, world.open(NAME), world.embedder, world.encoder, RULES, completer=completer)
    explanation = explain(searcher, Query("grip", 1, typing=True))
    check_sums(explanation)
    assert explanation.ranking.corrections
    assert "gripper" in {term.term for term in explanation.hits[0].terms}


def test_weights_that_are_not_stored_are_left_open_and_the_scores_still_add_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An adopted collection does not tell them."""
    searcher = world.searcher(NAME)
    stored = searcher.index.stored

    def without_terms(ids: list[str]) -> dict[str, StoredPoint]:
        return {name: replace(point, sparse=None) for name, point in stored(ids).items()}

    monkeypatch.setattr(searcher.index, "stored", without_terms)
    best = explain(searcher, Query("grease the gripper", 1)).hits[0]
    assert all(term.idf is None and term.weight is None for term in best.terms)
    assert sum(term.score for term in best.terms) == pytest.approx(best.bm25, rel=1e-5)


def test_a_keyword_search_without_an_embedding_is_explained(world: World) -> None:
    explanation = explain(world.searcher(NAME), Query("gripper", 3, Mode.SPARSE), Embed.WHERE_NEEDED)
    check_sums(explanation)
    assert (explanation.method, explanation.keyword_weight, explanation.dense_weight) == (None, 1.0, 0.0)
    assert explanation.best_bm25 == explanation.hits[0].bm25
