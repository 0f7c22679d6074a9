"""Asking a collection that Assay did not make: reading only, and with messages for whoever adopted it."""

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from qdrant_client import QdrantClient, models

from assay.adapters.stores.qdrant.errors import FailedRequest
from assay.adapters.stores.qdrant.options import Reading
from assay.adapters.stores.qdrant.server import Again, QdrantServer, consistency_of
from assay.errors import IndexNotFound, InputError, VectorStoreError

T = TypeVar("T")

_PAGE = 256
"""Points of one request that reads a collection from end to end, vectors included: some 5 MB of JSON at 1,024
dimensions."""

_ANY = 2**31
"""A limit that no request has."""

_SHOWN = 12
_OTHER_VECTORS = re.compile(r"vector (dimension|name)|not existing vector", re.IGNORECASE)
_UNINDEXED = re.compile(r'Index required but not found for "([^"]+)"')

Selector = bool | Sequence[str]
"""All of a payload, none of it, or these paths."""


class CollectionReader:
    """Reads one collection. Safe to use from several threads. Every method raises VectorStoreError.

    There is no method that writes. most: the largest limit of a request that the server's strict mode allows, as of the
    last `info`.
    """

    def __init__(self, server: QdrantServer, name: str, reading: Reading) -> None:
        self._server = server
        self.name = name
        self.oversampling = reading.oversampling
        self.search_width = reading.search_width
        self.most = _ANY
        self._consistency = consistency_of(reading)

    @property
    def address(self) -> str:
        """Where the server is."""
        return self._server.address

    def info(self) -> models.CollectionInfo:
        """What the server says of the collection. Raises IndexNotFound, naming those that are there."""
        answer = self._server.attempt(lambda client: client.get_collection(self.name), Again.SOON)
        if isinstance(answer, FailedRequest):
            if answer.is_missing:
                raise self._not_there()
            raise self._server.error(answer, "look at", self.name)
        strict = answer.config.strict_mode_config
        self.most = strict.max_query_limit or _ANY if strict is not None and strict.enabled else _ANY
        return answer

    def count(self) -> int:
        """Number of points; the server's own estimate where it does not count exactly."""
        answer = self._server.attempt(lambda client: client.count(self.name, exact=True), Again.SOON)
        if isinstance(answer, FailedRequest) and answer.forbids_exact:
            return self._read("count", lambda client: client.count(self.name, exact=False)).count
        if isinstance(answer, FailedRequest):
            raise self._explained(answer, "count")
        return answer.count

    def query(self, requests: Sequence[models.QueryRequest]) -> list[list[models.ScoredPoint]]:
        """Several searches in one request."""

        def ask(client: QdrantClient) -> list[models.QueryResponse]:
            return client.query_batch_points(
                self.name, requests=requests, consistency=self._consistency, timeout=self._server.search_seconds
            )

        return self._server.rankings(self.name, self._search("search", ask), len(requests))

    def retrieve(
        self, ids: Sequence[models.ExtendedPointId], *, payload: Selector, vectors: Sequence[str] | bool
    ) -> list[models.Record]:
        """Points by id; those that are not there are left out."""
        if not ids:
            return []

        def ask(client: QdrantClient) -> list[models.Record]:
            return client.retrieve(
                self.name,
                ids=list(ids),
                with_payload=_selected(payload),
                with_vectors=_selected(vectors),
                consistency=self._consistency,
                timeout=self._server.search_seconds,
            )

        return self._search("read", ask)

    def matching(self, where: models.Filter, limit: int, *, payload: Selector) -> list[models.Record]:
        """The first points that a filter lets through."""

        def ask(client: QdrantClient) -> list[models.Record]:
            records, _ = client.scroll(
                self.name,
                scroll_filter=where,
                limit=min(limit, self.most),
                with_payload=_selected(payload),
                with_vectors=False,
            )
            return records

        return self._search("read", ask)

    def page(
        self,
        offset: Any,  # noqa: ANN401 - an id
        *,
        limit: int = _PAGE,
        payload: Selector,
        vectors: Sequence[str] | bool,
    ) -> tuple[list[models.Record], Any]:
        """Points in the order of their ids, and where the next page begins; None after the last."""

        def ask(client: QdrantClient) -> tuple[list[models.Record], Any]:
            return client.scroll(
                self.name,
                limit=min(limit, self.most),
                offset=offset,
                with_payload=_selected(payload),
                with_vectors=_selected(vectors),
            )

        return self._read("read", ask)

    def _read(self, doing: str, call: Callable[[QdrantClient], T]) -> T:
        answer = self._server.attempt(call, Again.SOON)
        if isinstance(answer, FailedRequest):
            raise self._explained(answer, doing)
        return answer

    def _search(self, doing: str, call: Callable[[QdrantClient], T]) -> T:
        answer = self._server.attempt_search(call)
        if isinstance(answer, FailedRequest):
            raise self._explained(answer, doing)
        return answer

    def _explained(self, failure: FailedRequest, doing: str) -> Exception:
        """The error for a failed request; what was asked in a filter is the caller's to change."""
        if failure.is_missing:
            return self._not_there()
        if unindexed := _UNINDEXED.search(failure.words):
            return InputError(
                f"filters: the server's strict mode forbids to filter by {unindexed[1]!r}, which has no payload index.",
                hint="Ask without that filter, or have the owner of the collection index the field.",
            )
        if failure.status == 400 and _OTHER_VECTORS.search(failure.words):
            return VectorStoreError(
                f"The collection {self.name} has other vectors than when it was opened ({failure.words}).",
                hint="It was made anew: start Assay again, and see `assay doctor`.",
            )
        return self._server.error(failure, doing, self.name)

    def _not_there(self) -> IndexNotFound:
        listed = self._server.attempt(lambda client: client.get_collections(), Again.NEVER)
        names = [] if isinstance(listed, FailedRequest) else sorted(one.name for one in listed.collections)
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        there = f"It has: {', '.join(names[:_SHOWN])}{more}." if names else "It names no collections."
        return IndexNotFound(
            f"There is no collection {self.name} on the Qdrant server at {self.address}.",
            hint=f"{there} Set [index] adopt to the one to read.",
        )


def _selected(asked: Sequence[str] | bool) -> Any:  # noqa: ANN401 - the client takes a union of its own
    return asked if isinstance(asked, bool) else list(asked)
