"""The conformance kit for vector stores.

class TestMyStore(VectorStoreConformance):
    @pytest.fixture
    def store(self):
        yield MyStore(...)  # a new, empty one
"""
# ruff: noqa: D102 - the name of a test is a sentence

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from assay.errors import IndexCorrupt, IndexNotFound, InvalidEmbedding, StoreUnavailable, VectorStoreError
from assay.model.headings import InnerHeading
from assay.model.ranking import Filters
from assay.ports import (
    IndexAnswer,
    IndexPoint,
    IndexQuery,
    IndexSpec,
    SparseVector,
    VectorIndex,
    VectorStore,
    fit_checksums,
    vector_checksums,
)
from assay.testing.catalog_samples import SITE, page
from assay.testing.index_samples import (
    DIMENSION,
    EVERYTHING,
    SPEC,
    VERSIONS,
    cosine,
    direction,
    filled,
    found,
    point,
    points,
    variants,
)

UNKNOWN_IDS = ("00000000-0000-5000-8000-000000000000", "doc-001-0002", "https://x.example/page_3", "")


def _name(value: object) -> str:
    """A test id that is the same in every process, although sets are unordered."""
    return " ".join(sorted(value)) or "nothing" if isinstance(value, set) else str(value)


class VectorStoreConformance:
    """Tests of assay.ports.VectorStore. Subclass it with a fixture `store`."""

    @pytest.fixture
    def store(self) -> VectorStore:
        """A new, empty store for each test."""
        raise NotImplementedError("override the fixture `store`")

    @pytest.fixture
    def index(self, store: VectorStore) -> Iterator[VectorIndex]:
        """An index of 60 different points."""
        index = filled(store, points(60))
        yield index
        index.close()

    # --- building ---

    def test_a_new_store_is_empty_and_can_be_used(self, store: VectorStore) -> None:
        store.check()
        assert store.generations() == []

    def test_an_index_has_the_points_that_were_added(self, store: VectorStore) -> None:
        writer = store.create("g1", SPEC)
        contents = points(25)
        writer.add(contents[:10])
        writer.add([])
        writer.add(contents[10:])
        writer.seal()
        index = store.open("g1", SPEC)
        assert index.count() == 25
        assert list(index.ids()) == sorted(one.chunk.id for one in contents)

    def test_a_point_replaces_the_one_with_its_id(self, store: VectorStore) -> None:
        first, other = point("page", 1), point("other", 2)
        moved = replace(first, chunk=replace(first.chunk, position=7), dense=direction(3))
        again = replace(first, chunk=replace(first.chunk, position=8), dense=direction(4))
        writer = store.create("g1", SPEC)
        writer.add([first, other])
        writer.add([moved, again])
        writer.seal()
        index = store.open("g1", SPEC)
        assert index.count() == 2
        assert index.chunks([first.chunk.id])[first.chunk.id] == again.chunk
        np.testing.assert_array_equal(index.vectors([first.chunk.id])[first.chunk.id], again.dense)

    def test_an_index_is_not_made_over_another(self, store: VectorStore) -> None:
        store.create("g1", SPEC)
        with pytest.raises(VectorStoreError, match="g1"):
            store.create("g1", SPEC)
        index = filled(store, points(1), "g2")
        with pytest.raises(VectorStoreError, match="g2"):
            store.create("g2", SPEC)
        assert index.count() == 1

    @pytest.mark.parametrize(
        "vector",
        [
            np.zeros(DIMENSION, np.float32),
            np.full(DIMENSION, np.nan, np.float32),
            np.full(DIMENSION, np.inf, np.float32),
            np.ones(DIMENSION, np.float32),
            direction(1)[:-1],
            np.concatenate([direction(1), np.zeros(1, np.float32)]),
        ],
        ids=["zero", "NaN", "infinite", "too long to be a direction", "one number short", "one number over"],
    )
    def test_a_vector_that_is_no_direction_is_refused_and_nothing_written(
        self, store: VectorStore, vector: np.ndarray[tuple[int], np.dtype[np.float32]]
    ) -> None:
        writer = store.create("g1", SPEC)
        with pytest.raises(InvalidEmbedding):
            writer.add([point("good", 1), replace(point("bad", 2), dense=vector)])
        writer.seal()
        assert store.open("g1", SPEC).count() == 0

    def test_an_id_that_is_no_uuid_is_refused_and_nothing_written(self, store: VectorStore) -> None:
        writer = store.create("g1", SPEC)
        bad = point("bad", 2)
        with pytest.raises(VectorStoreError, match="doc-001"):
            writer.add([point("good", 1), replace(bad, chunk=replace(bad.chunk, id="doc-001-0002"))])
        writer.seal()
        assert store.open("g1", SPEC).count() == 0

    def test_an_index_can_be_empty(self, store: VectorStore) -> None:
        index = filled(store, [])
        assert index.count() == 0
        assert list(index.ids()) == []
        assert index.search(IndexQuery(direction(1), SparseVector((1,), (1.0,)), 5, EVERYTHING)) == IndexAnswer((), ())

    # --- opening and removing ---

    def test_what_was_never_made_is_not_found(self, store: VectorStore) -> None:
        filled(store, points(1), "g1")
        with pytest.raises(IndexNotFound, match="g2"):
            store.open("g2", SPEC)

    @pytest.mark.parametrize("count", [0, 3])
    def test_what_was_never_sealed_does_not_open(self, store: VectorStore, count: int) -> None:
        store.create("g1", SPEC).add(points(count))
        with pytest.raises(IndexCorrupt, match="g1"):
            store.open("g1", SPEC)

    def test_an_index_of_another_dimension_does_not_open(self, store: VectorStore) -> None:
        filled(store, points(1)).close()
        with pytest.raises(IndexCorrupt, match="dimension"):
            store.open("g1", IndexSpec(DIMENSION + 1))

    def test_inspecting_a_sound_index_reports_no_problems(self, store: VectorStore) -> None:
        filled(store, points(3)).close()
        inspected = store.inspect("g1", SPEC)
        assert inspected.problems == ()
        assert inspected.index is not None
        assert inspected.index.count() == 3
        inspected.index.close()

    def test_inspecting_a_missing_or_unsealed_index_reports_the_problem_without_an_error(
        self, store: VectorStore
    ) -> None:
        store.create("g1", SPEC).add(points(3))
        for name in ("g1", "g2"):
            inspected = store.inspect(name, SPEC)
            assert inspected.index is None
            assert name in "".join(inspected.problems)

    def test_inspecting_an_index_reports_another_dimension(self, store: VectorStore) -> None:
        filled(store, points(1)).close()
        inspected = store.inspect("g1", IndexSpec(DIMENSION + 1))
        assert "dimension" in "".join(inspected.problems)
        if inspected.index is not None:
            inspected.index.close()

    def test_an_index_opens_more_than_once(self, store: VectorStore, index: VectorIndex) -> None:
        other = store.open("g1", SPEC)
        other.close()
        assert index.count() == 60
        assert store.open("g1", SPEC).count() == 60

    def test_all_indexes_are_listed_sealed_or_not(self, store: VectorStore) -> None:
        store.create("g3", SPEC)
        filled(store, points(1), "g1")
        store.create("g2", SPEC).add(points(1))
        assert store.generations() == ["g1", "g2", "g3"]

    def test_deleting_an_index_keeps_the_others(self, store: VectorStore) -> None:
        filled(store, points(1), "g1").close()
        kept = filled(store, points(2), "g2")
        store.create("g3", SPEC).add(points(1))
        store.delete("g1")
        store.delete("g3")
        store.delete("never-there")
        assert store.generations() == ["g2"]
        assert kept.count() == 2
        with pytest.raises(IndexNotFound):
            store.open("g1", SPEC)

    def test_a_name_can_be_reused_after_deleting(self, store: VectorStore) -> None:
        filled(store, points(3)).close()
        store.delete("g1")
        assert filled(store, points(2)).count() == 2

    def test_an_aborted_index_is_deleted(self, store: VectorStore) -> None:
        writer = store.create("g1", SPEC)
        writer.add(points(3))
        writer.abort()
        assert store.generations() == []

    def test_a_sealed_index_cannot_be_aborted(self, store: VectorStore) -> None:
        writer = store.create("g1", SPEC)
        writer.seal()
        writer.abort()
        assert store.open("g1", SPEC).count() == 0

    # --- searching ---

    def test_dense_search_ranks_by_the_cosine(self, index: VectorIndex) -> None:
        query = direction(1000)
        answer = index.search(IndexQuery(query, None, 60, EVERYTHING))
        expected = {one.chunk.id: cosine(one.dense, query) for one in points(60)}
        assert dict(answer.by_chunk_id().dense) == pytest.approx(expected, abs=1e-5)
        assert min(expected.values()) < 0.0
        assert [s.score for s in answer.dense] == sorted((s.score for s in answer.dense), reverse=True)
        assert answer.sparse == ()

    def test_sparse_search_finds_what_shares_a_term_rare_terms_first(self, index: VectorIndex) -> None:
        rare, common = 3007, 2007
        answer = index.search(IndexQuery(None, SparseVector((common, rare), (1.0, 1.0)), 60, EVERYTHING))
        chunks = [index.chunks([scored.point])[scored.point].document.url for scored in answer.sparse]
        assert chunks[0] == f"{SITE}/page-7"
        assert set(chunks) == {f"{SITE}/page-{number}" for number in (7, 17, 27, 37, 47, 57)}
        assert answer.sparse[0].score > answer.sparse[1].score > 0.0
        assert answer.dense == ()

    def test_a_score_is_the_sum_of_those_of_its_terms_alone(self, index: VectorIndex) -> None:
        terms = {1000: 1.0, 2007: 0.4, 3007: 0.6}
        query = IndexQuery(None, SparseVector(tuple(terms), tuple(terms.values())), 60, EVERYTHING)
        alone = [
            dict(index.search(replace(query, sparse=SparseVector((term,), (weight,)))).sparse)
            for term, weight in terms.items()
        ]
        answer = index.search(query).sparse
        assert len(answer) == 60
        for scored in answer:
            parts = [scores.get(scored.point, 0.0) for scores in alone]
            assert scored.score == pytest.approx(sum(parts), rel=1e-5)

    def test_a_term_that_nothing_has_finds_nothing(self, index: VectorIndex) -> None:
        answer = index.search(IndexQuery(None, SparseVector((99,), (1.0,)), 10, EVERYTHING))
        assert answer.sparse == ()

    def test_a_search_of_both_sides_equals_two_separate_searches(self, index: VectorIndex) -> None:
        terms = SparseVector((2003, 3013), (1.0, 1.0))
        both = index.search(IndexQuery(direction(5), terms, 20, EVERYTHING))
        assert both.dense == index.search(IndexQuery(direction(5), None, 20, EVERYTHING)).dense
        assert both.sparse == index.search(IndexQuery(None, terms, 20, EVERYTHING)).sparse

    @pytest.mark.parametrize("limit", [1, 7, 1000])
    def test_no_more_than_the_limit_are_returned_and_they_are_the_best(self, index: VectorIndex, limit: int) -> None:
        query = IndexQuery(direction(70), SparseVector((1000,), (1.0,)), limit, EVERYTHING)
        everything = index.search(replace(query, limit=1000))
        answer = index.search(query)
        assert len(answer.dense) == len(answer.sparse) == min(limit, 60)
        assert [s.score for s in answer.dense] == [s.score for s in everything.dense[:limit]]
        assert [s.score for s in answer.sparse] == [s.score for s in everything.sparse[:limit]]

    def test_equal_scores_are_ordered_by_id(self, store: VectorStore) -> None:
        twins = [replace(point(f"twin-{number}", 0), dense=direction(3)) for number in range(20)]
        query = IndexQuery(direction(4), SparseVector((1,), (1.0,)), 50, EVERYTHING)
        answer = filled(store, twins).search(query).by_chunk_id()
        ordered = sorted(one.chunk.id for one in twins)
        assert [scored.point for scored in answer.dense] == ordered
        assert [scored.point for scored in answer.sparse] == ordered

    def test_an_exact_search_compares_with_every_vector(self, index: VectorIndex) -> None:
        query = IndexQuery(direction(80), None, 10, EVERYTHING)
        exact, usual = index.search(replace(query, exact=True)).dense, index.search(query).dense
        assert [scored.point for scored in exact] == [scored.point for scored in usual]
        assert [scored.score for scored in exact] == pytest.approx([scored.score for scored in usual], abs=1e-6)

    @pytest.mark.parametrize(
        "vector",
        [np.zeros(DIMENSION, np.float32), np.full(DIMENSION, np.nan, np.float32), direction(1)[:-1]],
        ids=["zero", "NaN", "one number short"],
    )
    def test_an_invalid_query_vector_is_an_error_and_not_an_empty_answer(
        self, index: VectorIndex, vector: np.ndarray[tuple[int], np.dtype[np.float32]]
    ) -> None:
        with pytest.raises(InvalidEmbedding):
            index.search(IndexQuery(vector, None, 5, EVERYTHING))
        with pytest.raises(InvalidEmbedding):
            index.compare(vector, [points(1)[0].chunk.id], {})

    def test_the_length_of_a_query_vector_does_not_matter(self, index: VectorIndex) -> None:
        query = IndexQuery(direction(6), None, 10, EVERYTHING)
        longer = index.search(replace(query, dense=direction(6) * np.float32(3.0))).dense
        assert dict(longer) == pytest.approx(dict(index.search(query).dense), abs=1e-5)

    def test_the_same_search_has_the_same_answer(self, index: VectorIndex) -> None:
        query = IndexQuery(direction(90), SparseVector((1000, 2001), (1.0, 1.0)), 30, EVERYTHING)
        assert index.search(query) == index.search(query)

    # --- filters ---

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (Filters(), {"now-en", "other-en"}),
            (EVERYTHING, {"now-en", "old-en", "now-fr", "old-fr", "other-en"}),
            (Filters(versions=("1.0",)), {"old-en"}),
            (Filters(versions=("1.0", "2.0")), {"old-en", "now-en"}),
            (Filters(versions=("1.0",), everything=True), {"old-en", "old-fr"}),
            (Filters(versions=("3.0",)), set()),
            (Filters(include_unversioned=True), {"now-en", "other-en"}),
            (Filters(versions=("1.0",), include_unversioned=True), {"old-en", "other-en"}),
            (Filters(versions=("1.0", "2.0"), include_unversioned=True), {"old-en", "now-en", "other-en"}),
            (Filters(versions=("3.0",), include_unversioned=True), {"other-en"}),
            (Filters(versions=("1.0",), locales=("fr",), include_unversioned=True), {"old-fr"}),
            (Filters(versions=("1.0",), include_unversioned=True, everything=True), {"old-en", "old-fr", "other-en"}),
            (Filters(versions=("1.0",), include_unversioned=True, sources=("docs",)), {"old-en"}),
            (Filters(locales=("fr",)), {"now-fr"}),
            (Filters(locales=("fr", "en")), {"now-fr", "now-en"}),
            (Filters(locales=("fr",), everything=True), {"now-fr", "old-fr"}),
            (Filters(versions=("1.0",), locales=("fr",)), {"old-fr"}),
            (Filters(versions=("1.0",), locales=("fr",), everything=True), {"old-fr"}),
            (Filters(versions=("1.0",), locales=("de",)), set()),
            (Filters(sources=("wiki",)), {"other-en"}),
            (Filters(sources=("wiki", "docs")), {"now-en", "other-en"}),
            (Filters(sources=("docs",), everything=True), {"now-en", "old-en", "now-fr", "old-fr"}),
            (Filters(sources=("elsewhere",), everything=True), set()),
            (Filters(sections=("Setup",), everything=True), {"old-en", "now-fr"}),
            (Filters(sections=("Setup",)), set()),
            (
                Filters(sections=("Setup", "Part 0"), everything=True),
                {"now-en", "old-en", "now-fr", "old-fr", "other-en"},
            ),
            (Filters(sections=("Set",), everything=True), set()),
            (Filters(url_prefix=f"{SITE}/old-en", sources=("docs",), everything=True), {"old-en"}),
        ],
        ids=_name,
    )
    def test_a_search_stays_within_its_filters(self, store: VectorStore, filters: Filters, expected: set[str]) -> None:
        assert found(filled(store, variants()), filters) == expected

    @pytest.mark.parametrize("heading", ["Part 0", "Retries", "The Backoff option", "Deeper"])
    def test_a_chunk_is_found_under_the_heading_of_every_section_in_it(self, store: VectorStore, heading: str) -> None:
        text = "It begins here.\n\n## Retries\n\nOnce.\n\n## The `Backoff` option\n\n### Deeper\n\nTwice."
        _, chunks = page("shared", text)
        shared = IndexPoint(chunks[0], direction(2), SparseVector((1,), (1.0,)))
        filters = Filters(sections=(heading,))
        index = filled(store, [shared, point("other")])
        assert found(index, filters) == ({"shared", "other"} if heading == "Part 0" else {"shared"})

    def test_what_only_looks_like_a_heading_is_no_section(self, store: VectorStore) -> None:
        _, chunks = page("code", "A script:\n\n```sh\n# Retries\n```\n\n#Retries, and ####### Retries")
        index = filled(store, [IndexPoint(chunks[0], direction(2), SparseVector((1,), (1.0,)))])
        assert found(index, Filters(sections=("Retries",))) == set()

    @pytest.mark.parametrize(
        ("prefix", "expected"),
        [
            (f"{SITE}/docs/a", {"docs/a", "docs/a/b", "docs/a?page=2", "docs/a/b/c"}),
            (f"{SITE}/docs/a/", {"docs/a", "docs/a/b", "docs/a?page=2", "docs/a/b/c"}),
            (f"{SITE}/docs/a/b", {"docs/a/b", "docs/a/b/c"}),
            (f"{SITE}/docs/a/b/c", {"docs/a/b/c"}),
            (f"{SITE}/docs/a?page=2", {"docs/a?page=2"}),
            (f"{SITE}/docs", {"docs/a", "docs/a/b", "docs/a?page=2", "docs/a/b/c", "docs/ab"}),
            (f"{SITE}/", {"", "docs/a", "docs/a/b", "docs/a?page=2", "docs/a/b/c", "docs/ab", "DOCS/a"}),
            (SITE, {"", "docs/a", "docs/a/b", "docs/a?page=2", "docs/a/b/c", "docs/ab", "DOCS/a"}),
            (f"{SITE}/do", set()),
            ("https://docs.example", set()),
            ("https://elsewhere.example.org/docs", set()),
        ],
        ids=_name,
    )
    def test_a_url_prefix_ends_at_a_path_border(self, store: VectorStore, prefix: str, expected: set[str]) -> None:
        paths = ("", "docs/a", "docs/a/b", "docs/a/b/c", "docs/a?page=2", "docs/ab", "DOCS/a")
        index = filled(store, [point(path, number) for number, path in enumerate(paths)])
        assert found(index, Filters(url_prefix=prefix)) == expected

    def test_a_default_search_covers_all_of_an_index_with_one_version_and_locale(self, index: VectorIndex) -> None:
        assert len(index.search(IndexQuery(direction(1), None, 100, Filters())).dense) == 60

    def test_an_index_of_another_locale_only_is_empty_to_a_default_search(self, store: VectorStore) -> None:
        french = [point(f"page-{number}", number, locale="fr", locale_is_default=False) for number in range(3)]
        index = filled(store, french)
        assert found(index, Filters()) == set()
        assert len(found(index, Filters(locales=("fr",)))) == 3

    def test_idf_is_computed_within_the_filters_scope(self, store: VectorStore) -> None:
        current = [point(f"now-{n}", n, (10, 20 + n % 3, 30 + n)) for n in range(12)]
        old = [point(f"old-{n}", n, (20, 21, 31), version="1.0", version_is_current=False) for n in range(40)]
        query = IndexQuery(None, SparseVector((10, 20, 21, 31), (1.0,) * 4), 50, Filters())
        only_current = filled(store, current, "current").search(query)
        with_old = filled(store, current + old, "all").search(query)
        assert dict(with_old.sparse) == pytest.approx(dict(only_current.sparse), rel=1e-5)

    @pytest.mark.parametrize(
        ("version", "expected"), [("1.0", {"old"}), ("2.0", set()), ("3.0", set())], ids=["1.0", "2.0", "3.0"]
    )
    def test_nothing_is_added_if_every_page_has_the_same_version(
        self, store: VectorStore, version: str, expected: set[str]
    ) -> None:
        index = filled(store, [point("old", version="1.0")])
        assert found(index, Filters(versions=(version,), include_unversioned=True)) == expected

    def test_all_is_added_if_no_page_has_a_version(self, store: VectorStore) -> None:
        index = filled(store, [point("one", 1, version=None), point("two", 2, version=None)])
        assert found(index, Filters(versions=("1.0",), include_unversioned=True)) == {"one", "two"}

    def test_added_pages_count_for_the_idf(self, store: VectorStore) -> None:
        asked = [point(f"old-{n}", n, (10, 20 + n % 3, 30 + n), version="1.0") for n in range(12)]
        added = [point(f"blog-{n}", n, (10, 20, 31), version=None) for n in range(8)]
        others = [point(f"now-{n}", n, (20, 21, 31)) for n in range(40)]
        filters = Filters(versions=("1.0",), include_unversioned=True)
        terms = SparseVector((10, 20, 21, 31), (1.0,) * 4)
        query = IndexQuery(None, terms, 50, filters, known_versions=VERSIONS)
        alone = filled(store, asked + added, "alone").search(replace(query, filters=EVERYTHING))
        among_others = filled(store, asked + added + others, "all").search(query)
        assert len(among_others.sparse) == len(asked + added)
        assert dict(among_others.by_chunk_id().sparse) == pytest.approx(dict(alone.by_chunk_id().sparse), rel=1e-5)

    # --- lookups ---

    def test_chunks_are_compared_by_the_true_cosine(self, index: VectorIndex) -> None:
        chosen = points(60)[10:30]
        ids = [one.chunk.id for one in chosen]
        expected = {one.chunk.id: cosine(one.dense, direction(7)) for one in chosen}
        compared = index.compare(direction(7), [*UNKNOWN_IDS, *ids], {})
        assert {chunk_id: one.cosine for chunk_id, one in compared.items()} == pytest.approx(expected, abs=1e-5)
        assert {chunk_id: one.chunk for chunk_id, one in compared.items()} == index.chunks(ids)

    def test_comparing_agrees_with_dense_search(self, index: VectorIndex) -> None:
        answer = index.search(IndexQuery(direction(7), None, 60, EVERYTHING)).dense
        compared = index.compare(direction(7), [scored.point for scored in answer], {})
        assert {chunk_id: one.cosine for chunk_id, one in compared.items()} == pytest.approx(dict(answer), abs=1e-6)

    def test_the_length_of_a_compared_vector_does_not_matter(self, index: VectorIndex) -> None:
        ids = [one.chunk.id for one in points(60)]
        longer = index.compare(direction(6) * np.float32(3.0), ids, {})
        for chunk_id, one in index.compare(direction(6), ids, {}).items():
            assert longer[chunk_id].cosine == pytest.approx(one.cosine, abs=1e-5)

    def test_chunks_come_back_with_every_field_as_it_was(self, store: VectorStore) -> None:
        _, (first, second, third) = page(
            "deep/page?x=1", "One — ☃", "Two\n\n```\ncode\n```", "3", title="", version=None, locale=None, tags=()
        )
        odd = replace(
            first,
            repeated_before="```js\n",
            repeated_after="\n```",
            heading_path=(),
            section="",
            anchor=None,
            created_at=datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
            inner_headings=(InnerHeading(3, 2, "näher", None), InnerHeading(9, 0, "„oben“", "oben")),
            start=2**40,
            end=2**40 + 1,
        )
        chunks = [odd, second, replace(third, created_at=None)]
        index = filled(store, [IndexPoint(c, direction(n), SparseVector((), ())) for n, c in enumerate(chunks)])
        assert index.chunks([chunk.id for chunk in chunks]) == {chunk.id: chunk for chunk in chunks}

    def test_vectors_come_back_bit_for_bit(self, index: VectorIndex) -> None:
        contents = points(60)
        stored = index.vectors([one.chunk.id for one in contents])
        assert stored.keys() == {one.chunk.id for one in contents}
        for one in contents:
            assert stored[one.chunk.id].dtype == np.float32
            np.testing.assert_array_equal(stored[one.chunk.id], one.dense)

    def test_vectors_whose_length_is_a_little_off_keep_their_checksums(self, store: VectorStore) -> None:
        scales = (0.9991, 0.99999, 1.0, 1.00001, 1.0009)
        contents = [replace(point(f"p{n}", n), dense=direction(n) * np.float32(scales[n % 5])) for n in range(50)]
        ids = [one.chunk.id for one in contents]
        stored = filled(store, contents).vectors(ids)
        assert all(fit_checksums([stored[each] for each in ids], vector_checksums([one.dense for one in contents])))

    def test_stored_points_have_every_part(self, index: VectorIndex) -> None:
        contents = points(60)
        stored = index.stored([*UNKNOWN_IDS, *(one.chunk.id for one in contents)])
        assert stored.keys() == {one.chunk.id for one in contents}
        for one in contents:
            found = stored[one.chunk.id]
            assert (found.chunk, found.problems) == (one.chunk, ())
            assert found.dense is not None
            assert found.dense.dtype == np.float32
            np.testing.assert_array_equal(found.dense, one.dense)
            assert found.sparse is not None
            assert found.sparse.indices == one.sparse.indices
            assert found.sparse.values == pytest.approx(one.sparse.values, rel=1e-6)

    def test_a_point_without_terms_comes_back_with_none_of_them(self, store: VectorStore) -> None:
        blank = replace(point("blank", 1), sparse=SparseVector((), ()))
        found = filled(store, [blank]).stored([blank.chunk.id])[blank.chunk.id]
        assert found.sparse in {None, SparseVector((), ())}

    @pytest.mark.parametrize("ids", [UNKNOWN_IDS, ()], ids=["ids that are not there", "no ids"])
    def test_nothing_is_found_for(self, index: VectorIndex, ids: tuple[str, ...]) -> None:
        assert index.chunks(ids) == {}
        assert index.vectors(ids) == {}
        assert index.stored(ids) == {}
        assert index.compare(direction(1), ids, {}) == {}

    def test_an_id_asked_for_twice_is_found_once(self, index: VectorIndex) -> None:
        chunk_id = points(1)[0].chunk.id
        assert list(index.chunks([chunk_id, chunk_id])) == [chunk_id]
        assert list(index.compare(direction(1), [chunk_id, chunk_id], {})) == [chunk_id]

    # --- closing, and threads ---

    def test_an_index_can_be_closed_twice(self, index: VectorIndex) -> None:
        index.close()
        index.close()

    def test_a_closed_index_says_so(self, index: VectorIndex) -> None:
        index.close()
        ids = [points(1)[0].chunk.id]
        for use in (
            index.count,
            lambda: index.search(IndexQuery(direction(1), None, 1, EVERYTHING)),
            lambda: index.compare(direction(1), ids, {}),
            lambda: index.chunks(ids),
            lambda: index.vectors(ids),
            lambda: index.stored(ids),
            lambda: list(index.ids()),
        ):
            with pytest.raises(StoreUnavailable, match="g1"):
                use()

    def test_many_threads_get_what_one_caller_gets(self, index: VectorIndex) -> None:
        queries = [
            IndexQuery(direction(n), SparseVector((1000, 2000 + n % 10), (1.0, 1.0)), 1 + n % 40, EVERYTHING)
            for n in range(120)
        ]
        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(index.search, queries)) == [index.search(query) for query in queries]
