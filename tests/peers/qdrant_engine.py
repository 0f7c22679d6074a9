"""Collections of a Qdrant peer: each a shard of the embedded engine in a folder, asked and answered in the API's JSON.

The engine keeps a write-ahead log here, so that what was confirmed outlives the process.
"""
# ruff: noqa: ANN401 - JSON, and objects of an engine without types

import json
import shutil
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from qdrant_edge import (
    CountRequest,
    Distance,
    EdgeConfig,
    EdgeShard,
    EdgeSparseVectorParams,
    EdgeVectorParams,
    FieldCondition,
    Filter,
    HasIdCondition,
    IdfParams,
    IsEmptyCondition,
    IsNullCondition,
    KeywordIndexParams,
    MatchAny,
    MatchText,
    MatchValue,
    Modifier,
    PayloadSelector,
    Point,
    QuantizationSearchParams,
    Query,
    QueryBatchRequest,
    QueryRequest,
    ScrollRequest,
    SearchParams,
    SparseVector,
    UpdateOperation,
)

Json = dict[str, Any]

_DISTANCES = {
    "Cosine": Distance.Cosine,
    "Dot": Distance.Dot,
    "Euclid": Distance.Euclid,
    "Manhattan": Distance.Manhattan,
}


class Refusal(Exception):
    """A request that is refused. words: as the server says them."""

    def __init__(self, status: int, words: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(words)
        self.status = status
        self.words = words
        self.headers = headers or {}


class Collection:
    """One collection. Safe to use from several threads."""

    def __init__(self, folder: Path, definition: Json) -> None:
        self.folder = folder
        self.definition = definition
        self.drowsy = False
        self._lock = threading.RLock()
        self._shard = self._open()

    @classmethod
    def create(cls, folder: Path, body: Json) -> "Collection":
        if not body.get("vectors") and not body.get("sparse_vectors"):
            raise Refusal(400, "Wrong input: a collection needs vectors")
        folder.mkdir(parents=True)
        collection = cls(folder, {**body, "payload_indexes": {}, "yellow": 0})
        collection.save()
        return collection

    @classmethod
    def load(cls, folder: Path) -> "Collection":
        return cls(folder, json.loads((folder / "collection.json").read_text(encoding="utf-8")))

    def _open(self) -> EdgeShard:
        path = self.folder / "shard"
        if path.is_dir():
            return EdgeShard.load(str(path))
        path.mkdir(parents=True)
        return EdgeShard.create(str(path), self._config())

    def _config(self) -> EdgeConfig:
        vectors = self.definition.get("vectors") or {}
        if "size" in vectors:
            vectors = {"": vectors}
        return EdgeConfig(
            vectors={
                name: EdgeVectorParams(size=one["size"], distance=_DISTANCES[one["distance"]])
                for name, one in vectors.items()
            },
            sparse_vectors={
                name: EdgeSparseVectorParams(modifier=Modifier.Idf if (one or {}).get("modifier") == "idf" else None)
                for name, one in (self.definition.get("sparse_vectors") or {}).items()
            },
        )

    def save(self) -> None:
        """Make the definition durable."""
        draft = self.folder / "collection.json.draft"
        draft.write_text(json.dumps(self.definition), encoding="utf-8")
        draft.replace(self.folder / "collection.json")

    def close(self) -> None:
        with self._lock:
            self._shard.close()

    def remove(self) -> None:
        self.close()
        shutil.rmtree(self.folder)

    # --- definition ---

    def update(self, body: Json, yellow: int) -> None:
        """Merge what is given; yellow: for how many looks a change of the optimizers keeps the collection busy."""
        with self._lock:
            for key in ("optimizers_config", "hnsw_config", "strict_mode_config", "metadata"):
                if body.get(key):
                    merged = {**(self.definition.get(key) or {}), **body[key]}
                    self.definition[key] = {name: value for name, value in merged.items() if value is not None}
            if body.get("optimizers_config"):
                self.definition["yellow"] = yellow
                self.drowsy = False
            self.save()

    def index(self, field: str, schema: Any) -> None:
        kind = schema if isinstance(schema, str) else schema["type"]
        with self._lock:
            if kind in ("keyword", "uuid"):
                self._shard.update(UpdateOperation.create_field_index(field, KeywordIndexParams()))
            self.definition["payload_indexes"][field] = kind
            self.save()

    def cluster(self, missing: int) -> Json:
        """Every shard has its replicas on as many nodes, of which some of the first shard's are dead."""
        shards = range(self.definition.get("shard_number") or 1)
        others = range(1, self.definition.get("replication_factor") or 1)
        return {
            "peer_id": 0,
            "shard_count": len(shards),
            "local_shards": [{"shard_id": shard, "points_count": 0, "state": "Active"} for shard in shards],
            "remote_shards": [
                {"shard_id": shard, "peer_id": peer, "state": "Dead" if shard == 0 and peer <= missing else "Active"}
                for shard in shards
                for peer in others
            ],
            "shard_transfers": [],
        }

    def info(self) -> Json:
        with self._lock:
            definition = self.definition
            busy = definition["yellow"] > 0
            if busy:
                definition["yellow"] -= 1
            points = self._shard.count(CountRequest())
            info = self._shard.info()
        optimizers = definition.get("optimizers_config") or {}
        config: Json = {
            "params": {
                "vectors": definition.get("vectors") or {},
                "shard_number": definition.get("shard_number") or 1,
                "replication_factor": definition.get("replication_factor") or 1,
                "write_consistency_factor": definition.get("write_consistency_factor") or 1,
                "on_disk_payload": definition.get("on_disk_payload", True),
            },
            "hnsw_config": {
                "m": 16,
                "ef_construct": 100,
                "full_scan_threshold": 10_000,
                "max_indexing_threads": 0,
                "on_disk": False,
            }
            | _given(definition.get("hnsw_config")),
            "optimizer_config": {
                "deleted_threshold": 0.2,
                "vacuum_min_vector_number": 1000,
                "default_segment_number": 0,
                "max_segment_size": None,
                "memmap_threshold": None,
                "indexing_threshold": optimizers.get("indexing_threshold", 10_000),
                "flush_interval_sec": 5,
                "max_optimization_threads": None,
            },
            "wal_config": {"wal_capacity_mb": 32, "wal_segments_ahead": 0},
            "quantization_config": definition.get("quantization_config"),
        }
        for key in ("sparse_vectors", "strict_mode_config", "metadata"):
            if definition.get(key):
                target = config["params"] if key == "sparse_vectors" else config
                target[key] = definition[key]
        return {
            "status": "grey" if self.drowsy else "yellow" if busy else "green",
            "optimizer_status": "ok",
            "indexed_vectors_count": 0 if busy else points,
            "points_count": points,
            "segments_count": info.segments_count,
            "config": config,
            "payload_schema": {
                field: {"data_type": kind, "points": points} for field, kind in definition["payload_indexes"].items()
            },
            "update_queue": {"length": 0},
        }

    # --- points ---

    def upsert(self, points: Sequence[Json]) -> None:
        self._limit("upsert_max_batchsize", len(points), "upsert limit")
        batch = [self._point(point) for point in points]
        with self._lock:
            self._shard.update(UpdateOperation.upsert_points(batch))

    def _point(self, point: Json) -> Point:
        vectors = point["vector"]
        named = vectors if isinstance(vectors, dict) else {"": vectors}
        sizes = {name: one["size"] for name, one in self._dense().items()}
        for name, vector in named.items():
            if name in sizes and len(vector) != sizes[name]:
                words = f"expected dim: {sizes[name]}, got {len(vector)}"
                raise Refusal(400, f"Wrong input: Vector dimension error: {words}")
            if name not in sizes and name not in (self.definition.get("sparse_vectors") or {}):
                raise Refusal(400, f"Wrong input: Not existing vector name error: {name}")
        converted = {name: _vector(vector) for name, vector in named.items()}
        return Point(
            _point_id(point["id"]), converted if isinstance(vectors, dict) else vectors, point.get("payload") or {}
        )

    def _dense(self) -> Mapping[str, Json]:
        vectors = self.definition.get("vectors") or {}
        return {"": vectors} if "size" in vectors else vectors

    def delete(self, ids: Sequence[Any]) -> None:
        with self._lock:
            self._shard.update(UpdateOperation.delete_points([_point_id(one) for one in ids]))

    def query(self, requests: Sequence[Json]) -> list[Json]:
        self._limit("search_max_batchsize", len(requests), "search batch size")
        converted = [self._query(request) for request in requests]
        answers = self._shard.query_batch(QueryBatchRequest(converted)) if converted else []
        return [{"points": [_scored(point) for point in points]} for points in answers]

    def _query(self, request: Json) -> QueryRequest:
        limit = request.get("limit") or 10
        params = request.get("params") or {}
        self._limit("max_query_limit", limit, "limit")
        self._limit("search_max_hnsw_ef", params.get("hnsw_ef"), "hnsw_ef")
        quantization = params.get("quantization") or {}
        self._limit("search_max_oversampling", quantization.get("oversampling"), "oversampling")
        if params.get("exact"):
            self._require_exact()
        asked = request.get("query")
        nearest = asked["nearest"] if isinstance(asked, dict) and "nearest" in asked else asked
        using = request.get("using")
        size = self._dense().get(using or "", {}).get("size")
        if isinstance(nearest, list) and size is not None and len(nearest) != size:
            raise Refusal(400, f"Wrong input: Vector dimension error: expected dim: {size}, got {len(nearest)}")
        return QueryRequest(
            limit=limit,
            offset=request.get("offset"),
            query=None if nearest is None else Query.Nearest(_vector(nearest), using=using),
            filter=self._filter(request.get("filter")),
            params=SearchParams(
                hnsw_ef=params.get("hnsw_ef"),
                exact=bool(params.get("exact")),
                quantization=QuantizationSearchParams(**quantization) if quantization else None,
                idf=self._idf(params.get("idf")),
            ),
            score_threshold=request.get("score_threshold"),
            with_payload=_with_payload(request.get("with_payload")),
            with_vector=request.get("with_vector") or False,
        )

    def _idf(self, asked: Any) -> IdfParams | None:
        return IdfParams(self._filter(asked["corpus"])) if isinstance(asked, dict) else None

    def scroll(self, request: Json) -> Json:
        limit = request.get("limit") or 10
        self._limit("max_query_limit", limit, "limit")
        offset = request.get("offset")
        records, following = self._shard.scroll(
            ScrollRequest(
                offset=None if offset is None else _point_id(offset),
                limit=limit,
                filter=self._filter(request.get("filter")),
                with_payload=_with_payload(request.get("with_payload", True)),
                with_vector=request.get("with_vector") or False,
            )
        )
        return {"points": [_record(record) for record in records], "next_page_offset": _json_id(following)}

    def retrieve(self, request: Json) -> list[Json]:
        records = self._shard.retrieve(
            [_point_id(one) for one in request["ids"]],
            _with_payload(request.get("with_payload", True)),
            request.get("with_vector") or False,
        )
        return [_record(record) for record in records]

    def count(self, request: Json) -> int:
        if request.get("exact", True):
            self._require_exact()
        return self._shard.count(CountRequest(exact=True, filter=self._filter(request.get("filter"))))

    # --- strict mode, in the server's own words ---

    def _strict(self) -> Json:
        config = self.definition.get("strict_mode_config") or {}
        return config if config.get("enabled") else {}

    def _limit(self, setting: str, value: float | None, name: str) -> None:
        limit = self._strict().get(setting)
        if limit is not None and value is not None and value > limit:
            raise Refusal(
                400,
                f'Bad request: Limit exceeded {value} > {limit} for "{name}". '
                f'Help: Reduce the "{name}" parameter to or below {limit}.',
            )

    def _require_exact(self) -> None:
        if self._strict().get("search_allow_exact") is False:
            raise Refusal(400, "Bad request: Exact search disabled!. Help: Set exact=false.")

    def _filter(self, asked: Json | None) -> Filter | None:
        if not asked:
            return None
        clauses = {}
        for clause in ("must", "should", "must_not"):
            conditions = asked.get(clause)
            if conditions:
                listed = conditions if isinstance(conditions, list) else [conditions]
                clauses[clause] = [self._condition(condition) for condition in listed]
        return Filter(**clauses)

    def _condition(self, asked: Json) -> Any:  # noqa: PLR0911 - a table
        if "has_id" in asked:
            return HasIdCondition({_point_id(one) for one in asked["has_id"]})
        if "is_empty" in asked:
            return IsEmptyCondition(asked["is_empty"]["key"])
        if "is_null" in asked:
            return IsNullCondition(asked["is_null"]["key"])
        if "key" not in asked:
            return self._filter(asked)
        indexed = asked["key"] in self.definition["payload_indexes"]
        if self._strict().get("unindexed_filtering_retrieve") is False and not indexed:
            raise Refusal(
                400,
                f'Bad request: Index required but not found for "{asked["key"]}" of one of the following types: '
                "[keyword]. Help: Create an index for this key or use a different filter.",
            )
        match = asked.get("match") or {}
        if "value" in match:
            return FieldCondition(asked["key"], match=MatchValue(match["value"]))
        if "any" in match:
            self._limit("condition_max_size", len(match["any"]), "MatchAny")
            return FieldCondition(asked["key"], match=MatchAny(match["any"]))
        if "text" in match:
            return FieldCondition(asked["key"], match=MatchText(match["text"]))
        raise Refusal(400, f"Format error in JSON body: this peer does not know the condition {sorted(asked)}")


def _given(values: Json | None) -> Json:
    return {name: value for name, value in (values or {}).items() if value is not None}


def _point_id(given: Any) -> Any:
    if isinstance(given, int):
        return given
    try:
        return UUID(given)
    except ValueError:
        words = f"value {given} is not a valid point ID, valid values are either an unsigned integer or a UUID"
        raise Refusal(400, f"Format error in JSON body: {words}") from None


def _json_id(given: Any) -> Any:
    return given if given is None or isinstance(given, int) else str(given)


def _vector(given: Any) -> Any:
    return SparseVector(given["indices"], given["values"]) if isinstance(given, dict) else given


def _json_vector(given: Any) -> Any:
    if isinstance(given, dict):
        return {name: _json_vector(one) for name, one in given.items()}
    if isinstance(given, SparseVector):
        return {"indices": list(given.indices), "values": list(given.values)}
    return given


def _with_payload(asked: Any) -> Any:
    if isinstance(asked, list):
        return PayloadSelector.Include(asked)
    if isinstance(asked, dict):
        include = asked.get("include")
        return PayloadSelector.Include(include) if include else PayloadSelector.Exclude(asked["exclude"])
    return bool(asked)


def _record(record: Any) -> Json:
    body: Json = {"id": _json_id(record.id)}
    if record.payload is not None:
        body["payload"] = record.payload
    if record.vector is not None:
        body["vector"] = _json_vector(record.vector)
    return body


def _scored(point: Any) -> Json:
    return {**_record(point), "version": 0, "score": point.score}
