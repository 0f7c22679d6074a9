"""Limits on the quality of answers to labelled queries."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.model.counting import counted as counted_of
from assay.model.evaluation import MOST_EXAMPLES, Finding, Outcome, percent
from assay.model.validations import LatencyFigures, TopicResult, Unjudged
from assay.validation.findings import make_finding
from assay.validation.gate.against_live import AgainstLive, live_findings
from assay.validation.gate.lost_answers import judgments_found, known_answers
from assay.validation.gate.policy import MeasureLimit, QualityLimits
from assay.validation.integrity.faults import Fault
from assay.validation.integrity.results import ResultCheck
from assay.validation.statistics import bootstrap_interval, mean_of_known, samples_to_prove

PRECISION = "P@5"
RECIPROCAL_RANK = "mrr"
_FIRST = "RR"
_SUCCESS = "Success@5"
_CUTOFF = 5
P95 = 0.95
"""The percentile of latency that has a limit."""

_TOLERANCE = 1e-9
"""Rounding error between two means of the same values, summed in different orders."""

_LABEL = "`assay label` shows them one by one"


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurements that the limits apply to.

    results: one for each topic of the test set.
    hits: faults of the returned hits.
    latency: None if no search was timed.
    against_live: differences from the live generation.
    only_hits: whether only hits are known, and not the index.
    derived: whether the test set was derived from the documents.
    repair: the command that lists the judgments that were not found.
    left_out: number of judgments left out although their page is there, because an earlier PASS accepted their loss.
    """

    results: Sequence[TopicResult]
    hits: ResultCheck
    latency: LatencyFigures | None
    against_live: AgainstLive = field(default_factory=AgainstLive)
    only_hits: bool = False
    derived: bool = False
    repair: str = "assay testset repair"
    left_out: int = 0


def quality_findings(measured: Measured, limits: QualityLimits) -> list[Finding]:
    """Check the measurements against the limits, causes before their effects.

    A missed limit is INCONCLUSIVE if it would be reached with every unjudged hit relevant. A reached limit is
    INCONCLUSIVE if there are too few topics to prove it.

    A derived test set has about two answers per topic, so even a perfect index cannot reach P@5 of 0.8: its limits are
    on RR and Success@5 instead.
    """
    results = counted(measured.results, limits)
    findings = [
        _answered(measured.results),
        *(
            []
            if measured.only_hits
            else [judgments_found(measured.results, limits, measured.repair, measured.left_out)]
        ),
        *(_of_derived(results, limits) if measured.derived else _of_own(results, limits, measured.only_hits)),
        _metadata(measured.hits, limits),
        _hashes(measured.hits, limits),
        _latency(measured.latency, limits),
    ]
    if limits.edge_topics == "abstain":
        findings.append(_abstention(measured.results, limits))
    findings += [
        _least([one for one in results if in_group(one, limit.group)], limit, limit.least)
        for limit in limits.measures
        if limit.least is not None
    ]
    no_worse = limits.requires_no_worse(derived=measured.derived)
    max_lost = None if measured.only_hits else limits.max_lost_topics
    findings += live_findings(
        measured.against_live,
        limits.measures,
        no_worse=no_worse,
        max_lost_topics=max_lost,
        allow_removals=limits.allow_removals,
    )
    lost = measured.against_live.lost
    reworded = lost.reworded if lost is not None else frozenset()
    return (
        findings
        if measured.only_hits
        else [*findings, known_answers(measured.results, reworded, allow_removals=limits.allow_removals)]
    )


def answer_findings(results: Sequence[TopicResult], limits: QualityLimits, *, derived: bool) -> list[Finding]:
    """Check the limits on the answers alone, as quality_findings does. derived: as in Measured."""
    judged = counted(results, limits)
    return list(_of_derived(judged, limits) if derived else _of_own(judged, limits, only_hits=False))


