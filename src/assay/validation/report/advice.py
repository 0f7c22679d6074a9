"""Advice on the results of a validation, one sentence for each matter: seed 001's `issues`."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean

from assay.model.bounds import shortened
from assay.model.counting import counted as counted_of
from assay.model.evaluation import Anchoring, TopicType
from assay.model.field_errors import lower_first
from assay.model.validations import LatencyFigures, TopicResult
from assay.validation.gate.policy import QualityLimits
from assay.validation.gate.quality import PRECISION, counted
from assay.validation.report.near_duplicates import NearDuplicates, pairs_by_page

_FIRST = 3
LEAST_OVERLAP = 0.6
"""Seed 001's specification: a paraphrase shares two of three documents with its original."""

_MOST_OF_A_KIND = 5
_LEAST_OF_A_TYPE = 3
_LOW_BY = 0.15
"""Smallest number of topics of a type, and smallest gap to the others, to report it."""

_NEAR_LIMIT = 0.8
_MANY_UNJUDGED = 0.2
_SHOWN_CHARACTERS = 80
_CUTOFF = 5


def advice(
    results: Sequence[TopicResult],
    latency: LatencyFigures | None,
    limits: QualityLimits,
    *,
    derived: bool = False,
) -> tuple[str, ...]:
    """The advice, the most important first; a few lines of each kind, and the number of further ones.

    A query of type edge without relevant results is listed as expected, in the seed's words. Missed limits are not
    repeated: the gate's findings report them.

    derived: whether the test set is derived: with one or two answers per topic, P@5 and unjudged hits are left out.
    """
    kinds: tuple[Iterator[str], ...] = (
        _failed(results),
        _lost_judgments(results),
        _nothing_known(results),
        *(() if derived else (_low_types(counted(results, limits)), _low_ceilings(counted(results, limits), limits))),
        _nothing_relevant(results),
        *(() if derived else (_crowded(results, limits),)),
        _paraphrases(results),
        _loud(results, limits),
        *(() if derived else (_unjudged(results),)),
        _latency(latency, limits),
        _expected(results),
    )
    return tuple(line for kind in kinds for line in _first_of(list(kind)))


def _first_of(lines: Sequence[str]) -> Iterator[str]:
    yield from lines[:_MOST_OF_A_KIND]
    if (more := len(lines) - _MOST_OF_A_KIND) > 0:
        yield f"… and {more} more of this kind"


def _failed(results: Sequence[TopicResult]) -> Iterator[str]:
    reasons: defaultdict[str, list[TopicResult]] = defaultdict(list)
    for result in results:
        if result.error is not None:
            reasons[result.error].append(result)
    for reason, failed in reasons.items():
        others = f" and {len(failed) - 1} others" if len(failed) > 1 else ""
        yield f"Query {_quoted(failed[0])}{others} failed: {reason}"


def _lost_judgments(results: Sequence[TopicResult]) -> Iterator[str]:
    """Judgments that do not count, by page and outcome."""
    lost: Counter[tuple[Anchoring, str, str]] = Counter()
    for result in results:
        for judgment, resolution in zip(result.topic.judgments, result.resolutions, strict=True):
            if not resolution.anchoring.scores:
                page = judgment.passage.url or resolution.url or "a page that is not named"
                lost[resolution.anchoring, page, resolution.reason] += 1
    explained: set[Anchoring] = set()
    for (anchoring, page, reason), count in lost.most_common():
        what = f"{count} judgments" if count > 1 else "1 judgment"
        short_reason = reason.replace(f" {page}", "").rstrip(".")
        why = f" ({lower_first(short_reason)})" if short_reason else ""
        next_step = "" if anchoring in explained else f": {_NEXT_STEPS[anchoring]}"
        explained.add(anchoring)
        yield f"{what} on {page} {'are' if count > 1 else 'is'} {anchoring.value}{why}{next_step}"


