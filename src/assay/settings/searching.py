"""Settings of search."""

from pydantic import Field, ValidationInfo, field_validator

from assay.model.ranking import FusionMethod, Mode
from assay.settings.table import Table

STATIC_DENSE_WEIGHT, DENSE_WEIGHT = 0.4, 1.5
"""Default weight of the dense side with the static model, and with any other; the sparse side has 1."""

STATIC_THRESHOLD = 0.3
"""Lowest similarity of a relevant hit with the static model, calibrated on the handbook."""


class SearchSettings(Table):
    """Defaults for queries that do not set these themselves."""

    mode: Mode = Field(default=Mode.HYBRID, description="`hybrid`, `dense` or `sparse`.")
    top_k: int = Field(default=5, ge=1, le=100, description="Number of hits.")
    threshold: float = Field(default=0.0, ge=0.0, le=1.0, description="Lowest similarity of a hit.")
    fusion: FusionMethod = Field(
        default=FusionMethod.SCORE, description="`score` (weighted sum of scaled scores) or `rrf` (reciprocal rank)."
    )
    dense_weight: float | None = Field(
        default=None,
        ge=0.0,
        description="Weight of the dense side in hybrid search. If unset: 0.4 with the `static` model, 1.5 with "
        "others.",
    )
    sparse_weight: float = Field(default=1.0, ge=0.0, description="Weight of the sparse side in hybrid search.")
    rrf_k: int = Field(default=60, ge=1, description="The constant of reciprocal rank fusion.")
    keyword_fallback: bool = Field(
        default=True,
        description="Answer hybrid searches by BM25 alone, marked `degraded`, if the query cannot be embedded; if "
        "false, such searches fail. The contracts' routes (such as `/query`) and validations never fall back.",
    )
    correct: bool = Field(
        default=True,
        description="Complete and correct words of a query that the index does not know; the answer says which.",
    )
    depth: int = Field(default=100, ge=10, le=1_000, description="Candidates from each side, dense and sparse.")

    @field_validator("sparse_weight")
    @classmethod
    def _require_one_weight(cls, weight: float, info: ValidationInfo) -> float:
        """Refuse two weights of 0: hybrid search would rank nothing."""
        if weight == 0.0 and info.data.get("dense_weight") == 0.0:
            raise ValueError("must be more than 0 if dense_weight is 0")
        return weight
