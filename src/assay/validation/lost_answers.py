"""Judgments and topics that count for nothing, because their passages are lost or nobody labelled any."""

from collections import Counter
from collections.abc import Sequence

from assay.model.evaluation import MOST_EXAMPLES, Anchoring, Finding, Outcome, TopicType, percent
from assay.model.validations import TopicResult
from assay.validation.gate import QualityLimits

_REMOVED = "If pages were removed on purpose, publish or promote with --allow-removals"
_OR_OUT = f"{_REMOVED}, or take the topics out"
_SHOWN = 5


def judgments_found(results: Sequence[TopicResult], limits: QualityLimits, repair: str) -> Finding:
    """Hold the share of judgments that lost their passage against its limit. repair: the command that lists them."""
    found = [(result, resolution) for result in results for resolution in result.resolutions]
    lost = [(result, resolution) for result, resolution in found if not resolution.anchoring.scores]
    share = len(lost) / max(len(found), 1)
    gone = [resolution for _, resolution in lost if resolution.anchoring is Anchoring.ORPHANED]
    pages = sum(resolution.url is None for resolution in gone)
    on_gone_pages = f" ({pages} with their page)" if pages else ""
    on_purpose = f". {_REMOVED}" if pages else ""
    return decided(
        "judgments found",
        Outcome.INCONCLUSIVE if share > limits.max_lost_judgments else Outcome.PASS,
        1.0 - share,
        f"at least {percent(1.0 - limits.max_lost_judgments)} of the judgments have their passage in the index",
        f"{len(lost)} of {len(found)} judgments count for nothing: {len(gone)} passages are gone{on_gone_pages}, "
        f"{len(lost) - len(gone)} stand more than once. `{repair}` lists them, and with --write mends what can be "
        f"proven{on_purpose}",
        [f"{result.topic.id}: {resolution.reason}" for result, resolution in lost],
    )


def known_answers(results: Sequence[TopicResult]) -> Finding:
    """Topics that expect an answer of which none is known cannot tell good rankings from bad ones."""
    expecting = [one for one in results if one.topic.expects_answer and one.topic.type is not TopicType.EDGE]
    without = [result for result in expecting if not _has_answer(result)]
    return decided(
        "known answers",
        Outcome.INCONCLUSIVE if without else Outcome.PASS,
        1.0 - len(without) / max(len(expecting), 1),
        "every topic has a judgment of 1 or 2 that was found, is of type edge, or says `expect: no_answer`",
        f"no relevant passage is known for {len(without)} of {len(expecting)} topics. {_why_unknown(without)}",
        [one.topic.id for one in without],
    )


def _why_unknown(without: Sequence[TopicResult]) -> str:
    """Why no answer to these topics is known, and what to do: their passages are lost, or nobody labelled any."""
    gone: list[TopicResult] = []
    repeated: list[TopicResult] = []
    unlabelled: list[TopicResult] = []
    for one in without:
        lost = _lost_answers(one)
        (gone if lost[Anchoring.ORPHANED] else repeated if lost else unlabelled).append(one)
    told = (
        (gone, f"the passages that answer them are gone: mend the pages, or the URLs of the judgments. {_OR_OUT}"),
        (repeated, "each passage that answers them stands more than once: a `prefix` or `suffix` tells places apart"),
        (unlabelled, "nobody labelled an answer: label some (`assay label`), or say `expect: no_answer`"),
    )
    return ". ".join(f"{_named(topics)}, {why}" for topics, why in told if topics)


def _named(topics: Sequence[TopicResult]) -> str:
    more = len(topics) - _SHOWN
    named = ", ".join(one.topic.id for one in topics[:_SHOWN])
    return f"For {named}{f' and {more} more' if more > 0 else ''}"


def _lost_answers(result: TopicResult) -> Counter[Anchoring]:
    judged = zip(result.topic.judgments, result.resolutions, strict=True)
    return Counter(found.anchoring for one, found in judged if one.label >= 1 and not found.anchoring.scores)


def _has_answer(result: TopicResult) -> bool:
    """Whether some judgment of 1 or 2 was found; what failed to run is told apart."""
    judged = zip(result.topic.judgments, result.resolutions, strict=True)
    return result.error is not None or any(one.label >= 1 and found.anchoring.scores for one, found in judged)


def decided(
    check: str,
    outcome: Outcome,
    value: float,
    limit: str,
    detail: str,
    examples: Sequence[str],
    count: int | None = None,
) -> Finding:
    """A finding that says more only where it did not pass. count: of all that the examples are from, None if all."""
    if outcome is Outcome.PASS:
        return Finding(check, outcome, value, limit)
    shown = tuple(examples[:MOST_EXAMPLES])
    return Finding(check, outcome, value, limit, detail, shown, len(examples) if count is None else count)
