"""Configuration of a generation's collection on a Qdrant server, and its marker.

The marker is in the collection's metadata from its creation, so that a collection of the same name by another program
is recognized. Its state is `sealed` once all points are stored and indexed.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from qdrant_client import models
from qdrant_client.http.models import CollectionInfo

from assay.adapters.stores.payload import FACETS
from assay.adapters.stores.points import DENSE, SPARSE, require_name
from assay.adapters.stores.qdrant.errors import unusable_index
from assay.adapters.stores.qdrant.options import CollectionLayout
from assay.errors import VectorStoreError

MARKER = "assay"
"""Key of the marker in the collection's metadata."""

FORMAT = 1
"""Version of the marker and the payload; a collection of another version is refused."""

UNINDEXED = 0
"""Indexing threshold that disables indexing."""

LOADING_POINTS = 20_000
"""Points after which a loading collection gets another segment."""

_NUMBER_BYTES = 4


@dataclass(frozen=True, slots=True)
class Marker:
    """Description of a collection.

    collection: the setting `collection` at its creation; identifies the Assay that owns it.
    points: number of points when sealed.
    everywhere: facets of every point.
    """

    collection: str
    generation: str
    dimension: int
    state: Literal["building", "sealed"]
    points: int = 0
    everywhere: tuple[str, ...] = ()

    def as_metadata(self) -> dict[str, Any]:
        """The marker as the collection's metadata."""
        return {MARKER: {"format": FORMAT, **asdict(self), "everywhere": list(self.everywhere)}}


def collection_name(collection: str, generation: str) -> str:
    """Name of a generation's collection. Raises VectorStoreError for an invalid id."""
    require_name(generation)
    return f"{collection}-{generation}"


def belongs_to(info: CollectionInfo, collection: str, generation: str) -> bool:
    """Whether any version of Assay made this collection for this generation under this setting."""
    found = _read_metadata(info)
    return found.get("collection") == collection and found.get("generation") == generation


def read_marker(info: CollectionInfo, collection: str, generation: str) -> Marker:
    """Read a collection's marker. Raises IndexCorrupt if it is unsealed, not Assay's, or of another format."""
    if not belongs_to(info, collection, generation):
        raise unusable_index(generation, f"the collection {collection}-{generation} was not made by Assay")
    found = dict(_read_metadata(info))
    made_by = found.pop("format", None)
    if made_by != FORMAT:
        raise unusable_index(generation, f"it has format {made_by!r} and this version of Assay reads format {FORMAT}")
    try:
        marker = Marker(**found | {"everywhere": tuple(found["everywhere"])})
    except (TypeError, KeyError):
        raise unusable_index(generation, "the metadata of its collection is damaged") from None
    if marker.state != "sealed":
        raise unusable_index(generation, "it was never finished")
    return marker


def require_shape(info: CollectionInfo, marker: Marker) -> None:
    """Raise IndexCorrupt unless the collection has the vectors and payload index of a search."""
    dense, sparse = _dense_params(info), (info.config.params.sparse_vectors or {}).get(SPARSE)
    if dense is None or dense.size != marker.dimension or dense.distance != models.Distance.COSINE:
        raise unusable_index(marker.generation, f"its vectors {DENSE!r} differ from those that it was created with")
    if sparse is None or sparse.modifier != models.Modifier.IDF:
        raise unusable_index(marker.generation, f"its vectors {SPARSE!r} differ from those that it was created with")
    if FACETS not in info.payload_schema:
        raise unusable_index(marker.generation, f"its collection has no payload index of {FACETS!r}")


def creation_arguments(layout: CollectionLayout, marker: Marker) -> dict[str, Any]:
    """Arguments of create_collection. Indexing is off during loading."""
    return {
        "vectors_config": {
            DENSE: models.VectorParams(
                size=marker.dimension,
                distance=models.Distance.COSINE,
                on_disk=layout.on_disk,
                quantization_config=_quantization(layout),
            )
        },
        "sparse_vectors_config": {SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
        "shard_number": layout.shard_number,
        "replication_factor": layout.replication_factor,
        "write_consistency_factor": layout.write_consistency,
        "on_disk_payload": True,
        "hnsw_config": models.HnswConfigDiff(
            m=layout.hnsw_links, ef_construct=layout.hnsw_build_width, on_disk=layout.on_disk
        ),
        "optimizers_config": models.OptimizersConfigDiff(
            indexing_threshold=UNINDEXED, max_segment_size=_loading_segment_kilobytes(marker.dimension)
        ),
        "metadata": marker.as_metadata(),
    }


def active_replicas(cluster: models.CollectionClusterInfo) -> dict[int, int]:
    """The number of active replicas of each shard, by the shard's number."""
    shards: list[Any] = [*cluster.local_shards, *cluster.remote_shards]
    replicas = [(shard.shard_id, shard.state) for shard in shards]
    active = Counter(shard for shard, state in replicas if state is models.ReplicaState.ACTIVE)
    return {shard: active[shard] for shard in sorted({shard for shard, _ in replicas})}


def require_metadata(info: CollectionInfo, address: str) -> None:
    """Raise VectorStoreError if the server did not store the metadata of a new collection."""
    if MARKER not in (info.config.metadata or {}):
        raise VectorStoreError(
            f"The Qdrant server at {address} does not support metadata of collections.",
            hint="Use version 1.16 or later.",
        )


def _read_metadata(info: CollectionInfo) -> Mapping[str, Any]:
    found = (info.config.metadata or {}).get(MARKER)
    return found if isinstance(found, Mapping) else {}


def _dense_params(info: CollectionInfo) -> models.VectorParams | None:
    vectors = info.config.params.vectors
    return vectors.get(DENSE) if isinstance(vectors, Mapping) else None


def _loading_segment_kilobytes(dimension: int) -> int:
    """Size of the dense vectors of LOADING_POINTS points.

    In a segment that is not optimized yet, the server adds a point to the list of a term in time proportional to the
    list: 10⁶ points in two segments would take hours.
    """
    return LOADING_POINTS * dimension * _NUMBER_BYTES // 1024


def _quantization(layout: CollectionLayout) -> models.QuantizationConfig | None:
    always_ram = True if layout.on_disk else None  # with originals on disk, the compressed copy has to be in memory
    match layout.quantization:
        case "scalar":
            config = models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=always_ram)
            return models.ScalarQuantization(scalar=config)
        case "binary":
            return models.BinaryQuantization(binary=models.BinaryQuantizationConfig(always_ram=always_ram))
        case _:
            return None
