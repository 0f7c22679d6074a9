"""Limits on differences from the live generation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from assay.model.counting import counted, some_of
from assay.model.evaluation import MOST_EXAMPLES, Finding, Outcome
from assay.model.validations import Difference, TopicResult
from assay.validation.gate.lost_topics import LostTopics, lost_topics_finding, named
from assay.validation.gate.policy import MeasureLimit
from assay.validation.statistics import compare, holm, mean_of_known
from assay.validation.unjudged import TopicBounds, labels_could_reverse

OF_DERIVED = ("RR", "Success@5")
OF_ONE_CHUNKER = ("nDCG@10", "P@5", "mrr", "Recall@10")
OF_TWO_CHUNKERS = ("mrr", "RR", "Success@5")
"""The measures of "no worse than live". Measures that divide by the number of relevant chunks are fair only between
generations of one chunker; a derived test set labels too few chunks for them."""

ALPHA = 0.05
_TOLERANCE = 1e-9
_JUDGED = "judged@5"
_LOW_POWER = 0.1
_NAMED = 3
_IF_INTENDED = (
    "If that is intended, as after a change of model, set gate.no_worse_than_live = false for this one release"
)


class Obstacle(StrEnum):
    """Why the live generation cannot be searched."""

    DAMAGED = "damaged"
    OTHER_MODEL = "other model"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Fall:
    """The difference from the live generation over the topics of one limit.

    difference: p is adjusted over all limits on a drop.
    lost: judgments that resolve on the live generation and not on this one.
    from_lost: the part of the drop that comes from topics with lost judgments.
    """

    difference: Difference
    lost: int
    from_lost: float


@dataclass(frozen=True, slots=True)
class AgainstLive:
    """Measures of a generation compared with the live one on the same topics.

    falls: by limit on a drop; limits whose topics have no value are left out.
    worse: the measures of "no worse than live", p adjusted over them; empty if the gate does not require it.
    open: the measures that labels for unjudged hits could bring level.
    fell: by measure, the topics with a lower value, with both values, the largest drop first.
    overall: every measure, for the report.
    lost: topics without the answer that the live generation has; None if nothing is live, or it was not searched.
    problem: why the live generation could not be searched; "" if it was, or if nothing is live.
    obstacle: the kind of problem. An index that is lost or damaged for good must not block its own replacement; one
        that cannot be reached for the moment leaves the verdict open.
    """

    falls: Mapping[MeasureLimit, Fall] = field(default_factory=dict)
    worse: tuple[Difference, ...] = ()
    open: frozenset[str] = frozenset()
    fell: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    overall: tuple[Difference, ...] = ()
    problem: str = ""
    lost: LostTopics | None = None
    obstacle: Obstacle | None = None

    @property
    def not_compared(self) -> Finding | None:
        """The outcome of a limit on differences, without its name and limit; None if the live one was searched."""
        if not self.problem:
            return None
        if self.obstacle is Obstacle.DAMAGED:
            return Finding("", Outcome.PASS, None, "the index of the live generation is lost or damaged")
        then = "Run this again when it answers" if self.obstacle is Obstacle.UNREACHABLE else _IF_INTENDED
        return Finding("", Outcome.INCONCLUSIVE, None, "", f"{self.problem} {then}")

    @property
    def detectable(self) -> float | None:
        """The smallest fall that "no worse than live" detects with 80% power; None if unknown or not required."""
        return max((one.detectable for one in self.worse if one.detectable is not None), default=None)

    @property
    def notice(self) -> str:
        """The limits of a PASS, as sentences: lost topics below the limit, other words, and undetectable falls."""
        said = ""
        if self.lost is not None and self.lost.lost:
            count = len(self.lost.lost)
            said += (
                f" {counted(count, 'topic')} lost {'its' if count == 1 else 'their'} answer: {named(self.lost.lost)}."
            )
        if self.lost is not None and self.lost.reworded:
            count, topics = len(self.lost.reworded), some_of(sorted(self.lost.reworded), _NAMED)
            said += f" {counted(count, 'topic is', 'topics are')} answered in other words: label {topics} again."
        if self.detectable is not None and self.detectable >= _LOW_POWER:
            said += f" This test set detects a fall of {self.detectable:.2f} or more."
        return said


def measure_falls(
    limits: Sequence[MeasureLimit],
    before: Sequence[TopicResult],
    after: Sequence[TopicResult],
    in_group: Callable[[TopicResult, str | None], bool],
) -> dict[MeasureLimit, Fall]:
    """Compute how far each limited measure falls against the live generation, with p-values adjusted by Holm's method.

    before, after: the judged topics of the live generation and of the candidate.
    """
    limited = [limit for limit in limits if limit.max_drop is not None]
    found: dict[MeasureLimit, Difference] = {}
    for limit in limited:
        a, b = (_values([one for one in side if in_group(one, limit.group)]) for side in (before, after))
        found |= dict(zip([limit], compare([limit.measure], a, b, family=len(limited)), strict=False))
    adjusted = holm([one.p for one in found.values()])
    return {
        limit: _fall(replace(one, adjusted_p=p), limit, before, after, in_group)
        for (limit, one), p in zip(found.items(), adjusted, strict=True)
    }


def _fall(
    difference: Difference,
    limit: MeasureLimit,
    before: Sequence[TopicResult],
    after: Sequence[TopicResult],
    in_group: Callable[[TopicResult, str | None], bool],
) -> Fall:
    were = {one.topic.id: one.values.get(limit.measure) for one in before}
    part = [one for one in after if one.lost and in_group(one, limit.group)]
    pairs = [(were.get(one.topic.id), one.values.get(limit.measure)) for one in part]
    fallen = sum(x - y for x, y in pairs if x is not None and y is not None)
    return Fall(difference, sum(one.lost for one in part), fallen / max(difference.topics, 1))


def measure_worse(
    measures: Sequence[str], before: Sequence[TopicResult], after: Sequence[TopicResult], *, derived: bool
) -> tuple[tuple[Difference, ...], frozenset[str]]:
    """Compare measures with the live generation. Return the differences, and the measures that labels could reverse.

    derived: hits of a derived test set are never labelled, so unjudged ones do not matter.
    """
    found = compare(measures, _values(before), _values(after))
    if derived:
        return found, frozenset()
    kept = {one.topic.id for one in after if not one.lost}
    judged = [_mean([one for one in side if one.topic.id in kept], _JUDGED) for side in (after, before)]
    unsure = {
        one.measure for one in found if labels_could_reverse(_bounds(one.measure, before, after), judged[0], judged[1])
    }
    return found, frozenset(unsure)


def _bounds(measure: str, before: Sequence[TopicResult], after: Sequence[TopicResult]) -> list[TopicBounds]:
    """The topics with a value of the measure on both generations."""
    were = _values(before)
    triples = (
        (one, one.values.get(measure), one.upper.get(measure), were.get(one.topic.id, {}).get(measure)) for one in after
    )
    return [
        TopicBounds(value, most, live, lost=one.lost > 0)
        for one, value, most, live in triples
        if value is not None and most is not None and live is not None
    ]


def topics_that_fell(
    measures: Sequence[str], before: Sequence[TopicResult], after: Sequence[TopicResult]
) -> dict[str, tuple[str, ...]]:
    """List by measure the topics with a lower value than on the live generation: `id: RR 1.000 → 0.200`."""
    were = _values(before)
    found = {}
    for measure in measures:
        pairs = [(one.topic.id, were.get(one.topic.id, {}).get(measure), one.values.get(measure)) for one in after]
        falls = [(topic, a, b) for topic, a, b in pairs if a is not None and b is not None and b < a - _TOLERANCE]
        falls.sort(key=lambda fall: (fall[2] - fall[1], fall[0]))
        found[measure] = tuple(f"{topic}: {measure} {a:.3f} → {b:.3f}" for topic, a, b in falls)
    return found


def live_findings(
    found: AgainstLive,
    limits: Sequence[MeasureLimit],
    *,
    no_worse: bool,
    max_lost_topics: float | None,
    allow_removals: bool = False,
) -> list[Finding]:
    """Check the differences against the limits.

    no_worse: whether the gate requires "no worse than live". max_lost_topics: None if the index cannot be seen.
    allow_removals: whether judgments on removed pages are left out already.

    Without a search of the live generation, lost topics are checked only if it may answer again: a damaged live index
    or another model must not block a replacement.
    """
    findings = [
        _drop(limit, limit.max_drop, found.falls.get(limit), found.not_compared)
        for limit in limits
        if limit.max_drop is not None
    ]
    if max_lost_topics is not None and found.obstacle is Obstacle.UNREACHABLE and found.not_compared:
        limit = "no topic lost the answer that the live generation has"
        findings.append(replace(found.not_compared, check="lost topics", limit=limit))
    elif max_lost_topics is not None and not found.problem:
        findings.append(lost_topics_finding(found.lost, max_lost_topics, allow_removals=allow_removals))
    return [*findings, _no_worse(found)] if no_worse else findings


def _drop(limit: MeasureLimit, most: float, fall: Fall | None, not_compared: Finding | None) -> Finding:
    check, words = f"{limit.title} against live", f"{limit.title} is at most {most:g} below the live generation's"
    if not_compared is not None:
        return replace(not_compared, check=check, limit=not_compared.limit or words)
    if fall is None:
        return Finding(check, Outcome.PASS, None, f"{words}; nothing is live to compare with")
    difference = fall.difference
    value = -difference.difference
    p = difference.adjusted_p
    change = f"fell from {difference.a:.3f} to {difference.b:.3f} over {difference.topics} topics (p = {p:.2g})"
    if value <= most + _TOLERANCE:
        return Finding(check, Outcome.PASS, value, words)
    if fall.from_lost > most + _TOLERANCE:
        return Finding(
            check,
            Outcome.FAIL,
            value,
            words,
            f"{change}; the limit is {most:g}. Topics that lost {_judgments(fall.lost)} in this generation account for "
            f"{fall.from_lost:.3f} of it",
        )
    if p < ALPHA:
        return Finding(check, Outcome.FAIL, value, words, f"{change}; the limit is {most:g}")
    detectable = "" if difference.detectable is None else f" (they detect drops from {difference.detectable:.2f})"
    return Finding(
        check,
        Outcome.INCONCLUSIVE,
        value,
        words,
        f"{change}, which may be chance: {difference.topics} topics{detectable} are too few for a limit of {most:g}",
    )


def _no_worse(found: AgainstLive) -> Finding:
    check = "no worse than live"
    if found.not_compared is not None:
        limit = "no measure is significantly lower than the live generation's"
        return replace(found.not_compared, check=check, limit=found.not_compared.limit or limit)
    if not found.worse:
        return Finding(check, Outcome.PASS, None, "nothing is live to compare with")
    names = ", ".join(one.measure for one in found.worse)
    limit = f"none of {names} is significantly lower than the live generation's (paired test, 5% over all of them)"
    if found.detectable is not None:
        limit += f"; {found.worse[0].topics} topics detect a drop of {found.detectable:.2f} with 80% power"
    fallen = [one for one in found.worse if one.difference < 0.0 and one.adjusted_p < ALPHA]
    value = max(-one.difference for one in found.worse)
    if not fallen:
        return Finding(check, Outcome.PASS, value, limit)
    changes = [f"{one.measure} fell from {one.a:.3f} to {one.b:.3f} (p = {one.adjusted_p:.2g})" for one in fallen]
    topics = [line for one in fallen for line in found.fell.get(one.measure, ())]
    detail = (
        f"{'; '.join(changes)} over {fallen[0].topics} topics. The report has every topic; `assay compare live "
        "REPORT.json` compares it with the live generation"
    )
    unsure = all(one.measure in found.open for one in fallen)
    if unsure:
        detail += ". Far fewer of its hits are judged, and labels could reverse this: `assay label` shows them"
    outcome = Outcome.INCONCLUSIVE if unsure else Outcome.FAIL
    return Finding(check, outcome, value, limit, detail, tuple(topics[:MOST_EXAMPLES]), len(topics))


def _values(results: Sequence[TopicResult]) -> dict[str, Mapping[str, float | None]]:
    return {one.topic.id: one.values for one in results}


def _mean(results: Sequence[TopicResult], measure: str) -> float | None:
    return mean_of_known(one.values.get(measure) for one in results)


def _judgments(count: int) -> str:
    return f"{count} {'judgment' if count == 1 else 'judgments'}"
