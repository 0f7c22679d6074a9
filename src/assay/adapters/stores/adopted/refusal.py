"""The error for changes of an adopted collection; needs no Qdrant client."""

from assay.errors import IndexNotOurs


def read_only(collection: str) -> IndexNotOurs:
    """The error for an attempt to change an adopted collection."""
    return IndexNotOurs(
        f"The collection {collection} is adopted ([index] adopt), and Assay never changes it.",
        hint="Fill it with the pipeline that made it; or remove adopt, and `assay publish` builds an index of its own.",
    )
