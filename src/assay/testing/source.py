"""The conformance kit for sources.

class TestMySource(SourceConformance):
    @pytest.fixture
    def place(self):
        return EditablePlace(source=MySource(...), edit=..., remove=..., spoil=..., unreadable=...)
"""
# ruff: noqa: D102 - the name of a test is a sentence

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from assay.errors import SourceError
from assay.model.documents import MediaType, PageExcluded, PageFailed, PageRead, PageUnchanged, RawPage
from assay.model.ids import SLUG_LIMIT, canonical_url
from assay.ports import Source

MANY = 3


@dataclass(frozen=True, slots=True)
class EditablePlace:
    """A source with at least three readable pages, and functions that change them.

    edit: changes the content of the page with a key, but not its URL.
    remove: deletes a page. spoil: makes a page fail.
    unreadable: a source of the same kind that cannot be read at all.
    """

    source: Source
    edit: Callable[[str], None]
    remove: Callable[[str], None]
    spoil: Callable[[str], None]
    unreadable: Source


def raw_pages(items: list[PageRead]) -> list[RawPage]:
    """The pages with content."""
    return [item for item in items if isinstance(item, RawPage)]


def hashes(items: list[PageRead]) -> dict[str, str]:
    """The source hashes that a generation stores, by key."""
    return {item.key: item.source_hash for item in items if isinstance(item, RawPage | PageUnchanged)}


class SourceConformance:
    """Tests of assay.ports.Source. Subclass it with a fixture `place`."""

    @pytest.fixture
    def place(self) -> EditablePlace:
        """A new source with its functions, for each test."""
        raise NotImplementedError("override the fixture `place`")

    # --- pages ---

    def test_the_place_has_enough_pages_for_this_kit(self, place: EditablePlace) -> None:
        assert len(raw_pages(list(place.source.read({})))) >= MANY

    def test_a_source_has_a_name_that_stays_and_is_on_every_page(self, place: EditablePlace) -> None:
        name = place.source.name
        assert name
        assert name == name.strip()
        assert {page.source for page in raw_pages(list(place.source.read({})))} == {name}
        assert place.source.name == name

    def test_each_key_comes_once(self, place: EditablePlace) -> None:
        keys = [item.key for item in place.source.read({})]
        assert len(keys) == len(set(keys))
        assert all(keys)

    def test_each_url_comes_once_and_is_canonical(self, place: EditablePlace) -> None:
        urls = [page.url for page in raw_pages(list(place.source.read({})))]
        assert len(urls) == len(set(urls))
        assert urls == [canonical_url(url) for url in urls]

    def test_every_page_has_a_path_a_slug_and_a_media_type(self, place: EditablePlace) -> None:
        for page in raw_pages(list(place.source.read({}))):
            assert page.source_path
            assert 1 <= len(page.slug) <= SLUG_LIMIT
            assert page.media_type in set(MediaType)
            assert page.first_line >= 1
            assert page.title is None or page.title.strip() == page.title != ""

    def test_a_source_hash_is_sha_256_in_hex_and_differs_between_pages(self, place: EditablePlace) -> None:
        pages = raw_pages(list(place.source.read({})))
        assert all(re.fullmatch("[0-9a-f]{64}", page.source_hash) for page in pages)
        assert len({page.source_hash for page in pages}) == len(pages)

    def test_a_failed_or_excluded_page_has_a_reason(self, place: EditablePlace) -> None:
        place.spoil(next(iter(hashes(list(place.source.read({}))))))
        for item in place.source.read({}):
            if isinstance(item, PageFailed | PageExcluded):
                assert item.reason.strip()

    # --- repeated reads ---

    def test_reading_again_gives_the_same_in_the_same_order(self, place: EditablePlace) -> None:
        assert list(place.source.read({})) == list(place.source.read({}))

    def test_two_reads_at_once_do_not_disturb_each_other(self, place: EditablePlace) -> None:
        pages = list(place.source.read({}))
        assert list(zip(place.source.read({}), place.source.read({}), strict=True)) == list(
            zip(pages, pages, strict=True)
        )

    def test_an_abandoned_read_does_not_affect_the_next(self, place: EditablePlace) -> None:
        complete = list(place.source.read({}))
        next(iter(place.source.read({})))
        assert list(place.source.read({})) == complete

    # --- known pages ---

    def test_without_knowledge_every_page_comes_in_full(self, place: EditablePlace) -> None:
        assert not [item for item in place.source.read({}) if isinstance(item, PageUnchanged)]

    def test_a_known_page_comes_without_its_content_in_its_place(self, place: EditablePlace) -> None:
        full = list(place.source.read({}))
        known = hashes(full)
        again = list(place.source.read(known))
        assert [item.key for item in again] == [item.key for item in full]
        assert {item.key: item.source_hash for item in again if isinstance(item, PageUnchanged)} == known

    def test_a_page_known_by_another_hash_comes_in_full(self, place: EditablePlace) -> None:
        known = dict.fromkeys(hashes(list(place.source.read({}))), "0" * 64)
        again = list(place.source.read(known))
        assert hashes(again).keys() == known.keys()
        assert not [item for item in again if isinstance(item, PageUnchanged)]

    def test_a_known_page_that_is_not_there_does_not_come(self, place: EditablePlace) -> None:
        assert "no/such/page" not in {item.key for item in place.source.read({"no/such/page": "0" * 64})}

    def test_reading_does_not_change_what_is_known(self, place: EditablePlace) -> None:
        known = hashes(list(place.source.read({})))
        copy = dict(known)
        list(place.source.read(known))
        assert known == copy

    # --- changes ---

    def test_only_an_edited_page_comes_in_full(self, place: EditablePlace) -> None:
        known = hashes(list(place.source.read({})))
        edited = sorted(known)[1]
        place.edit(edited)
        again = list(place.source.read(known))
        assert [page.key for page in raw_pages(again)] == [edited]
        assert hashes(again)[edited] != known[edited]
        assert [key for key, value in hashes(again).items() if value != known[key]] == [edited]

    def test_an_edited_page_keeps_its_url(self, place: EditablePlace) -> None:
        before = {page.key: page for page in raw_pages(list(place.source.read({})))}
        edited = min(before)
        place.edit(edited)
        after = {page.key: page for page in raw_pages(list(place.source.read({})))}
        assert after[edited].url == before[edited].url
        assert after[edited].content != before[edited].content

    def test_a_removed_page_does_not_come(self, place: EditablePlace) -> None:
        known = hashes(list(place.source.read({})))
        removed = sorted(known)[1]
        place.remove(removed)
        assert hashes(list(place.source.read(known))).keys() == known.keys() - {removed}

    def test_a_page_that_fails_is_reported_and_stops_no_other(self, place: EditablePlace) -> None:
        known = hashes(list(place.source.read({})))
        spoiled = sorted(known)[1]
        place.spoil(spoiled)
        again = list(place.source.read(known))
        assert [item.key for item in again if isinstance(item, PageFailed)] == [spoiled]
        assert hashes(again).keys() == known.keys() - {spoiled}

    def test_a_place_that_cannot_be_read_is_an_error_and_not_an_empty_source(self, place: EditablePlace) -> None:
        with pytest.raises(SourceError) as caught:
            list(place.unreadable.read({}))
        assert caught.value.message
