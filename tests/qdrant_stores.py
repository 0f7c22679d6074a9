"""Qdrant stores for tests, with the settings' own defaults."""
# ruff: noqa: ANN401 - fields of Access

from dataclasses import replace
from typing import Any

from assay.adapters.stores.qdrant.options import Access, CollectionLayout, ReadOptions, UploadOptions
from assay.adapters.stores.qdrant.store import QdrantStore
from assay.settings import IndexSettings, QdrantSettings

LAYOUT = QdrantSettings().options(CollectionLayout, hnsw_threshold=IndexSettings().hnsw_threshold)
LOADING = QdrantSettings(seal_timeout_seconds=60.0).options(UploadOptions)
READING = QdrantSettings().options(ReadOptions)
ACCESS = QdrantSettings(url="http://localhost:6333", upload_timeout_seconds=10, patience_seconds=5.0).options(Access)


def qdrant_store(
    url: str,
    *,
    collection: str = "assay",
    layout: CollectionLayout = LAYOUT,
    loading: UploadOptions = LOADING,
    reading: ReadOptions = READING,
    **access: Any,
) -> QdrantStore:
    """A store on the server at this address; access: further fields of Access."""
    return QdrantStore(replace(ACCESS, url=url, **access), collection, layout=layout, loading=loading, reading=reading)