_NEXT_STEPS = {
    Anchoring.ORPHANED: "`assay testset repair` repairs those it can prove; label the others with `assay label`",
    Anchoring.AMBIGUOUS: "add a `prefix` or `suffix` to distinguish the places",
}


def _nothing_known(results: Sequence[TopicResult]) -> Iterator[str]:
    """Topics that expect an answer and have no judgment of 1 or 2."""
    for result in results:
        labelled = any(judgment.label >= 1 for judgment in result.topic.judgments)
        if result.topic.expects_answer and result.topic.type is not TopicType.EDGE and not labelled:
            yield (
                f"Query {_quoted(result)} has no judgment of 1 or 2, so no ranking can be good for it: label some of "
                "its hits, or set `expect: no_answer`"
            )


def _low_types(results: Sequence[TopicResult]) -> Iterator[str]:
    """Types of query that score far below all others, edge queries left out."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    for result in results:
        value = result.values.get(PRECISION)
        if value is not None and result.topic.type is not TopicType.EDGE:
            values[result.topic.type.value].append(value)
    for kind, own in values.items():
        others = [value for other, theirs in values.items() if other != kind for value in theirs]
        if min(len(own), len(others)) < _LEAST_OF_A_TYPE or fmean(own) > fmean(others) - _LOW_BY:
            continue
        worst = min(
            (one for one in results if one.topic.type.value == kind), key=lambda one: one.values.get(PRECISION) or 0.0
        )
        yield (
            f"Queries of type {kind} score low: P@5 {fmean(own):.2f} over {len(own)} of them, {fmean(others):.2f} over "
            f"the others; {_quoted(worst)} is the worst"
        )


def _low_ceilings(results: Sequence[TopicResult], limits: QualityLimits) -> Iterator[str]:
    """Topics with too few labels to reach the gate's limit, one line for each number of labels."""
    if limits.precision == "attainable":
        return
    low: defaultdict[int, list[TopicResult]] = defaultdict(list)
    for result in results:
        ceiling = min(result.relevant, _CUTOFF) / _CUTOFF
        if result.topic.expects_answer and result.relevant > 0 and ceiling < limits.min_precision - 1e-9:
            low[result.relevant].append(result)
    for relevant, topics in sorted(low.items()):
        others = f" and {counted_of(len(topics) - 1, 'other', 'others')}" if len(topics) > 1 else ""
        many = "chunks are" if relevant > 1 else "chunk is"
        yield (
            f"Query {_quoted(topics[0])}{others} can reach P@5 {relevant / _CUTOFF:.2f} at most; required: "
            f"{limits.min_precision:.2f}. {relevant} {many} labelled relevant: label more, or set gate.precision = "
            '"attainable"'
        )


def _nothing_relevant(results: Sequence[TopicResult]) -> Iterator[str]:
    for result in results:
        if result.error is None and _should_find(result) and result.rank_of_best is None:
            shown = min(len(result.hits), result.topic.top_k)
            unknown = sum(label is None for label in result.labels[:shown])
            judged = f"; {unknown} of its {shown} results {_are(unknown)} not judged" if unknown else ""
            yield (
                f"Query {_quoted(result)} returned no relevant results, {_though(result)}{judged}"
                if result.hits
                else f"Query {_quoted(result)} returned nothing at all"
            )


def _though(result: TopicResult) -> str:
    """Count the relevant passages of the index. The number of relevant chunks includes lost ones."""
    if not result.lost:
        return f"though {result.relevant} of the index's chunks {_are(result.relevant)} labelled relevant"
    judged = zip(result.topic.judgments, result.resolutions, strict=True)
    found = [resolution.anchoring.scores for judgment, resolution in judged if judgment.label >= 1]
    if not any(found):
        return "because no passage that is labelled relevant is in the index any more"
    return f"though {sum(found)} of the {len(found)} passages labelled relevant {_are(sum(found))} in the index"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _should_find(result: TopicResult) -> bool:
    return result.topic.expects_answer and result.relevant > 0


