"""The gate: limits held against what was measured, and the verdict that follows."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Literal

from assay.model.evaluation import Finding, TestSet, Verdict, worst
from assay.validation.structure import StructuralLimits

NO_TEST_SET = "No test set was given: only the structure was judged, not how well queries are answered."


@dataclass(frozen=True, slots=True)
class MeasureLimit:
    """A limit on one measure.

    measure: its name, as in `nDCG@10`.
    group: the type or category whose topics count; None for all topics.
    least: the least mean over the topics; None for none.
    max_drop: the most that the mean may be under that of the live generation; None for none.
    """

    measure: str
    group: str | None
    least: float | None
    max_drop: float | None

    @property
    def title(self) -> str:
        """What it is a limit on, for a person."""
        return self.measure if self.group is None else f"{self.measure} of {self.group} topics"


@dataclass(frozen=True, slots=True)
class QualityLimits:
    """What a generation has to reach on labelled queries. The defaults of the settings are seed 001's.

    min_precision: the P@5 that a topic has to reach, 0 to 1.
    min_precision_share: the least share of topics that reach it, 0 to 1.
    min_mrr: the least mean reciprocal rank, 0 to 1.
    completeness, hashes: the least rates over the hits, 0 to 1.
    max_p95_ms: what 95% of the searches have to stay under.
    edge_topics: `count` as every topic, or judged by whether they `abstain`.
    precision: P@5 is divided by 5 (`at_k`), or by the relevant chunks where there are fewer (`attainable`).
    abstain_below: similarity under which a hit is no answer, for topics that name no min_score; None where each has to.
    max_lost_judgments: the largest share of judgments whose passage is not found.
    min_derived_rr, min_derived_success: the least mean RR and Success@5 of a derived test set, 0 to 1.
    allow_removals: whether pages that are gone were removed on purpose, so that what was judged on them counts nowhere.
    no_worse_than_live: whether no measure may be significantly lower than the live generation's; None for derived test
        sets only.
    measures: further limits.
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
    allow_removals: bool
    no_worse_than_live: bool | None
    measures: tuple[MeasureLimit, ...] = ()

    def asks_no_worse(self, *, derived: bool) -> bool:
        """Whether a test set is judged by "no worse than live"."""
        return derived if self.no_worse_than_live is None else self.no_worse_than_live


@dataclass(frozen=True, slots=True)
class Gate:
    """The whole policy that decides a verdict.

    search: how the searches are made that are held against the limits: other settings, other answers.
    """

    structure: StructuralLimits
    quality: QualityLimits
    search: Mapping[str, object] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """SHA-256 hex of all that; a verdict names it, and speaks of no other limits and no other search settings."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    def compares_with_live(self, *, derived: bool) -> bool:
        """Whether a limit asks how the live generation does. derived: whether the test set is."""
        asked = any(limit.max_drop is not None for limit in self.quality.measures)
        return asked or self.quality.asks_no_worse(derived=derived)


def limit_notes(limits: QualityLimits) -> list[str]:
    """Which limits let everything pass."""
    own = ("min_precision", "min_precision_share", "min_mrr")
    always = [name for name in own if getattr(limits, name) <= 0.0]
    always += [
        f"{limit.group}.{limit.measure}" if limit.group else limit.measure
        for limit in limits.measures
        if limit.least is not None and limit.least <= 0.0
    ]
    if not always:
        return []
    return [f"A minimum of 0 is always reached, and says nothing: {', '.join(always)} in [gate]."]


def verdict(
    generation: str,
    content_fingerprint: str,
    gate: Gate,
    findings: Sequence[Finding],
    notes: Sequence[str],
    test_set: TestSet | None = None,
    test_set_path: str | None = None,
    headline: str = "",
) -> Verdict:
    """What follows from the findings.

    generation: its id; "" where a server does not say which it has.
    content_fingerprint: of that generation; "" where it is not known, and then nothing is promoted by the verdict.
    test_set: None where only the structure was judged, which the verdict says.
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
    )