def counted(results: Iterable[TopicResult], limits: QualityLimits) -> list[TopicResult]:
    """The topics whose measures count: those that did not fail and are not judged by abstention."""
    return [
        result
        for result in results
        if result.error is None and (limits.edge_topics == "count" or result.topic.expects_answer)
    ]


def with_targets(results: Sequence[TopicResult], limits: QualityLimits) -> list[TopicResult]:
    """Set `reached` of each result: whether the topic reached its required precision."""
    asked = {result.topic.id for result in counted(results, limits)}
    return [
        replace(one, reached=_precision_of(one, one.values, limits) >= limits.min_precision - _TOLERANCE)
        if one.topic.id in asked
        else one
        for one in results
    ]


def in_group(result: TopicResult, group: str | None) -> bool:
    """Whether a topic is of a type or category; None has every topic."""
    return group is None or group in {result.topic.type.value, result.topic.category and result.topic.category.value}


def headline(measured: Measured, limits: QualityLimits) -> str:
    """The quality in one line, in seed 001's words, with the limits of what it shows."""
    results, notice = counted(measured.results, limits), measured.against_live.notice
    if measured.derived:
        means = (f"{name} {_number(mean_of(results, name))}" for name in (_FIRST, _SUCCESS))
        return f"{' and '.join(means)} over {len(results)} derived topics.{notice}"
    good = sum(_precision_of(one, one.values, limits) >= limits.min_precision - _TOLERANCE for one in results)
    mrr = mean_of(results, RECIPROCAL_RANK) or 0.0
    attainable = "attainable " if limits.precision == "attainable" else ""
    reached = "exceeds" if mrr > limits.min_mrr else "reaches" if mrr >= limits.min_mrr - _TOLERANCE else "is under"
    return (
        f"{good}/{len(results)} queries ({good / max(len(results), 1):.0%}) achieved {attainable}precision@5 >= "
        f"{limits.min_precision:.2f}. MRR {mrr:.2f} {reached} target {limits.min_mrr:.2f}.{notice}"
    )


def mean_of(results: Iterable[TopicResult], measure: str, *, upper: bool = False) -> float | None:
    """Mean of a measure over the topics with a value; None without any."""
    return mean_of_known((result.upper if upper else result.values).get(measure) for result in results)


def hits_to_label(results: Sequence[TopicResult], limits: QualityLimits, most: int = MOST_EXAMPLES) -> list[Unjudged]:
    """Unjudged hits, the most useful to label first.

    First the hits of topics that miss their P@5 and would reach it with the fewest labels, best rank first; then the
    first hits of all other topics, which decide MRR; then the rest of the top five. Topics without an answer are left
    out.
    """
    ranked: list[tuple[tuple[int, int, int], Unjudged]] = []
    for place, result in enumerate(one for one in counted(results, limits) if one.topic.expects_answer):
        lower, upper = (_precision_of(result, values, limits) for values in (result.values, result.upper))
        undecided = lower < limits.min_precision - _TOLERANCE <= upper
        missing = max(round((limits.min_precision - lower) * _CUTOFF + 0.499), 1)
        for hit, label in zip(result.hits[:_CUTOFF], result.labels, strict=False):
            if label is not None:
                continue
            if undecided:
                key, why = (
                    (0, missing, hit.rank),
                    f"{missing} more relevant would bring the topic to P@5 {limits.min_precision:g}",
                )
            elif hit.rank == 1:
                key, why = (1, 0, place), "the first hit decides the topic's part of MRR"
            else:
                key, why = (2, hit.rank, place), "counts as not relevant until it is judged"
            ranked.append((key, Unjudged(result.topic.id, hit.rank, hit, why)))
    ranked.sort(key=lambda pair: (pair[0], pair[1].topic_id))
    return [unjudged for _, unjudged in ranked[:most]]


# --- one limit after the other -------------------------------------------------------------------------------------


