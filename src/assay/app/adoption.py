"""Types of what `Parts.adopted_store` finds in a collection that Assay did not make."""

from assay.adapters.stores.adopted.shape import Shape
from assay.adapters.stores.adopted.store import CollectionFindings

__all__ = ["CollectionFindings", "Shape"]
