"""Settings: the only reader of the environment and of assay.toml.

Later wins: defaults, then assay.toml, then the environment, then what a surface passes (command line flags).
Every setting can be written as an environment variable: `ASSAY_` and its path in capitals, tables divided by two
underscores (`ASSAY_SEARCH__TOP_K=8`).
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    IPvAnyNetwork,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from assay.errors import ConfigurationError
from assay.model.evaluation import Category, TopicType
from assay.model.ranking import FusionMethod, Mode

CONFIG_FILE = "assay.toml"

SEED_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "AZURE_OPENAI_API_KEY": ("embedding", "azure_api_key"),
    "COHERE_API_KEY": ("embedding", "cohere_api_key"),
    "DATABASE_URL": ("catalog", "url"),
    "QDRANT_API_KEY": ("qdrant", "api_key"),
    "QDRANT_COLLECTION_NAME": ("qdrant", "collection"),
    "QDRANT_URL": ("qdrant", "url"),
    "OPENAI_API_KEY": ("embedding", "openai_api_key"),
}
"""Environment variables that users of the seeds' systems have already, and the setting that each one is."""

TRACE_VARIABLES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""OpenTelemetry's own variables that say where traces go; one that is set turns `[server] traces` on."""

_GROUPS = frozenset([*TopicType, *Category])
"""What topics can be divided by: tables of `[gate]` with limits for a part of the topics."""

_RATE = r"[1-9]\d{0,8}/(second|minute|hour|day)"
_RATE_LIMIT = rf"^({_RATE}(, ?{_RATE})*|off)$"


_ORIGIN = re.compile(r"(null|[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[^/?#@*\s:\[\]]+)(:\d{1,5})?)")


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class SourceSettings(_Table):
    """One `[[sources]]` table: where documents come from."""

    path: Path = Field(description="Folder (or single file) with Markdown or MDX.")
    name: str | None = Field(
        default=None, description="Short name kept with every document; the folder's name if unset."
    )
    base_url: str | None = Field(default=None, description="URL under which the site is served.")
    convention: Literal["docusaurus", "mkdocs", "plain"] | None = Field(
        default=None, description="How file paths become URLs; detected from the folder if unset."
    )
    current_version: str | None = Field(
        default=None, description="Version that is searched by default; the latest released one if unset."
    )
    default_locale: str | None = Field(
        default=None, description="Locale that is searched by default; the site's own default if unset."
    )
    max_page_bytes: int = Field(default=5_000_000, ge=1_000, description="Larger pages are reported as failed.")


class IngestSettings(_Table):
    """How a build works."""

    workers: int = Field(
        default=0,
        ge=0,
        le=64,
        description="Processes that read and cut a large site's pages; 0 is one for each CPU, up to 4; 1 starts none.",
    )


class ChunkingSettings(_Table):
    """How documents are cut."""

    max_characters: int = Field(default=1_800, ge=200, le=2_000, description="The most characters of a chunk.")
    overlap: int = Field(
        default=0, ge=0, le=500, description="Characters of the previous chunk of a section that the next begins with."
    )


