"""What the collection of a generation looks like on a Qdrant server, and the marker that says what it is.

The marker stands in the collection's metadata. It is there from the first moment on, so that a collection that somebody
else made under such a name is never taken for ours, and it says `sealed` only once everything is in it and indexed.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from qdrant_client import models
from qdrant_client.http.models import CollectionInfo

from assay.adapters.stores.payload import FACETS
from assay.adapters.stores.points import DENSE, SPARSE, require_name
from assay.adapters.stores.qdrant.errors import not_usable
from assay.adapters.stores.qdrant.options import CollectionLayout
from assay.errors import VectorStoreError

MARKER = "assay"
"""Key of the marker in the collection's metadata."""

FORMAT = 1
"""Version of the marker and the payload; a collection of another one is refused."""


@dataclass(frozen=True, slots=True)
class Marker:
    """What a collection is.

    collection: the setting under which it was made; collections of another one are not ours.
    points: how many it was sealed with.
    everywhere: facets that every point has.
    """

    collection: str
    generation: str
    dimension: int
    state: Literal["building", "sealed"]
    points: int = 0
    everywhere: tuple[str, ...] = ()

    def as_metadata(self) -> dict[str, Any]:
        """The marker as the server keeps it."""
        return {MARKER: {"format": FORMAT, **asdict(self), "everywhere": list(self.everywhere)}}


def collection_name(collection: str, generation: str) -> str:
    """Name of a generation's collection. Raises VectorStoreError for a generation that cannot have one."""
    require_name(generation)
    return f"{collection}-{generation}"


def is_ours(info: CollectionInfo, collection: str, generation: str) -> bool:
    """Whether this collection was made for this generation under this setting, by whatever version."""
    found = _marked(info)
    return found.get("collection") == collection and found.get("generation") == generation


def read_marker(info: CollectionInfo, collection: str, generation: str) -> Marker:
    """Read what a collection says of itself. Raises IndexCorrupt when it is not sealed, not ours or not this format."""
    if not is_ours(info, collection, generation):
        raise not_usable(generation, f"the collection {collection}-{generation} was not made by Assay")
    found = dict(_marked(info))
    made_by = found.pop("format", None)
    if made_by != FORMAT:
        raise not_usable(generation, f"it has format {made_by!r} and this version of Assay reads format {FORMAT}")
    try:
        marker = Marker(**found | {"everywhere": tuple(found["everywhere"])})
    except (TypeError, KeyError):
        raise not_usable(generation, "the metadata of its collection is damaged") from None
    if marker.state != "sealed":
        raise not_usable(generation, "it was never finished")
    return marker


def require_shape(info: CollectionInfo, marker: Marker) -> None:
    """Raise IndexCorrupt unless the collection has the vectors and the index that searches need."""
    dense, sparse = _dense_params(info), (info.config.params.sparse_vectors or {}).get(SPARSE)
    if dense is None or dense.size != marker.dimension or dense.distance != models.Distance.COSINE:
        raise not_usable(marker.generation, f"its vectors {DENSE!r} are not those that it was made with")
    if sparse is None or sparse.modifier != models.Modifier.IDF:
        raise not_usable(marker.generation, f"its vectors {SPARSE!r} are not those that it was made with")
    if FACETS not in info.payload_schema:
        raise not_usable(marker.generation, f"its collection has no payload index of {FACETS!r}")


def creation(layout: CollectionLayout, marker: Marker) -> dict[str, Any]:
    """Arguments of create_collection. Nothing is indexed while it is loaded, for nobody searches it."""
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
        "optimizers_config": models.OptimizersConfigDiff(indexing_threshold=0),
        "metadata": marker.as_metadata(),
    }


def require_metadata(info: CollectionInfo, address: str) -> None:
    """Raise VectorStoreError when a server did not keep the metadata of a collection that was just made."""
    if MARKER not in (info.config.metadata or {}):
        raise VectorStoreError(
            f"The Qdrant server at {address} keeps no metadata of collections.", hint="Use version 1.16 or later."
        )


def _marked(info: CollectionInfo) -> Mapping[str, Any]:
    found = (info.config.metadata or {}).get(MARKER)
    return found if isinstance(found, Mapping) else {}


def _dense_params(info: CollectionInfo) -> models.VectorParams | None:
    vectors = info.config.params.vectors
    return vectors.get(DENSE) if isinstance(vectors, Mapping) else None


def _quantization(layout: CollectionLayout) -> models.QuantizationConfig | None:
    always_ram = True if layout.on_disk else None  # originals on disk are of use only with the small copy in memory
    match layout.quantization:
        case "scalar":
            config = models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=always_ram)
            return models.ScalarQuantization(scalar=config)
        case "binary":
            return models.BinaryQuantization(binary=models.BinaryQuantizationConfig(always_ram=always_ram))
        case _:
            return None
