"""Faults of the catalog, each planted by SQL, with the kinds of faults that have to be found."""

import json
import zlib
from collections.abc import Callable

from tests.planting import Stores

Plant = Callable[[Stores], dict[str, tuple[str, ...]]]
"""Plants a fault; gives the kinds that have to be found, with what has to be said of each. No other may be."""


def one_byte_of_a_text(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.sql("UPDATE chunks SET text = substr(text, 1, 9) || '~' || substr(text, 11) WHERE chunk_id = ?", chunk)
    return {
        "hashes": (f"{chunk} (", "its text does not have the hash", "its embedded text does not have the hash"),
        "spans": (f"{chunk} (", "of its document"),
        "agreement": (f"{chunk} (", "differs between index and catalog: text"),
        "embeddings": (f"{chunk} (",),
        "keywords": (f"{chunk} (",),
    }


def one_byte_of_a_compressed_document(stores: Stores) -> dict[str, tuple[str, ...]]:
    number, url, packed = stores.sql("SELECT id, url, text FROM document_revisions ORDER BY url")[1]
    middle = len(packed) // 2
    damaged = packed[:middle] + bytes([packed[middle] ^ 0xFF]) + packed[middle + 1 :]
    stores.sql("UPDATE document_revisions SET text = ? WHERE id = ?", damaged, number)
    return {"catalog": (url, "is damaged")}


def a_byte_that_is_no_utf_8(stores: Stores) -> dict[str, tuple[str, ...]]:
    return _unreadable_chunk(stores, "UPDATE chunks SET text = CAST(x'FF' || text AS TEXT) WHERE chunk_id = ?")


def headings_that_are_no_json(stores: Stores) -> dict[str, tuple[str, ...]]:
    return _unreadable_chunk(stores, "UPDATE chunks SET heading_path = '{' WHERE chunk_id = ?")


def headings_that_are_no_list(stores: Stores) -> dict[str, tuple[str, ...]]:
    return _unreadable_chunk(stores, "UPDATE chunks SET heading_path = 'null' WHERE chunk_id = ?")


def a_time_that_is_none(stores: Stores) -> dict[str, tuple[str, ...]]:
    return _unreadable_chunk(stores, "UPDATE chunks SET created_at = 'yesterday' WHERE chunk_id = ?")


def _unreadable_chunk(stores: Stores, statement: str) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    ((url,),) = stores.sql(
        "SELECT url FROM document_revisions WHERE id = (SELECT revision_id FROM chunks WHERE chunk_id = ?)", chunk
    )
    stores.sql(statement, chunk)
    return {
        "catalog": (f"{url}: ", "damaged"),
        "agreement": (f"{chunk} is in the index only", "the generation says"),
        "fingerprint": (),
        "keywords": ("terms on average",),
    }


def one_character_of_a_document(stores: Stores) -> dict[str, tuple[str, ...]]:
    number, url, packed = stores.sql("SELECT id, url, text FROM document_revisions ORDER BY url")[1]
    text = zlib.decompress(packed).decode()
    stores.sql("UPDATE document_revisions SET text = ? WHERE id = ?", zlib.compress(f"{text}.".encode()), number)
    return {"hashes": (f"{url}: its text does not have the hash",)}


def a_wrong_hash(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.sql("UPDATE chunks SET content_hash = ? WHERE chunk_id = ?", "f" * 64, chunk)
    return {
        "hashes": (f"{chunk} (", "does not have the hash ffff"),
        "ids": (f"{chunk} (",),
        "agreement": (f"{chunk} (", "content_hash"),
        "fingerprint": (),
    }


def a_wrong_span(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.sql("UPDATE chunks SET span_start = span_start + 1 WHERE chunk_id = ?", chunk)
    return {"spans": (f"{chunk} (",), "agreement": (f"{chunk} (", "start")}


def a_gap_in_the_positions(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.sql("DELETE FROM chunks WHERE chunk_id = ?", chunk)
    return {
        "positions": (", expected", "chunks, not", "does not name the chunks before and after it"),
        "agreement": (f"{chunk} is in the index only", "the generation says"),
        "fingerprint": (),
        "keywords": ("terms on average",),
    }


def a_chunk_that_stands_twice(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    columns = [row[1] for row in stores.sql("PRAGMA table_info(chunks)") if row[1] != "order_index"]
    values = ", ".join("position + 100" if name == "position" else name for name in columns)
    stores.sql(f"INSERT INTO chunks ({', '.join(columns)}) SELECT {values} FROM chunks WHERE chunk_id = ?", chunk)
    return {
        "ids": (f"{chunk} (", "should have another id"),
        "positions": (f"{chunk} (", "has position 10"),
        "agreement": ("the generation says",),
        "fingerprint": (),
        "keywords": ("terms on average",),
    }


def another_id(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk, stranger = stores.chunk(), "00000000-0000-5000-8000-000000000000"
    stores.sql("UPDATE chunks SET chunk_id = ? WHERE chunk_id = ?", stranger, chunk)
    return {
        "ids": (f"{stranger} (",),
        "positions": (),
        "agreement": (f"{stranger} (", "is missing from the index", f"{chunk} is in the index only"),
        "fingerprint": (),
    }


def a_page_without_a_title(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.sql(
        "UPDATE document_revisions SET title = '' WHERE id = (SELECT revision_id FROM chunks WHERE chunk_id = ?)", chunk
    )
    return {
        "completeness": (f"{chunk} (", "lacks title"),
        "hashes": ("its embedded text",),
        "agreement": ("title",),
        "embeddings": (),
        "keywords": (),
    }


def another_fingerprint(stores: Stores) -> dict[str, tuple[str, ...]]:
    stores.sql("UPDATE generations SET content_fingerprint = ?", "0" * 64)
    return {"fingerprint": (f"was sealed with {'0' * 64}",)}


def another_number_of_chunks(stores: Stores) -> dict[str, tuple[str, ...]]:
    stores.sql("UPDATE generations SET chunks = chunks + 1")
    return {"agreement": ("the generation says",)}


def another_embedder_in_the_records(stores: Stores) -> dict[str, tuple[str, ...]]:
    (row,) = stores.sql("SELECT embedder FROM generations")
    stores.sql("UPDATE generations SET embedder = ?", json.dumps(json.loads(row[0]) | {"revision": "another"}))
    return {"identity": ("the embedder: revision 'another' when it was built",)}


def another_average_length_in_the_records(stores: Stores) -> dict[str, tuple[str, ...]]:
    (row,) = stores.sql("SELECT sparse FROM generations")
    stores.sql("UPDATE generations SET sparse = ?", json.dumps(json.loads(row[0]) | {"average_length": 256.0}))
    return {"keywords": ("256 terms on average", "have another weight")}


IN_THE_CATALOG: tuple[Plant, ...] = (
    one_byte_of_a_text,
    one_byte_of_a_compressed_document,
    a_byte_that_is_no_utf_8,
    headings_that_are_no_json,
    headings_that_are_no_list,
    a_time_that_is_none,
    one_character_of_a_document,
    a_wrong_hash,
    a_wrong_span,
    a_gap_in_the_positions,
    a_chunk_that_stands_twice,
    another_id,
    a_page_without_a_title,
    another_fingerprint,
    another_number_of_chunks,
    another_embedder_in_the_records,
    another_average_length_in_the_records,
)