class EmbeddingSettings(_Table):
    """The model that makes vectors. What is unset has the provider's own default.

    A change of `provider`, `model`, `dimensions` or a prefix makes other vectors, and the next build embeds everything
    anew. A change of anything else, the address too, does not.
    """

    provider: Literal["static", "cohere", "openai", "azure", "fastembed"] = Field(
        default="static",
        description=(
            "`static` is built in: no key, no download, 256 dimensions. `openai` is every server with OpenAI's API. "
            "`fastembed` needs `pip install '.[fastembed]'`."
        ),
    )
    model: str | None = Field(
        default=None,
        min_length=1,
        description=(
            "`embed-english-v3.0` for Cohere, `text-embedding-3-small` for OpenAI and Azure, "
            "`BAAI/bge-small-en-v1.5` for fastembed if unset."
        ),
    )
    cohere_api_key: SecretStr | None = Field(default=None, description="Also `COHERE_API_KEY`.")
    openai_api_key: SecretStr | None = Field(
        default=None, description="Also `OPENAI_API_KEY`; a server of your own may need none."
    )
    azure_api_key: SecretStr | None = Field(default=None, description="Also `AZURE_OPENAI_API_KEY`.")
    base_url: str | None = Field(
        default=None,
        description=(
            "Where the provider is: for `openai` up to and with `/v1` (Ollama: `http://localhost:11434/v1`), "
            "for `azure` the resource (`https://NAME.openai.azure.com`)."
        ),
    )
    deployment: str | None = Field(
        default=None, description="Azure's name of the deployed model; the model's if unset."
    )
    api_version: str = Field(default="2024-10-21", description="Version of Azure's API.")
    dimensions: int | None = Field(
        default=None, ge=1, le=65_536, description="Length of the vectors; needed for a model that Assay does not know."
    )
    shorten: bool = Field(
        default=False, description="Ask an OpenAI-compatible server for vectors of that length; few models can."
    )
    document_prefix: str = Field(default="", description="Put in front of each text (`passage: `); OpenAI's API only.")
    query_prefix: str = Field(default="", description="Put in front of each query (`query: `); OpenAI's API only.")
    max_tokens: int | None = Field(
        default=None,
        ge=64,
        description="The most tokens of one text; chunks are cut to fit. 512 for a model that Assay does not know.",
    )
    batch_texts: int | None = Field(
        default=None, ge=1, le=2_048, description="The most texts of a request: Cohere 96, OpenAI 128, elsewhere 32."
    )
    batch_tokens: int | None = Field(default=None, ge=64, description="The most tokens of a request.")
    inputs_per_minute: int | None = Field(
        default=None, ge=0, description="Rate limit; 0 for none. Cohere 2,000, none elsewhere."
    )
    tokens_per_minute: int | None = Field(
        default=None,
        ge=0,
        description=(
            "Rate limit; 0 for none. OpenAI and Azure 1,000,000; set 100000 for a Cohere trial key; none elsewhere."
        ),
    )
    requests_per_minute: int | None = Field(
        default=None, ge=0, description="Rate limit; 0 for none. OpenAI and Azure 3,000, none elsewhere."
    )
    calls: int = Field(default=8, ge=1, le=64, description="The most requests at the same time.")
    timeout: float = Field(default=60.0, gt=0, le=600, description="Seconds that a request of a build may take.")
    retry_seconds: float = Field(
        default=300.0, ge=0, le=86_400, description="Seconds that a build goes on trying while the provider fails."
    )
    query_timeout: float = Field(default=3.0, gt=0, le=60, description="Seconds that embedding a query may take.")
    query_seconds: float = Field(
        default=5.0, gt=0, le=120, description="Seconds in which a query's embedding is tried again; then it fails."
    )
    query_cache: int = Field(default=1_024, ge=0, description="How many queries' vectors are remembered.")
    model_dir: Path | None = Field(
        default=None, description="Folder with the files of a fastembed model, to load it without a download."
    )

    @field_validator("base_url")
    @classmethod
    def _refuse_credentials(cls, url: str | None) -> str | None:
        """What is in an address is shown and logged, and would take the place of the key that is set."""
        try:
            parts = urlsplit(url or "")
        except ValueError:
            raise ValueError("is not the address of a server") from None
        if "@" in parts.netloc:
            raise ValueError("holds a user name or a password, which it does not take; set the key as an API key")
        if parts.query or parts.fragment:
            raise ValueError("has a query or a fragment (after ? or #), which it does not take; leave that out")
        return url


class SparseSettings(_Table):
    """BM25."""

    language: str = Field(default="english", description="Language of the stop words and the stemmer.")


STATIC_DENSE_WEIGHT, DENSE_WEIGHT = 0.4, 1.5
"""Of the dense side against 1 of the sparse side: with word vectors, and with a model that reads sentences."""


