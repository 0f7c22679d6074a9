"""Filters as conditions on a payload that others wrote."""

from typing import Any

import pytest

from assay.adapters.stores.adopted.filters import any_equal, any_present, conditions, server_keys, url_matches
from assay.adapters.stores.adopted.mapping import FieldMapping
from assay.errors import InputError
from assay.model.ranking import Filters

MAPPING = FieldMapping(
    {
        "url": ("url", "metadata.source"),
        "section": ("metadata.Header 2", "section"),
        "version": ("version",),
        "source": ("site",),
    }
)


def sent(filters: Filters, mapping: FieldMapping = MAPPING) -> list[dict[str, Any]]:
    found = conditions(filters, mapping, "docs")
    assert found is not None
    must: list[dict[str, Any]] = found.model_dump(exclude_none=True)["must"]
    return must


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ("url", ("url",)),
        ("metadata.url", ("metadata.url",)),
        ("metadata.Header 2", ('metadata."Header 2"',)),
        ("der Titel", ('"der Titel"',)),
        ("a.b.c", ("a.b.c", 'a."b.c"')),
        ("a.b.c.d", ("a.b.c.d", 'a."b.c.d"', 'a.b."c.d"')),
        ('a."b"', ()),
        ("a\\b", ()),
    ],
)
def test_a_path_is_written_as_the_server_reads_it(path: str, keys: tuple[str, ...]) -> None:
    assert server_keys((path,)) == keys


def test_of_several_paths_each_is_asked() -> None:
    assert server_keys(("a", "b.c", "a")) == ("a", "b.c")
    (section,) = sent(Filters(sections=("Setup", "Use")))
    assert section["should"] == [
        {"key": key, "match": {"any": ["Setup", "Use"]}} for key in ('metadata."Header 2"', "section")
    ]
    assert sent(Filters(versions=("2",))) == [{"key": "version", "match": {"value": "2"}}]


def test_pages_without_a_version_are_asked_for_next_to_the_named_versions() -> None:
    (condition,) = sent(Filters(versions=("2",), include_unversioned=True))
    named, absent = condition["should"]
    assert named == {"key": "version", "match": {"value": "2"}}
    assert absent["must"] == [{"is_empty": {"key": "version"}}]
    assert conditions(Filters(include_unversioned=True), MAPPING, "docs") is None


def test_no_filter_is_no_condition() -> None:
    assert conditions(Filters(), MAPPING, "docs") is None


def test_a_url_prefix_is_asked_by_what_every_spelling_has() -> None:
    asked = sent(Filters(url_prefix="https://x.dev/a/der%20Arm/"))
    assert [[one["match"] for one in part["should"]] for part in asked] == [
        [{"text": "x.dev"}] * 2,
        [{"text": "/a"}] * 2,
    ]
    assert len(sent(Filters(url_prefix="https://x.dev"))) == 1


def test_with_a_base_url_the_server_is_not_asked_for_urls_that_it_does_not_know() -> None:
    mapping = FieldMapping(MAPPING.paths, base_url="https://x.dev")
    assert conditions(Filters(url_prefix="https://x.dev/a"), mapping, "docs") is None


def test_the_collections_name_stands_for_points_without_a_source() -> None:
    bare = FieldMapping({"url": ("url",)})
    assert conditions(Filters(sources=("docs",)), bare, "docs") is None
    assert sent(Filters(sources=("wiki",)), bare) == [{"has_id": []}]
    assert sent(Filters(sources=("wiki",))) == [{"key": "site", "match": {"value": "wiki"}}]


@pytest.mark.parametrize("paths", [(), ("_node_content.metadata.section",), ('a "section"',)])
def test_a_filter_by_what_the_server_cannot_look_at_is_refused(paths: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=r"^filters\.sections: .*\[index\.mapping\] section"):
        conditions(Filters(sections=("Setup",)), FieldMapping({"section": paths}), "docs")


def test_ids_are_asked_for_as_text_and_as_numbers_that_an_index_can_hold() -> None:
    found = any_equal(("chunk_id",), ["7", "c-7", str(2**63 - 1), str(2**63), "9" * 40]).model_dump(exclude_none=True)
    text, number = found["should"]
    assert text["match"]["any"] == ["7", "c-7", str(2**63 - 1), str(2**63), "9" * 40]
    assert number["match"]["any"] == [7, 2**63 - 1]


def test_points_that_have_something_at_any_of_the_paths_are_asked_for() -> None:
    found = any_present(("section", "heading")).model_dump(exclude_none=True)
    (nothing,) = found["must_not"]
    assert [one["is_empty"]["key"] for one in nothing["must"]] == ["section", "heading"]


@pytest.mark.parametrize(
    ("url", "inside"),
    [
        ("https://x.dev/a", True),
        ("https://x.dev/a/b", True),
        ("https://x.dev/a?v=2", True),
        ("https://x.dev/ab", False),
        ("https://x.dev", False),
    ],
)
def test_a_prefix_ends_at_a_path_border(url: str, inside: bool) -> None:
    assert url_matches("https://x.dev/a/")(url) is inside
