"""What a collection that Assay did not make looks like: its vectors, and which of them can be searched."""

from collections.abc import Mapping
from dataclasses import dataclass

from qdrant_client import models

from assay.errors import ConfigurationError

_WHOLE_NUMBERS = "uint8"


@dataclass(frozen=True, slots=True)
class DenseVector:
    """One of a collection's dense vectors.

    name: "" for the one that has none.
    distance: `Cosine`, `Dot`, `Euclid` or `Manhattan`.
    kept_as: `float32`, or how else its numbers are stored.
    multiple: whether a point has many vectors of this name, one for each token.
    """

    name: str
    dimension: int
    distance: str
    kept_as: str
    multiple: bool

    @property
    def label(self) -> str:
        """The vector as messages name it."""
        return repr(self.name) if self.name else "without a name"

    @property
    def problem(self) -> str:
        """Why it cannot be searched; "" when it can."""
        if self.multiple:
            return "it holds many vectors for each point (multivector), which have no one cosine with a query"
        if self.kept_as == _WHOLE_NUMBERS:
            return "its numbers are stored as whole ones from 0 to 255 (uint8), from which no cosine can be told"
        return ""


@dataclass(frozen=True, slots=True)
class SparseVectors:
    """One of a collection's sparse vectors. idf: whether the server weighs its terms by how rare they are."""

    name: str
    idf: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """The vectors of a collection. quantized: whether the server searches a smaller copy of them first."""

    dense: tuple[DenseVector, ...]
    sparse: tuple[SparseVectors, ...]
    quantized: bool


def read_shape(info: models.CollectionInfo) -> Shape:
    """The vectors that a server says a collection has."""
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
    """The dense vector to search. wanted: its name, or None where there is only one.

    Raises ConfigurationError when there is none, no such one, or too many, and for one that has no cosine.
    """
    names = ", ".join(f"{one.label} ({one.dimension})" for one in shape.dense)
    if not shape.dense:
        raise ConfigurationError(
            f"The collection {collection} has no dense vectors, and without them there is no similarity.",
            hint="Set [index] adopt to one that has.",
        )
    if wanted is None:
        if len(shape.dense) > 1:
            raise ConfigurationError(
                f"The collection {collection} has several dense vectors: {names}.",
                hint="Set [index] vector to the one that your model made.",
            )
        found = shape.dense[0]
    else:
        matching = [one for one in shape.dense if one.name == wanted]
        if not matching:
            raise ConfigurationError(
                f"The collection {collection} has no dense vector {wanted!r}; it has: {names}.",
                hint="Set [index] vector to one of them, or leave it out where there is only one.",
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
        kept_as=params.datatype.value if params.datatype else "float32",
        multiple=params.multivector_config is not None,
    )