class SearchSettings(_Table):
    """How queries are answered where the query does not say."""

    mode: Mode = Field(default=Mode.HYBRID, description="`hybrid`, `dense` or `sparse`.")
    top_k: int = Field(default=5, ge=1, le=100, description="Number of hits.")
    threshold: float = Field(default=0.0, ge=0.0, le=1.0, description="The least similarity of a hit.")
    fusion: FusionMethod = Field(default=FusionMethod.SCORE, description="`score` (weighted min–max) or `rrf`.")
    dense_weight: float | None = Field(
        default=None,
        ge=0.0,
        description="Weight of the dense side in hybrid search; 0.4 with the built-in model, 1.5 with others if unset.",
    )
    sparse_weight: float = Field(default=1.0, ge=0.0, description="Weight of the sparse side in hybrid search.")
    rrf_k: int = Field(default=60, ge=1, description="The constant of reciprocal rank fusion.")
    depth: int = Field(default=100, ge=10, le=1_000, description="Candidates taken from each side.")

    @field_validator("sparse_weight")
    @classmethod
    def _leave_a_side(cls, weight: float, info: ValidationInfo) -> float:
        """With two weights of 0 nothing would be ranked."""
        if weight == 0.0 and info.data.get("dense_weight") == 0.0:
            raise ValueError("has to be more than 0 where dense_weight is 0")
        return weight


Paths = str | tuple[str, ...] | None
"""Where something is in a payload: a dotted path, or several of which the first that has something counts."""


class MappingSettings(_Table):
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


class IndexSettings(_Table):
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


class QdrantSettings(_Table):
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


class CatalogSettings(_Table):
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


class LimitSettings(_Table):
    """A limit on one measure, as in `[gate] "nDCG@10" = {min = 0.6, max_drop_vs_live = 0.02}`."""

    min: float | None = Field(default=None, ge=0.0, le=1.0, description="The least mean over the topics.")
    max_drop_vs_live: float | None = Field(
        default=None, ge=0.0, le=1.0, description="The most that the mean may be under the live generation's."
    )


class GateSettings(_Table):
    """What a candidate has to reach before it may go live.

    Any measure of [measures.md](measures.md) can have a limit: over all topics with `"nDCG@10" = {min = 0.6}` in
    `[gate]`, over those of a type or category in `[gate.specific]`, `[gate.factual]` and so on.
    """

    max_failed_pages: float = Field(default=0.05, ge=0.0, le=1.0, description="Largest share of pages that failed.")
    max_page_fall: float = Field(
        default=0.2, ge=0.0, le=1.0, description="Largest share of the live generation's pages that may be gone."
    )
    title_top_k: int = Field(default=5, ge=1, le=100, description="A title has to find its document in so many hits.")
    max_unreachable: float = Field(
        default=0.02, ge=0.0, le=1.0, description="Largest share of documents that their own title may fail to find."
    )
    title_sample: int = Field(default=2_500, ge=1, description="The most documents whose titles are tried.")
    min_precision: float = Field(default=0.8, ge=0.0, le=1.0, description="The P@5 that a topic has to reach.")
    min_precision_share: float = Field(
        default=0.8, ge=0.0, le=1.0, description="Least share of the topics that have to reach it."
    )
    min_mrr: float = Field(default=0.7, ge=0.0, le=1.0, description="Least mean of 1 / rank of the best hit.")
    max_p95_ms: float = Field(default=2_000.0, gt=0, description="95% of the searches have to take less.")
    edge_topics: Literal["count", "abstain"] = Field(
        default="count",
        description="Topics with `expect: no_answer` count as all others (seed 001's rule), or have to `abstain`: find "
        "nothing as similar as their `min_score`; then they are left out of P@5 and MRR.",
    )
    precision: Literal["at_k", "attainable"] = Field(
        default="at_k",
        description="P@5 is divided by 5 (seed 001's rule), or by the relevant chunks that there are (`attainable`).",
    )
    abstain_below: float | None = Field(
        default=None,
        ge=0.0,
        le=1.0,
        description="`min_score` of those topics that name none; `assay calibrate` finds it.",
    )
    max_lost_judgments: float = Field(
        default=0.1,
        ge=0.0,
        le=1.0,
        description="Largest share of judgments whose passage is not found; more is INCONCLUSIVE.",
    )
    limits: Mapping[str, LimitSettings] = Field(
        default={}, description="Limits on measures over all topics; written as keys of `[gate]` itself."
    )
    groups: Mapping[str, Mapping[str, LimitSettings]] = Field(
        default={},
        description="Limits on measures by type or category; written as `[gate.specific]`, `[gate.factual]`, ….",
    )

    @model_validator(mode="before")
    @classmethod
    def _sort_out_limits(cls, values: object) -> object:
        """Take limits, which are named by measures and groups, apart from the settings."""
        if not isinstance(values, dict):
            return values
        kept = {name: value for name, value in values.items() if name in cls.model_fields}
        limits, groups = dict(kept.get("limits") or {}), dict(kept.get("groups") or {})
        for name, value in values.items():
            if name in kept:
                continue
            if name in _GROUPS:
                groups[name] = value
            elif isinstance(value, dict):
                limits[name] = value
            else:
                kept[name] = value  # refused, as any setting that is not known
        return kept | ({"limits": limits} if limits else {}) | ({"groups": groups} if groups else {})


