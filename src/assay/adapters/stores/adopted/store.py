"""The vector store of an adopted collection, which has one existing index."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from assay.adapters.stores.adopted.access import AdoptedCollection
from assay.adapters.stores.adopted.index import AdoptedIndex, SearchPlan, top_level_fields
from assay.adapters.stores.adopted.mapping import FIELDS, FieldMapping, PointReader
from assay.adapters.stores.adopted.payload_view import PayloadView
from assay.adapters.stores.adopted.presets import PRESETS, PresetMatch, list_keys, match_preset
from assay.adapters.stores.adopted.refusal import read_only
from assay.adapters.stores.adopted.shape import DenseVector, Shape, choose_dense, read_shape
from assay.adapters.stores.qdrant.options import Access, ReadOptions
from assay.adapters.stores.qdrant.server import QdrantServer
from assay.errors import ConfigurationError, IdentityMismatch, IndexNotFound
from assay.ports import IndexSpec, IndexWriter, Inspected, SparseEncoder, StoreReport

_SAMPLE = 100
"""Points sampled before a search."""

_MOST_COUNTED = 10_000
_COUNTED_AT_ONCE = 500

_TERM_SAMPLE = 20
_TERMS_FOUND = 0.9
"""Minimum share of a text's terms in its sparse vector, for the vector to be BM25's of the same tokenization."""

_MOST_KEYS = 20


@dataclass(frozen=True, slots=True)
class Adoption:
    """Configuration of an adopted collection.

    preset: name of a known payload; None to detect it.
    vector: name of the dense vector; None if there is only one.
    mapping: paths that precede those of the preset, and the rest of a mapping.
    """

    collection: str
    preset: str | None
    vector: str | None
    mapping: FieldMapping


@dataclass(frozen=True, slots=True)
class CollectionFindings:
    """Result of examining a collection.

    preset_match: the detected preset; None if none matches.
    sampled: number of sampled points.
    keywords: why keyword search can be used or not, without a full stop.
    """

    shape: Shape
    dense: DenseVector
    preset_match: PresetMatch | None
    sampled: int
    mapping: FieldMapping
    keywords: str
    plan: SearchPlan


class AdoptedStore:
    """One read-only collection on a Qdrant server that Assay did not make.

    encoder: BM25, to check whether it made the collection's sparse vectors.
    models: names of known models by dimension, for a message.
    """

    owns_all_indexes = False

    def __init__(
        self,
        access: Access,
        adoption: Adoption,
        *,
        reading: ReadOptions,
        encoder: SparseEncoder,
        models: Mapping[int, Sequence[str]],
    ) -> None:
        self._server = QdrantServer(access)
        self._adoption = adoption
        self._encoder = encoder
        self._models = models
        self.collection = AdoptedCollection(self._server, adoption.collection, reading)

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
        """None: the collection is not the index of a generation."""
        return []

    def open(self, generation: str, spec: IndexSpec, *, patient: bool = False) -> AdoptedIndex:  # noqa: ARG002 - one
        """Open the collection.

        Raises IdentityMismatch if its vectors have another dimension than the model's, ConfigurationError if it cannot
        be searched or read, IndexNotFound, VectorStoreError.
        """
        found = self.examine()
        self.require_dimension(found.dense, spec.dimension)
        return self.index(found)

    def inspect(self, generation: str, spec: IndexSpec) -> Inspected:
        """Open the collection; it has no seal to compare it with."""
        return Inspected(self.open(generation, spec))

    def require_dimension(self, dense: DenseVector, dimension: int) -> None:
        """Raise IdentityMismatch unless the configured model has this dimension."""
        if dense.dimension == dimension:
            return
        known = self.models_with_dimension(dense.dimension)
        suggested = f" Models with {dense.dimension} dimensions: {', '.join(known)}." if known else ""
        raise IdentityMismatch(
            f"The collection {self.collection.name} has vectors of {dense.dimension} dimensions ({dense.label}), and "
            f"those of the configured model have {dimension}.",
            hint=f"Set [embedding] provider and model to the model that the collection was made with.{suggested}",
        )

    def models_with_dimension(self, dimension: int) -> Sequence[str]:
        """Known models with this dimension."""
        return self._models.get(dimension, ())

    def shape(self) -> Shape:
        """The vectors of the collection. Raises IndexNotFound, VectorStoreError."""
        return read_shape(self.collection.info())

    def index(self, found: CollectionFindings) -> AdoptedIndex:
        """Open the collection with these findings."""
        return AdoptedIndex(self.collection, found.plan)

    def examine(self) -> CollectionFindings:
        """Examine the collection and a sample of its points.

        Raises ConfigurationError, IndexNotFound, VectorStoreError.
        """
        shape = self.shape()
        dense = choose_dense(shape, self._adoption.vector, self.collection.name)
        records = self.collection.sample(_SAMPLE)
        if not records:
            raise IndexNotFound(
                f"The collection {self.collection.name} on the Qdrant server at {self.collection.address} is empty.",
                hint="Fill it, or set [index] adopt to another.",
            )
        payloads = [record.payload or {} for record in records]
        preset_match = match_preset(payloads)
        mapping = self._mapping(preset_match, payloads)
        reader = PointReader(mapping, self.collection.name)
        if all(reader.read("", payload).chunk is None for payload in payloads):
            raise ConfigurationError(
                f"No text was found in {len(records)} points of the collection {self.collection.name} "
                f"(searched paths: {', '.join(mapping.of('text')) or 'none'}).",
                hint=_mapping_hint(preset_match, payloads),
            )
        filter_mapping, absent_fields = _narrowed(mapping, payloads)
        sparse, keywords = self._keywords(shape, reader, records)
        plan = SearchPlan(dense, reader, filter_mapping, absent_fields, sparse, shape.quantized)
        return CollectionFindings(shape, dense, preset_match, len(records), mapping, keywords, plan)

    def documents(self) -> int | None:
        """Number of different URLs; None if there are too many points to count. Raises VectorStoreError."""
        if self.collection.count() > _MOST_COUNTED:
            return None
        reader = self.examine().plan.reader
        payload = top_level_fields(
            [path for name in ("url", "source_path", "chunk_id") for path in reader.mapping.of(name)]
        )
        records = self.collection.records(payload=payload, vectors=False, at_once=_COUNTED_AT_ONCE)
        return len({reader.url(str(record.id), record.payload or {}) for record in records})

    def check(self) -> None:
        """Raise VectorStoreError unless the store can be reached and read; takes at most a second."""
        name = self.collection.name
        if not self._server.probe("reach the collection", lambda client: client.collection_exists(name)):
            raise IndexNotFound(
                f"There is no collection {name} on the Qdrant server at {self._server.address}.",
                hint="Set [index] adopt to an existing collection.",
            )

    def describe(self) -> StoreReport:
        """The server and the collection. Raises VectorStoreError."""
        version = self._server.probe("ask the version", lambda client: client.info()).version
        where = f"Qdrant {version} at {self._server.address}, collection {self.collection.name}"
        return StoreReport(f"{where}, adopted (read-only)", (), None)

    def close(self) -> None:
        """Close connections; a second call does nothing. Open indexes stay usable."""
        self._server.close()

    def _mapping(self, preset_match: PresetMatch | None, payloads: Sequence[Mapping[str, Any]]) -> FieldMapping:
        """Merge the configured paths with those of the preset. Raises ConfigurationError without either."""
        by_hand = self._adoption.mapping
        if self._adoption.preset is not None:
            base = PRESETS[self._adoption.preset].mapping
        elif preset_match is not None and not by_hand.of("text"):
            base = preset_match.preset.mapping
        elif by_hand.of("text"):
            return by_hand
        else:
            raise ConfigurationError(
                f"The payload of the collection {self.collection.name} matches no preset.",
                hint=_mapping_hint(preset_match, payloads),
            )
        paths = {name: by_hand.of(name) or base.of(name) for name in FIELDS}
        first = by_hand.first_position if by_hand.of("position") else base.first_position
        return replace(base, paths=paths, first_position=first, base_url=by_hand.base_url)

    def _keywords(self, shape: Shape, reader: PointReader, records: Sequence[Any]) -> tuple[str | None, str]:
        """The sparse vectors that BM25 can search, if any, and the reason."""
        if not shape.sparse:
            return None, "there are no sparse vectors"
        reasons = []
        for vectors in shape.sparse:
            if not vectors.idf:
                reasons.append(f"{vectors.name} has no IDF modifier, so every word would have the same weight")
                continue
            share = self._terms_found(vectors.name, reader, records[:_TERM_SAMPLE])
            if share >= _TERMS_FOUND:
                return vectors.name, f"{vectors.name} has BM25's terms ({share:.0%} of the expected ones)"
            reasons.append(f"{vectors.name} has other terms than BM25's ({share:.0%} of the expected ones)")
        return None, "; ".join(reasons)

    def _terms_found(self, name: str, reader: PointReader, records: Sequence[Any]) -> float:
        """Share of the sampled texts' terms that their sparse vectors have."""
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


