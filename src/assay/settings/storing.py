"""Settings of the vector store and of the catalog."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from assay.settings.table import Table

Paths = str | tuple[str, ...] | None
"""A dotted path into a payload, or several of which the first that is present is used."""


class MappingSettings(Table):
    """Payload paths of an adopted collection: a dotted path (`metadata.url`) for each field, or a list of them.

    A path set here overrides the preset's. Paths also lead into strings that hold JSON (`_node_content.text`).
    """

    text: Paths = Field(default=None, description="The chunk's text.")
    url: Paths = Field(default=None, description="The page's URL; its fragment links to the section.")
    chunk_id: Paths = Field(default=None, description="The chunk's id; the point's id if missing.")
    position: Paths = Field(default=None, description="The chunk's number on its page.")
    title: Paths = Field(default=None, description="The page's title.")
    section: Paths = Field(default=None, description="The chunk's heading; the filter `sections` uses it.")
    source_path: Paths = Field(default=None, description="The page's path in its source.")
    slug: Paths = Field(default=None, description="The page's slug.")
    document_id: Paths = Field(default=None, description="The page's id.")
    created_at: Paths = Field(default=None, description="Time of storage: ISO 8601, or seconds since 1970.")
    content_hash: Paths = Field(default=None, description="SHA-256 of the chunk's text; `assay doctor` checks it.")
    version: Paths = Field(default=None, description="The version; the filter `versions` uses it.")
    locale: Paths = Field(default=None, description="The language; the filter `locales` uses it.")
    source: Paths = Field(default=None, description="The source's name; the filter `sources` uses it.")
    first_position: Literal[0, 1] = Field(default=0, description="Number of the first chunk of a page.")
    base_url: str = Field(
        default="",
        pattern=r"^(https?://.+)?$",
        description="URL to prepend to the page's path if the payload has no absolute URL.",
    )

    @property
    def paths(self) -> dict[str, tuple[str, ...]]:
        """The paths that are set, by field."""
        fields = {name: getattr(self, name) for name in type(self).model_fields if name not in _NO_PATHS}
        return {name: (paths,) if isinstance(paths, str) else paths for name, paths in fields.items() if paths}


_NO_PATHS = ("first_position", "base_url")


class IndexSettings(Table):
    """The vector store."""

    store: Literal["embedded", "qdrant"] | None = Field(
        default=None,
        description="`embedded` in this process, or a `qdrant` server. If unset, `qdrant` if `[qdrant]` has a `url`.",
    )
    hnsw_threshold: int = Field(
        default=100_000,
        ge=0,
        description="Number of chunks at which an approximate (HNSW) index is built; with fewer, search is exact.",
    )
    quantization: Literal["none", "scalar", "binary"] = Field(
        default="scalar",
        description="For an embedded index of 4,000 chunks or more: search a compressed copy of the vectors first, "
        "with one byte (`scalar`) or one bit (`binary`) for each dimension. For a server, set `qdrant.quantization`.",
    )
    oversampling: float = Field(
        default=2.0,
        ge=1.0,
        le=100.0,
        description="For an embedded index with a compressed copy: candidates rescored with full vectors, as a "
        "multiple of the number of hits, or of 50 if there are fewer.",
    )
    adopt: str | None = Field(
        default=None,
        min_length=1,
        description="An existing collection or alias on the `[qdrant]` server to search without a build; Assay never "
        "writes to it. See [adopting.md](adopting.md).",
    )
    preset: (
        Literal[
            "assay",
            "haystack",
            "langchain",
            "llamaindex",
            "retrieval_layer",
            "retrieval_service",
            "retrieval_testing",
            "search_api",
            "validation_report",
        ]
        | None
    ) = Field(default=None, description="Payload format of the adopted collection; detected from its points if unset.")
    vector: str | None = Field(
        default=None, description="Name of the adopted collection's dense vector, if it has several."
    )
    mapping: MappingSettings = MappingSettings()


class QdrantSettings(Table):
    """A Qdrant server or cluster, version 1.16 or later; needs the extra `qdrant`.

    Every generation has its own collection, `COLLECTION-GENERATION`. The alias `COLLECTION` is the live one, for other
    programs. Settings with which a collection is created apply from the next generation on.
    """

    url: str | None = Field(
        default=None,
        description="URL of the server, such as `http://localhost:6333`; the default port is 6333. Also `QDRANT_URL`.",
    )
    api_key: SecretStr | None = Field(default=None, description="The server's API key. Also `QDRANT_API_KEY`.")
    ca_file: Path | None = Field(
        default=None,
        description="PEM file of the CA that signed the server's certificate, if it is not a public one; for REST and "
        "gRPC.",
    )
    collection: str = Field(
        default="assay",
        description="Name of the alias and prefix of the collections' names; unique for each Assay on a server. "
        "Also `QDRANT_COLLECTION_NAME`.",
    )
    grpc: bool = Field(default=False, description="Use gRPC instead of REST.")
    grpc_port: int = Field(default=6_334, ge=1, le=65_535, description="The server's gRPC port.")
    timeout_seconds: int = Field(default=10, ge=1, le=300, description="Timeout of a search, in seconds.")
    upload_timeout_seconds: int = Field(
        default=60, ge=1, le=3_600, description="Timeout of any other request, in seconds."
    )
    retries: int = Field(
        default=2,
        ge=0,
        le=10,
        description="Most retries of a search without an answer, all within a second of its first failure.",
    )
    patience_seconds: float = Field(
        default=120.0,
        ge=0,
        le=86_400,
        description="Seconds for which a build retries while the server is unreachable or too busy.",
    )
    read_consistency: Annotated[int, Field(ge=1)] | Literal["majority", "quorum", "all"] | None = Field(
        default=None,
        description="Replicas of a shard that answer a search: a number, `majority`, `quorum` or `all`; one if unset.",
    )
    search_width: int = Field(
        default=1_024, ge=16, le=10_000, description="Candidates examined in a search of an HNSW graph (`ef`)."
    )
    oversampling: float = Field(
        default=2.0,
        ge=1.0,
        le=100.0,
        description="With quantization, candidates rescored with full vectors, as a multiple of the hits.",
    )
    upload_batch: int = Field(default=512, ge=1, le=10_000, description="Most points in a request.")
    upload_bytes: int = Field(
        default=24_000_000, ge=100_000, le=32_000_000, description="Most bytes in a request; servers accept 32 MB."
    )
    seal_timeout_seconds: float = Field(
        default=3_600.0, gt=0, le=86_400, description="Seconds that the server may take to index a generation."
    )
    shard_number: int | None = Field(
        default=None, ge=1, description="Shards of a collection; the server's default if unset."
    )
    replication_factor: int | None = Field(
        default=None, ge=1, description="Replicas of each shard; the server's default if unset."
    )
    write_consistency: int | None = Field(
        default=None, ge=1, description="Replicas that must confirm a write; the server's default if unset."
    )
    quantization: Literal["none", "scalar", "binary"] = Field(
        default="none",
        description="Search a compressed copy of the vectors first: one byte (`scalar`) or one bit (`binary`) for each "
        "dimension.",
    )
    on_disk: bool = Field(default=False, description="Keep vectors and graphs on disk instead of in memory.")
    hnsw_links: int = Field(default=16, ge=4, le=128, description="Links of a node in an HNSW graph (`m`).")
    hnsw_build_width: int = Field(
        default=128, ge=4, le=2_000, description="Candidates examined while an HNSW graph is built (`ef_construct`)."
    )


class CatalogSettings(Table):
    """The relational store: a SQLite file, or Postgres (`pip install '.[postgres]'`).

    A Postgres URL takes every parameter of libpq (`sslmode`, several hosts, …). The settings after `url` are for
    Postgres only.
    """

    url: str | None = Field(
        default=None,
        repr=False,  # it may contain a password
        description=(
            "`postgresql://user:password@host/database` or `sqlite:///path/to/file`. If unset, a SQLite file in the "
            "data directory. Also `DATABASE_URL`."
        ),
    )
    schema_name: str | None = Field(
        default=None,
        pattern=r"^[a-z_][a-z0-9_]{0,62}$",
        description="Schema of the tables; a build creates it. If unset, the first schema of the user's `search_path`.",
    )
    pool_size: int = Field(
        default=8,
        ge=2,
        le=200,
        description="Most connections of a process for searches, and the same number for everything else.",
    )
    connect_seconds: int = Field(default=10, ge=2, le=300, description="Timeout for a new connection, in seconds.")
    lookup_seconds: float = Field(
        default=0.5,
        gt=0,
        le=30,
        description="Seconds that a search waits for the catalog before it uses the index's own metadata.",
    )
    statement_seconds: float = Field(
        default=120.0, ge=1, le=86_400, description="Timeout of one SQL statement of a build, in seconds."
    )