class ValidationSettings(_Table):
    """Labelled queries, and where reports go."""

    testset: Path | None = Field(
        default=None,
        description="Test set that `validate`, `promote` and `publish` judge by; only the structure if unset.",
    )
    output_dir: Path = Field(default=Path("validation_results"), description="Folder of the reports.")
    depth: int = Field(default=10, ge=5, le=100, description="Hits that each topic is asked for.")
    measures: tuple[str, ...] = Field(
        default=(), description="Measures that are reported besides those that always are, as in `nDCG@20`."
    )


class ReleaseSettings(_Table):
    """Going live and going back."""

    keep: int = Field(
        default=3, ge=2, description="How many generations that were live are kept, the live one included."
    )


class ServerSettings(_Table):
    """`assay serve`."""

    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8080, ge=0, le=65_535, description="Port to listen on; 0 picks a free one.")
    threads: int = Field(default=8, ge=1, le=256, description="Searches that run at the same time.")
    contract_mode: Literal["dense", "hybrid"] = Field(
        default="dense", description="How the seeds' routes rank: by similarity, or by the fused score."
    )
    strict_metadata: bool = Field(
        default=False, description="Answer 503 instead of using the index's own metadata when the catalog is down."
    )
    cors_origins: tuple[str, ...] = Field(default=("*",), description="Origins that a browser may call from.")
    max_body_bytes: int = Field(default=65_536, ge=1_024, description="Larger request bodies are refused.")
    max_validation_bytes: int = Field(
        default=1_048_576, ge=1_024, description="The same for `POST /api/v1/validate`, whose bodies hold many tests."
    )
    validation_seconds: float = Field(
        default=60.0, gt=0, le=3_600, description="How long one such request begins new tests; the rest is not run."
    )
    drain_seconds: int = Field(default=10, ge=0, description="How long a stopping server finishes its requests.")
    poll_seconds: float = Field(default=0.5, gt=0, le=60, description="How often the live row is looked at.")
    log_format: Literal["text", "json"] = Field(
        default="text", description="The server's log on standard error: lines for people, or one JSON object each."
    )
    log_queries: bool | Literal["hash"] = Field(
        default=True,
        description="The text of each query in the log: `true`, `false`, or `hash` for a hash in its place that is the "
        "same for the same query until the server stops.",
    )
    log_clients: bool = Field(default=True, description="The address of each client in the log.")
    search: Literal["public", "key"] = Field(
        default="public", description="Who may search: everyone, or who has an API key (`assay keys add`)."
    )
    keys_file: Path | None = Field(
        default=None, description="File with the hashed API keys; `keys.json` in the data directory if unset."
    )
    rate_limit: str | None = Field(
        default=None,
        pattern=_RATE_LIMIT,
        description="Requests of one address without a key, as in `20/second, 600/minute`, or `off`. If unset, "
        "`600/minute` where others than this machine can ask, else `off`.",
    )
    key_rate_limit: str = Field(
        default="6000/minute",
        pattern=_RATE_LIMIT,
        description="Requests of one API key that has no limit of its own, or `off`.",
    )
    trusted_proxies: tuple[IPvAnyNetwork, ...] = Field(
        default=(),
        description="Addresses or networks of the proxies in front, whose X-Forwarded-For names the client.",
    )
    allowed_hosts: tuple[str, ...] = Field(
        default=(),
        description="Names (`docs.example.org`, `*.example.org`, `*`) under which the server answers. If empty, the "
        "machine's own where only the machine itself can ask, else any.",
    )
    metrics: Literal["loopback", "key", "public", "off"] = Field(
        default="loopback",
        description="Who may read /metrics besides an `admin` key: programs on this machine, nobody (`key`), everyone "
        "(`public`); or there is none (`off`).",
    )
    traces: bool = Field(
        default=False,
        description="Send OpenTelemetry traces; needs the extra `otel`. The OTEL_* variables say where; setting "
        "`OTEL_EXPORTER_OTLP_ENDPOINT` turns it on.",
    )
    max_requests: int = Field(
        default=256, ge=1, description="Requests at the same time, waiting ones included; one more is answered 503."
    )
    max_connections: int = Field(
        default=1_000, ge=1, description="Open connections, idle ones included; one more is answered 503."
    )
    head_seconds: float = Field(
        default=10.0, gt=0, le=3_600, description="How long a request's head may take to come, or a client not read."
    )
    body_seconds: float = Field(default=20.0, gt=0, le=3_600, description="How long a request's body may take to come.")

    @field_validator("cors_origins")
    @classmethod
    def _require_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        """Browsers send scheme and host, and nothing else is ever equal to that."""
        for origin in origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ValueError(f"{origin!r} is no origin; write https://docs.example.org, without a path, or *")
        return origins


