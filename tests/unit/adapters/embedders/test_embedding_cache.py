"""Vectors that were paid for outlive a crash, and a cache that cannot be used stops nobody."""

import logging
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.adapters.embedders.embedding_cache import SqliteEmbeddingCache
from assay.model.generations import EmbedderIdentity
from assay.ports import Vector

IDENTITY = EmbedderIdentity("cohere", "embed-english-v3.0", 8, "search_document", "search_query")


def _vectors(count: int, start: int = 0) -> dict[str, Vector]:
    generator = np.random.default_rng(start)
    return {f"{start + number:064x}": generator.standard_normal(8).astype(np.float32) for number in range(count)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "embeddings.sqlite"


@pytest.fixture
def cache(path: Path) -> Iterator[SqliteEmbeddingCache]:
    cache = SqliteEmbeddingCache(path)
    yield cache
    cache.close()


def _same(found: dict[str, Vector], kept: dict[str, Vector]) -> bool:
    return found.keys() == kept.keys() and all(found[name].tobytes() == kept[name].tobytes() for name in kept)


def test_vectors_come_back_bit_for_bit(cache: SqliteEmbeddingCache) -> None:
    kept = _vectors(1_200)
    kept["f" * 64] = np.array([1e-38, -0.0, 3.4e38, 1e-45, 1, 2, 3, 4], dtype=np.float32)
    cache.keep(IDENTITY, kept)
    found = cache.vectors(IDENTITY, [*kept, "e" * 64])
    assert _same(found, kept)
    assert all(vector.dtype == np.float32 and vector.shape == (8,) for vector in found.values())


def test_they_are_there_for_another_process_without_any_closing(cache: SqliteEmbeddingCache, path: Path) -> None:
    kept = _vectors(10)
    cache.keep(IDENTITY, kept)
    other = SqliteEmbeddingCache(path)
    assert _same(other.vectors(IDENTITY, list(kept)), kept)
    other.close()


@pytest.mark.parametrize(
    "other",
    [
        replace(IDENTITY, model="embed-multilingual-v3.0"),
        replace(IDENTITY, dimension=4),
        replace(IDENTITY, document_prefix="passage: "),
        replace(IDENTITY, revision="2"),
    ],
)
def test_another_embedder_finds_nothing_of_it(cache: SqliteEmbeddingCache, other: EmbedderIdentity) -> None:
    kept = _vectors(3)
    cache.keep(IDENTITY, kept)
    assert cache.vectors(other, list(kept)) == {}


def test_looking_makes_no_file(cache: SqliteEmbeddingCache, path: Path) -> None:
    assert cache.vectors(IDENTITY, ["a"]) == {}
    assert not path.exists()


def test_clearing_leaves_no_file_and_the_cache_usable(cache: SqliteEmbeddingCache, path: Path) -> None:
    kept = _vectors(3)
    cache.keep(IDENTITY, kept)
    cache.clear()
    assert list(path.parent.iterdir()) == []
    assert cache.vectors(IDENTITY, list(kept)) == {}
    cache.keep(IDENTITY, kept)
    assert _same(cache.vectors(IDENTITY, list(kept)), kept)


def test_a_vector_that_was_damaged_is_left_out(cache: SqliteEmbeddingCache, path: Path) -> None:
    kept = _vectors(3)
    cache.keep(IDENTITY, kept)
    cache.close()
    first, second, third = sorted(kept)
    with sqlite3.connect(path) as connection:
        damaged = bytearray(kept[first].tobytes())
        damaged[5] ^= 1
        connection.execute("UPDATE vectors SET vector = ? WHERE hash = ?", (bytes(damaged), first))
        connection.execute("UPDATE vectors SET vector = x'00' WHERE hash = ?", (second,))
    connection.close()
    assert cache.vectors(IDENTITY, list(kept)).keys() == {third}


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5_000])
def test_a_file_that_is_no_database_is_begun_anew(
    cache: SqliteEmbeddingCache, path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_bytes(content)
    kept = _vectors(3)
    assert cache.vectors(IDENTITY, list(kept)) == {}
    cache.keep(IDENTITY, kept)
    assert _same(cache.vectors(IDENTITY, list(kept)), kept)
    assert "damaged" in caplog.text


def test_a_full_disk_is_warned_of_once_and_gone_without(
    cache: SqliteEmbeddingCache, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache.keep(IDENTITY, _vectors(3))
    assert cache._connection is not None
    pages = cache._connection.execute("PRAGMA page_count").fetchone()[0]
    cache._connection.execute(f"PRAGMA max_page_count = {pages}")  # SQLite then fails as on a full disk
    caplog.set_level(logging.WARNING)
    for start in range(1_000, 5_000, 1_000):
        cache.keep(IDENTITY, _vectors(1_000, start))
    warnings = [record.getMessage() for record in caplog.records]
    assert len(warnings) == 1
    assert "full" in warnings[0]
    assert "embedded again" in warnings[0]


def test_a_folder_that_is_gone_stops_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = SqliteEmbeddingCache(tmp_path / "gone" / "embeddings.sqlite")
    cache.keep(IDENTITY, _vectors(3))
    assert cache.vectors(IDENTITY, list(_vectors(3))) == {}
    assert caplog.text.count("cannot be cached") == 1
    cache.close()


def test_threads_may_keep_at_the_same_time(cache: SqliteEmbeddingCache) -> None:
    parts = [_vectors(50, start) for start in range(0, 1_000, 50)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda part: cache.keep(IDENTITY, part), parts))
    everything = {name: vector for part in parts for name, vector in part.items()}
    assert _same(cache.vectors(IDENTITY, list(everything)), everything)


def test_closing_twice_is_closing_once(cache: SqliteEmbeddingCache) -> None:
    cache.keep(IDENTITY, _vectors(1))
    cache.close()
    cache.close()