def _answered(results: Sequence[TopicResult]) -> Finding:
    failed = [result for result in results if result.error is not None]
    first = "; ".join(f"{one.topic.id}: {one.error}" for one in failed[:3])
    given_up = [one.topic.id for one in failed if not one.asked]
    detail = f"{len(failed)} of {len(results)} topics failed, and are in no figure: {first}. "
    if given_up:
        detail += f"The last {len(given_up)} of them, from {given_up[0]} on, were skipped. "
    detail += "Fix the cause, and run again"
    return make_finding(
        "topics asked",
        Outcome.INCONCLUSIVE if failed else Outcome.PASS,
        1.0 - len(failed) / max(len(results), 1),
        "every topic was searched without an error",
        detail,
        [f"{one.topic.id}: {one.error}" for one in failed],
    )


def _of_own(results: Sequence[TopicResult], limits: QualityLimits, only_hits: bool) -> Iterable[Finding]:
    """Check P@5 and MRR. only_hits: whether the number of relevant chunks is unknown."""
    needed = max(samples_to_prove(limits.min_precision_share), samples_to_prove(limits.min_mrr))
    ceiling = "" if only_hits else _ceiling(results, limits)
    return [_precision(results, limits, needed, ceiling), _mrr(results, limits, needed)]


def _ceiling(results: Sequence[TopicResult], limits: QualityLimits) -> str:
    """Say that no ranking can reach the limit on P@5, because too few chunks are labelled relevant; "" if one can."""
    values = [min(one.relevant, _CUTOFF) / _CUTOFF for one in results]
    low = [value for value in values if 0.0 < value < limits.min_precision - _TOLERANCE]
    within = (_share(values, limits.min_precision) or 0.0) >= limits.min_precision_share - _TOLERANCE
    if limits.precision == "attainable" or within or not low:
        return ""
    return (
        f"the labels allow P@5 of at most {max(low):.2f} for {len(low)} of {counted_of(len(values), 'topic')}: set "
        '[gate] precision = "attainable", or label more chunks. '
    )


def _precision(results: Sequence[TopicResult], limits: QualityLimits, needed: int, ceiling: str) -> Finding:
    lower = [_precision_of(result, result.values, limits) for result in results]
    upper = [_precision_of(result, result.upper, limits) for result in results]
    missing = [one for one, value in zip(results, lower, strict=True) if value < limits.min_precision - _TOLERANCE]
    share, best = (_share(values, limits.min_precision) for values in (lower, upper))
    name = f"{'attainable ' if limits.precision == 'attainable' else ''}P@5"
    return _bounded(
        "precision",
        share,
        best,
        limits.min_precision_share,
        f"at least {percent(limits.min_precision_share)} of the topics have {name} >= {limits.min_precision:g}",
        f"{ceiling}{len(results) - len(missing)} of {len(results)} topics ({percent(share or 0.0)}) have {name} >= "
        f"{limits.min_precision:g}; required: {percent(limits.min_precision_share)}",
        [f"{one.topic.id}: {name} {_precision_of(one, one.values, limits):.2f}" for one in missing],
        len(results),
        needed,
    )


def _of_derived(results: Sequence[TopicResult], limits: QualityLimits) -> Iterable[Finding]:
    """Check RR and Success@5 by their intervals. Unjudged hits are ignored: a derived test set labels none."""
    needed = topics_needed_of_derived(limits)
    for measure, least in ((_FIRST, limits.min_derived_rr), (_SUCCESS, limits.min_derived_success)):
        known = [value for one in results if (value := one.values.get(measure)) is not None]
        found = _bounded(
            measure,
            mean_of(results, measure),
            None,
            least,
            f"{measure} is at least {least:g}",
            "",
            [],
            len(known),
            needed,
        )
        interval = bootstrap_interval(known, bounds=(0.0, 1.0))
        if found.value is None or found.value >= least - _TOLERANCE or interval is None:
            yield found
            continue
        measured = f"it is {found.value:.3f} (95% interval {interval.low:z.3f} to {interval.high:z.3f})"
        worst = sorted(results, key=lambda one: one.values.get(measure) or 0.0)
        yield make_finding(
            measure,
            Outcome.FAIL if interval.high < least else Outcome.INCONCLUSIVE,
            found.value,
            found.limit,
            f"{measured} over {len(known)} derived topics; required: {least:g}",
            [f"{one.topic.id}: {_number(one.values.get(measure))}" for one in worst],
        )