class Settings(BaseSettings):
    """Everything that can be set."""

    model_config = SettingsConfigDict(
        env_prefix="ASSAY_",
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        nested_model_default_partial_update=True,
    )

    data_dir: Path = Field(default=Path(".assay"), description="Where the catalog and the embedded indexes live.")
    sources: tuple[SourceSettings, ...] = Field(default=(), description="Where documents come from.")
    ingest: IngestSettings = IngestSettings()
    chunking: ChunkingSettings = ChunkingSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    sparse: SparseSettings = SparseSettings()
    search: SearchSettings = SearchSettings()
    index: IndexSettings = IndexSettings()
    qdrant: QdrantSettings = QdrantSettings()
    catalog: CatalogSettings = CatalogSettings()
    gate: GateSettings = GateSettings()
    validation: ValidationSettings = ValidationSettings()
    release: ReleaseSettings = ReleaseSettings()
    server: ServerSettings = ServerSettings()

    @property
    def catalog_url(self) -> str:
        """The catalog's database URL, the default filled in."""
        path = quote((self.data_dir / "catalog.sqlite").resolve().as_posix(), safe="/:")
        return self.catalog.url or f"sqlite:///{path}"

    @property
    def keys_path(self) -> Path:
        """File with the hashed API keys."""
        return self.server.keys_file or self.data_dir / "keys.json"

    @property
    def vector_store(self) -> Literal["embedded", "qdrant"]:
        """Which vector store is used, the default filled in."""
        if self.index.adopt is not None:
            return "qdrant"
        return self.index.store or ("qdrant" if self.qdrant.url else "embedded")

    @property
    def dense_weight(self) -> float:
        """Weight of the dense side in hybrid search, the default of the embedder filled in."""
        if self.search.dense_weight is not None:
            return self.search.dense_weight
        return STATIC_DENSE_WEIGHT if self.embedding.provider == "static" else DENSE_WEIGHT

    @property
    def index_dir(self) -> Path:
        """Folder of the embedded indexes, one folder in it for each generation."""
        return self.data_dir / "generations"


class _SeedVariables(EnvSettingsSource):
    """The seeds' own variable names, read as the settings that they stand for."""

    def __call__(self) -> dict[str, Any]:
        """Nested values of those variables that are set and not empty."""
        values: dict[str, Any] = {}
        for name, path in SEED_VARIABLES.items():
            value = self.env_vars.get(name.lower())
            if value:
                table = values
                for part in path[:-1]:
                    table = table.setdefault(part, {})
                table[path[-1]] = value
        if any(self.env_vars.get(name.lower()) for name in TRACE_VARIABLES):
            values.setdefault("server", {})["traces"] = True
        return values


