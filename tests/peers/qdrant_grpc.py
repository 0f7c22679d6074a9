"""The gRPC side of a Qdrant peer: each call becomes the REST request of the same meaning, and its answer comes back.

The client's own conversions are used, in the direction in which the client does not use them.
"""
# ruff: noqa: ANN401, N802 - messages, and the services' names

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import grpc
from pydantic import BaseModel, TypeAdapter
from qdrant_client import grpc as messages
from qdrant_client.conversions.conversion import GrpcToRest, RestToGrpc
from qdrant_client.grpc import collections_service_pb2_grpc, points_service_pb2_grpc, qdrant_pb2_grpc
from qdrant_client.http import models

Ask = Callable[[grpc.ServicerContext, str, str, Any], Any]
"""Context, method, path and body in, `result` out; what is refused ends the call."""

_CODES = {
    400: grpc.StatusCode.INVALID_ARGUMENT,
    401: grpc.StatusCode.UNAUTHENTICATED,
    403: grpc.StatusCode.PERMISSION_DENIED,
    404: grpc.StatusCode.NOT_FOUND,
    409: grpc.StatusCode.ALREADY_EXISTS,
    413: grpc.StatusCode.OUT_OF_RANGE,
    429: grpc.StatusCode.RESOURCE_EXHAUSTED,
    507: grpc.StatusCode.RESOURCE_EXHAUSTED,
    502: grpc.StatusCode.UNAVAILABLE,
    503: grpc.StatusCode.UNAVAILABLE,
    504: grpc.StatusCode.UNAVAILABLE,
}


def code_of(status: int) -> grpc.StatusCode:
    """The gRPC code that stands for an HTTP status."""
    return _CODES.get(status, grpc.StatusCode.INTERNAL)


def start_grpc(ask: Ask, version: str, port: int) -> tuple[grpc.Server, int]:
    """A server in threads of its own, and its port."""
    server = grpc.server(ThreadPoolExecutor(32), options=[("grpc.max_receive_message_length", 64 * 1024 * 1024)])
    collections_service_pb2_grpc.add_CollectionsServicer_to_server(_Collections(ask), server)
    points_service_pb2_grpc.add_PointsServicer_to_server(_Points(ask), server)
    qdrant_pb2_grpc.add_QdrantServicer_to_server(_Root(version), server)
    bound = server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    return server, bound


def _path(name: str, rest: str = "") -> str:
    return f"/collections/{quote(name, safe='')}{rest}"


def _body(model: BaseModel) -> Any:
    return model.model_dump(mode="json", exclude_none=True)


class _Root(qdrant_pb2_grpc.QdrantServicer):
    def __init__(self, version: str) -> None:
        self._version = version

    def HealthCheck(self, request: Any, context: grpc.ServicerContext) -> Any:
        return messages.HealthCheckReply(title="qdrant - vector search engine", version=self._version)


class _Collections(collections_service_pb2_grpc.CollectionsServicer):
    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def Get(self, request: Any, context: grpc.ServicerContext) -> Any:
        info = models.CollectionInfo(**self._ask(context, "GET", _path(request.collection_name), None))
        return messages.GetCollectionInfoResponse(result=RestToGrpc.convert_collection_info(info))

    def List(self, request: Any, context: grpc.ServicerContext) -> Any:
        found = self._ask(context, "GET", "/collections", None)["collections"]
        return messages.ListCollectionsResponse(
            collections=[messages.CollectionDescription(name=one["name"]) for one in found]
        )

    def CollectionExists(self, request: Any, context: grpc.ServicerContext) -> Any:
        found = self._ask(context, "GET", _path(request.collection_name, "/exists"), None)
        return messages.CollectionExistsResponse(result=messages.CollectionExists(exists=found["exists"]))

    def Create(self, request: Any, context: grpc.ServicerContext) -> Any:
        given = {
            "vectors": GrpcToRest.convert_vectors_config(request.vectors_config),
            "sparse_vectors": GrpcToRest.convert_sparse_vector_config(request.sparse_vectors_config),
            "hnsw_config": GrpcToRest.convert_hnsw_config_diff(request.hnsw_config),
            "optimizers_config": GrpcToRest.convert_optimizers_config_diff(request.optimizers_config),
            "metadata": GrpcToRest.convert_payload(request.metadata),
        }
        numbers = {
            name: getattr(request, name)
            for name in ("shard_number", "replication_factor", "write_consistency_factor", "on_disk_payload")
            if request.HasField(name)
        }
        body = _body(models.CreateCollection(**given, **numbers))
        made = self._ask(context, "PUT", _path(request.collection_name), body)
        return messages.CollectionOperationResponse(result=made)

    def Update(self, request: Any, context: grpc.ServicerContext) -> Any:
        body = _body(GrpcToRest.convert_update_collection(request))
        done = self._ask(context, "PATCH", _path(request.collection_name), body)
        return messages.CollectionOperationResponse(result=done)

    def CollectionClusterInfo(self, request: Any, context: grpc.ServicerContext) -> Any:
        found = self._ask(context, "GET", _path(request.collection_name, "/cluster"), None)
        states = {"Active": messages.ReplicaState.Active, "Dead": messages.ReplicaState.Dead}
        return messages.CollectionClusterInfoResponse(
            peer_id=found["peer_id"],
            shard_count=found["shard_count"],
            local_shards=[
                messages.LocalShardInfo(shard_id=one["shard_id"], points_count=0, state=states[one["state"]])
                for one in found["local_shards"]
            ],
            remote_shards=[
                messages.RemoteShardInfo(shard_id=one["shard_id"], peer_id=one["peer_id"], state=states[one["state"]])
                for one in found["remote_shards"]
            ],
        )

    def Delete(self, request: Any, context: grpc.ServicerContext) -> Any:
        done = self._ask(context, "DELETE", _path(request.collection_name), None)
        return messages.CollectionOperationResponse(result=done)

    def UpdateAliases(self, request: Any, context: grpc.ServicerContext) -> Any:
        actions = [_body(GrpcToRest.convert_alias_operations(one)) for one in request.actions]
        done = self._ask(context, "POST", "/collections/aliases", {"actions": actions})
        return messages.CollectionOperationResponse(result=done)

    def ListAliases(self, request: Any, context: grpc.ServicerContext) -> Any:
        found = self._ask(context, "GET", "/aliases", None)["aliases"]
        return messages.ListAliasesResponse(aliases=[messages.AliasDescription(**one) for one in found])


