"""Payloads that others wrote, read as chunks: what is found, what stands in, and what is reported as missing."""

from datetime import UTC, datetime
from typing import Any

import pytest

from assay.adapters.stores.adopted.mapping import REPORTED, FieldMapping, PointReader
from assay.adapters.stores.adopted.presets import PRESETS
from assay.model.documents import Chunk
from assay.model.ids import content_hash, document_id
from assay.ports import AdoptedPoint

POINT = "0f8fad5b-d9cb-469f-a165-70867728950e"
URL = "https://docs.example.org/arm"
HASH = content_hash("The arm bends.")

PAYLOADS: dict[str, dict[str, Any]] = {
    "retrieval_testing": {
        "content": "The arm bends.",
        "url": URL,
        "position": 2,
        "created_at": "2025-12-15T10:00:00Z",
    },
    "validation_report": {
        "content": "The arm bends.",
        "url": URL,
        "title": "Arm",
        "chunk_index": 2,
        "timestamp": "2025-12-15T10:00:00Z",
        "content_hash": HASH,
    },
    "retrieval_layer": {
        "text": "The arm bends.",
        "url": URL,
        "chunk_id": f"{URL}_2",
        "position": 2,
        "title": "Arm",
        "content_hash": HASH,
    },
    "search_api": {
        "chunk_id": "doc-001-0003",
        "text": "The arm bends.",
        "source_path": "docs/arm.md",
        "slug": "docs-arm",
        "title": "Arm",
        "order_index": 3,
    },
    "retrieval_service": {
        "content": "The arm bends.",
        "chunk_id": "c-3",
        "position": 2,
        "metadata": {"url": URL, "section": "Bending", "document_id": "d-1", "document_title": "Arm"},
    },
    "langchain": {"page_content": "The arm bends.", "metadata": {"source": URL, "title": "Arm", "Header 2": "Bending"}},
    "llamaindex": {
        "url": URL,
        "title": "Arm",
        "_node_content": '{"text": "The arm bends.", "metadata": {"a": "b"}, "excluded_embed_metadata_keys": ["a"]}',
        "_node_type": "TextNode",
        "document_id": "d-1",
        "doc_id": "d-1",
        "ref_doc_id": "d-1",
    },
    "haystack": {
        "id": "e5d8",
        "content": "The arm bends.",
        "blob": None,
        "meta": {"url": URL, "title": "Arm", "split_id": 2, "source_id": "d-1"},
    },
}
"""A payload as each pipeline writes it, by the preset that reads it."""


def read(preset: str, payload: dict[str, Any], **mapping: Any) -> AdoptedPoint:  # noqa: ANN401 - parts of a mapping
    found = PRESETS[preset].mapping
    return PointReader(FieldMapping(found.paths, found.first_position, **mapping), "docs").read(POINT, payload)


def chunk_of(point: AdoptedPoint) -> Chunk:
    assert point.chunk is not None
    return point.chunk


# --- presets -------------------------------------------------------------------------------------------------------


@pytest.mark.contract("adopted.1", "adopted.2", "adopted.3", "adopted.4", "adopted.5")
@pytest.mark.parametrize("preset", PAYLOADS)
def test_each_preset_finds_the_passage_and_its_page(preset: str) -> None:
    chunk = chunk_of(read(preset, PAYLOADS[preset]))
    assert chunk.text == "The arm bends."
    assert chunk.content_hash == HASH
    if preset != "search_api":
        assert chunk.document.url == URL


@pytest.mark.contract("adopted.3", "adopted.4", "adopted.5")
@pytest.mark.parametrize("preset", ["validation_report", "retrieval_layer", "search_api", "retrieval_service"])
def test_position_counts_from_0_however_a_seed_counts(preset: str) -> None:
    assert chunk_of(read(preset, PAYLOADS[preset])).position == 2


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("retrieval_testing", POINT),
        ("retrieval_layer", f"{URL}_2"),
        ("search_api", "doc-001-0003"),
        ("retrieval_service", "c-3"),
        ("langchain", POINT),
        ("haystack", "e5d8"),
    ],
)
def test_the_chunk_id_is_the_payloads_where_it_has_one_else_the_points(preset: str, expected: str) -> None:
    assert chunk_of(read(preset, PAYLOADS[preset])).id == expected


@pytest.mark.parametrize(
    ("preset", "missing"),
    [
        ("validation_report", {"chunk_id", "section", "source_path", "slug", "document_id"}),
        ("search_api", {"url", "section", "document_id", "created_at", "content_hash"}),
        ("langchain", set(REPORTED) - {"text", "url", "title", "section"}),
        ("haystack", set(REPORTED) - {"text", "url", "title", "position", "chunk_id", "document_id"}),
    ],
)
def test_what_a_payload_lacks_is_missing_by_field(preset: str, missing: set[str]) -> None:
    assert set(read(preset, PAYLOADS[preset]).missing) == missing


