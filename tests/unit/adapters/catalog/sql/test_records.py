"""A row of the catalog is read as what it is, or said to be damaged: SQLite keeps any value in any column."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from assay.adapters.catalog.sql.records import (
    chunk_of,
    chunk_place_of,
    chunk_row,
    generation_of,
    generation_row,
    info_of,
    known_page_of,
    revision_row,
    stored_document_of,
)
from assay.errors import CatalogCorrupt, CatalogSchemaError
from assay.model.headings import InnerHeading
from assay.testing.catalog_samples import NOON, generation, page

Row = Mapping[str, Any]
Read = Callable[[Row], object]

DOCUMENT, CHUNKS = page("a", "one", "two", "three")
GENERATION = replace(
    generation("g1"),
    promoted_at=NOON,
    sealed_at=NOON,
    verdict={"outcome": "PASS"},
    seconds={"read": 1.5},
    parent="g0",
    reason="old",
    unread_documents={"rst": 1},
)
REVISION = revision_row("r1", DOCUMENT, 2)
CHUNK = chunk_row(1, replace(CHUNKS[1], inner_headings=(InnerHeading(2, 1, "Install", None),)), NOON)
PLACE = {
    "chunk_id": "c",
    "url": "https://x.example/a",
    "position": 1,
    "start": 2,
    "end": 3,
    "content_hash": "h",
}

ROWS: dict[str, tuple[Row, Read]] = {
    "generation": (generation_row(GENERATION), generation_of),
    "document info": (REVISION, info_of),
    "document": (REVISION, stored_document_of),
    "page": (REVISION, known_page_of),
    "chunk": (CHUNK, lambda row: chunk_of(row, DOCUMENT.info)),
    "place": (PLACE, chunk_place_of),
}
WRONG: tuple[object, ...] = (None, "word", 7, 1.5, True, [], [{}], {}, {"a": 1}, b"\xff", NOON)


def _read_with(read: Read, row: Row, column: str, value: object) -> bool:
    """Whether a row with this value is read; it has to be said to be damaged otherwise."""
    try:
        read({**row, column: value})
    except (CatalogCorrupt, CatalogSchemaError):  # the latter for an identity of another version
        return False
    return True


@pytest.mark.parametrize(
    ("kind", "column"), [(kind, column) for kind, (row, _) in ROWS.items() for column in row], ids=str
)
def test_a_value_of_another_type_is_said_to_be_damaged_and_nothing_else_is_raised(kind: str, column: str) -> None:
    row, read = ROWS[kind]
    unread = _read_with(read, row, column, object())  # a column that this noun does not have
    for value in WRONG:
        same_type = type(value) is type(row[column]) or (value == [] and isinstance(row[column], tuple))
        was_read = _read_with(read, row, column, value)
        assert not was_read or same_type or value is None or unread or column == "outline", (column, value)


@pytest.mark.parametrize(
    "column", ["url", "title", "source", "source_path", "slug", "more", "text", "text_hash", "key"]
)
def test_a_document_without_a_value_that_it_needs_is_damaged(column: str) -> None:
    assert not _read_with(stored_document_of, REVISION, column, None)


@pytest.mark.parametrize("field", sorted(REVISION["more"]))
def test_a_field_of_a_document_that_is_kept_as_json_is_checked_too(field: str) -> None:
    more = REVISION["more"]
    for value in WRONG:
        was_read = _read_with(info_of, REVISION, "more", {**more, field: value})
        lists = isinstance(value, list) and isinstance(more[field], tuple) and value == []
        may_be_none = value is None and field in {"version", "locale"}
        assert was_read == (type(value) is type(more[field]) or lists or may_be_none), (field, value)


def test_a_generation_names_itself_and_the_field() -> None:
    row = generation_row(replace(GENERATION, created_at=NOON + timedelta(hours=1)))
    with pytest.raises(CatalogCorrupt, match=r"generation g1 is damaged \(chunks is str\)"):
        generation_of({**row, "chunks": "many"})
    with pytest.raises(CatalogCorrupt, match=r"generation g1 is damaged"):
        generation_of({**row, "state": "asleep"})
    with pytest.raises(CatalogCorrupt, match=r"generation g1 is damaged \(dimension is str\)"):
        generation_of({**row, "embedder": row["embedder"] | {"dimension": "256"}})


def test_a_chunk_names_itself_its_page_and_the_field() -> None:
    with pytest.raises(
        CatalogCorrupt, match=rf"chunk {CHUNKS[1].id} of {DOCUMENT.info.url} is damaged \(text is null\)"
    ):
        chunk_of({**CHUNK, "text": None}, DOCUMENT.info)
