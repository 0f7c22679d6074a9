"""The vector store on a Qdrant server: one collection for each generation, and an alias for outside readers."""

from qdrant_client import QdrantClient, models

from assay.adapters.stores.payload import FACETS
from assay.adapters.stores.points import INDEX_NAME
from assay.adapters.stores.qdrant.collection import (
    Marker,
    collection_name,
    creation,
    is_ours,
    read_marker,
    require_metadata,
    require_shape,
)
from assay.adapters.stores.qdrant.errors import FailedRequest, not_usable
from assay.adapters.stores.qdrant.index import QdrantIndex
from assay.adapters.stores.qdrant.options import Access, CollectionLayout, Loading, Reading
from assay.adapters.stores.qdrant.server import Again, QdrantServer
from assay.adapters.stores.qdrant.writer import QdrantWriter
from assay.errors import ConfigurationError, IndexCorrupt, IndexNotFound, VectorStoreError
from assay.ports import IndexSpec, Inspected, StoreReport

_SCOPED_IDF = (1, 19)
"""Version from which on the server weighs words by the versions and locales that a search stays in."""


class QdrantStore:
    """Indexes in collections called `<collection>-<generation>`, and an alias `<collection>` that follows promotion.

    collection: letters, digits, `_`, `-`, `.`; one for each Assay that shares a server.

    Raises ConfigurationError.
    """

    def __init__(
        self, access: Access, collection: str, *, layout: CollectionLayout, loading: Loading, reading: Reading
    ) -> None:
        if not INDEX_NAME.fullmatch(collection) or len(collection) > 200:
            raise ConfigurationError(
                f"[qdrant] collection = {collection!r} cannot be the name of a collection.",
                hint="Use up to 200 letters, digits, `_`, `-` and `.`, the first no `-` or `.`.",
            )
        self._server = QdrantServer(access)
        self._collection = collection
        self._layout = layout
        self._loading = loading
        self._reading = reading

    @property
    def owns_all_indexes(self) -> bool:
        """Others have collections there too, and perhaps another Assay under the same name."""
        return False

    def create(self, generation: str, spec: IndexSpec) -> QdrantWriter:
        """Start a collection. Raises VectorStoreError when one of that name is there already."""
        marker = Marker(self._collection, generation, spec.dimension, "building")
        name = collection_name(self._collection, generation)
        self._require_alias_free()
        self._make(name, marker)
        writer = QdrantWriter(self._server, marker, self._layout, self._loading)
        try:
            require_metadata(self._info(generation, Again.PATIENTLY), self._server.address)
            self._server.work(
                "create",
                generation,
                lambda client: client.create_payload_index(
                    name, FACETS, models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD), wait=True
                ),
                Again.PATIENTLY,
            )
        except BaseException:
            writer.abort()
            raise
        return writer

    def open(self, generation: str, spec: IndexSpec) -> QdrantIndex:
        """Open a sealed collection. Raises IndexNotFound, IndexCorrupt, StoreUnavailable."""
        index, marker = self._opened(generation, spec)
        points = index.count()
        if points != marker.points:
            raise _miscounted(generation, points, marker)
        return index

    def inspect(self, generation: str, spec: IndexSpec) -> Inspected:
        """Open a collection to be checked, also with more or fewer points than were sealed. Raises StoreUnavailable."""
        try:
            index, marker = self._opened(generation, spec)
        except (IndexNotFound, IndexCorrupt) as error:
            return Inspected(None, (error.message,))
        points = index.count()
        return Inspected(index, () if points == marker.points else (_miscounted(generation, points, marker).message,))

    def _opened(self, generation: str, spec: IndexSpec) -> tuple[QdrantIndex, Marker]:
        info = self._info(generation)
        marker = read_marker(info, self._collection, generation)
        if marker.dimension != spec.dimension:
            raise not_usable(generation, f"it has {marker.dimension} dimensions, not {spec.dimension}")
        require_shape(info, marker)
        return QdrantIndex(self._server, marker, self._reading), marker

    def delete(self, generation: str) -> None:
        """Remove a collection, sealed or not; does nothing when there is none.

        Raises VectorStoreError for a collection that has the name and was not made by Assay: it is not touched.
        """
        name = collection_name(self._collection, generation)
        try:
            info = self._info(generation)
        except IndexNotFound:
            return
        if not is_ours(info, self._collection, generation):
            raise VectorStoreError(
                f"The collection {name} on the Qdrant server at {self._server.address} was not made by Assay.",
                hint="It is left as it is; remove it yourself if it is not needed.",
            )
        gone = self._server.attempt(lambda client: client.delete_collection(name), Again.SOON)
        if isinstance(gone, FailedRequest) and not gone.is_missing:
            raise self._server.error(gone, "delete", generation)

    def generations(self) -> list[str]:
        """Ids of all generations that have a collection here, sealed or not, ascending. Raises VectorStoreError."""
        found = []
        for name in self._collections():
            generation = name.removeprefix(f"{self._collection}-")
            if generation == name or not INDEX_NAME.fullmatch(generation):
                continue
            try:
                info = self._info(generation)
            except IndexNotFound:
                continue  # somebody else removed it in the meantime
            if is_ours(info, self._collection, generation):
                found.append(generation)
        return sorted(found)

    def switch_alias(self, generation: str) -> None:
        """Let the alias lead to a generation's collection. Raises IndexNotFound, VectorStoreError."""
        name = collection_name(self._collection, generation)
        current = self._aliases().get(self._collection)
        if current == name:
            return
        operations: list[models.AliasOperations] = []
        if current is not None:
            if not current.startswith(f"{self._collection}-"):
                raise VectorStoreError(
                    f"The alias {self._collection} leads to the collection {current}, which is not Assay's.",
                    hint="Set [qdrant] collection (or QDRANT_COLLECTION_NAME) to a name that nothing else has.",
                )
            operations.append(models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=self._collection)))
        operations.append(
            models.CreateAliasOperation(
                create_alias=models.CreateAlias(alias_name=self._collection, collection_name=name)
            )
        )
        self._server.work(
            "point the alias at",
            generation,
            lambda client: client.update_collection_aliases(operations),
            Again.SOON,
        )

    def check(self) -> None:
        """Raise VectorStoreError unless the server answers within a second, and takes the key."""
        self._server.probe("reach the indexes", lambda client: client.collection_exists(self._collection))

    def describe(self) -> StoreReport:
        """What there is on the server. Raises VectorStoreError."""
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
                f"version {version} counts words over all versions and locales, which makes keyword search worse where "
                "there are several; 1.19 does not"
            )
        if self._collection in names:
            problems.append(_occupied(self._collection, self._server.address))
        shown = target.removeprefix(f"{self._collection}-") if target else None
        return StoreReport(summary, tuple(problems), shown)

    def close(self) -> None:
        """Let go of the connections; a second call does nothing."""
        self._server.close()

    def _make(self, name: str, marker: Marker) -> None:
        """Create the collection; one that an attempt made whose answer was lost is ours too, for the id is new."""
        attempts = 0

        def make(client: QdrantClient) -> bool:
            nonlocal attempts
            attempts += 1
            return client.create_collection(name, **creation(self._layout, marker))

        made = self._server.attempt(make, Again.PATIENTLY)
        if not isinstance(made, FailedRequest):
            return
        if not made.is_there_already:
            raise self._server.error(made, "create", marker.generation)
        if attempts == 1 or not is_ours(
            self._info(marker.generation, Again.PATIENTLY), self._collection, marker.generation
        ):
            raise VectorStoreError(
                f"There is an index {marker.generation} already on the Qdrant server at {self._server.address}.",
                hint="Delete it first.",
            )

    def _require_alias_free(self) -> None:
        """Say before the work what would be in the way after it."""
        if self._collection in self._collections(Again.PATIENTLY):
            raise VectorStoreError(
                _occupied(self._collection, self._server.address).capitalize() + ".",
                hint="Set [qdrant] collection (or QDRANT_COLLECTION_NAME) to a name that no collection has.",
            )

    def _info(self, generation: str, again: Again = Again.SOON) -> models.CollectionInfo:
        name = collection_name(self._collection, generation)
        return self._server.work("open", generation, lambda client: client.get_collection(name), again)

    def _collections(self, again: Again = Again.SOON) -> list[str]:
        answer = self._server.work("list the indexes", "", lambda client: client.get_collections(), again)
        return [collection.name for collection in answer.collections]

    def _aliases(self) -> dict[str, str]:
        """Collection by alias."""
        answer = self._server.work("list the aliases", "", lambda client: client.get_aliases(), Again.SOON)
        return {alias.alias_name: alias.collection_name for alias in answer.aliases}


def _occupied(collection: str, address: str) -> str:
    return f"a collection {collection} stands on the Qdrant server at {address} where the alias has to be"


def _numbers(version: str) -> tuple[int, ...]:
    """`1.19.0-dev` gives (1, 19); a version that is none gives nothing, which is less than any."""
    parts = version.split(".")[:2]
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else ()


def _miscounted(generation: str, points: int, marker: Marker) -> IndexCorrupt:
    return not_usable(generation, f"it holds {points} points, not the {marker.points} it was sealed with")