def test_an_explicit_null_an_empty_text_and_a_wrong_type_are_missing_too() -> None:
    payload = PAYLOADS["validation_report"] | {"title": None, "chunk_index": "third", "timestamp": "long ago"}
    point = read("validation_report", payload | {"content_hash": "abc"})
    assert {"title", "position", "created_at", "content_hash"} <= set(point.missing)
    assert chunk_of(point).document.title == ""
    assert chunk_of(point).position == 0
    assert chunk_of(point).created_at is None
    assert point.stored_hash is None


@pytest.mark.parametrize("text", [None, "", "  \n", 7, ["The arm bends."]])
def test_a_point_without_text_is_no_chunk(text: object) -> None:
    point = read("validation_report", PAYLOADS["validation_report"] | {"content": text})
    assert point.chunk is None
    assert "text" in point.missing


def test_the_deepest_markdown_heading_is_the_section() -> None:
    metadata = {"source": URL, "Header 1": "Arm", "Header 2": "Bending", "Header 3": "Slowly"}
    assert chunk_of(read("langchain", {"page_content": "x", "metadata": metadata})).section == "Slowly"


def test_a_node_of_llamaindex_without_a_document_has_no_document_id() -> None:
    payload = PAYLOADS["llamaindex"] | dict.fromkeys(("document_id", "doc_id", "ref_doc_id"), "None")
    point = read("llamaindex", payload)
    assert chunk_of(point).document.id == document_id(URL)
    assert "document_id" in point.missing


def test_the_newer_node_of_llamaindex_keeps_its_text_in_a_resource() -> None:
    payload = {"_node_content": '{"text_resource": {"text": "The arm bends."}}', "url": URL}
    assert chunk_of(read("llamaindex", payload)).text == "The arm bends."


def test_what_llamaindex_embeds_has_the_metadata_in_front_that_is_not_excluded() -> None:
    node = (
        '{"text": "The arm bends.", "metadata": {"title": "Arm", "url": "https://x.dev", "file": "a"}, '
        '"excluded_embed_metadata_keys": ["file"], "metadata_template": "{key}: {value}", "metadata_separator": " | ", '
        '"text_template": "[{metadata_str}]\\n{content}"}'
    )
    point = read("llamaindex", {"_node_content": node})
    assert point.embedded_text == "[title: Arm | url: https://x.dev]\nThe arm bends."


def test_text_that_has_braces_is_embedded_as_it_is() -> None:
    node = '{"text": "f(\\"{key}\\") {metadata_str} {content}", "metadata": {"a": "{value}"}}'
    assert read("llamaindex", {"_node_content": node}).embedded_text.startswith("a: {value}\n\nf(")


# --- addresses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "url", "anchor"),
    [
        ("HTTPS://Docs.Example.org:443/arm/", URL, None),
        (f"{URL}#bending", URL, "bending"),
        (f"{URL}?v=2#bending", f"{URL}?v=2", "bending"),
        ("https://docs.example.org/der Arm", "https://docs.example.org/der%20Arm", None),
    ],
)
def test_an_address_is_made_canonical_and_its_fragment_leads_to_the_section(
    given: str, url: str, anchor: str | None
) -> None:
    point = read("validation_report", PAYLOADS["validation_report"] | {"url": given})
    assert (chunk_of(point).document.url, chunk_of(point).anchor) == (url, anchor)
    assert "url" not in point.missing


@pytest.mark.parametrize(
    ("given", "base_url", "url"),
    [
        ("docs/arm.md", "", "https://docs.invalid/docs/arm"),
        ("/home/me/docs/arm.mdx", "", "https://docs.invalid/home/me/docs/arm"),
        ("docs\\arm.md", "https://x.dev/en", "https://x.dev/en/docs/arm"),
        ("docs/arm/index.md", "https://x.dev/", "https://x.dev/docs/arm"),
        ("docs/arm/README.md", "https://x.dev", "https://x.dev/docs/arm"),
        ("report 1.pdf", "https://x.dev", "https://x.dev/report%201.pdf"),
    ],
)
def test_a_path_in_place_of_an_address_is_put_below_the_base_url(given: str, base_url: str, url: str) -> None:
    point = read("langchain", {"page_content": "x", "metadata": {"source": given}}, base_url=base_url)
    assert chunk_of(point).document.url == url
    assert chunk_of(point).document.source_path == given
    assert ("url" in point.missing) is not base_url.startswith("http")


