"""Tests of a catalog's documents and chunks."""
# ruff: noqa: D102 - the name of a test is a sentence

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from assay.errors import CatalogError, GenerationError
from assay.model.documents import Chunk, Document, DocumentInfo, Link, Section
from assay.model.generations import State
from assay.model.headings import InnerHeading
from assay.model.ids import content_hash
from assay.ports import Catalog, ChunkMetadata, KnownPage
from assay.testing.catalog_samples import NOON, SITE, Stored, built, cut, generation, in_state, page, with_fields

MANY = 1_203  # more than fit into one statement of SQLite, and no round number

STRANGE_TEXTS = [
    "ROS 2 で通信する。ทดสอบ 🤖 é é",
    "tabs\tand\\backslashes 'quotes' \"more\" %s :name ? ; --",
    "```\nindented\n    code\n```",
    "\u2028\u2029\x7f\x1b\ufeff\uffff\U0010ffff",
    " ",
]

SECTION = Section(2, "Näher › `call()`", "näher-1", ("Guide", "Näher › `call()`"), 3, 12)
LINK = Link("näher", "https://example.org/a?b=c#d", 4, 9)

CHANGES: dict[str, Callable[[Document, Chunk], tuple[Document, Chunk]]] = {
    "key": lambda document, chunk: (replace(document, key="other.md"), chunk),
    "source hash": lambda document, chunk: (replace(document, source_hash="0" * 64), chunk),
    "text of the document": lambda document, chunk: (replace(document, text=document.text + "\n\nmore"), chunk),
    "sections": lambda document, chunk: (replace(document, sections=(SECTION,)), chunk),
    "links": lambda document, chunk: (replace(document, links=(LINK,)), chunk),
    "title": lambda document, chunk: _with_info(document, chunk, title="Another title"),
    "tags": lambda document, chunk: _with_info(document, chunk, tags=("other",)),
    "version": lambda document, chunk: _with_info(document, chunk, version=None),
    "chunk id": lambda document, chunk: (document, replace(chunk, id="other")),
    "text of a chunk": lambda document, chunk: (document, replace(chunk, text="other")),
    "span": lambda document, chunk: (document, replace(chunk, end=chunk.end - 1)),
    "section": lambda document, chunk: (document, replace(chunk, section="other")),
    "heading path": lambda document, chunk: (document, replace(chunk, heading_path=())),
    "anchor": lambda document, chunk: (document, replace(chunk, anchor="")),
    "token count": lambda document, chunk: (document, replace(chunk, token_count=99)),
    "tokenizer": lambda document, chunk: (document, replace(chunk, tokenizer="other")),
    "content hash": lambda document, chunk: (document, replace(chunk, content_hash="0" * 64)),
    "embedded hash": lambda document, chunk: (document, replace(chunk, embedded_hash="0" * 64)),
    "repetition": lambda document, chunk: (document, replace(chunk, repeated_before="```\n")),
    "neighbour": lambda document, chunk: (document, replace(chunk, next_id="other")),
    "inner headings": lambda document, chunk: (
        document,
        replace(chunk, inner_headings=(InnerHeading(1, 2, "other", None),)),
    ),
}


def _with_info(document: Document, chunk: Chunk, **changes: object) -> tuple[Document, Chunk]:
    info = with_fields(document.info, **changes)
    return replace(document, info=info), replace(chunk, document=info)


def revisions(catalog: Catalog, name: str) -> dict[str, str]:
    """Revision by URL."""
    return {known.url: known.revision for known in catalog.known_pages(name).values()}


