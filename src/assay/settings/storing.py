"""Where chunks, vectors and documents are kept: the index, Qdrant, the catalog."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from assay.settings.table import Table

Paths = str | tuple[str, ...] | None
"""Where something is in a payload: a dotted path, or several of which the first that has something counts."""


class MappingSettings(Table):
    """Where an adopted collection keeps each field: a dotted path into the payload (`metadata.url`), or a list of them.

    A path given here stands in place of the preset's. A text that holds JSON is looked into (`_node_content.text`).
    """

    text: Paths = Field(default=None, description="The passage.")
    url: Paths = Field(default=None, description="The page's address; one with a fragment leads to the section.")
    chunk_id: Paths = Field(default=None, description="The passage's id; the point's where there is none.")
    position: Paths = Field(default=None, description="The passage's number on its page.")
    title: Paths = Field(default=None, description="The page's title.")
    section: Paths = Field(default=None, description="The heading that it stands under; what `sections` filters by.")
    source_path: Paths = Field(default=None, description="The page's path where it was read from.")
    slug: Paths = Field(default=None, description="The page's short name.")
    document_id: Paths = Field(default=None, description="The page's id.")
    created_at: Paths = Field(default=None, description="When it was stored: ISO 8601, or seconds since 1970.")
    content_hash: Paths = Field(default=None, description="SHA-256 of the passage; `assay doctor` checks it.")
    version: Paths = Field(default=None, description="The version; what `versions` filters by.")
    locale: Paths = Field(default=None, description="The language; what `locales` filters by.")
    source: Paths = Field(default=None, description="Where it is from; what `sources` filters by.")
    first_position: Literal[0, 1] = Field(default=0, description="The number of a page's first passage.")
    base_url: str = Field(
        default="",
        pattern=r"^(https?://.+)?$",
        description="Put in front of the page's path where the payload has no whole URL.",
    )

    @property
    def paths(self) -> dict[str, tuple[str, ...]]:
        """The paths that are given, by field."""
        given = {name: getattr(self, name) for name in type(self).model_fields if name not in _NO_PATHS}
        return {name: (paths,) if isinstance(paths, str) else paths for name, paths in given.items() if paths}


_NO_PATHS = ("first_position", "base_url")


class IndexSettings(Table):
    """The vector store."""

    store: Literal["embedded", "qdrant"] | None = Field(
        default=None,
        description="`embedded` in this process, or a `qdrant` server; if unset, a server when `[qdrant]` has a `url`.",
    )
    hnsw_threshold: int = Field(
        default=100_000, ge=0, description="From so many chunks on, an approximate index is built; exact search below."
    )
    adopt: str | None = Field(
        default=None,
        min_length=1,
        description="A collection (or alias) on the `[qdrant]` server that Assay did not make, to search it as it is; "
        "nothing is written. See [adopting.md](adopting.md).",
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
    ) = Field(default=None, description="What its payload looks like; told from the points if unset.")
    vector: str | None = Field(default=None, description="Name of its dense vector, where it has several.")
    mapping: MappingSettings = MappingSettings()


class QdrantSettings(Table):
    """A Qdrant server or cluster, version 1.16 or later; needs the extra `qdrant`.

    Every generation has a collection of its own, `COLLECTION-GENERATION`, and the alias `COLLECTION` leads outside
    readers to the live one. What a collection is made with holds from the next generation on.
    """

    url: str | None = Field(
        default=None,
        description="Address, as in `http://localhost:6333`; port 6333 if it names none. Also `QDRANT_URL`.",
    )
    api_key: SecretStr | None = Field(default=None, description="Also `QDRANT_API_KEY`.")
    collection: str = Field(
        default="assay",
        description="The alias, and what the collections' names begin with; each Assay on a server needs its own. "
        "Also `QDRANT_COLLECTION_NAME`.",
    )
    grpc: bool = Field(default=False, description="Speak gRPC instead of REST.")
    grpc_port: int = Field(default=6_334, ge=1, le=65_535, description="The port for it.")
    timeout_seconds: int = Field(default=10, ge=1, le=300, description="Seconds that a search may take.")
    upload_timeout_seconds: int = Field(
        default=60, ge=1, le=3_600, description="Seconds that any other request may take."
    )
    retries: int = Field(
        default=2,
        ge=0,
        le=10,
        description="How often a search is asked again, within a second, when it gets no answer.",
    )
    patience_seconds: float = Field(
        default=120.0, ge=0, le=86_400, description="Seconds that a build waits for a server that is away or too busy."
    )
    read_consistency: Annotated[int, Field(ge=1)] | Literal["majority", "quorum", "all"] | None = Field(
        default=None,
        description="Copies of a shard that a search asks: a number, `majority`, `quorum` or `all`; one if unset.",
    )
    search_width: int = Field(default=512, ge=16, le=10_000, description="Candidates of a search in an HNSW graph.")
    oversampling: float = Field(
        default=2.0, ge=1.0, le=100.0, description="How many times the results are compared in full after quantization."
    )
    upload_batch: int = Field(default=512, ge=1, le=10_000, description="The most points of a request.")
    upload_bytes: int = Field(
        default=24_000_000, ge=100_000, le=32_000_000, description="The most bytes of a request; servers take 32 MB."
    )
    seal_timeout_seconds: float = Field(
        default=3_600.0, gt=0, le=86_400, description="Seconds that the server may take to index a generation."
    )
    shard_number: int | None = Field(
        default=None, ge=1, description="Shards of a collection; the server's choice if unset."
    )
    replication_factor: int | None = Field(default=None, ge=1, description="Copies of each shard; likewise.")
    write_consistency: int | None = Field(
        default=None, ge=1, description="Copies that have to confirm a write; likewise."
    )
    quantization: Literal["none", "scalar", "binary"] = Field(
        default="none",
        description="A copy of the vectors of one byte (`scalar`) or one bit (`binary`) a dimension is searched first.",
    )
    on_disk: bool = Field(default=False, description="Keep vectors and graphs on disk instead of in memory.")
    hnsw_links: int = Field(default=16, ge=4, le=128, description="Links of a node of an HNSW graph.")
    hnsw_build_width: int = Field(default=128, ge=4, le=2_000, description="Candidates while a graph is built.")


class CatalogSettings(Table):
    """The relational store: a SQLite file, or Postgres (`pip install '.[postgres]'`).

    A URL of Postgres may say all that libpq understands (`sslmode`, several hosts, …). The settings after `url` are for
    Postgres only.
    """

    url: str | None = Field(
        default=None,
        repr=False,  # it holds a password
        description=(
            "`postgresql://user:password@host/database` or `sqlite:///path/to/file`; a SQLite file in the data "
            "directory if unset. Also `DATABASE_URL`."
        ),
    )
    schema_name: str | None = Field(
        default=None,
        pattern=r"^[a-z_][a-z0-9_]{0,62}$",
        description="Schema of the tables; a build makes it. The first one of the user's search path if unset.",
    )
    pool_size: int = Field(
        default=8,
        ge=2,
        le=200,
        description="The most connections of a process for look-ups of searches, and again as many for all else.",
    )
    connect_seconds: int = Field(default=10, ge=2, le=300, description="How long connecting may take.")
    lookup_seconds: float = Field(
        default=0.5,
        gt=0,
        le=30,
        description="How long a search waits for the catalog; then it answers with the index's own metadata.",
    )
    statement_seconds: float = Field(
        default=120.0, ge=1, le=86_400, description="How long one statement of a build may take."
    )
