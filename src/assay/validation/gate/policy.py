"""The gate: limits on quality and structure, and the verdict."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal, Self

from assay.model.evaluation import Finding, TestSet, Verdict, worst
from assay.validation.structure import StructuralLimits

NO_TEST_SET = (
    "No test set was given: only the structure was checked, not the quality of answers. Up to gate.max_page_fall of "
    "the pages can be lost, or replaced by a login or error page, without a FAIL."
)


@dataclass(frozen=True, slots=True)
class MeasureLimit:
    """A limit on one measure.

    measure: such as `nDCG@10`.
    group: type or category of the topics that count; None for all topics.
    least: smallest mean over the topics; None for no limit.
    max_drop: largest drop of the mean below that of the live generation; None for no limit.
    """

    measure: str
    group: str | None
    least: float | None
    max_drop: float | None

    @property
    def title(self) -> str:
        """Name of the limit in reports, such as `nDCG@10 of edge topics`."""
        return self.measure if self.group is None else f"{self.measure} of {self.group} topics"


@dataclass(frozen=True, slots=True)
class QualityLimits:
    """Limits on the quality of answers to labelled queries. The settings' defaults are seed 001's.

    min_precision: P@5 that a topic must reach, 0 to 1.
    min_precision_share: smallest share of topics that reach it, 0 to 1.
    min_mrr: smallest mean of `mrr`, 0 to 1.
    completeness, hashes: smallest share of hits with every field and with a correct hash, 0 to 1.
    max_p95_ms: limit on the 95th percentile of latency, in milliseconds.
    edge_topics: `count` like every topic, or are judged by whether they `abstain`.
    precision: P@5 is divided by 5 (`at_k`), or by the relevant chunks where there are fewer (`attainable`).
    abstain_below: a hit below this similarity is no answer, for topics without min_score; None requires min_score.
    max_lost_judgments: largest share of judgments whose passage is not found, 0 to 1.
    min_derived_rr, min_derived_success: smallest mean RR and Success@5 of a derived test set, 0 to 1.
    max_lost_topics: largest share of the topics that the live generation answers and this one does not, 0 to 1; 1 does
        not check it.
    allow_removals: whether missing pages were removed on purpose; judgments on them then count nowhere.
    no_worse_than_live: whether every measure must be not significantly lower than the live generation's; None
        requires it of derived test sets only.
    measures: limits on further measures.
    """

    min_precision: float
    min_precision_share: float
    min_mrr: float
    completeness: float
    hashes: float
    max_p95_ms: float
    edge_topics: Literal["count", "abstain"]
    precision: Literal["at_k", "attainable"]
    abstain_below: float | None
    max_lost_judgments: float
    min_derived_rr: float
    min_derived_success: float
    max_lost_topics: float
    allow_removals: bool
    no_worse_than_live: bool | None
    measures: tuple[MeasureLimit, ...] = ()

    def requires_no_worse(self, *, derived: bool) -> bool:
        """Whether the gate requires "no worse than live" of a test set."""
        return derived if self.no_worse_than_live is None else self.no_worse_than_live


@dataclass(frozen=True, slots=True)
class Gate:
    """All limits that decide a verdict.

    search: search settings of the validation; other settings give other answers.
    """

    structure: StructuralLimits
    quality: QualityLimits
    search: Mapping[str, object] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """SHA-256 hex of the limits and search settings. A verdict records it and is valid for them only."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    @property
    def with_removals(self) -> Self:
        """The same gate with removals allowed, as --allow-removals sets it."""
        structure = replace(self.structure, max_page_fall=1.0, max_anchor_fall=1.0)
        return replace(self, structure=structure, quality=replace(self.quality, allow_removals=True))

    def compares_with_live(self, *, derived: bool) -> bool:
        """Whether a limit needs the live generation's values. derived: whether the test set is derived."""
        asked = any(limit.max_drop is not None for limit in self.quality.measures)
        return asked or self.quality.max_lost_topics < 1.0 or self.quality.requires_no_worse(derived=derived)


def limit_notes(limits: QualityLimits) -> list[str]:
    """Warn of limits that let everything pass."""
    own = ("min_precision", "min_precision_share", "min_mrr")
    always = [name for name in own if getattr(limits, name) <= 0.0]
    always += [
        f"{limit.group}.{limit.measure}" if limit.group else limit.measure
        for limit in limits.measures
        if limit.least is not None and limit.least <= 0.0
    ]
    if not always:
        return []
    return [f"A minimum of 0 lets everything pass: {', '.join(always)} in [gate]."]


def verdict(
    generation: str,
    content_fingerprint: str,
    gate: Gate,
    findings: Sequence[Finding],
    notes: Sequence[str],
    test_set: TestSet | None = None,
    test_set_path: str | None = None,
    headline: str = "",
    live: str | None = None,
) -> Verdict:
    """Build the verdict from the findings.

    generation: its id; "" if a server does not report it.
    content_fingerprint: of that generation; "" if unknown. Such a verdict promotes nothing.
    test_set: None if only the structure was checked; the verdict then has a note.
    live: id of the generation that the answers were compared with; None if with none.
    """
    return Verdict(
        outcome=worst(finding.outcome for finding in findings),
        generation=generation,
        gate=gate.fingerprint,
        content_fingerprint=content_fingerprint,
        at=datetime.now(UTC),
        findings=tuple(findings),
        notes=(*((NO_TEST_SET,) if test_set is None else ()), *notes),
        test_set=test_set.fingerprint if test_set else None,
        test_set_name=test_set.name if test_set else None,
        test_set_path=test_set_path,
        headline=headline,
        live=live,
    )
