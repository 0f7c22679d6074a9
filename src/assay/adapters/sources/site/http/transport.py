"""The side of a site source that answers requests: a network, or the files of a built site."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from assay.adapters.sources.site.http.client import HttpClient
from assay.adapters.sources.site.http.guard import GuardedBackend, SocketGuard
from assay.adapters.sources.site.http.responses import BodyFilter, FetchLimits, Response, Unserved
from assay.adapters.sources.site.options import SiteRequest

MAX_CONNECTIONS = 32


class Transport(Protocol):
    """Answers the GET requests of one crawl.

    connections: requests to one host that may be in flight.
    is_local: it answers at once, from files that can be read again: it is asked in the calling thread, and no copies
        of the pages are stored.
    """

    connections: int
    is_local: bool

    def get(self, address: str, limits: FetchLimits, wants_body: BodyFilter, conditions: Mapping[str, str]) -> Response:
        """Answer one request; a redirect is returned, not followed.

        conditions: request headers such as If-None-Match.

        Raises FetchError.
        """
        ...

    def unserved(self) -> Sequence[Unserved]:
        """The pages that it has and was not asked for, if it can list them."""
        ...

    def follow(self, address: str) -> None:
        """Note that the start URL redirects to this address."""
        ...

    def abort(self) -> None:
        """Abort all requests in flight, and refuse new ones."""
        ...

    def close(self) -> None:
        """Release its connections."""
        ...


def open_network(request: SiteRequest) -> Transport:
    """The network, with the rules against private addresses and the connections of a request."""
    guard = SocketGuard(request.start)
    connections = request.politeness.concurrency or (8 if guard.private_start else 4)
    return HttpClient(
        GuardedBackend(guard), request.start, request.headers, connections=min(connections, MAX_CONNECTIONS)
    )