def _narrowed(mapping: FieldMapping, payloads: Sequence[Mapping[str, Any]]) -> tuple[FieldMapping, frozenset[str]]:
    """Narrow the mapping to paths that some payload has, and list the fields that none has, which keep their paths."""
    views = [PayloadView(payload) for payload in payloads]
    filter_mapping, absent_fields = {}, set()
    for name in FIELDS:
        found = tuple(path for path in mapping.of(name) if any(view.find(path) is not None for view in views))
        if not found:
            absent_fields.add(name)
        filter_mapping[name] = found or mapping.of(name)
    if "url" in absent_fields:  # then these may contain URLs
        filter_mapping["url"] += tuple(path for name in ("source_path", "chunk_id") for path in filter_mapping[name])
    return replace(mapping, paths=filter_mapping), frozenset(absent_fields)


def _mapping_hint(preset_match: PresetMatch | None, payloads: Sequence[Mapping[str, Any]]) -> str:
    keys = list_keys(payloads)
    listed = ", ".join(keys[:_MOST_KEYS]) + (", …" if len(keys) > _MOST_KEYS else "") if keys else "nothing"
    if preset_match is not None:
        return f'The points match [index] preset = "{preset_match.preset.name}". They have: {listed}.'
    return f"Set [index.mapping] text, url, … to their paths in the payload. The points have: {listed}."
