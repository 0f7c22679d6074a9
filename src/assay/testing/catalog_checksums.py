"""Tests of a catalog's checksums of vectors."""
# ruff: noqa: D102 - the name of a test is a sentence

import pytest

from assay.errors import CatalogCorrupt, GenerationError
from assay.model.generations import State
from assay.ports import CHECKSUM_BYTES, Catalog, EmbeddedChunk
from assay.testing.catalog_samples import SITE, built, generation, page

_MANY = 1_100
"""More documents than fit into one SQL statement."""


class ChecksumConformance:
    """Part of CatalogConformance."""

    def test_checksums_of_vectors_come_back_as_they_were_recorded(self, catalog: Catalog) -> None:
        catalog.add_generation(generation("g1"))
        catalog.add_documents("g1", [page("a", "one", "two", "three"), page("b", "other"), page("c", "last")])
        recorded = {f"{SITE}/a": _numbered(catalog, f"{SITE}/a"), f"{SITE}/b": _numbered(catalog, f"{SITE}/b")}
        catalog.record_checksums("g1", {**recorded, f"{SITE}/none": {}})
        assert catalog.checksums("g1", [f"{SITE}/{name}" for name in "aac"]) == recorded[f"{SITE}/a"]
        everything = catalog.checksums("g1", [*recorded, f"{SITE}/c", f"{SITE}/none"])
        assert everything == recorded[f"{SITE}/a"] | recorded[f"{SITE}/b"]
        assert catalog.checksums("g1", []) == {}
        again = {f"{SITE}/b": dict.fromkeys(recorded[f"{SITE}/b"], b"z" * CHECKSUM_BYTES)}
        catalog.record_checksums("g1", again)
        assert catalog.checksums("g1", [f"{SITE}/b"]) == again[f"{SITE}/b"]

    def test_checksums_are_of_one_generation_and_go_with_it(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a", "one", "two"))
        catalog.add_generation(generation("g2"))
        catalog.include_revisions("g2", [one.revision for one in catalog.documents("g1")])
        recorded = _numbered(catalog, f"{SITE}/a")
        catalog.record_checksums("g2", {f"{SITE}/a": recorded})
        catalog.transition("g2", State.CANDIDATE)
        assert catalog.checksums("g1", [f"{SITE}/a"]) == {}
        assert catalog.checksums("g2", [f"{SITE}/a"]) == recorded
        assert {one.checksum for one in _embedded(catalog, "g2")} == set(recorded.values())
        with pytest.raises(GenerationError, match="only a building generation"):
            catalog.record_checksums("g2", {f"{SITE}/a": recorded})
        catalog.transition("g2", State.REJECTED)
        catalog.forget("g2")
        assert catalog.checksums("g1", [f"{SITE}/a"]) == {}

    def test_chunks_without_a_checksum_are_not_used_again_where_others_have_one(self, catalog: Catalog) -> None:
        catalog.add_generation(generation("g1"))
        catalog.add_documents("g1", [page("a", "one"), page("b", "other")])
        catalog.record_checksums("g1", {f"{SITE}/a": _numbered(catalog, f"{SITE}/a")})
        (found,) = _embedded(catalog, "g1")
        assert {found.chunk_id: found.checksum} == _numbered(catalog, f"{SITE}/a")

    def test_checksums_that_are_cut_short_are_damaged_and_not_used(self, catalog: Catalog) -> None:
        catalog.add_generation(generation("g1"))
        catalog.add_documents("g1", [page("a", "one", "two")])
        recorded = _numbered(catalog, f"{SITE}/a")
        catalog.record_checksums("g1", {f"{SITE}/a": {chunk_id: one[:9] for chunk_id, one in recorded.items()}})
        with pytest.raises(CatalogCorrupt, match=f"checksums of the vectors of {SITE}/a are damaged"):
            catalog.checksums("g1", [f"{SITE}/a"])
        assert all(one.checksum not in recorded.values() for one in _embedded(catalog, "g1"))

    def test_checksums_can_span_more_documents_than_fit_into_one_statement(self, catalog: Catalog) -> None:
        catalog.add_generation(generation("g1"))
        catalog.add_documents("g1", [page(f"page-{number:05}") for number in range(_MANY)])
        recorded = {
            chunk.document.url: {chunk.id: number.to_bytes(CHECKSUM_BYTES)}
            for number, chunk in enumerate(catalog.chunks("g1"))
        }
        catalog.record_checksums("g1", recorded)
        by_id = {chunk_id: one for of_page in recorded.values() for chunk_id, one in of_page.items()}
        assert catalog.checksums("g1", list(recorded)) == by_id


def _numbered(catalog: Catalog, url: str) -> dict[str, bytes]:
    """A checksum for each chunk of a page."""
    chunks = [chunk.id for chunk in catalog.chunks("g1") if chunk.document.url == url]
    return {chunk_id: number.to_bytes(CHECKSUM_BYTES) for number, chunk_id in enumerate(chunks, 1)}


def _embedded(catalog: Catalog, generation_id: str) -> list[EmbeddedChunk]:
    hashes = [chunk.embedded_hash for chunk in catalog.chunks(generation_id)]
    return list(catalog.embedded_chunks(generation_id, hashes).values())
