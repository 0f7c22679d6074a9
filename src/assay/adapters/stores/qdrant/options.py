"""Options of a Qdrant server: access, layout of collections, uploads, reads."""

from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from ssl import SSLContext, create_default_context
from typing import Literal
from urllib.parse import urlsplit

from assay.errors import ConfigurationError

DEFAULT_PORT = 6333
"""Port of the REST API if the URL has none, also for https."""


@dataclass(frozen=True, slots=True)
class Access:
    """Access to a server.

    api_key: sent with every request, stripped of surrounding spaces; None for none.
    grpc: use gRPC instead of REST.
    grpc_port: gRPC port on the same host.
    timeout_seconds: time limit of a search, whole seconds.
    upload_timeout_seconds: time limit of any other request, whole seconds.
    retries: number of retries of a search after a transient failure, within a second of the first one.
    patience_seconds: how long a build retries while the server is unavailable.
    ca_file: PEM file of the CA certificates to trust instead of the public ones.

    Raises ConfigurationError for an invalid URL, a key that an HTTP header cannot contain, or an unusable ca_file.
    """

    url: str
    api_key: str | None = field(repr=False)
    grpc: bool
    grpc_port: int
    timeout_seconds: int
    upload_timeout_seconds: int
    retries: int
    patience_seconds: float
    ca_file: Path | None = None

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            sound = False
        if not sound or parts.query or parts.fragment:
            raise ConfigurationError(
                "The address of the Qdrant server is not an http or https URL.",
                hint="Set [qdrant] url (or QDRANT_URL) to one such as http://localhost:6333.",
            )
        if parts.username or parts.password:
            raise ConfigurationError(
                "The address of the Qdrant server contains a user name or a password, which is not supported.",
                hint="Set the key as QDRANT_API_KEY.",
            )
        key = (self.api_key or "").strip()
        if not (key.isascii() and key.isprintable()):  # the HTTP client's own message would show the key
            raise ConfigurationError(
                "The key of the Qdrant server contains an invalid character (a line break, or one that is not ASCII).",
                hint="Copy the key again and set it as QDRANT_API_KEY (or [qdrant] api_key).",
            )
        object.__setattr__(self, "api_key", key or None)
        self.tls_context()

    def tls_context(self) -> SSLContext | None:
        """A context that trusts ca_file; None without one. Raises ConfigurationError if it cannot be used."""
        if self.ca_file is None:
            return None
        try:
            return create_default_context(cafile=self.ca_file)
        except OSError as error:  # SSLError is one
            raise ConfigurationError(
                f"[qdrant] ca_file = {str(self.ca_file)!r} cannot be used: {error.strerror or error}.",
                hint="Set it to a PEM file with the certificate of the CA that signed the server's certificate.",
            ) from None

    @property
    def address(self) -> str:
        """Scheme, host and port, for messages."""
        parts = urlsplit(self.url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{parts.scheme}://{host}:{parts.port or DEFAULT_PORT}"

    @property
    def sends_key_unencrypted(self) -> bool:
        """Whether the key is sent over a network unencrypted."""
        parts = urlsplit(self.url)
        return self.api_key is not None and parts.scheme == "http" and not _is_loopback(parts.hostname or "")


@dataclass(frozen=True, slots=True)
class CollectionLayout:
    """Configuration of a generation's collection. None means the server's default.

    hnsw_threshold: number of points from which HNSW graphs are built; below, dense search compares every vector.
    shard_number: number of shards.
    replication_factor: copies of each shard.
    write_consistency: copies that have to confirm a write.
    quantization: compressed copy of the vectors that is searched first; the best results are rescored in full.
    on_disk: store vectors and graph on disk instead of in memory.
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
class UploadOptions:
    """Limits of uploading and sealing.

    upload_batch: maximum number of points of a request.
    upload_bytes: maximum number of bytes of a request; servers refuse more than 32 MB.
    seal_timeout_seconds: time limit of indexing.
    """

    upload_batch: int
    upload_bytes: int
    seal_timeout_seconds: float


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options of searches.

    read_consistency: number of copies of a shard to read, or `majority`, `quorum` or `all`; None for one.
    search_width: candidates of a search in a graph.
    oversampling: with quantized vectors, this many times the limit is rescored in full.
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
