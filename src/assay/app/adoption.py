"""Types of the findings of `Parts.adopted_store` in an adopted collection."""

from assay.adapters.stores.adopted.shape import Shape
from assay.adapters.stores.adopted.store import CollectionFindings

__all__ = ["CollectionFindings", "Shape"]
