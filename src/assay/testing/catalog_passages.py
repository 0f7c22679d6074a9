"""Tests of a catalog's support for judgments: finding pages and chunks by text, and storing anchors."""
# ruff: noqa: D102 - the name of a test is a sentence

from dataclasses import fields, replace

import pytest

from assay.errors import GenerationNotFound
from assay.model.evaluation import Passage, Quote, Span
from assay.model.generations import State
from assay.model.ids import content_hash
from assay.ports import Catalog, ChunkPlace
from assay.testing.catalog_samples import SITE, Stored, built, page

MANY = 1_203  # more than fit into one statement of SQLite, and no round number

COMPLETE = Passage(
    url=f"{SITE}/a",
    quote=Quote("publish “and”\n\nsubscribe 🤖", prefix="they ", suffix=""),
    position=Span(5, 40),
    text_hash="a" * 64,
    section="näher",
    chunk_id="c1",
    content_hash="b" * 64,
)


def places(*stored: Stored) -> list[ChunkPlace]:
    """The places of the chunks of these pages."""
    return [
        ChunkPlace(c.id, c.document.url, c.position, c.start, c.end, c.content_hash)
        for _, chunks in stored
        for c in chunks
    ]


class PassageConformance:
    """Part of CatalogConformance."""

    def test_documents_are_found_by_their_urls(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a"), page("b"), page("c"))
        built(catalog, "g2", page("d"))
        urls = [f"{SITE}/{name}" for name in "cadc"]
        found = list(catalog.documents_at("g1", urls))
        assert found == [stored for stored in catalog.documents("g1") if stored.info.url in urls]
        assert [stored.info.slug for stored in found] == ["a", "c"]
        assert list(catalog.documents_at("g1", [])) == []

    def test_chunks_are_found_by_page_by_id_and_by_text(self, catalog: Catalog) -> None:
        first, second = page("a", "one", "same", "same"), page("b", "same", "two")
        built(catalog, "g1", second, first)
        built(catalog, "g2", page("a", "same"), page("c", "same"))
        everywhere = places(first, second)
        assert catalog.places_at("g1", [f"{SITE}/b", f"{SITE}/a", f"{SITE}/c"]) == everywhere
        assert catalog.places_at("g1", [f"{SITE}/b"]) == places(second)
        wanted = [everywhere[4].chunk_id, everywhere[0].chunk_id, everywhere[0].chunk_id, "unknown"]
        assert catalog.places_of_ids("g1", wanted) == [everywhere[0], everywhere[4]]
        assert catalog.places_of_texts("g1", [content_hash("same"), "f" * 64]) == everywhere[1:4]
        for find in (catalog.places_at, catalog.places_of_ids, catalog.places_of_texts):
            assert find("g1", []) == []

    def test_pages_are_found_by_their_text(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("b", "same"), page("a", "same"), page("c", "other"))
        built(catalog, "g2", page("d", "same"), page("e", "new"))
        same, other, new = map(content_hash, ("same", "other", "new"))
        found = catalog.urls_of_texts("g1", [other, same, same, new])
        assert found == {same: (f"{SITE}/a", f"{SITE}/b"), other: (f"{SITE}/c",)}
        assert catalog.urls_of_texts("g1", []) == {}

    def test_a_text_is_found_as_long_as_any_generation_has_it(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a", "old\n\n日本 🤖"), page("b", "both"))
        built(catalog, "g2", page("a", "new"), page("b", "both"))
        old, both = content_hash("old\n\n日本 🤖"), content_hash("both")
        assert (catalog.text_of(old), catalog.text_of(both)) == ("old\n\n日本 🤖", "both")
        catalog.forget("g1")
        assert (catalog.text_of(old), catalog.text_of(both)) == (None, "both")

    def test_a_lookup_can_have_more_values_than_fit_into_one_statement(self, catalog: Catalog) -> None:
        pages = [page(f"page-{number:05}") for number in range(MANY)]
        built(catalog, "g1", *pages)
        urls = [document.info.url for document, _ in pages]
        everywhere = places(*pages)
        assert [stored.info.url for stored in catalog.documents_at("g1", urls[::-1])] == urls
        assert catalog.places_at("g1", urls[::-1]) == everywhere
        assert catalog.places_of_ids("g1", [place.chunk_id for place in everywhere]) == everywhere
        assert catalog.places_of_texts("g1", [place.content_hash for place in everywhere]) == everywhere
        hashes = [document.source_hash for document, _ in pages]
        assert catalog.urls_of_texts("g1", hashes) == {h: (url,) for h, url in zip(hashes, urls, strict=True)}
        anchors = {f"{number:064}": replace(COMPLETE, chunk_id=str(number)) for number in range(MANY)}
        catalog.keep_anchors("g1", anchors)
        assert catalog.anchors(list(anchors)) == anchors

    def test_an_unknown_generation_is_refused(self, catalog: Catalog) -> None:
        for find in (
            catalog.places_at,
            catalog.places_of_ids,
            catalog.places_of_texts,
            catalog.documents_at,
            catalog.urls_of_texts,
        ):
            with pytest.raises(GenerationNotFound):
                find("g9", ["x"])
        with pytest.raises(GenerationNotFound):
            catalog.keep_anchors("g9", {"k": COMPLETE})
        assert catalog.anchors(["k"]) == {}

    def test_an_anchor_comes_back_as_it_was_kept(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a"))
        absent = [f.name for f in fields(Passage) if getattr(COMPLETE, f.name) == getattr(Passage(), f.name)]
        assert absent == [], "a field added to Passage must be stored too"
        kept = {"1" * 64: COMPLETE, "2" * 64: Passage(), "3" * 64: Passage(url=f"{SITE}/a", text_hash="c" * 64)}
        catalog.keep_anchors("g1", kept)
        assert catalog.anchors([*kept, "9" * 64]) == kept
        assert catalog.anchors(["2" * 64]) == {"2" * 64: Passage()}
        assert catalog.anchors([]) == {}

    def test_the_first_anchor_stays(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a"))
        built(catalog, "g2", page("b"))
        catalog.keep_anchors("g1", {"1" * 64: COMPLETE})
        catalog.keep_anchors("g2", {"1" * 64: Passage(url="other"), "2" * 64: Passage(url="new")})
        assert catalog.anchors(["1" * 64, "2" * 64]) == {"1" * 64: COMPLETE, "2" * 64: Passage(url="new")}

    def test_an_anchor_outlives_the_generation_it_was_found_on(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a"))
        catalog.keep_anchors("g1", {"1" * 64: COMPLETE})
        catalog.transition("g1", State.REJECTED)
        catalog.forget("g1")
        assert catalog.anchors(["1" * 64]) == {"1" * 64: COMPLETE}
