"""Read-only access to an adopted collection, which Assay did not make."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from qdrant_client import QdrantClient, models

from assay.adapters.stores.qdrant.advice import OTHER_VECTORS
from assay.adapters.stores.qdrant.errors import FailedRequest
from assay.adapters.stores.qdrant.options import ReadOptions
from assay.adapters.stores.qdrant.server import QdrantServer, Retry, consistency_of
from assay.errors import IndexNotFound, InputError, VectorStoreError

T = TypeVar("T")

_PAGE = 256
"""Points per request when reading a whole collection: with vectors of 1,024 dimensions about 5 MB of JSON."""

_NO_LIMIT = 2**31
"""Larger than the limit of any request."""

_SHOWN = 12
_UNINDEXED = re.compile(r'Index required but not found for "([^"]+)"')

Selector = bool | Sequence[str]
"""The whole payload, none of it, or these paths."""


class AdoptedCollection:
    """Reads one collection. Safe to use from several threads. Every method raises VectorStoreError.

    max_limit: maximum limit of a request that strict mode allows, as of the last `info`.
    """

    def __init__(self, server: QdrantServer, name: str, reading: ReadOptions) -> None:
        self._server = server
        self.name = name
        self.address = server.address
        self.oversampling = reading.oversampling
        self.search_width = reading.search_width
        self.max_limit = _NO_LIMIT
        self._consistency = consistency_of(reading)

    def info(self) -> models.CollectionInfo:
        """Description of the collection. Raises IndexNotFound with the existing ones."""
        answer = self._server.try_request(lambda client: client.get_collection(self.name), Retry.BRIEF)
        if isinstance(answer, FailedRequest):
            if answer.is_missing:
                raise self._missing_collection()
            raise self._server.error(answer, "look at", self.name)
        strict = answer.config.strict_mode_config
        self.max_limit = strict.max_query_limit or _NO_LIMIT if strict is not None and strict.enabled else _NO_LIMIT
        return answer

    def count(self) -> int:
        """Number of points; the server's estimate if strict mode forbids exact counts."""
        answer = self._server.try_request(lambda client: client.count(self.name, exact=True), Retry.BRIEF)
        if isinstance(answer, FailedRequest) and answer.forbids_exact:
            return self._read("count", lambda client: client.count(self.name, exact=False)).count
        return self._answered("count", answer).count

    def query(self, requests: Sequence[models.QueryRequest]) -> list[list[models.ScoredPoint]]:
        """Run several searches in one request."""

        def ask(client: QdrantClient) -> list[models.QueryResponse]:
            return client.query_batch_points(
                self.name, requests=requests, consistency=self._consistency, timeout=self._server.search_seconds
            )

        return self._server.rankings(self.name, self._search("search", ask), len(requests))

    def retrieve(
        self, ids: Sequence[models.ExtendedPointId], *, payload: Selector, vectors: Sequence[str] | bool
    ) -> list[models.Record]:
        """Points by id; missing ones are left out."""
        if not ids:
            return []

        def ask(client: QdrantClient) -> list[models.Record]:
            return client.retrieve(
                self.name,
                ids=list(ids),
                with_payload=_to_client(payload),
                with_vectors=_to_client(vectors),
                consistency=self._consistency,
                timeout=self._server.search_seconds,
            )

        return self._search("read", ask)

    def matching(self, where: models.Filter, limit: int, *, payload: Selector) -> list[models.Record]:
        """The first points that match a filter."""

        def ask(client: QdrantClient) -> list[models.Record]:
            records, _ = client.scroll(
                self.name,
                scroll_filter=where,
                limit=min(limit, self.max_limit),
                with_payload=_to_client(payload),
                with_vectors=False,
            )
            return records

        return self._search("read", ask)

    def sample(self, number: int) -> list[models.Record]:
        """The first points in the order of their ids, without vectors."""
        return self._page(None, number, payload=True, vectors=False)[0]

    def records(
        self, *, payload: Selector, vectors: Sequence[str] | bool, at_once: int = _PAGE
    ) -> Iterator[models.Record]:
        """Every point in the order of their ids. at_once: number of points of a request."""
        offset: Any = None
        while True:
            page, offset = self._page(offset, at_once, payload=payload, vectors=vectors)
            yield from page
            if offset is None:
                return

    def _page(
        self, offset: object, limit: int, *, payload: Selector, vectors: Sequence[str] | bool
    ) -> tuple[list[models.Record], Any]:
        """Points in the order of their ids, and the offset of the next page; None after the last."""
        asked: Any = {"offset": offset, "with_payload": _to_client(payload), "with_vectors": _to_client(vectors)}
        return self._read("read", lambda client: client.scroll(self.name, limit=min(limit, self.max_limit), **asked))

    def _read(self, operation: str, call: Callable[[QdrantClient], T]) -> T:
        return self._answered(operation, self._server.try_request(call, Retry.BRIEF))

    def _search(self, operation: str, call: Callable[[QdrantClient], T]) -> T:
        return self._answered(operation, self._server.try_search(call))

    def _answered(self, operation: str, answer: T | FailedRequest) -> T:
        if isinstance(answer, FailedRequest):
            raise self._map_failure(answer, operation)
        return answer

    def _map_failure(self, failure: FailedRequest, operation: str) -> Exception:
        """Map a failed request to an error; InputError if the filter caused it."""
        if failure.is_missing:
            return self._missing_collection()
        if unindexed := _UNINDEXED.search(failure.message):
            return InputError(
                f"filters: the server's strict mode forbids to filter by {unindexed[1]!r}, which has no payload index.",
                hint="Remove that filter, or ask the owner of the collection to index the field.",
            )
        if failure.status == 400 and OTHER_VECTORS.search(failure.message):
            return VectorStoreError(
                f"The collection {self.name} has other vectors than when it was opened ({failure.message}).",
                hint="It was recreated: restart Assay, and see `assay doctor`.",
            )
        return self._server.error(failure, operation, self.name)

    def _missing_collection(self) -> IndexNotFound:
        listed = self._server.try_request(lambda client: client.get_collections(), Retry.NEVER)
        names = [] if isinstance(listed, FailedRequest) else sorted(one.name for one in listed.collections)
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        there = f"It has: {', '.join(names[:_SHOWN])}{more}." if names else "It lists no collections."
        return IndexNotFound(
            f"There is no collection {self.name} on the Qdrant server at {self.address}.",
            hint=f"{there} Set [index] adopt to the collection to read.",
        )


def _to_client(selector: Sequence[str] | bool) -> Any:  # noqa: ANN401 - the client takes a union of its own
    return selector if isinstance(selector, bool) else list(selector)
