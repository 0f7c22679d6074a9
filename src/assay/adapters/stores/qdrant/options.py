"""What can be said about a Qdrant server: where it is, how its collections are made, how they are filled and asked."""

from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlsplit

from assay.errors import ConfigurationError

DEFAULT_PORT = 6333
"""Port of the REST interface where a URL names none, also for https."""


@dataclass(frozen=True, slots=True)
class Access:
    """How a server is reached.

    api_key: sent with every request; None where the server asks for none. Space around it is no part of it.
    grpc: speak gRPC instead of REST.
    grpc_port: its port on the same host.
    timeout_seconds: whole seconds that a search may take.
    upload_timeout_seconds: whole seconds that any other request may take.
    retries: how often a search is asked again after a failure that may pass, within a second.
    patience_seconds: seconds for which a build waits for a server that is away.

    Raises ConfigurationError for a URL that is none, or a key that no header can carry.
    """

    url: str
    api_key: str | None = field(repr=False)
    grpc: bool
    grpc_port: int
    timeout_seconds: int
    upload_timeout_seconds: int
    retries: int
    patience_seconds: float

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            sound = False
        if not sound or parts.query or parts.fragment:
            raise ConfigurationError(
                "The address of the Qdrant server is not a URL of http or https.",
                hint="Set [qdrant] url (or QDRANT_URL) to one such as http://localhost:6333.",
            )
        if parts.username or parts.password:
            raise ConfigurationError(
                "The address of the Qdrant server holds a user name or a password, which it does not take.",
                hint="Set the key as QDRANT_API_KEY.",
            )
        key = (self.api_key or "").strip()
        if not (key.isascii() and key.isprintable()):  # the HTTP client's own message would show the key
            raise ConfigurationError(
                "The key of the Qdrant server holds a character that no key has (a line break, or one that is not "
                "ASCII).",
                hint="Copy the key again and set it as QDRANT_API_KEY (or [qdrant] api_key).",
            )
        object.__setattr__(self, "api_key", key or None)

    @property
    def address(self) -> str:
        """Scheme, host and port, as messages show it."""
        parts = urlsplit(self.url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{parts.scheme}://{host}:{parts.port or DEFAULT_PORT}"

    @property
    def exposes_key(self) -> bool:
        """Whether the key goes over a network unencrypted."""
        parts = urlsplit(self.url)
        return self.api_key is not None and parts.scheme == "http" and not _is_loopback(parts.hostname or "")


@dataclass(frozen=True, slots=True)
class CollectionLayout:
    """How the collection of a generation is made. None leaves a matter to the server.

    hnsw_threshold: number of points from which on HNSW graphs are built; below, dense search compares every vector.
    shard_number: parts that the points are divided into.
    replication_factor: copies of each shard.
    write_consistency: copies that have to confirm a write.
    quantization: a smaller copy of the vectors that is searched first, and the best compared again in full.
    on_disk: keep vectors and graph on disk instead of in memory.
    hnsw_links, hnsw_build_width: links of a node, candidates while building.
    """

    hnsw_threshold: int
    shard_number: int | None
    replication_factor: int | None
    write_consistency: int | None
    quantization: Literal["none", "scalar", "binary"]
    on_disk: bool
    hnsw_links: int
    hnsw_build_width: int


@dataclass(frozen=True, slots=True)
class Loading:
    """How points are sent, and how long sealing may take.

    upload_batch: the most points of a request.
    upload_bytes: the most bytes of a request; servers refuse more than 32 MB.
    seal_timeout_seconds: seconds that the server may take to finish its indexes.
    """

    upload_batch: int
    upload_bytes: int
    seal_timeout_seconds: float


@dataclass(frozen=True, slots=True)
class Reading:
    """How collections are asked.

    read_consistency: how many copies of a shard are asked: a number, `majority`, `quorum` or `all`; None asks one.
    search_width: candidates of a search in a graph.
    oversampling: how many times the limit is compared again in full where vectors are quantized.
    """

    read_consistency: int | Literal["majority", "quorum", "all"] | None
    search_width: int
    oversampling: float


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