class _Points(points_service_pb2_grpc.PointsServicer):
    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def Upsert(self, request: Any, context: grpc.ServicerContext) -> Any:
        points = [_body(GrpcToRest.convert_point_struct(one)) for one in request.points]
        # None has to stay in a payload: `_body` drops what is None elsewhere.
        for point, one in zip(points, request.points, strict=True):
            point["payload"] = GrpcToRest.convert_payload(one.payload)
        self._ask(context, "PUT", _path(request.collection_name, "/points"), {"points": points})
        return _completed()

    def CreateFieldIndex(self, request: Any, context: grpc.ServicerContext) -> Any:
        assert request.field_type == messages.FieldType.FieldTypeKeyword
        body = {"field_name": request.field_name, "field_schema": "keyword"}
        self._ask(context, "PUT", _path(request.collection_name, "/index"), body)
        return _completed()

    def Delete(self, request: Any, context: grpc.ServicerContext) -> Any:
        ids = [GrpcToRest.convert_point_id(one) for one in request.points.points.ids]
        self._ask(context, "POST", _path(request.collection_name, "/points/delete"), {"points": ids})
        return _completed()

    def Count(self, request: Any, context: grpc.ServicerContext) -> Any:
        body = {"exact": request.exact} if request.HasField("exact") else {}
        found = self._ask(context, "POST", _path(request.collection_name, "/points/count"), body)
        return messages.CountResponse(result=messages.CountResult(count=found["count"]))

    def Get(self, request: Any, context: grpc.ServicerContext) -> Any:
        body = {
            "ids": [GrpcToRest.convert_point_id(one) for one in request.ids],
            "with_payload": request.with_payload.enable,
            "with_vector": _with_vectors(request),
        }
        found = self._ask(context, "POST", _path(request.collection_name, "/points"), body)
        return messages.GetResponse(result=[_retrieved(one) for one in found])

    def Scroll(self, request: Any, context: grpc.ServicerContext) -> Any:
        body: dict[str, Any] = {"with_payload": request.with_payload.enable, "with_vector": _with_vectors(request)}
        if request.HasField("limit"):
            body["limit"] = request.limit
        if request.HasField("offset"):
            body["offset"] = GrpcToRest.convert_point_id(request.offset)
        if request.HasField("filter"):
            body["filter"] = _body(GrpcToRest.convert_filter(request.filter))
        found = self._ask(context, "POST", _path(request.collection_name, "/points/scroll"), body)
        following = found["next_page_offset"]
        return messages.ScrollResponse(
            result=[_retrieved(one) for one in found["points"]],
            next_page_offset=None if following is None else RestToGrpc.convert_extended_point_id(following),
        )

    def QueryBatch(self, request: Any, context: grpc.ServicerContext) -> Any:
        searches = [_body(GrpcToRest.convert_query_points(one)) for one in request.query_points]
        path = _path(request.collection_name, "/points/query/batch")
        found = self._ask(context, "POST", path, {"searches": searches})
        scored = TypeAdapter(list[models.ScoredPoint])
        return messages.QueryBatchResponse(
            result=[
                messages.BatchResult(
                    result=[RestToGrpc.convert_scored_point(point) for point in scored.validate_python(one["points"])]
                )
                for one in found
            ]
        )


def _with_vectors(request: Any) -> Any:
    if not request.HasField("with_vectors"):
        return False
    return GrpcToRest.convert_with_vectors_selector(request.with_vectors)


def _retrieved(found: Any) -> Any:
    return RestToGrpc.convert_record(models.Record(**{"payload": {}, **found}))


def _completed() -> Any:
    return messages.PointsOperationResponse(
        result=messages.UpdateResult(operation_id=0, status=messages.UpdateStatus.Completed)
    )
