"""The vector store of an adopted collection: one index that is there already, and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from assay.adapters.stores.adopted.access import CollectionReader
from assay.adapters.stores.adopted.index import AdoptedIndex, Searched, roots
from assay.adapters.stores.adopted.mapping import FIELDS, FieldMapping, PointReader
from assay.adapters.stores.adopted.payload_view import PayloadView
from assay.adapters.stores.adopted.presets import PRESETS, Likely, keys_in, likely_preset
from assay.adapters.stores.adopted.shape import DenseVector, Shape, choose_dense, read_shape
from assay.adapters.stores.qdrant.options import Access, Reading
from assay.adapters.stores.qdrant.server import QdrantServer
from assay.errors import ConfigurationError, IdentityMismatch, IndexNotFound, IndexNotOurs
from assay.ports import IndexSpec, IndexWriter, Inspected, SparseEncoder, StoreReport

_SAMPLE = 100
"""Points that are looked at before a collection is searched."""

_MOST_COUNTED = 10_000
_COUNTED_AT_ONCE = 500

_TERM_SAMPLE = 20
_TERMS_FOUND = 0.9
"""The least share of a text's terms that has to be in its sparse vector, for that to be BM25's of the same terms."""

_MOST_KEYS = 20


@dataclass(frozen=True, slots=True)
class Adoption:
    """What the operator says of a collection.

    preset: name of the payload; None to have it told from the points.
    vector: name of the dense vector; None where there is only one.
    mapping: paths that go before those of the preset, and the rest of a mapping.
    """

    collection: str
    preset: str | None
    vector: str | None
    mapping: FieldMapping


@dataclass(frozen=True, slots=True)
class CollectionFindings:
    """What was found of a collection before searching it.

    likely: the preset that its points look like; None where they look like none.
    sampled: points that were looked at.
    keywords: why keyword search can be used or not, without a full stop.
    """

    shape: Shape
    dense: DenseVector
    likely: Likely | None
    sampled: int
    mapping: FieldMapping
    keywords: str
    searched: Searched


class AdoptedStore:
    """One collection on a Qdrant server that Assay did not make. Nothing is ever written.

    encoder: BM25, to see whether the collection's sparse vectors are its.
    models: names models with vectors of a length, for the message when the configured one has another.
    """

    def __init__(
        self,
        access: Access,
        adoption: Adoption,
        *,
        reading: Reading,
        encoder: SparseEncoder,
        models: Mapping[int, Sequence[str]],
    ) -> None:
        self._server = QdrantServer(access)
        self._adoption = adoption
        self._encoder = encoder
        self._models = models
        self.collection = CollectionReader(self._server, adoption.collection, reading)

    @property
    def owns_all_indexes(self) -> bool:
        """Nothing here is ours."""
        return False

    def create(self, generation: str, spec: IndexSpec) -> IndexWriter:  # noqa: ARG002 - the port's signature
        """Refuse. Raises IndexNotOurs."""
        self._refuse()

    def delete(self, generation: str) -> None:  # noqa: ARG002 - the port's signature
        """Refuse. Raises IndexNotOurs."""
        self._refuse()

    def switch_alias(self, generation: str) -> None:  # noqa: ARG002 - the port's signature
        """Refuse. Raises IndexNotOurs."""
        self._refuse()

    def generations(self) -> list[str]:
        """There is no index of a generation: the one that is served is the collection itself."""
        return []

    def open(self, generation: str, spec: IndexSpec) -> AdoptedIndex:  # noqa: ARG002 - there is only one
        """Open the collection.

        Raises IdentityMismatch when its vectors have another length than the model's, ConfigurationError when it cannot
        be searched or read, IndexNotFound, VectorStoreError.
        """
        found = self.examine()
        self.require_dimension(found.dense, spec.dimension)
        return self.index(found)

    def inspect(self, generation: str, spec: IndexSpec) -> Inspected:
        """Open the collection: nothing was sealed that it could be held against."""
        return Inspected(self.open(generation, spec))

    def require_dimension(self, dense: DenseVector, dimension: int) -> None:
        """Raise IdentityMismatch unless the configured model makes vectors of that length."""
        if dense.dimension == dimension:
            return
        known = self.models_of(dense.dimension)
        suggested = f" Of that length are: {', '.join(known)}." if known else ""
        raise IdentityMismatch(
            f"The collection {self.collection.name} holds vectors of {dense.dimension} dimensions ({dense.label}), and "
            f"those of the configured model have {dimension}.",
            hint=f"Set [embedding] provider and model to the model that the collection was made with.{suggested}",
        )

    def models_of(self, dimension: int) -> Sequence[str]:
        """Models that are known to make vectors of a length."""
        return self._models.get(dimension, ())

    def shape(self) -> Shape:
        """The vectors that the collection has. Raises IndexNotFound, VectorStoreError."""
        return read_shape(self.collection.info())

    def index(self, found: CollectionFindings) -> AdoptedIndex:
        """The collection as `examine` found it, to be read point by point."""
        return AdoptedIndex(self.collection, found.searched)

    def examine(self) -> CollectionFindings:
        """Look at the collection and some of its points.

        Raises ConfigurationError, IndexNotFound, VectorStoreError.
        """
        shape = self.shape()
        dense = choose_dense(shape, self._adoption.vector, self.collection.name)
        records, _ = self.collection.page(None, limit=_SAMPLE, payload=True, vectors=False)
        if not records:
            raise IndexNotFound(
                f"The collection {self.collection.name} on the Qdrant server at {self.collection.address} is empty.",
                hint="Fill it, or set [index] adopt to another.",
            )
        payloads = [record.payload or {} for record in records]
        likely = likely_preset(payloads)
        mapping = self._mapping(likely, payloads)
        reader = PointReader(mapping, self.collection.name)
        if all(reader.read("", payload).chunk is None for payload in payloads):
            raise ConfigurationError(
                f"No text was found in {len(records)} points of the collection {self.collection.name} "
                f"(looked at: {', '.join(mapping.of('text')) or 'nothing'}).",
                hint=_what_to_map(likely, payloads),
            )
        narrow, unseen = _seen(mapping, payloads)
        sparse, keywords = self._keywords(shape, reader, records)
        searched = Searched(dense, reader, narrow, unseen, sparse, shape.quantized)
        return CollectionFindings(shape, dense, likely, len(records), mapping, keywords, searched)

    def documents(self) -> int | None:
        """Number of different URLs; None where too many points would have to be looked at. Raises VectorStoreError."""
        if self.collection.count() > _MOST_COUNTED:
            return None
        reader = self.examine().searched.reader
        payload = roots([path for name in ("url", "source_path", "chunk_id") for path in reader.mapping.of(name)])
        urls: set[str] = set()
        offset: Any = None
        while True:
            records, offset = self.collection.page(offset, limit=_COUNTED_AT_ONCE, payload=payload, vectors=False)
            urls.update(reader.url(str(record.id), record.payload or {}) for record in records)
            if offset is None:
                return len(urls)

    def check(self) -> None:
        """Raise VectorStoreError unless the server answers within a second and has the collection."""
        name = self.collection.name
        if not self._server.probe("reach the collection", lambda client: client.collection_exists(name)):
            raise IndexNotFound(
                f"There is no collection {name} on the Qdrant server at {self._server.address}.",
                hint="Set [index] adopt to one that is there.",
            )

    def describe(self) -> StoreReport:
        """What and where it is. Raises VectorStoreError."""
        version = self._server.probe("ask the version", lambda client: client.info()).version
        where = f"Qdrant {version} at {self._server.address}, collection {self.collection.name}"
        return StoreReport(f"{where} as it is, read only", (), None)

    def close(self) -> None:
        """Let go of the connections; a second call does nothing."""
        self._server.close()

    def _mapping(self, likely: Likely | None, payloads: Sequence[Mapping[str, Any]]) -> FieldMapping:
        """The operator's paths before those of the preset. Raises ConfigurationError when there is neither."""
        by_hand = self._adoption.mapping
        if self._adoption.preset is not None:
            base = PRESETS[self._adoption.preset].mapping
        elif likely is not None and not by_hand.of("text"):
            base = likely.preset.mapping
        elif by_hand.of("text"):
            return by_hand
        else:
            raise ConfigurationError(
                f"The payload of the collection {self.collection.name} looks like none that is known.",
                hint=_what_to_map(likely, payloads),
            )
        paths = {name: by_hand.of(name) or base.of(name) for name in FIELDS}
        first = by_hand.first_position if by_hand.of("position") else base.first_position
        return replace(base, paths=paths, first_position=first, base_url=by_hand.base_url)

    def _keywords(self, shape: Shape, reader: PointReader, records: Sequence[Any]) -> tuple[str | None, str]:
        """The sparse vectors that BM25 can ask, if any, and why."""
        if not shape.sparse:
            return None, "there are no sparse vectors"
        reasons = []
        for vectors in shape.sparse:
            if not vectors.idf:
                reasons.append(f"{vectors.name} has no IDF modifier, so every word would count alike")
                continue
            share = self._terms_found(vectors.name, reader, records[:_TERM_SAMPLE])
            if share >= _TERMS_FOUND:
                return vectors.name, f"{vectors.name} holds BM25's terms ({share:.0%} of those looked for)"
            reasons.append(f"{vectors.name} holds other terms than BM25's ({share:.0%} of those looked for)")
        return None, "; ".join(reasons)

    def _terms_found(self, name: str, reader: PointReader, records: Sequence[Any]) -> float:
        """Which share of the terms of the sampled texts their sparse vectors have."""
        looked_for = found = 0
        for record in self.collection.retrieve([record.id for record in records], payload=True, vectors=[name]):
            chunk = reader.read(str(record.id), record.payload or {}).chunk
            stored: Any = record.vector.get(name) if isinstance(record.vector, dict) else None
            if chunk is None or stored is None:
                continue
            terms = set(self._encoder.term_counts([chunk.text])[0].indices)
            looked_for += len(terms)
            found += len(terms & set(stored.indices))
        return found / looked_for if looked_for else 0.0

    def _refuse(self) -> NoReturn:
        raise read_only(self.collection.name)


