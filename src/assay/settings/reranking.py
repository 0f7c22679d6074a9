"""Settings of reranking."""

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationInfo, field_validator

from assay.settings.addresses import ServerUrl
from assay.settings.table import Table


class RerankSettings(Table):
    """A model that reads each of the best passages together with the query, and orders them by its scores.

    See [reranking](reranking.md). A verdict is valid only for the `provider`, `model` and `depth` with which it was
    measured.
    """

    provider: Literal["cohere", "openai", "tei", "fastembed"] | None = Field(
        default=None,
        description=(
            "`openai` is the `/rerank` route of vLLM, LocalAI, LiteLLM and Jina; `tei` is that of Text Embeddings "
            "Inference; `fastembed` runs here and needs `pip install '.[fastembed]'`. If unset, nothing is reranked."
        ),
    )
    model: str | None = Field(
        default=None,
        min_length=1,
        description=(
            "Name of the model. If unset: `rerank-v3.5` for Cohere, `Xenova/ms-marco-MiniLM-L-6-v2` for fastembed. "
            "Required for `openai` and `tei`."
        ),
    )
    base_url: ServerUrl | None = Field(
        default=None,
        description="URL of the server, to which `/rerank` is appended. `openai`: mostly ends with `/v1`.",
    )
    api_key: SecretStr | None = Field(
        default=None,
        description="Key of the reranker; your own server may need none. Cohere's is that of `[embedding]` "
        "(`COHERE_API_KEY`) if this is unset.",
    )
    depth: int = Field(
        default=30,
        ge=1,
        le=1_000,
        description="Number of the best passages that are reranked. TEI accepts 32 unless started with more.",
    )
    timeout: float = Field(
        default=1.0,
        gt=0,
        le=60,
        description="Seconds for which a search waits for the reranker; then its hits keep their order.",
    )
    calls: int = Field(default=8, ge=1, le=256, description="Most requests in flight.")
    model_dir: Path | None = Field(
        default=None, description="Folder with the files of a fastembed model, instead of a download."
    )

    @field_validator("model", "base_url", "model_dir")
    @classmethod
    def _require_provider(cls, value: object, info: ValidationInfo) -> object:
        """Refuse settings of a reranker without a provider: nothing would be reranked, without a notice."""
        if value is not None and "provider" in info.data and info.data["provider"] is None:
            raise ValueError("has no effect without rerank.provider")
        return value
