"""Settings of the gate, of validation and of release."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from assay.model.evaluation import Category, TopicType
from assay.settings.table import Share, Table

_GROUPS = frozenset([*TopicType, *Category])
"""Names of tables within `[gate]` that limit the topics of one type or category."""


class LimitSettings(Table):
    """A limit on one measure, as in `[gate] "nDCG@10" = {min = 0.6, max_drop_vs_live = 0.02}`."""

    min: Share | None = Field(default=None, description="Lowest mean over the topics.")
    max_drop_vs_live: Share | None = Field(
        default=None, description="Largest drop of the mean below the live generation's."
    )

    @model_validator(mode="after")
    def _require_limit(self) -> Self:
        """Refuse an empty table: it looks like a limit, and passes everything."""
        if self.min is None and self.max_drop_vs_live is None:
            raise ValueError("it sets no limit: write {min = 0.6}, {max_drop_vs_live = 0.02} or both, or leave it out")
        return self


class GateSettings(Table):
    """Limits that a candidate must meet before it can go live.

    Any measure of [measures.md](measures.md) can have a limit: over all topics with `"nDCG@10" = {min = 0.6}` in
    `[gate]`, over the topics of one type or category in `[gate.specific]`, `[gate.factual]` and so on.
    """

    max_failed_pages: Share = Field(default=0.05, description="Largest share of pages that failed.")
    max_unread_files: Share = Field(
        default=0.2,
        description="Largest share of the sources' documents in a format that Assay cannot read, such as `.rst`.",
    )
    max_page_fall: Share = Field(
        default=0.2,
        description="Largest share of the live generation's pages, and of its text, that a candidate may lose.",
    )
    max_page_rise: float = Field(
        default=3.0,
        ge=0.0,
        description="Most new pages of a source, version and locale, as a multiple of its live pages; up to 49 new "
        "pages always pass.",
    )
    max_anchor_fall: Share = Field(
        default=0.2, description="Largest share of anchors that the remaining pages may lose."
    )
    title_top_k: int = Field(
        default=5, ge=1, le=100, description="Search depth of the title check: hits among which a page must be found."
    )
    max_unreachable: Share = Field(
        default=0.02, description="Largest share of pages that a search for their title does not find."
    )
    title_sample: int = Field(default=2_500, ge=1, description="Most pages whose titles are searched.")
    max_empty_pages: Share = Field(default=0.15, description="Largest share of a source's pages with almost no text.")
    max_alike_pages: Share = Field(
        default=0.1,
        description="Largest share of a source's pages whose text is nearly that of two other pages of their version "
        "and locale. Headings, addresses and long numbers do not count.",
    )
    max_leftovers: Share = Field(
        default=0.02,
        description="Largest share of a source's chunks with leftover template code or markup.",
    )
    max_repeated: Share = Field(
        default=0.3,
        description="Largest share of a source's pages with the same title, and of its text repeated on 3 or more "
        "pages.",
    )
    max_boilerplate: Share = Field(
        default=0.1,
        description="Largest share of a source's text in lines that are on more than half of its pages.",
    )
    min_recall: Share = Field(
        default=0.95,
        description="Lowest share of the exact nearest chunks that dense search must find; measured from 2,000 chunks "
        "on.",
    )
    embedded_again: int = Field(
        default=20,
        ge=0,
        le=1_000,
        description="Texts of the index to embed again and compare, with a paid provider; 0 for none.",
    )
    min_precision: Share = Field(default=0.8, description="Lowest P@5 with which a topic passes.")
    min_precision_share: Share = Field(
        default=0.8, description="Lowest share of topics that must reach `min_precision`."
    )
    min_mrr: Share = Field(
        default=0.7, description="Lowest MRR: mean of 1 / rank of the first hit with the highest label of all hits."
    )
    max_p95_ms: float = Field(
        default=2_000.0, gt=0, description="Highest 95th percentile of search times, in milliseconds."
    )
    edge_topics: Literal["count", "abstain"] = Field(
        default="count",
        description="How topics with `expect: no_answer` are judged. `count`: like all others (seed 001's rule). "
        "`abstain`: no hit may reach their `min_score`, and P@5 and MRR leave them out.",
    )
    precision: Literal["at_k", "attainable"] = Field(
        default="at_k",
        description="Divisor of P@5. `at_k`: 5 (seed 001's rule). `attainable`: the number of relevant chunks if fewer "
        "than 5.",
    )
    abstain_below: Share | None = Field(
        default=None,
        description="`min_score` of `no_answer` topics that set none; `assay calibrate` finds it.",
    )
    max_lost_judgments: Share = Field(
        default=0.1,
        description="Largest share of judgments whose passage is not found; above it, the verdict is INCONCLUSIVE.",
    )
    max_lost_topics: Share = Field(
        default=0.05,
        description="Largest share of the live generation's answered topics that a candidate may leave without an "
        "answer. One lost topic is always allowed. 1 turns the check off.",
    )
    no_worse_than_live: bool | None = Field(
        default=None,
        description="Fail a candidate if a measure is significantly lower than the live generation's (paired test at "
        "5%, adjusted for the number of measures). If unset, true for derived test sets only.",
    )
    allow_removals: bool = Field(
        default=False,
        description="Leave out judgments on live pages that the candidate lacks, since they were removed on purpose. "
        "`--allow-removals` sets it for one release.",
    )
    allow_additions: bool = Field(
        default=False,
        description="Allow any number of new pages. `--allow-additions` sets it for one release.",
    )
    min_derived_rr: Share = Field(
        default=0.4, description="Lowest mean RR of a derived test set, in place of P@5 and MRR."
    )
    min_derived_success: Share = Field(default=0.5, description="Lowest mean Success@5 of a derived test set.")
    limits: Mapping[str, LimitSettings] = Field(
        default={}, description="Limits on measures over all topics; written as keys of `[gate]` itself."
    )
    groups: Mapping[str, Mapping[str, LimitSettings]] = Field(
        default={},
        description="Limits on measures by type or category; written as `[gate.specific]`, `[gate.factual]`, ….",
    )

    @model_validator(mode="before")
    @classmethod
    def _separate_limits(cls, values: object) -> object:
        """Move keys named by measures and groups into `limits` and `groups`."""
        if not isinstance(values, dict):
            return values
        kept = {name: value for name, value in values.items() if name in cls.model_fields}
        tables = [kept.get(name) or {} for name in ("limits", "groups")]
        if not all(isinstance(table, Mapping) for table in tables):
            return kept  # pydantic refuses it
        limits, groups = map(dict, tables)
        for name, value in values.items():
            if name in kept:
                continue
            if name in _GROUPS:
                groups[name] = value
            elif isinstance(value, dict):
                limits[name] = value
            else:
                kept[name] = value  # unknown: pydantic refuses it
        return kept | ({"limits": limits} if limits else {}) | ({"groups": groups} if groups else {})


class ValidationSettings(Table):
    """The test set, the measures and the reports."""

    testset: Path | Literal[False] | None = Field(
        default=None,
        description="Test set for `validate`, `promote` and `publish`. If unset, that of the last verdict on a kept "
        "generation; without one, only structural checks run. `false`: only structural checks.",
    )
    output_dir: Path = Field(default=Path("validation_results"), description="Folder of the reports.")
    depth: int = Field(default=10, ge=5, le=100, description="Hits to search for each topic.")
    measures: tuple[str, ...] = Field(
        default=(), description="Measures to report in addition to the default ones, such as `nDCG@20`."
    )

    @field_validator("testset", mode="before")
    @classmethod
    def _read_testset(cls, value: object) -> object:
        """Read `false` from the environment, where everything is text. Refuse anything else that is not a path."""
        if value is False or value == "false":
            return False
        if value is None or isinstance(value, Path) or (isinstance(value, str) and value.strip()):
            return value
        raise ValueError("must be the path of a test set, or false to judge only the structure")


class ReleaseSettings(Table):
    """How many generations are kept."""

    keep: int = Field(
        default=3, ge=2, description="Number of generations kept: the live one, and earlier live ones for `rollback`."
    )
