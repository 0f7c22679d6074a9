"""The vectors of an adopted collection, and the choice of the one to search."""

from collections.abc import Mapping
from dataclasses import dataclass

from qdrant_client import models

from assay.errors import ConfigurationError

_WHOLE_NUMBERS = "uint8"


@dataclass(frozen=True, slots=True)
class DenseVector:
    """One of a collection's dense vectors.

    name: "" for an unnamed vector.
    distance: `Cosine`, `Dot`, `Euclid` or `Manhattan`.
    datatype: of the stored numbers, usually `float32`.
    multiple: whether a point has several vectors of this name (multivector).
    """

    name: str
    dimension: int
    distance: str
    datatype: str
    multiple: bool

    @property
    def label(self) -> str:
        """The vector's name for messages."""
        return repr(self.name) if self.name else "without a name"

    @property
    def problem(self) -> str:
        """Why it cannot be searched; "" if it can."""
        if self.multiple:
            return "it has several vectors per point (multivector), which have no single cosine with a query"
        if self.datatype == _WHOLE_NUMBERS:
            return "its numbers are stored as integers from 0 to 255 (uint8), which give no cosine"
        return ""


@dataclass(frozen=True, slots=True)
class SparseVectors:
    """One of a collection's sparse vectors. idf: whether the server weighs terms by IDF."""

    name: str
    idf: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """The vectors of a collection. quantized: whether the server searches a compressed copy of them first."""

    dense: tuple[DenseVector, ...]
    sparse: tuple[SparseVectors, ...]
    quantized: bool


def read_shape(info: models.CollectionInfo) -> Shape:
    """Read the vectors of a collection."""
    params = info.config.params
    given = params.vectors or {}
    named: Mapping[str, models.VectorParams] = given if isinstance(given, Mapping) else {"": given}
    sparse = params.sparse_vectors or {}
    return Shape(
        dense=tuple(_dense(name, one) for name, one in sorted(named.items())),
        sparse=tuple(SparseVectors(name, one.modifier is models.Modifier.IDF) for name, one in sorted(sparse.items())),
        quantized=bool(info.config.quantization_config) or any(one.quantization_config for one in named.values()),
    )


def choose_dense(shape: Shape, wanted: str | None, collection: str) -> DenseVector:
    """Choose the dense vector to search. wanted: its name; None if there is only one.

    Raises ConfigurationError if none or several match, or if the vector has no cosine.
    """
    names = ", ".join(f"{one.label} ({one.dimension})" for one in shape.dense)
    if not shape.dense:
        raise ConfigurationError(
            f"The collection {collection} has no dense vectors, which similarity needs.",
            hint="Set [index] adopt to a collection with dense vectors.",
        )
    if wanted is None:
        if len(shape.dense) > 1:
            raise ConfigurationError(
                f"The collection {collection} has several dense vectors: {names}.",
                hint="Set [index] vector to the name of the vector that your model made.",
            )
        found = shape.dense[0]
    else:
        matching = [one for one in shape.dense if one.name == wanted]
        if not matching:
            raise ConfigurationError(
                f"The collection {collection} has no dense vector {wanted!r}; it has: {names}.",
                hint="Set [index] vector to one of them, or remove it if there is only one.",
            )
        found = matching[0]
    if found.problem:
        raise ConfigurationError(
            f"The dense vector {found.label} of the collection {collection} cannot be searched: {found.problem}.",
            hint="Set [index] vector to another, or [index] adopt to another collection.",
        )
    return found


def _dense(name: str, params: models.VectorParams) -> DenseVector:
    return DenseVector(
        name=name,
        dimension=params.size,
        distance=params.distance.value,
        datatype=params.datatype.value if params.datatype else "float32",
        multiple=params.multivector_config is not None,
    )