def read_only(collection: str) -> IndexNotOurs:
    """The error for everything that would change what is served."""
    return IndexNotOurs(
        f"[index] adopt serves the collection {collection} as it is, and Assay never changes it.",
        hint="Fill it with the pipeline that made it; or remove adopt, and `assay publish` builds an index of its own.",
    )


def _seen(mapping: FieldMapping, payloads: Sequence[Mapping[str, Any]]) -> tuple[FieldMapping, frozenset[str]]:
    """The mapping with only the paths that some payload has, and the fields that none has, which keep theirs."""
    views = [PayloadView(payload) for payload in payloads]
    narrow, unseen = {}, set()
    for name in FIELDS:
        found = tuple(path for path in mapping.of(name) if any(view.find(path) is not None for view in views))
        if not found:
            unseen.add(name)
        narrow[name] = found or mapping.of(name)
    if "url" in unseen:  # then URLs may stand in these
        narrow["url"] += tuple(path for name in ("source_path", "chunk_id") for path in narrow[name])
    return replace(mapping, paths=narrow), frozenset(unseen)


def _what_to_map(likely: Likely | None, payloads: Sequence[Mapping[str, Any]]) -> str:
    keys = keys_in(payloads)
    listed = ", ".join(keys[:_MOST_KEYS]) + (", …" if len(keys) > _MOST_KEYS else "") if keys else "nothing"
    if likely is not None:
        return f'They look like [index] preset = "{likely.preset.name}". They have: {listed}.'
    return f"Set [index.mapping] text, url, … to where they are. The points have: {listed}."
