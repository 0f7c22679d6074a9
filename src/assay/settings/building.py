"""How a build reads, cuts and embeds."""

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator

from assay.settings.table import Table


class IngestSettings(Table):
    """How a build works."""

    workers: int = Field(
        default=0,
        ge=0,
        le=64,
        description=(
            "Processes that read and cut a large site's pages; 0 is one for each CPU, up to 4; 1 starts none but for "
            "pages over 200,000 characters."
        ),
    )
    page_seconds: float = Field(
        default=30.0,
        ge=1,
        le=3_600,
        description="CPU time that a page may take to read and cut; it fails if it takes more.",
    )
    page_megabytes: int = Field(
        default=300,
        ge=150,
        le=1_000_000,
        description="Memory of the process that reads a page; a page that takes more fails. Not on Windows.",
    )


class ChunkingSettings(Table):
    """How documents are cut."""

    max_characters: int = Field(default=1_800, ge=200, le=2_000, description="The most characters of a chunk.")
    overlap: int = Field(
        default=0, ge=0, le=500, description="Characters of the previous chunk of a section that the next begins with."
    )


class EmbeddingSettings(Table):
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
        default=300.0,
        ge=0,
        le=86_400,
        description="Seconds that a build goes on trying while the provider fails; at most 30 while no request of the "
        "run has reached it.",
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


class SparseSettings(Table):
    """BM25."""

    language: str = Field(default="english", description="Language of the stop words and the stemmer.")