def test_without_address_and_path_each_point_has_a_page_of_its_own_that_leads_nowhere() -> None:
    point = read("langchain", {"page_content": "x", "metadata": {}})
    assert chunk_of(point).document.url == f"https://docs.invalid/docs/{POINT}"
    assert "url" in point.missing


def test_a_chunk_id_of_url_and_number_says_where_the_chunk_is() -> None:
    payload = {"text": "x", "chunk_id": "https://docs.example.org/a_b_12", "url": None}
    point = PointReader(FieldMapping({"text": ("text",), "chunk_id": ("chunk_id",)}), "docs").read(POINT, payload)
    assert chunk_of(point).document.url == "https://docs.example.org/a_b"
    assert chunk_of(point).position == 12
    assert not {"url", "position"} & set(point.missing)


@pytest.mark.parametrize(
    "url", ["ftp://x.dev/a", "https://", "http://[", "javascript:alert(1)", "https://x.dev:99999/"]
)
def test_what_is_no_address_of_the_web_never_becomes_the_address_of_a_result(url: str) -> None:
    chunk = chunk_of(read("validation_report", PAYLOADS["validation_report"] | {"url": url}))
    assert chunk.document.url.startswith("https://docs.invalid/")


# --- other fields --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2025-12-15T10:00:00Z", datetime(2025, 12, 15, 10, tzinfo=UTC)),
        ("2025-12-15T12:00:00+02:00", datetime(2025, 12, 15, 10, tzinfo=UTC)),
        ("2025-12-15 10:00:00.5", datetime(2025, 12, 15, 10, 0, 0, 500_000, tzinfo=UTC)),
        ("2025-12-15", datetime(2025, 12, 15, tzinfo=UTC)),
        (1_765_792_800, datetime(2025, 12, 15, 10, tzinfo=UTC)),
        (1_765_792_800_000, datetime(2025, 12, 15, 10, tzinfo=UTC)),
        (True, None),
        (1e300, None),
        ("yesterday", None),
    ],
)
def test_times_are_read_in_the_forms_in_which_they_are_stored(given: object, expected: datetime | None) -> None:
    assert (
        chunk_of(read("retrieval_testing", PAYLOADS["retrieval_testing"] | {"created_at": given})).created_at
        == expected
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (3, 3),
        ("3", 3),
        (3.0, 3),
        (3.5, 0),
        (-1, 0),
        (True, 0),
        ("²", 0),
        (1e300, 0),
        (10**30, 0),
        ("9" * 5_000, 0),
        (2**53 - 1, 2**53 - 1),
    ],
)
def test_positions_are_whole_numbers_from_0(given: object, expected: int) -> None:
    assert chunk_of(read("retrieval_testing", PAYLOADS["retrieval_testing"] | {"position": given})).position == expected


def test_a_chunk_id_that_is_a_number_is_its_text() -> None:
    assert chunk_of(read("search_api", PAYLOADS["search_api"] | {"chunk_id": 17})).id == "17"


def test_of_several_paths_the_first_that_has_something_counts() -> None:
    reader = PointReader(FieldMapping({"text": ("body.html", "body.plain", "summary")}), "docs")
    assert chunk_of(reader.read(POINT, {"body": {"html": "", "plain": "this"}, "summary": "that"})).text == "this"


def test_a_key_below_the_first_may_have_dots_itself() -> None:
    reader = PointReader(FieldMapping({"text": ("meta.page.text",)}), "docs")
    assert chunk_of(reader.read(POINT, {"meta": {"page.text": "this"}})).text == "this"


def test_json_that_is_too_deep_is_no_json() -> None:
    reader = PointReader(FieldMapping({"text": ("node.text", "text")}), "docs")
    assert chunk_of(reader.read(POINT, {"node": "[" * 200_000, "text": "this"})).text == "this"


def test_half_a_surrogate_pair_inside_of_json_does_not_hide_the_passage() -> None:
    node = r'{"text": "so \ud83d\ude00 and \ud83d", "metadata": {"title": "\ude00"}}'
    point = read("llamaindex", {"_node_content": node, "url": URL})
    assert chunk_of(point).text == "so \U0001f600 and \ufffd"
    assert point.embedded_text == "title: \ufffd\n\nso \U0001f600 and \ufffd"


def test_text_that_is_no_json_hides_nothing_and_breaks_nothing() -> None:
    reader = PointReader(FieldMapping({"text": ("node.text", "text")}), "docs")
    assert chunk_of(reader.read(POINT, {"node": "{not json", "text": "this"})).text == "this"
    assert chunk_of(reader.read(POINT, {"node": "[1]", "text": "this"})).text == "this"
