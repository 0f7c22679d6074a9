"""Tests of the filters of searches."""
# ruff: noqa: D102 - the name of a test is a sentence

from dataclasses import replace

import pytest

from assay.model.ranking import Filters
from assay.ports import IndexPoint, IndexQuery, SparseVector, VectorIndex, VectorStore
from assay.testing.catalog_samples import SITE, page
from assay.testing.index_samples import EVERYTHING, VERSIONS, direction, filled, found, point, variants


def _name(value: object) -> str:
    """A test id that is the same in every process, although sets are unordered."""
    return " ".join(sorted(value)) or "nothing" if isinstance(value, set) else str(value)


class FilterConformance:
    """Tests of searches with filters. Part of VectorStoreConformance."""

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
