"""A packed vocabulary is read as what it is, or said to be damaged."""

import pytest

from assay.adapters.catalog.sql.packing import json_text, packed_text, unpacked_vocabulary
from assay.errors import CatalogCorrupt

COLUMNS: dict[str, object] = {
    "words": "store\nport",
    "counts": [2, 1],
    "terms": [3],
    "names": "Store",
    "urls": "https://d.example/",
    "titles": "1",
}


def test_a_vocabulary_is_read_by_columns() -> None:
    read = unpacked_vocabulary(packed_text(json_text(COLUMNS)), "g1")
    assert read.words == {"store": 2, "port": 1}
    assert [name.text for name in read.names] == ["Store"]


@pytest.mark.parametrize(
    "changed",
    [
        {"counts": ["many", 1]},
        {"counts": [None, 1]},
        {"counts": [1]},
        {"counts": 2},
        {"words": ["store", "port"]},
        {"terms": [-1]},
        {"terms": ["a"]},
        {"names": "Store\nPort"},
        {"urls": None},
        {"titles": 1},
    ],
)
def test_a_column_of_another_kind_is_damage(changed: dict[str, object]) -> None:
    with pytest.raises(CatalogCorrupt, match="vocabulary of generation g1"):
        unpacked_vocabulary(packed_text(json_text(COLUMNS | changed)), "g1")


@pytest.mark.parametrize("content", [b"", b"no zlib", packed_text("[]"), packed_text("{}"), packed_text("null")])
def test_what_is_no_vocabulary_is_damage(content: bytes) -> None:
    with pytest.raises(CatalogCorrupt, match="vocabulary of generation g1"):
        unpacked_vocabulary(content, "g1")