def topics_needed_of_derived(limits: QualityLimits) -> int:
    """The number of topics from which a derived test set can prove the limits on RR and Success@5."""
    return max(samples_to_prove(least) for least in (limits.min_derived_rr, limits.min_derived_success))


def _precision_of(result: TopicResult, values: Mapping[str, float | None], limits: QualityLimits) -> float:
    value = values.get(PRECISION) or 0.0
    if limits.precision == "at_k":
        return value
    relevant = round(value * _CUTOFF)
    attainable = min(_CUTOFF, max(result.relevant, relevant))
    return relevant / attainable if attainable else 0.0


def _share(values: Sequence[float], limit: float) -> float | None:
    return sum(value >= limit - _TOLERANCE for value in values) / len(values) if values else None


def _mrr(results: Sequence[TopicResult], limits: QualityLimits, needed: int) -> Finding:
    value, upper = mean_of(results, RECIPROCAL_RANK), mean_of(results, RECIPROCAL_RANK, upper=True)
    late = sorted(
        (one for one in results if (one.values.get(RECIPROCAL_RANK) or 0.0) < limits.min_mrr),
        key=lambda one: one.values.get(RECIPROCAL_RANK) or 0.0,
    )
    return _bounded(
        "MRR",
        value,
        upper,
        limits.min_mrr,
        f"the best hit's 1 / rank is at least {limits.min_mrr:g} on average",
        f"MRR is {_number(value)}; required: {limits.min_mrr:g}",
        [
            f"{one.topic.id}: {f'best hit at rank {one.rank_of_best}' if one.rank_of_best else 'no relevant hit'}"
            for one in late
        ],
        len(results),
        needed,
    )


def _metadata(hits: ResultCheck, limits: QualityLimits) -> Finding:
    fault = hits.faults["completeness"]
    return _rate("metadata of hits", hits.completeness_rate, limits.completeness, hits, "have every field", fault)


def _hashes(hits: ResultCheck, limits: QualityLimits) -> Finding:
    fault = hits.faults["hashes"]
    return _rate("hashes of hits", hits.hash_pass_rate, limits.hashes, hits, "have the hash of their text", fault)


def _rate(check: str, value: float, least: float, hits: ResultCheck, words: str, fault: Fault) -> Finding:
    detail = f"only {percent(value)} of {hits.results} hits {words}; required: {percent(least)}"
    return make_finding(
        check,
        Outcome.PASS if value >= least - _TOLERANCE else Outcome.FAIL,
        value,
        f"{percent(least)} of the hits {words}{'' if hits.results else '; there were no hits'}",
        f"{detail}. Rebuild the index: `assay publish --rebuild`",
        fault.examples,
        fault.count,
    )


def _latency(latency: LatencyFigures | None, limits: QualityLimits) -> Finding:
    limit = f"95% of the searches take less than {limits.max_p95_ms:g} ms"
    if latency is None or not latency.samples:
        return Finding("latency", Outcome.INCONCLUSIVE, None, limit, "no search could be timed")
    p95 = latency.p95_ms
    needed = samples_to_prove(P95)
    if p95 < limits.max_p95_ms and latency.samples < needed:
        detail = _too_few("search", "searches", latency.samples, needed)
        return Finding("latency", Outcome.INCONCLUSIVE, p95, limit, detail)
    slowest = max(latency.stages.items(), key=lambda stage: stage[1].p95_ms, default=None)
    where = f"; most of it in {slowest[0]} (p95 {slowest[1].p95_ms:.0f} ms)" if slowest else ""
    return make_finding(
        "latency",
        Outcome.PASS if p95 < limits.max_p95_ms else Outcome.FAIL,
        p95,
        limit,
        f"p95 of {latency.samples} searches is {p95:.0f} ms{where}; required: less than {limits.max_p95_ms:g} ms",
        [],
    )


