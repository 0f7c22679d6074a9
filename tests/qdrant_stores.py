"""Qdrant stores for tests, with the settings' own defaults."""
# ruff: noqa: ANN401 - fields of Access

from dataclasses import replace
from typing import Any

from assay.adapters.stores.qdrant.options import Access, CollectionLayout, Loading, Reading
from assay.adapters.stores.qdrant.store import QdrantStore

LAYOUT = CollectionLayout(
    graph_from=100_000,
    shard_number=None,
    replication_factor=None,
    write_consistency=None,
    quantization="none",
    on_disk=False,
    hnsw_links=16,
    hnsw_build_width=128,
)
LOADING = Loading(batch=512, batch_bytes=24_000_000, seal_timeout=60.0)
READING = Reading(consistency=None, search_width=512, oversampling=2.0)
ACCESS = Access(
    url="http://localhost:6333",
    api_key=None,
    grpc=False,
    grpc_port=6334,
    timeout=10,
    upload_timeout=10,
    retries=2,
    patience=5.0,
)


def qdrant_store(
    url: str,
    *,
    collection: str = "assay",
    layout: CollectionLayout = LAYOUT,
    loading: Loading = LOADING,
    reading: Reading = READING,
    **access: Any,
) -> QdrantStore:
    """A store on the server at this address; access: further fields of Access."""
    return QdrantStore(replace(ACCESS, url=url, **access), collection, layout=layout, loading=loading, reading=reading)
