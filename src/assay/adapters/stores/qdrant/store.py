"""The vector store on a Qdrant server: one collection per generation, and an alias for outside readers."""

from qdrant_client import QdrantClient, models

from assay.adapters.stores.payload import FACETS
from assay.adapters.stores.points import INDEX_NAME
from assay.adapters.stores.qdrant.collection import (
    Marker,
    active_replicas,
    belongs_to,
    collection_name,
    creation_arguments,
    read_marker,
    require_metadata,
    require_shape,
)
from assay.adapters.stores.qdrant.errors import FailedRequest, unusable_index
from assay.adapters.stores.qdrant.index import QdrantIndex
from assay.adapters.stores.qdrant.options import Access, CollectionLayout, ReadOptions, UploadOptions
from assay.adapters.stores.qdrant.server import QdrantServer, Retry
from assay.adapters.stores.qdrant.writer import QdrantWriter
from assay.errors import ConfigurationError, IndexCorrupt, IndexNotFound, VectorStoreError
from assay.ports import IndexSpec, Inspected, StoreReport

_SCOPED_IDF = (1, 19)
"""Version from which the server computes IDF within the filter's scope."""


class QdrantStore:
    """Indexes in collections `<collection>-<generation>`, and an alias `<collection>` for the live one.

    collection: letters, digits, `_`, `-`, `.`; a different one for each Assay on a server.

    Raises ConfigurationError.
    """

    owns_all_indexes = False

    def __init__(
        self, access: Access, collection: str, *, layout: CollectionLayout, loading: UploadOptions, reading: ReadOptions
    ) -> None:
        if not INDEX_NAME.fullmatch(collection) or len(collection) > 200:
            raise ConfigurationError(
                f"[qdrant] collection = {collection!r} cannot be the name of a collection.",
                hint="Use up to 200 letters, digits, `_`, `-` and `.`; the first may not be `-` or `.`.",
            )
        self._server = QdrantServer(access)
        self._collection = collection
        self._layout = layout
        self._loading = loading
        self._reading = reading

    def create(self, generation: str, spec: IndexSpec) -> QdrantWriter:
        """Create an index. Raises VectorStoreError if it exists."""
        marker = Marker(self._collection, generation, spec.dimension, "building")
        name = collection_name(self._collection, generation)
        self._require_alias_free()
        self._create_collection(name, marker)
        writer = QdrantWriter(self._server, marker, self._layout, self._loading)
        try:
            require_metadata(self._info(generation, Retry.LONG), self._server.address)
            self._server.request(
                "create",
                generation,
                lambda client: client.create_payload_index(
                    name, FACETS, models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD), wait=True
                ),
                Retry.LONG,
            )
        except BaseException:
            writer.abort()
            raise
        return writer

    def open(self, generation: str, spec: IndexSpec, *, patient: bool = False) -> QdrantIndex:
        """Open a sealed index. Raises IndexNotFound, IndexCorrupt, StoreUnavailable."""
        retry = Retry.LONG if patient else Retry.BRIEF
        index, marker = self._open_unchecked(generation, spec, opening=retry, reads=retry)
        points = index.count()
        if points != marker.points:
            raise _wrong_count(generation, points, marker)
        return index

    def inspect(self, generation: str, spec: IndexSpec) -> Inspected:
        """Open an index for checks; a missing or damaged one is reported and not raised."""
        try:
            index, marker = self._open_unchecked(generation, spec, opening=Retry.BRIEF, reads=Retry.LONG)
        except (IndexNotFound, IndexCorrupt) as error:
            return Inspected(None, (error.message,))
        points = index.count()
        return Inspected(index, () if points == marker.points else (_wrong_count(generation, points, marker).message,))

    def _open_unchecked(
        self, generation: str, spec: IndexSpec, *, opening: Retry, reads: Retry
    ) -> tuple[QdrantIndex, Marker]:
        info, marker = self._server.once_spread(lambda: self._sealed(generation, opening))
        if marker.dimension != spec.dimension:
            raise unusable_index(generation, f"it has {marker.dimension} dimensions, not {spec.dimension}")
        require_shape(info, marker)
        return QdrantIndex(self._server, marker, self._reading, reads), marker

    def _sealed(self, generation: str, retry: Retry) -> tuple[models.CollectionInfo, Marker]:
        info = self._info(generation, retry)
        return info, read_marker(info, self._collection, generation)

    def delete(self, generation: str) -> None:
        """Delete an index, sealed or not; does nothing if there is none."""
        name = collection_name(self._collection, generation)
        try:
            info = self._info(generation, Retry.LONG)
        except IndexNotFound:
            return
        if not belongs_to(info, self._collection, generation):
            raise VectorStoreError(
                f"The collection {name} on the Qdrant server at {self._server.address} was not made by Assay.",
                hint="It is not touched; delete it yourself if it is not needed.",
            )
        gone = self._server.try_request(lambda client: client.delete_collection(name), Retry.LONG)
        if isinstance(gone, FailedRequest) and not gone.is_missing:
            raise self._server.error(gone, "delete", generation)

    def generations(self) -> list[str]:
        """Ids of all generations with an index here, sealed or not, ascending."""
        found = []
        for name in self._collections():
            generation = name.removeprefix(f"{self._collection}-")
            if generation == name or not INDEX_NAME.fullmatch(generation):
                continue
            try:
                info = self._info(generation)
            except IndexNotFound:
                continue  # deleted meanwhile
            if belongs_to(info, self._collection, generation):
                found.append(generation)
        return sorted(found)

    def switch_alias(self, generation: str) -> None:
        """Point the alias for outside readers at an index; does nothing in a store without aliases."""
        name = collection_name(self._collection, generation)
        current = self._aliases().get(self._collection)
        # A node of a cluster may show where the alias pointed before the last switch.
        if current == name and not self._server.is_cluster():
            return
        operations: list[models.AliasOperations] = []
        if current is not None:
            if not current.startswith(f"{self._collection}-"):
                raise VectorStoreError(
                    f"T{_foreign_target(self._collection, current)[1:]}.",
                    hint="Remove the alias, or set [qdrant] collection (or QDRANT_COLLECTION_NAME) to an unused name.",
                )
            operations.append(models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=self._collection)))
        operations.append(
            models.CreateAliasOperation(
                create_alias=models.CreateAlias(alias_name=self._collection, collection_name=name)
            )
        )
        self._server.request(
            "point the alias at", generation, lambda client: client.update_collection_aliases(operations), Retry.BRIEF
        )

    def check(self) -> None:
        """Raise VectorStoreError unless the store can be reached and read; takes at most a second."""
        self._server.probe("reach the indexes", lambda client: client.collection_exists(self._collection))

    def describe(self) -> StoreReport:
        """The state of the store. Raises VectorStoreError."""
        version = self._server.probe("ask the version", lambda client: client.info()).version
        names = self._collections()
        ours = self.generations()
        target = self._aliases().get(self._collection)
        others = len(names) - len(ours)
        summary = (
            f"Qdrant {version} at {self._server.address}, {len(ours)} collection(s) {self._collection}-*, "
            f"{others} other(s), alias {self._collection} → {target or 'nothing yet'}"
        )
        problems = []
        if _numbers(version) < _SCOPED_IDF:
            problems.append(
                f"version {version} computes IDF over all versions and locales, which makes keyword search worse if "
                "there are several; 1.19 does not"
            )
        problems += [problem for generation in ours if (problem := self._replication_problem(generation))]
        if self._collection in names:
            problems.append(_alias_name_taken(self._collection, self._server.address))
        shown = target.removeprefix(f"{self._collection}-") if target else None
        if target and shown == target:
            shown = None
            problems.append(
                f"{_foreign_target(self._collection, target)}: remove the alias, or use another name for it"
            )
        return StoreReport(summary, tuple(problems), shown)

    def close(self) -> None:
        """Close connections; a second call does nothing. Open indexes stay usable."""
        self._server.close()

    def _replication_problem(self, generation: str) -> str:
        """Which shards have fewer active replicas than the settings want; "" if none has."""
        wanted, name = self._layout.replication_factor or 1, collection_name(self._collection, generation)
        if wanted == 1:
            return ""
        cluster = self._server.request(
            "look at", generation, lambda client: client.collection_cluster_info(name), Retry.BRIEF
        )
        few = [f"shard {shard}: {count}" for shard, count in active_replicas(cluster).items() if count < wanted]
        return f"{name} has fewer active replicas than the {wanted} of the settings ({', '.join(few)})" if few else ""

    def _create_collection(self, name: str, marker: Marker) -> None:
        """Create the collection. It may exist from an attempt whose answer was lost."""
        attempts = 0

        def make(client: QdrantClient) -> bool:
            nonlocal attempts
            attempts += 1
            return client.create_collection(name, **creation_arguments(self._layout, marker))

        made = self._server.try_request(make, Retry.LONG)
        if not isinstance(made, FailedRequest):
            return
        if not made.already_exists:
            raise self._server.error(made, "create", marker.generation)
        if attempts == 1 or not belongs_to(
            self._info(marker.generation, Retry.LONG), self._collection, marker.generation
        ):
            raise VectorStoreError(
                f"The index {marker.generation} already exists on the Qdrant server at {self._server.address}.",
                hint="Delete it first.",
            )

    def _require_alias_free(self) -> None:
        """Raise VectorStoreError if a collection has the alias's name."""
        if self._collection in self._collections(Retry.LONG):
            raise VectorStoreError(
                f"T{_alias_name_taken(self._collection, self._server.address)[1:]}.",
                hint="Set [qdrant] collection (or QDRANT_COLLECTION_NAME) to a name without a collection.",
            )

    def _info(self, generation: str, retry: Retry = Retry.BRIEF) -> models.CollectionInfo:
        name = collection_name(self._collection, generation)
        return self._server.request("open", generation, lambda client: client.get_collection(name), retry)

    def _collections(self, retry: Retry = Retry.BRIEF) -> list[str]:
        answer = self._server.request("list the indexes", "", lambda client: client.get_collections(), retry)
        return [collection.name for collection in answer.collections]

    def _aliases(self) -> dict[str, str]:
        """Collection by alias."""
        answer = self._server.request("list the aliases", "", lambda client: client.get_aliases(), Retry.BRIEF)
        return {alias.alias_name: alias.collection_name for alias in answer.aliases}


def _alias_name_taken(collection: str, address: str) -> str:
    return f"the Qdrant server at {address} has a collection {collection}, whose name the alias needs"


def _foreign_target(alias: str, target: str) -> str:
    return f"the alias {alias} points to the collection {target}, which is not Assay's"


def _numbers(version: str) -> tuple[int, ...]:
    """Parse `1.19.0-dev` to (1, 19); an invalid version to (), which is less than any."""
    parts = version.split(".")[:2]
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else ()


def _wrong_count(generation: str, points: int, marker: Marker) -> IndexCorrupt:
    return unusable_index(generation, f"it holds {points} points, not the {marker.points} it was sealed with")