def _abstention(results: Sequence[TopicResult], limits: QualityLimits) -> Finding:
    asked = [one for one in results if not one.topic.expects_answer and one.error is None]
    limit = "topics with `expect: no_answer` return no hit with their min_score or more"
    without = [one.topic.id for one in asked if _least_score(one, limits) is None]
    if without:
        return Finding(
            "abstention",
            Outcome.INCONCLUSIVE,
            None,
            limit,
            f"{', '.join(without[:5])}: neither min_score in expected_criteria nor gate.abstain_below is set; `assay "
            "calibrate` finds a value",
            tuple(without[:MOST_EXAMPLES]),
            len(without),
        )
    loud = [one for one in asked if _top_similarity(one) >= (_least_score(one, limits) or 0.0)]
    return make_finding(
        "abstention",
        Outcome.FAIL if loud else Outcome.PASS,
        1.0 - len(loud) / max(len(asked), 1),
        limit,
        f"{len(loud)} of {len(asked)} topics with `expect: no_answer` return hits with their min_score or more",
        [f"{one.topic.id}: similarity {_top_similarity(one):.2f}" for one in loud],
    )


def _least_score(result: TopicResult, limits: QualityLimits) -> float | None:
    own = result.topic.expected_criteria.get("min_score")
    return float(own) if isinstance(own, int | float) else limits.abstain_below


def _top_similarity(result: TopicResult) -> float:
    return max((hit.known_similarity for hit in result.hits), default=0.0)


def _least(results: Sequence[TopicResult], limit: MeasureLimit, least: float) -> Finding:
    value, upper = mean_of(results, limit.measure), mean_of(results, limit.measure, upper=True)
    worst = sorted(results, key=lambda one: one.values.get(limit.measure) or 0.0)
    return _bounded(
        limit.title,
        value,
        upper if upper is None or value is None else max(upper, value),
        least,
        f"{limit.title} is at least {least:g}",
        f"it is {_number(value)} over {len(results)} topics; required: {least:g}",
        [f"{one.topic.id}: {_number(one.values.get(limit.measure))}" for one in worst if value is not None],
        sum(one.values.get(limit.measure) is not None for one in results),
        samples_to_prove(least),
    )


def _too_few(thing: str, things: str, count: int, needed: int) -> str:
    return (
        f"reached, but {counted_of(count, thing, things)} cannot prove it at 95% confidence, even with a perfect "
        f"result: {counted_of(needed, thing, things)} can"
    )


def _number(value: float | None) -> str:
    return "not known" if value is None else f"{value:.3f}"


def _bounded(
    check: str,
    value: float | None,
    upper: float | None,
    least: float,
    limit: str,
    detail: str,
    examples: Sequence[str],
    topics: int,
    needed: int,
) -> Finding:
    """Check a mean over topics.

    upper: the mean if all unjudged hits were relevant.
    needed: topics that prove this limit and those checked with it, so that all their findings name one number.
    """
    if value is None:
        return Finding(check, Outcome.INCONCLUSIVE, None, limit, "no topic has a value for it")
    if value >= least - _TOLERANCE:
        if topics < samples_to_prove(least):
            detail = _too_few("topic", "topics", topics, needed)
            return Finding(check, Outcome.INCONCLUSIVE, value, limit, detail)
        return Finding(check, Outcome.PASS, value, limit)
    if upper is not None and upper >= least - _TOLERANCE:
        detail += f"; it would be {_number(upper)} if every unjudged hit were relevant: {_LABEL}"
        return make_finding(check, Outcome.INCONCLUSIVE, value, limit, detail, examples)
    return make_finding(check, Outcome.FAIL, value, limit, detail, examples)
