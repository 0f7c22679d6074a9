"""The conformance kit for sources passes what is right and catches each way of being wrong."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import pytest
from tests.memory_source import MemorySource

from assay.errors import SourceError
from assay.model.documents import PageExcluded, PageFailed, PageRead, PageUnchanged, RawPage
from assay.ports import Progress, TaskRunner
from assay.testing import EditablePlace, SourceConformance

Pages = dict[str, str | RawPage | PageFailed | PageExcluded]
Reading = Callable[[MemorySource, Mapping[str, str]], Iterator[PageRead]]

TESTS = [name for name, _ in inspect.getmembers(SourceConformance, inspect.isfunction) if name.startswith("test_")]


class Faulty(MemorySource):
    """A source whose reading is another one."""

    reading: Reading
    count = 0

    def read(
        self, known: Mapping[str, str], progress: Progress | None = None, tasks: TaskRunner | None = None
    ) -> Iterator[PageRead]:
        self.count += 1
        yield from self.reading(super(), known)  # type: ignore[arg-type]  # super() acts as the source


def place(reading: Reading) -> EditablePlace:
    pages: Pages = {"a.md": "A", "b.md": "B", "c.md": "C", "d.md": PageExcluded("d.md", "a draft")}
    source = Faulty(pages, name="memory", base_url="https://docs.example.org")
    unreadable = Faulty(pages, name="memory", base_url="https://docs.example.org", failure=SourceError("out of reach"))
    source.reading = unreadable.reading = reading  # type: ignore[method-assign]  # the fault under test

    def edit(key: str) -> None:
        pages[key] = f"{pages[key]} more"

    def spoil(key: str) -> None:
        pages[key] = PageFailed(key, "spoiled")

    return EditablePlace(source, edit, pages.__delitem__, spoil, unreadable)


def failing(reading: Reading) -> set[str]:
    """Names of the kit's tests that fail for a reading."""
    found = set()
    for name in TESTS:
        try:
            getattr(SourceConformance(), name)(place(reading))
        except (AssertionError, LookupError, ValueError, StopIteration, SourceError, pytest.fail.Exception):
            found.add(name)
    return found


def honest(source: MemorySource, known: Mapping[str, str]) -> Iterator[PageRead]:
    return source.read(known)


def test_a_right_source_passes_every_test() -> None:
    assert len(TESTS) > 15
    assert failing(honest) == set()


def change(**fields: object) -> Reading:
    def reading(source: MemorySource, known: Mapping[str, str]) -> Iterator[PageRead]:
        for item in source.read(known):
            yield replace(item, **fields) if isinstance(item, RawPage) else item  # type: ignore[arg-type]  # any fields

    return reading


def twice(source: MemorySource, known: Mapping[str, str]) -> Iterator[PageRead]:
    for item in source.read(known):
        yield item
        yield item


def forgetful(source: MemorySource, known: Mapping[str, str]) -> Iterator[PageRead]:
    return source.read({})


def trusting(source: MemorySource, known: Mapping[str, str]) -> Iterator[PageRead]:
    for item in source.read({}):
        yield PageUnchanged(item.key, known[item.key]) if item.key in known else item


def silent_about_failures(source: MemorySource, known: Mapping[str, str]) -> Iterator[PageRead]:
    return (item for item in source.read(known) if not isinstance(item, PageFailed))


def giving_up(source: MemorySource, known: Mapping[str, str]) -> Iterator[PageRead]:
    for item in source.read(known):
        if isinstance(item, PageFailed):
            raise SourceError(item.reason)
        yield item


def empty_when_unreadable(source: MemorySource, known: Mapping[str, str]) -> Iterator[PageRead]:
    try:
        yield from source.read(known)
    except SourceError:
        return


def without_reasons(source: MemorySource, known: Mapping[str, str]) -> Iterator[PageRead]:
    for item in source.read(known):
        yield replace(item, reason=" ") if isinstance(item, PageFailed | PageExcluded) else item


def repeating_what_is_known(source: MemorySource, known: Mapping[str, str]) -> Iterator[PageRead]:
    found = list(source.read(known))
    yield from found
    yield from (PageUnchanged(key, known[key]) for key in known.keys() - {item.key for item in found})


def hashing_urls_only(source: MemorySource, known: Mapping[str, str]) -> Iterator[PageRead]:
    for item in source.read({}):
        if isinstance(item, RawPage):
            short = f"{ord(item.key[0]):064x}"
            yield PageUnchanged(item.key, short) if known.get(item.key) == short else replace(item, source_hash=short)
        else:
            yield item


def in_changing_order() -> Reading:
    turn = [0]

    def reading(source: MemorySource, known: Mapping[str, str]) -> Iterator[PageRead]:
        items = list(source.read(known))
        turn[0] += 1
        return iter(items if turn[0] % 2 else items[::-1])

    return reading


@pytest.mark.parametrize(
    ("reading", "caught_by"),
    [
        (change(url="https://docs.example.org/same"), "each_url_comes_once"),
        (change(source="other"), "has_a_name"),
        (change(slug=""), "has_a_path_a_slug"),
        (change(slug="x" * 101), "has_a_path_a_slug"),
        (change(title=""), "has_a_path_a_slug"),
        (change(first_line=0), "has_a_path_a_slug"),
        (change(source_hash="0" * 64), "differs_between_pages"),
        (change(source_hash="short"), "is_sha_256"),
        (twice, "each_key_comes_once"),
        (forgetful, "comes_without_its_content"),
        (trusting, "known_by_another_hash"),
        (silent_about_failures, "stops_no_other"),
        (giving_up, "stops_no_other"),
        (empty_when_unreadable, "is_an_error"),
        (without_reasons, "excluded_page_has_a_reason"),
        (repeating_what_is_known, "is_not_there_does_not_come"),
        (hashing_urls_only, "only_an_edited_page_comes_in_full"),
        (in_changing_order(), "in_the_same_order"),
    ],
)
def test_a_wrong_source_is_caught(reading: Reading, caught_by: str) -> None:
    assert [name for name in failing(reading) if caught_by in name]


def test_a_url_that_is_not_canonical_is_caught() -> None:
    def reading(source: MemorySource, known: Mapping[str, str]) -> Iterator[PageRead]:
        for item in source.read(known):
            yield replace(item, url=f"{item.url}/") if isinstance(item, RawPage) else item

    assert [name for name in failing(reading) if "is_canonical" in name]
