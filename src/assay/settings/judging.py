"""What a candidate is measured by, and what becomes of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from assay.model.evaluation import Category, TopicType
from assay.settings.table import Share, Table

_GROUPS = frozenset([*TopicType, *Category])
"""What topics can be divided by: tables of `[gate]` with limits for a part of the topics."""


class LimitSettings(Table):
    """A limit on one measure, as in `[gate] "nDCG@10" = {min = 0.6, max_drop_vs_live = 0.02}`."""

    min: Share | None = Field(default=None, description="The least mean over the topics.")
    max_drop_vs_live: Share | None = Field(
        default=None, description="The most that the mean may be under the live generation's."
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        """An empty table looks like a limit, and lets everything pass."""
        if self.min is None and self.max_drop_vs_live is None:
            raise ValueError("it sets no limit: write {min = 0.6}, {max_drop_vs_live = 0.02} or both, or leave it out")
        return self


class GateSettings(Table):
    """What a candidate has to reach before it may go live.

    Any measure of [measures.md](measures.md) can have a limit: over all topics with `"nDCG@10" = {min = 0.6}` in
    `[gate]`, over those of a type or category in `[gate.specific]`, `[gate.factual]` and so on.
    """

    max_failed_pages: Share = Field(default=0.05, description="Largest share of pages that failed.")
    max_unread_files: Share = Field(
        default=0.2,
        description="Largest share of the sources' documents that no reader took, such as `.rst` and `.adoc`.",
    )
    max_page_fall: Share = Field(
        default=0.2,
        description="Largest share of the live generation's pages, and of its text, that may be gone.",
    )
    max_page_rise: float = Field(
        default=3.0,
        ge=0.0,
        description="The most new pages of a source, version and locale, as a multiple of its live pages; up to 49 are "
        "always allowed.",
    )
    max_anchor_fall: Share = Field(
        default=0.2, description="Largest share of the anchors that may be gone from pages that stay."
    )
    title_top_k: int = Field(default=5, ge=1, le=100, description="A title has to find its document in so many hits.")
    max_unreachable: Share = Field(
        default=0.02, description="Largest share of documents that their own title may fail to find."
    )
    title_sample: int = Field(default=2_500, ge=1, description="The most documents whose titles are tried.")
    max_empty_pages: Share = Field(
        default=0.15, description="Largest share of a source's pages that say almost nothing."
    )
    max_alike_pages: Share = Field(
        default=0.1,
        description="Largest share of a source's pages that say the same as others of their version and locale.",
    )
    max_leftovers: Share = Field(
        default=0.02,
        description="Largest share of a source's chunks that show leftovers of templates or markup.",
    )
    max_repeated: Share = Field(
        default=0.3,
        description="Largest share of a source's pages with one title, and of its text that is on 3 pages or more.",
    )
    max_boilerplate: Share = Field(
        default=0.1,
        description="Largest share of a source's text in lines that more than half of its pages have.",
    )
    embedded_again: int = Field(
        default=20,
        ge=0,
        le=1_000,
        description="Texts that are embedded again to compare, where each costs something; 0 for none.",
    )
    min_precision: Share = Field(default=0.8, description="The P@5 that a topic has to reach.")
    min_precision_share: Share = Field(default=0.8, description="Least share of the topics that have to reach it.")
    min_mrr: Share = Field(default=0.7, description="Least mean of 1 / rank of the best hit.")
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
    abstain_below: Share | None = Field(
        default=None,
        description="`min_score` of those topics that name none; `assay calibrate` finds it.",
    )
    max_lost_judgments: Share = Field(
        default=0.1,
        description="Largest share of judgments whose passage is not found; more is INCONCLUSIVE.",
    )
    no_worse_than_live: bool | None = Field(
        default=None,
        description="Whether a measure that is significantly lower than the live generation's fails (a paired test at "
        "5%, adjusted over the measures); unset, this is asked of a derived test set only.",
    )
    allow_removals: bool = Field(
        default=False,
        description="Pages of the live generation that are gone were removed on purpose: what was judged on them is "
        "left out. `--allow-removals` sets it for one release.",
    )
    allow_additions: bool = Field(
        default=False,
        description="Pages were added on purpose, however many. `--allow-additions` sets it for one release.",
    )
    min_derived_rr: Share = Field(
        default=0.4, description="Least mean RR of a derived test set, in place of P@5 and MRR."
    )
    min_derived_success: Share = Field(default=0.5, description="Least mean Success@5 of a derived test set.")
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


class ValidationSettings(Table):
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


class ReleaseSettings(Table):
    """Going live and going back."""

    keep: int = Field(
        default=3, ge=2, description="How many generations that were live are kept, the live one included."
    )
