"""The error for changes of an adopted collection; needs no Qdrant client."""

from assay.errors import IndexNotOurs


def read_only(collection: str) -> IndexNotOurs:
    """The error for an attempt to change an adopted collection."""
    return IndexNotOurs(
        f"Assay never changes the adopted collection {collection} ([index] adopt).",
        hint="Update it with the pipeline that built it, or remove adopt and build an index with `assay publish`.",
    )
