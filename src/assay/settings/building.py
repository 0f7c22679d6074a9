"""Settings of a build: reading, chunking and embedding."""

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from assay.settings.addresses import ServerUrl
from assay.settings.table import Table


class IngestSettings(Table):
    """Limits on the processes that read pages."""

    workers: int = Field(
        default=0,
        ge=0,
        le=64,
        description=(
            "Processes that read, chunk and embed the pages of a large site. 0: one per CPU, at most 4. 1: none, "
            "except for pages over 200,000 characters. With any value but 1, another process also checks the text of "
            "a large generation."
        ),
    )
    page_seconds: float = Field(
        default=30.0,
        ge=1,
        le=3_600,
        description="CPU seconds allowed for reading and chunking one page; the page fails if it needs more.",
    )
    page_megabytes: int = Field(
        default=300,
        ge=150,
        le=1_000_000,
        description="Memory limit of the process that reads a page, in MB; the page fails if it needs more. No limit "
        "on Windows.",
    )


class ChunkingSettings(Table):
    """How documents are cut into chunks."""

    max_characters: int = Field(default=1_800, ge=200, le=2_000, description="Longest chunk, in characters.")
    overlap: int = Field(
        default=0,
        ge=0,
        le=500,
        description="Characters that each chunk repeats from the end of the previous chunk of its section.",
    )


class EmbeddingSettings(Table):
    """The model that embeds chunks and queries. Unset settings take the provider's default.

    After a change of `provider`, `model`, `dimensions` or a prefix, the next build embeds every chunk again. Other
    changes, `base_url` included, keep the vectors.
    """

    provider: Literal["static", "cohere", "openai", "azure", "fastembed"] = Field(
        default="static",
        description=(
            "`static` is built in: no key, no download, 256 dimensions. `openai` works with every server that has "
            "OpenAI's API. `fastembed` needs `pip install '.[fastembed]'`."
        ),
    )
    model: str | None = Field(
        default=None,
        min_length=1,
        description=(
            "Name of the model. If unset: `embed-english-v3.0` for Cohere, `text-embedding-3-small` for OpenAI and "
            "Azure, `BAAI/bge-small-en-v1.5` for fastembed. Required for other servers with OpenAI's API."
        ),
    )
    cohere_api_key: SecretStr | None = Field(default=None, description="Cohere's API key. Also `COHERE_API_KEY`.")
    openai_api_key: SecretStr | None = Field(
        default=None, description="OpenAI's API key; your own server may need none. Also `OPENAI_API_KEY`."
    )
    azure_api_key: SecretStr | None = Field(default=None, description="Azure's API key. Also `AZURE_OPENAI_API_KEY`.")
    base_url: ServerUrl | None = Field(
        default=None,
        description=(
            "URL of the provider. `openai`: ends with `/v1` (Ollama: `http://localhost:11434/v1`). "
            "`azure`: the resource (`https://NAME.openai.azure.com`)."
        ),
    )
    deployment: str | None = Field(default=None, description="Name of the Azure deployment; the model's name if unset.")
    api_version: str = Field(default="2024-10-21", description="Version of Azure's API.")
    dimensions: int | None = Field(
        default=None, ge=1, le=65_536, description="Length of the vectors; required for a model unknown to Assay."
    )
    shorten: bool = Field(
        default=False,
        description="Ask an OpenAI-compatible server to shorten its vectors to `dimensions`; few models support it.",
    )
    document_prefix: str = Field(default="", description="Prepended to each text (`passage: `); OpenAI's API only.")
    query_prefix: str = Field(default="", description="Prepended to each query (`query: `); OpenAI's API only.")
    max_tokens: int | None = Field(
        default=None,
        ge=64,
        description="Longest text, in tokens; chunks are cut to fit. If unset, 512 for a model unknown to Assay.",
    )
    batch_texts: int | None = Field(
        default=None,
        ge=1,
        le=2_048,
        description="Most texts in a request. If unset: Cohere 96, OpenAI and Azure 128, others 32.",
    )
    batch_tokens: int | None = Field(default=None, ge=64, description="Most tokens in a request.")
    inputs_per_minute: int | None = Field(
        default=None, ge=0, description="Most texts a minute; 0 for no limit. If unset: Cohere 2,000, others no limit."
    )
    tokens_per_minute: int | None = Field(
        default=None,
        ge=0,
        description=(
            "Most tokens a minute; 0 for no limit. If unset: OpenAI and Azure 1,000,000, others no limit. Set 100000 "
            "for a Cohere trial key."
        ),
    )
    requests_per_minute: int | None = Field(
        default=None,
        ge=0,
        description="Most requests a minute; 0 for no limit. If unset: OpenAI and Azure 3,000, others no limit.",
    )
    calls: int = Field(default=8, ge=1, le=64, description="Most requests in flight.")
    timeout: float = Field(default=60.0, gt=0, le=600, description="Timeout of a build's request, in seconds.")
    retry_seconds: float = Field(
        default=300.0,
        ge=0,
        le=86_400,
        description="Seconds for which a build retries a failed request; at most 30 until one request of the build has "
        "reached the provider.",
    )
    query_timeout: float = Field(
        default=3.0, gt=0, le=60, description="Timeout of a request to embed a query, in seconds."
    )
    query_seconds: float = Field(
        default=5.0, gt=0, le=120, description="Seconds for which embedding a query is retried before the search fails."
    )
    query_cache: int = Field(default=1_024, ge=0, description="Number of query vectors kept in memory; 0 for none.")
    model_dir: Path | None = Field(
        default=None, description="Folder with the files of a fastembed model, instead of a download."
    )


class SparseSettings(Table):
    """BM25, the sparse side of hybrid search."""

    language: str = Field(default="english", description="Language of the stop words and the stemmer.")