def _reading(values: dict[str, Any]) -> type[Settings]:
    """Settings whose lowest-ranking source is these values, read from assay.toml."""

    class FileSettings(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - pydantic-settings passes it by name
            file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the same
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            file_values = InitSettingsSource(settings_cls, values)
            return init_settings, env_settings, _SeedVariables(settings_cls), file_values

    return FileSettings


def load_settings(config: Path | None = None, overrides: Mapping[str, Any] | None = None) -> Settings:
    """Settings from assay.toml, the environment and overrides.

    config: the file to read; None reads assay.toml in the working directory where there is one.
    overrides: nested values that win over everything.

    Raises ConfigurationError, naming each setting that is wrong and where it stands.
    """
    path = config or Path(CONFIG_FILE)
    values: dict[str, Any] = {}
    if path.is_dir():
        raise ConfigurationError(
            f"{path} is a folder, and a configuration file is expected there.", hint="Move it away."
        )
    if path.is_file():
        values = _read_toml(path)
    elif config is not None:
        raise ConfigurationError(f"There is no configuration file at {path}.", hint="`assay init` writes one.")
    try:
        return _reading(_anchored(values, path.parent))(**dict(overrides or {}))
    except ValidationError as error:
        raise ConfigurationError(_explain(error, path if values else None)) from None
    except SettingsError as error:
        raise ConfigurationError(f"An ASSAY_ environment variable cannot be read: {error}.") from None
    except RecursionError:
        raise ConfigurationError("An ASSAY_ environment variable, or the file, is nested too deeply.") from None


def misspelled_variables() -> list[str]:
    """A sentence for each environment variable that is nearly, and not quite, one of a setting."""
    known = {f"ASSAY_{path.replace('.', '__').upper()}" for path in _paths(Settings)}
    tables = {f"{name}__" for name in known}
    sentences = []
    for name in sorted(os.environ):
        upper = name.upper()
        if not upper.startswith("ASSAY") or upper in known or any(upper.startswith(table) for table in tables):
            continue
        meant = get_close_matches(upper, known, n=1, cutoff=_NEARLY)
        if meant:
            sentences.append(f"The environment variable {name} sets nothing; {meant[0]} does.")
    return sentences


def _paths(table: type[BaseModel], above: str = "") -> Iterator[str]:
    """Every setting, tables included, as in `search.top_k`."""
    for name, field in table.model_fields.items():
        yield f"{above}{name}"
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _paths(field.annotation, f"{above}{name}.")


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path} is not valid TOML: {error}.") from None
    except RecursionError:
        raise ConfigurationError(f"{path} cannot be read: its lists or tables are nested too deeply.") from None
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}.") from None
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.") from None


def _anchor(table: object, name: str, folder: Path) -> None:
    if isinstance(table, dict) and isinstance(table.get(name), str):
        table[name] = folder / table[name]


def _anchored(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Paths in a file are relative to that file."""
    if isinstance(values.get("data_dir"), str):
        values["data_dir"] = folder / values["data_dir"]
    _anchor(values.get("validation"), "testset", folder)
    _anchor(values.get("validation"), "output_dir", folder)
    _anchor(values.get("server"), "keys_file", folder)
    for source in values.get("sources", []) if isinstance(values.get("sources"), list) else []:
        if isinstance(source, dict) and isinstance(source.get("path"), str):
            source["path"] = folder / source["path"]
    return values


_NEARLY = 0.87
"""How alike two names of variables are, from 0 to 1, when one is taken for a misspelling of the other."""

_WORDING = {
    "tuple_type": "has to be a list",
    "list_type": "has to be a list",
    "model_type": "has to be a table",
    "dict_type": "has to be a table",
    "path_type": "has to be a path",
}


def _wording(problem: ErrorDetails) -> str:
    """What is wrong in the words of a settings file, not of Python."""
    message = problem["msg"].removeprefix("Value error, ")
    return _WORDING.get(problem["type"]) or f"{message[:1].lower()}{message[1:]}"


_SECRET = re.compile(r"key|token(?!s)|password|secret|catalog\.url|embedding\.base_url", re.IGNORECASE)
"""Settings whose values are not repeated in a message."""


def _explain(error: ValidationError, path: Path | None) -> str:
    """One line for each setting that is wrong."""
    lines = []
    for problem in error.errors(include_url=False, include_context=False):
        name = ".".join(str(part) for part in problem["loc"]) or "settings"
        if problem["type"] == "extra_forbidden":
            lines.append(f"{name}: there is no such setting")
        else:
            sent = "" if _SECRET.search(name) else f" = {problem['input']!r}"
            lines.append(f"{name}{sent}: {_wording(problem)}")
    where = f" (in {path}, the environment or a flag)" if path else " (in the environment or a flag)"
    return f"These settings cannot be used{where}: " + "; ".join(lines) + "."