class DocumentConformance:
    """Part of CatalogConformance."""

    def test_a_document_comes_back_as_it_was_stored(self, catalog: Catalog) -> None:
        document, chunks = page("guide/nodes", *STRANGE_TEXTS, title="Nodes › “talk”")
        built(catalog, "g1", (document, chunks))
        [stored] = catalog.documents("g1")
        assert (stored.info, stored.key, stored.source_hash) == (document.info, document.key, document.source_hash)
        assert (stored.text, stored.text_hash) == (document.text, content_hash(document.text))
        assert stored.chunk_count == len(STRANGE_TEXTS)
        assert catalog.document("g1", document.info.url) == stored
        assert catalog.document("g1", f"{SITE}/other") is None

    def test_the_listing_has_everything_but_the_texts(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("b", "one", "two"), page("a", title="Nodes › “talk”"))
        listed = list(catalog.listing("g1"))
        stored = list(catalog.documents("g1"))
        assert [one.info for one in listed] == [one.info for one in stored]
        assert [(one.revision, one.text_hash, one.chunk_count) for one in listed] == [
            (one.revision, one.text_hash, one.chunk_count) for one in stored
        ]
        assert len(listed) == 2

    def test_sections_and_links_come_back_as_they_were_stored(self, catalog: Catalog) -> None:
        sections = (
            Section(0, "", None, (), 0, 3),
            SECTION,
            *(replace(SECTION, heading=text) for text in STRANGE_TEXTS),
        )
        links = (LINK, *(replace(LINK, text=text, target=text) for text in STRANGE_TEXTS))
        document, chunks = page("a")
        built(catalog, "g1", (replace(document, sections=sections, links=links), chunks), page("b"))
        [stored, bare] = catalog.documents("g1")
        assert (stored.sections, stored.links) == (sections, links)
        assert (bare.sections, bare.links) == ((), ())
        for noun in (SECTION, LINK):
            defaults = [f.name for f in fields(noun) if getattr(noun, f.name) == f.default]
            assert defaults == [], "an added field must be stored too"

    def test_every_field_of_a_chunk_comes_back(self, catalog: Catalog) -> None:
        document, chunks = page("a", *STRANGE_TEXTS)
        plain = Chunk("id", document.info, "t", 0, 1, 0, "", (), None, 0, "", "", "")
        marked = replace(
            chunks[1],
            repeated_before="| a | b |\n",
            repeated_after="\n```",
            created_at=datetime(2025, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
            inner_headings=(InnerHeading(2, 0, STRANGE_TEXTS[1], None), InnerHeading(4, 3, "näher", "näher")),
        )
        same = [f.name for f in fields(Chunk) if getattr(marked, f.name) == getattr(plain, f.name)]
        assert same == ["document"], "a field added to Chunk must be stored too"
        chunks[1] = marked
        built(catalog, "g1", (document, chunks))
        assert list(catalog.chunks("g1")) == chunks

    def test_every_field_of_a_documents_info_comes_back(self, catalog: Catalog) -> None:
        info = page("a")[0].info
        for number, changed in enumerate(
            [replace(info, version=None, locale=None, tags=()), replace(info, title="", source_path="", slug="")]
            + [with_fields(info, **{f.name: not getattr(info, f.name)}) for f in fields(DocumentInfo) if f.type is bool]
        ):
            built(catalog, f"g{number}", cut(changed, ["text"]))
            assert [stored.info for stored in catalog.documents(f"g{number}")] == [changed]
            assert [chunk.document for chunk in catalog.chunks(f"g{number}")] == [changed]

    def test_a_document_without_chunks_is_a_document(self, catalog: Catalog) -> None:
        document, _ = page("a")
        built(catalog, "g1", (replace(document, text=""), []))
        [stored] = catalog.documents("g1")
        assert (stored.text, stored.chunk_count, list(catalog.chunks("g1"))) == ("", 0, [])

    def test_an_empty_generation_is_empty_and_no_error(self, catalog: Catalog) -> None:
        built(catalog, "g1")
        assert list(catalog.documents("g1")) == []
        assert list(catalog.chunks("g1")) == []
        assert catalog.known_pages("g1") == {}
        assert catalog.embedded_chunks("g1", ["x"]) == {}

    def test_a_chunk_that_was_never_stored_gets_the_time_of_storing(self, catalog: Catalog) -> None:
        document, chunks = page("a", "one", "two")
        before = datetime.now(UTC)
        built(catalog, "g1", (document, [replace(chunk, created_at=None) for chunk in chunks]))
        for chunk in catalog.chunks("g1"):
            assert chunk.created_at is not None
            assert before <= chunk.created_at <= datetime.now(UTC)

    def test_a_chunks_time_comes_back_in_utc(self, catalog: Catalog) -> None:
        document, chunks = page("a")
        there = NOON.astimezone(timezone(timedelta(hours=-7)))
        built(catalog, "g1", (document, [replace(chunk, created_at=there) for chunk in chunks]))
        [chunk] = catalog.chunks("g1")
        assert (chunk.created_at, chunk.created_at and chunk.created_at.tzinfo) == (NOON, UTC)

    def test_what_is_stored_again_keeps_its_revision_and_its_time(self, catalog: Catalog) -> None:
        document, chunks = page("a", "one", "two")
        built(catalog, "g1", (document, chunks))
        later = [replace(chunk, created_at=NOON + timedelta(days=9)) for chunk in chunks]
        built(catalog, "g2", (document, later))
        assert revisions(catalog, "g2") == revisions(catalog, "g1")
        assert list(catalog.chunks("g2")) == chunks

    @pytest.mark.parametrize("change", CHANGES)
    def test_any_change_gives_another_revision(self, catalog: Catalog, change: str) -> None:
        document, [chunk] = page("a", "the text")
        changed_document, changed_chunk = CHANGES[change](document, chunk)
        built(catalog, "g1", (document, [chunk]))
        built(catalog, "g2", (changed_document, [changed_chunk]))
        assert revisions(catalog, "g1") != revisions(catalog, "g2")
        assert list(catalog.chunks("g1")) == [chunk]
        assert list(catalog.chunks("g2")) == [changed_chunk]

    def test_adding_documents_twice_changes_nothing(self, catalog: Catalog) -> None:
        catalog.add_generation(generation("g1"))
        for _ in range(2):
            catalog.add_documents("g1", [page("a"), page("b"), page("a")])
        assert len(list(catalog.documents("g1"))) == 2
        assert len(list(catalog.chunks("g1"))) == 2

    def test_documents_may_come_from_a_generator(self, catalog: Catalog) -> None:
        catalog.add_generation(generation("g1"))
        catalog.add_documents("g1", (page(name) for name in "abc"))
        assert len(catalog.known_pages("g1")) == 3

    def test_when_the_documents_break_off_none_is_stored(self, catalog: Catalog) -> None:
        def broken() -> Iterator[Stored]:
            yield page("a")
            raise ZeroDivisionError

        catalog.add_generation(generation("g1"))
        with pytest.raises(ZeroDivisionError):
            catalog.add_documents("g1", broken())
        assert catalog.known_pages("g1") == {}

    def test_the_catalog_can_be_used_while_its_documents_are_made(self, catalog: Catalog) -> None:
        in_state(catalog, "g1", State.CANDIDATE)

        def slow() -> Iterator[Stored]:
            catalog.promote("g1", NOON)
            yield page("a")

        catalog.add_generation(generation("g2"))
        catalog.add_documents("g2", slow())
        assert catalog.live_id() == "g1"
        assert len(catalog.known_pages("g2")) == 1

    def test_two_different_documents_at_one_url_are_refused(self, catalog: Catalog) -> None:
        catalog.add_generation(generation("g1"))
        with pytest.raises(CatalogError, match=f"{SITE}/a"):
            catalog.add_documents("g1", [page("b"), page("a", "one"), page("a", "two")])
        assert catalog.known_pages("g1") == {}
        catalog.add_documents("g1", [page("a", "one")])
        with pytest.raises(CatalogError, match=f"{SITE}/a"):
            catalog.add_documents("g1", [page("b"), page("a", "two")])
        assert list(revisions(catalog, "g1")) == [f"{SITE}/a"]

    def test_chunks_that_are_not_the_documents_own_are_refused(self, catalog: Catalog) -> None:
        document, chunks = page("a", "one", "two")
        other = page("b", "one", "two")[1]
        catalog.add_generation(generation("g1"))
        wrong = [chunks[1:], chunks[::-1], other, [chunks[0], replace(chunks[1], id=chunks[0].id)]]
        wrong += [[replace(chunks[0], id="x" * 51)]]
        for each in wrong:
            with pytest.raises(CatalogError):
                catalog.add_documents("g1", [(document, each)])
        with pytest.raises(CatalogError, match="slug"):
            catalog.add_documents("g1", [page("a", slug="s" * 101)])
        assert catalog.known_pages("g1") == {}

    def test_text_that_has_no_utf8_form_is_refused(self, catalog: Catalog) -> None:
        catalog.add_generation(generation("g1"))
        info = page("a")[0].info
        lone = Document(info, "half a pair: \ud83e", (), ())
        with pytest.raises(CatalogError, match=f"{SITE}/a"):
            catalog.add_documents("g1", [(lone, [])])
        assert catalog.known_pages("g1") == {}

    @pytest.mark.parametrize("state", [state for state in State if state is not State.BUILDING])
    def test_a_generation_takes_documents_only_while_it_is_built(self, catalog: Catalog, state: State) -> None:
        built(catalog, "g0", page("a"))
        in_state(catalog, "g1", state)
        with pytest.raises(GenerationError, match=str(state)):
            catalog.add_documents("g1", [page("a")])
        with pytest.raises(GenerationError, match=str(state)):
            catalog.include_revisions("g1", list(revisions(catalog, "g0").values()))
        assert catalog.known_pages("g1") == {}

    def test_stored_documents_can_be_included_as_they_are(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a", "one", "two"), page("b"), page("c"))
        had = revisions(catalog, "g1")
        catalog.add_generation(generation("g2"))
        catalog.include_revisions("g2", [had[f"{SITE}/c"], had[f"{SITE}/a"], had[f"{SITE}/a"]])
        catalog.add_documents("g2", [page("b", "changed")])
        assert [stored.info.url for stored in catalog.documents("g2")] == [f"{SITE}/{name}" for name in "abc"]
        assert [chunk.text for chunk in catalog.chunks("g2")] == ["one", "two", "changed", "What c says."]
        assert {url for url, revision in revisions(catalog, "g2").items() if had[url] != revision} == {f"{SITE}/b"}

    def test_including_twice_changes_nothing(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a"))
        catalog.add_generation(generation("g2"))
        for _ in range(2):
            catalog.include_revisions("g2", list(revisions(catalog, "g1").values()))
        assert len(list(catalog.chunks("g2"))) == 1

    def test_a_revision_that_is_not_stored_is_refused_with_all_others(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a"))
        catalog.add_generation(generation("g2"))
        with pytest.raises(CatalogError, match="f" * 64):
            catalog.include_revisions("g2", [*revisions(catalog, "g1").values(), "f" * 64])
        assert catalog.known_pages("g2") == {}

    def test_a_second_document_at_a_url_cannot_be_included(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a", "one"))
        catalog.add_generation(generation("g2"))
        catalog.add_documents("g2", [page("a", "two")])
        with pytest.raises(CatalogError, match=f"{SITE}/a"):
            catalog.include_revisions("g2", list(revisions(catalog, "g1").values()))
        assert [chunk.text for chunk in catalog.chunks("g2")] == ["two"]

    def test_documents_come_by_url_and_chunks_by_url_and_position(self, catalog: Catalog) -> None:
        names = ["b", "a/z", "a", "B", "é", "a-b", "z", "日本", "a.b", "a_b"]
        built(catalog, "g1", *(page(name, "two", "one", "two") for name in names))
        urls = sorted(f"{SITE}/{name}" for name in names)
        assert [stored.info.url for stored in catalog.documents("g1")] == urls
        places = [(chunk.document.url, chunk.position) for chunk in catalog.chunks("g1")]
        assert places == [(url, position) for url in urls for position in range(3)]

    def test_chunks_of_some_revisions_come_in_the_same_order(self, catalog: Catalog) -> None:
        built(catalog, "g1", *(page(name, "one", "two") for name in "dbca"))
        built(catalog, "g2", page("x"))
        had = revisions(catalog, "g1")
        wanted = [had[f"{SITE}/d"], had[f"{SITE}/b"], had[f"{SITE}/d"], *revisions(catalog, "g2").values(), "f" * 64]
        found = [(chunk.document.slug, chunk.position) for chunk in catalog.chunks("g1", wanted)]
        assert found == [("b", 0), ("b", 1), ("d", 0), ("d", 1)]
        assert list(catalog.chunks("g1", [])) == []

    def test_known_pages_are_found_by_source_and_key(self, catalog: Catalog) -> None:
        one, two = page("a"), page("b", source="blog")
        built(catalog, "g1", one, (replace(two[0], key=one[0].key), two[1]))
        had = revisions(catalog, "g1")
        url = f"{SITE}/b"
        assert catalog.known_pages("g1")["blog", "a.md"] == KnownPage(
            key="a.md", source="blog", url=url, source_hash=two[0].source_hash, revision=had[url]
        )
        assert set(catalog.known_pages("g1")) == {("docs", "a.md"), ("blog", "a.md")}

    def test_what_was_stored_is_not_damaged(self, catalog: Catalog) -> None:
        stored = [page("a", "one", "two", "three")]
        for number, change in enumerate(CHANGES.values()):
            document, [chunk] = page(f"page-{number}")
            changed_document, changed_chunk = change(document, chunk)
            stored.append((changed_document, [changed_chunk]))
        built(catalog, "g1", *stored)
        had = list(revisions(catalog, "g1").values())
        assert len(had) == len(CHANGES) + 1
        assert catalog.damaged_revisions(had) == catalog.damaged_revisions([]) == set()

    def test_hashes_of_embedded_texts_lead_to_chunks_of_the_generation(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a", "same", "same", "one"), page("b", "same"))
        built(catalog, "g2", page("c", "other"))
        by_id = {chunk.id: chunk for chunk in catalog.chunks("g1")}
        wanted = {chunk.embedded_hash for chunk in by_id.values()}
        others = [chunk.embedded_hash for chunk in catalog.chunks("g2")]
        found = catalog.embedded_chunks("g1", [*wanted, *others, *wanted])
        assert set(found) == wanted
        assert all(by_id[one.chunk_id].embedded_hash == embedded for embedded, one in found.items())
        assert all(one.checksum is None for one in found.values())

    def test_chunk_metadata_is_that_of_the_live_generation(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a", "one", "two", title="Old"))
        built(catalog, "g2", page("a", "one", title="New"))
        first, second = [chunk.id for chunk in catalog.chunks("g1")]
        assert catalog.chunk_metadata([first, second], "g1") == {}
        catalog.promote("g1", NOON)
        old = {second: ChunkMetadata(second, "docs/a.md", "a", "Old")}
        assert catalog.chunk_metadata([second, "unknown"], "g1") == old
        catalog.promote("g2", NOON)
        assert catalog.chunk_metadata([first, second], "g2") == {first: ChunkMetadata(first, "docs/a.md", "a", "New")}
        assert catalog.chunk_metadata([], "g2") == {}

    def test_chunk_metadata_is_none_for_a_generation_that_is_not_live(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a", "one"))
        built(catalog, "g2", page("a", "one", title="New"))
        catalog.promote("g2", NOON)
        [chunk] = catalog.chunks("g1")
        assert catalog.chunk_metadata([chunk.id], "g1") == catalog.chunk_metadata([chunk.id], "g9") == {}

    def test_chunk_metadata_cuts_a_title_to_255_characters_and_has_none_for_an_empty_one(
        self, catalog: Catalog
    ) -> None:
        long = "日🤖" * 200
        built(catalog, "g1", page("a", title=long), page("b", title=""))
        catalog.promote("g1", NOON)
        ids = [chunk.id for chunk in catalog.chunks("g1")]
        found = catalog.chunk_metadata(ids, "g1")
        assert [found[each].title for each in ids] == [long[:255], None]
        assert [stored.info.title for stored in catalog.documents("g1")] == [long, ""]

    def test_a_generation_can_have_more_documents_than_fit_into_one_statement(self, catalog: Catalog) -> None:
        built(catalog, "g1", *(page(f"page-{number:05}") for number in range(MANY)))
        had = revisions(catalog, "g1")
        assert len(had) == MANY
        catalog.add_generation(generation("g2"))
        catalog.include_revisions("g2", list(had.values()))
        catalog.transition("g2", State.CANDIDATE)
        catalog.promote("g2", NOON)
        urls = [stored.info.url for stored in catalog.documents("g2")]
        assert urls == sorted(had)
        chunks = list(catalog.chunks("g2", sorted(had.values())))
        assert [chunk.document.url for chunk in chunks] == urls
        assert len(catalog.chunk_metadata([chunk.id for chunk in chunks], "g2")) == MANY
        assert len(catalog.embedded_chunks("g2", [chunk.embedded_hash for chunk in chunks])) == MANY
        catalog.forget("g1")
        assert len(list(catalog.chunks("g2"))) == MANY
        catalog.transition("g2", State.RETIRED)
        catalog.forget("g2")
        assert catalog.generations() == []

    def test_forgetting_deletes_the_documents_that_no_generation_has_any_more(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a"), page("b", "old"))
        had = revisions(catalog, "g1")
        catalog.add_generation(generation("g2"))
        catalog.include_revisions("g2", [had[f"{SITE}/a"]])
        catalog.add_documents("g2", [page("b", "new")])
        catalog.forget("g1")
        assert [chunk.text for chunk in catalog.chunks("g2")] == ["What a says.", "new"]
        catalog.add_generation(generation("g3"))
        catalog.include_revisions("g3", [had[f"{SITE}/a"]])
        with pytest.raises(CatalogError, match=had[f"{SITE}/b"]):
            catalog.include_revisions("g3", [had[f"{SITE}/b"]])
