"""How queries are answered."""

from pydantic import Field, ValidationInfo, field_validator

from assay.model.ranking import FusionMethod, Mode
from assay.settings.table import Table

STATIC_DENSE_WEIGHT, DENSE_WEIGHT = 0.4, 1.5
"""Of the dense side against 1 of the sparse side: with word vectors, and with a model that reads sentences."""

STATIC_THRESHOLD = 0.3
"""Similarity from which a hit of the built-in model is an answer, as `assay calibrate` finds it on the handbook."""


class SearchSettings(Table):
    """How queries are answered where the query does not say."""

    mode: Mode = Field(default=Mode.HYBRID, description="`hybrid`, `dense` or `sparse`.")
    top_k: int = Field(default=5, ge=1, le=100, description="Number of hits.")
    threshold: float = Field(default=0.0, ge=0.0, le=1.0, description="The least similarity of a hit.")
    fusion: FusionMethod = Field(
        default=FusionMethod.SCORE, description="`score` (weighted sum of scaled scores) or `rrf` (by rank)."
    )
    dense_weight: float | None = Field(
        default=None,
        ge=0.0,
        description="Weight of the dense side in hybrid search; 0.4 with the built-in model, 1.5 with others if unset.",
    )
    sparse_weight: float = Field(default=1.0, ge=0.0, description="Weight of the sparse side in hybrid search.")
    rrf_k: int = Field(default=60, ge=1, description="The constant of reciprocal rank fusion.")
    keyword_fallback: bool = Field(
        default=True,
        description="Answer hybrid searches by keyword alone where the query cannot be embedded, marked `degraded`; if "
        "false, they are errors. The seeds' routes and validations never fall back.",
    )
    depth: int = Field(default=100, ge=10, le=1_000, description="Candidates taken from each side.")

    @field_validator("sparse_weight")
    @classmethod
    def _leave_a_side(cls, weight: float, info: ValidationInfo) -> float:
        """With two weights of 0 nothing would be ranked."""
        if weight == 0.0 and info.data.get("dense_weight") == 0.0:
            raise ValueError("has to be more than 0 where dense_weight is 0")
        return weight
