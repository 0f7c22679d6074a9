"""Faults planted into what is stored of a generation as they happen: by SQL, by the engine, on the server."""
# ruff: noqa: ANN401 - payloads and vectors as the engines have them

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from qdrant_client import QdrantClient, models
from qdrant_edge import CountRequest, EdgeShard, Point, ScrollRequest, SparseVector, UpdateOperation

from assay.adapters.stores.edge.point_ids import number_of
from assay.adapters.stores.edge.seal import read_seal, write_seal
from assay.adapters.stores.points import DENSE, SPARSE


@dataclass
class Stored:
    """A point as an engine has it, to be changed."""

    id: str
    dense: list[float]
    indices: list[int]
    weights: list[float]
    payload: dict[str, Any]


class Points(Protocol):
    """The points of one index, for whoever may write to it."""

    def all(self) -> dict[str, Stored]:
        """Every point by id."""

    def put(self, *points: Stored) -> None:
        """Write points over those of the same ids."""

    def remove(self, *ids: str) -> None:
        """Take points out."""


class EdgePoints:
    """An embedded index that was unsealed, and is sealed again as if nothing had happened."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def _shard(self) -> Iterator[EdgeShard]:
        seal = read_seal(self.folder)
        shard = EdgeShard.load(str(self.folder))
        yield shard
        shard.flush()
        points = shard.count(CountRequest())
        shard.close()
        EdgeShard.load(str(self.folder)).close()
        write_seal(self.folder, seal.dimension, points, seal.kind, seal.everywhere)

    def all(self) -> dict[str, Stored]:
        with self._shard() as shard:
            records, _ = shard.scroll(ScrollRequest(limit=10_000, with_payload=True, with_vector=True))
        stored = [self._stored(one) for one in records]
        return {one.id: one for one in stored}

    @staticmethod
    def _stored(record: Any) -> Stored:
        sparse = record.vector[SPARSE]
        return Stored(
            record.payload["chunk_id"],
            list(record.vector[DENSE]),
            list(sparse.indices),
            list(sparse.values),
            dict(record.payload),
        )

    def put(self, *points: Stored) -> None:
        written = [
            Point(number_of(one.id), {DENSE: one.dense, SPARSE: SparseVector(one.indices, one.weights)}, one.payload)
            for one in points
        ]
        with self._shard() as shard:
            shard.update(UpdateOperation.upsert_points(written))

    def remove(self, *ids: str) -> None:
        with self._shard() as shard:
            shard.update(UpdateOperation.delete_points([number_of(one) for one in ids]))


class ServerPoints:
    """The collection of a Qdrant server whose name ends so."""

    def __init__(self, url: str, generation: str = "") -> None:
        self.generation = generation
        self.client = QdrantClient(url=url, check_compatibility=False)

    @property
    def collection(self) -> str:
        names = [one.name for one in self.client.get_collections().collections]
        (name,) = [name for name in names if name.endswith(self.generation)]
        return name

    def all(self) -> dict[str, Stored]:
        records, _ = self.client.scroll(self.collection, limit=10_000, with_payload=True, with_vectors=True)
        found = {}
        for one in records:
            vectors: Any = one.vector
            sparse = vectors[SPARSE]
            found[str(one.id)] = Stored(
                str(one.id), list(vectors[DENSE]), list(sparse.indices), list(sparse.values), dict(one.payload or {})
            )
        return found

    def put(self, *points: Stored) -> None:
        written = [
            models.PointStruct(
                id=one.id,
                vector={DENSE: one.dense, SPARSE: models.SparseVector(indices=one.indices, values=one.weights)},
                payload=one.payload,
            )
            for one in points
        ]
        self.client.upsert(self.collection, written)

    def remove(self, *ids: str) -> None:
        self.client.delete(self.collection, models.PointIdsList(points=list(ids)))


class Stores:
    """What is stored of one generation. data: its data directory; points: of its index."""

    def __init__(self, data: Path, points: Points) -> None:
        self.data = data
        self.points = points

    @property
    def index_folder(self) -> Path:
        (folder,) = (self.data / "generations").iterdir()
        return folder

    def sql(self, statement: str, *values: object) -> list[Any]:
        """Ask or change the catalog."""
        connection = sqlite3.connect(self.data / "catalog.sqlite")
        with connection:
            rows = connection.execute(statement, values).fetchall()
        connection.close()
        return rows

    def chunk(self, number: int = 0) -> str:
        """Id of a chunk in the middle of a page that has at least three."""
        rows = self.sql(
            "SELECT chunk_id FROM chunks WHERE previous_id IS NOT NULL AND next_id IS NOT NULL ORDER BY chunk_id"
        )
        return str(rows[number][0])

    def change_point(self, chunk_id: str, change: Callable[[Stored], None]) -> None:
        """Change one point of the index."""
        point = self.points.all()[chunk_id]
        change(point)
        self.points.put(point)


def rotated(vector: list[float]) -> list[float]:
    """The same length in another direction, as another model would have it."""
    turned = np.roll(np.asarray(vector, np.float32), 7) * np.where(np.arange(len(vector)) % 2, -1.0, 1.0)
    return [float(value) for value in turned.astype(np.float32)]