def _crowded(results: Sequence[TopicResult], limits: QualityLimits) -> Iterator[str]:
    """Pages with nearly equal chunks that take several places in rankings that miss their limit."""
    compare = NearDuplicates()
    topics: Counter[tuple[str, str]] = Counter()
    for result in results:
        if (result.values.get(PRECISION) or 0.0) < limits.min_precision:
            topics.update(pairs_by_page(compare.crowding(result.hits[:_CUTOFF])).keys())
    for (one, other), count in topics.most_common():
        queries = f"{count} queries" if count > 1 else "1 query"
        where = f"{one} and {other}" if one != other else f"Chunks of {one}"
        yield (
            f"{where} have nearly the same text and take more than one of the first {_CUTOFF} places for {queries}: "
            + ("leave one of the pages out" if one != other else "remove the repetition")
        )


def _paraphrases(results: Sequence[TopicResult]) -> Iterator[str]:
    """Paraphrases that find other pages than their originals. Repeated pages count once."""
    first = {one.topic.id: {hit.chunk.document.url for hit in one.hits[:_FIRST]} for one in results if one.hits}
    for result in results:
        own, other = first.get(result.topic.id), first.get(result.topic.paraphrase_of or "")
        if own is None or other is None:
            continue
        attainable = min(len(own), len(other))
        if len(own & other) < LEAST_OVERLAP * attainable:
            yield (
                f"Query {_quoted(result)} paraphrases {result.topic.paraphrase_of}, and shares {len(own & other)} of "
                f"{attainable} pages with it in the first {_FIRST} hits"
            )


def _loud(results: Sequence[TopicResult], limits: QualityLimits) -> Iterator[str]:
    """Topics without an answer that return a similar hit."""
    for result in results:
        own = result.topic.expected_criteria.get("min_score")
        least = float(own) if isinstance(own, int | float) else limits.abstain_below
        if result.topic.expects_answer or least is None or not result.hits:
            continue
        best = max(result.hits, key=lambda hit: hit.known_similarity)
        if best.known_similarity >= least:
            yield (
                f"Query {_quoted(result)} should find nothing, and {best.chunk.section_url} has similarity "
                f"{best.known_similarity:.2f}, over its min_score of {least:.2f}: `assay calibrate` finds a better one"
            )


def _unjudged(results: Sequence[TopicResult]) -> Iterator[str]:
    shown = [label for result in results for label in result.labels[: result.topic.top_k]]
    unknown = sum(label is None for label in shown)
    if shown and unknown / len(shown) > _MANY_UNJUDGED:
        yield (
            f"{unknown} of {len(shown)} results are not judged ({unknown / len(shown):.0%}) and count as not relevant: "
            "`assay label` shows them one by one"
        )


def _latency(latency: LatencyFigures | None, limits: QualityLimits) -> Iterator[str]:
    if latency is None or not latency.samples:
        return
    limit = limits.max_p95_ms
    for name, value in (("p95", latency.p95_ms), ("p99", latency.p99_ms)):
        if _NEAR_LIMIT * limit <= value < limit:
            yield f"{name} latency {value:.0f}ms within acceptable range but approaching limit {limit:.0f}ms"
        elif name == "p99" and value >= limit > latency.p95_ms:
            yield f"p99 latency {value:.0f}ms is over the limit of {limit:.0f}ms that p95 keeps"


def _expected(results: Sequence[TopicResult]) -> Iterator[str]:
    """Queries without relevant results, as intended."""
    for result in results:
        edge = not result.topic.expects_answer or result.topic.type is TopicType.EDGE
        if edge and result.error is None and result.relevant == 0 and result.rank_of_best is None:
            why = "out of domain" if result.topic.text.strip() else "empty query"
            yield f"Query {_quoted(result)} returned no relevant results (expected - {why})"


def _quoted(result: TopicResult) -> str:
    """The query in quotation marks, on one line, truncated."""
    return f"'{shortened(' '.join(result.topic.text.split()), _SHOWN_CHARACTERS)}'"
