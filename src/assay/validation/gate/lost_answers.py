"""Judgments whose passages are lost, and topics without a known answer."""

from collections import Counter
from collections.abc import Container, Sequence

from assay.model.counting import counted, some_of
from assay.model.evaluation import Anchoring, Finding, Outcome, ResolvedTopic, TopicType, percent
from assay.model.validations import TopicResult
from assay.validation.findings import make_finding
from assay.validation.gate.policy import QualityLimits

_REMOVED = "If pages were removed on purpose, publish or promote with --allow-removals"
_SHOWN = 5


def judgments_found(results: Sequence[TopicResult], limits: QualityLimits, repair: str, left_out: int = 0) -> Finding:
    """Check the share of judgments that lost their passage.

    repair: the command that lists them.
    left_out: number of further lost judgments. They count here, so that small losses of many releases add up.
    """
    found = [(result, resolution) for result in results for resolution in result.resolutions]
    lost = [(result, resolution) for result, resolution in found if not resolution.anchoring.scores]
    share = (len(lost) + left_out) / max(len(found) + left_out, 1)
    gone = [resolution for _, resolution in lost if resolution.anchoring is Anchoring.ORPHANED]
    pages = sum(resolution.url is None for resolution in gone)
    on_gone_pages = f" ({pages} with their page)" if pages else ""
    before = counted(left_out, "was gone before, ", "were gone before, ") if left_out else ""
    on_purpose = f". {_REMOVED}" if pages and not limits.allow_removals else ""
    return make_finding(
        "judgments found",
        Outcome.INCONCLUSIVE if share > limits.max_lost_judgments else Outcome.PASS,
        1.0 - share,
        f"at least {percent(1.0 - limits.max_lost_judgments)} of the judgments have their passage in the index",
        f"{len(lost) + left_out} of {len(found) + left_out} judgments do not count: "
        f"{counted(len(gone), 'passage is', 'passages are')} gone{on_gone_pages}, {before}"
        f"{counted(len(lost) - len(gone), 'occurs', 'occur')} more than once. `{repair}` lists them, and with "
        f"--write repairs those it can prove{on_purpose}",
        [f"{result.topic.id}: {resolution.reason}" for result, resolution in lost],
    )


def orphan_notes(results: Sequence[TopicResult]) -> list[str]:
    """Name the pages whose judgments lost their passage, the most judgments first; empty without any."""
    urls = [
        resolution.url or judgment.passage.url or "an unknown page"
        for result in results
        for judgment, resolution in zip(result.topic.judgments, result.resolutions, strict=False)
        if resolution.anchoring is Anchoring.ORPHANED
    ]
    if not urls:
        return []
    pages = Counter(urls).most_common()
    lost = counted(len(urls), "judgment lost its passage", "judgments lost their passages")
    what = f"{lost}, on {counted(len(pages), 'page')}"
    return [f"{what}: {some_of([f'{url} ({number})' for url, number in pages], _SHOWN)}."]


def known_answers(
    results: Sequence[TopicResult], reworded: Container[str] = (), *, allow_removals: bool = False
) -> Finding:
    """Check that every topic that expects an answer has one, because it cannot measure rankings otherwise.

    reworded: ids of topics whose answer is found in other words.
    allow_removals: whether judgments on removed pages are left out already, so that there is no need to suggest it.
    """
    expecting = [one for one in results if one.topic.expects_answer and one.topic.type is not TopicType.EDGE]
    without = [one for one in expecting if not _has_answer(one) and one.topic.id not in reworded]
    return make_finding(
        "known answers",
        Outcome.INCONCLUSIVE if without else Outcome.PASS,
        1.0 - len(without) / max(len(expecting), 1),
        "every topic has a judgment of 1 or 2 that was found, is of type edge, or has `expect: no_answer`",
        f"no relevant passage is known for {len(without)} of {len(expecting)} topics. "
        + _why_unknown(without, allow_removals=allow_removals),
        [one.topic.id for one in without],
    )


def _why_unknown(without: Sequence[TopicResult], *, allow_removals: bool) -> str:
    """Say why no answer to these topics is known (passages are lost, or none is labelled), and what to do."""
    gone: list[TopicResult] = []
    repeated: list[TopicResult] = []
    unlabelled: list[TopicResult] = []
    for one in without:
        lost = _lost_answers(one)
        (gone if lost[Anchoring.ORPHANED] else repeated if lost else unlabelled).append(one)
    or_out = ", or delete the topics" if allow_removals else f". {_REMOVED}, or delete the topics"
    reasons = (
        (gone, f"the passages that answer them are gone: restore the pages, or correct the judgments' URLs{or_out}"),
        (repeated, "each passage that answers them occurs more than once: add a `prefix` or `suffix`"),
        (unlabelled, "no answer is labelled: label some (`assay label`), or set `expect: no_answer`"),
    )
    return ". ".join(f"{_named(topics)}, {why}" for topics, why in reasons if topics)


def _named(topics: Sequence[TopicResult]) -> str:
    return f"For {some_of([one.topic.id for one in topics], _SHOWN)}"


def _lost_answers(result: TopicResult) -> Counter[Anchoring]:
    judged = zip(result.topic.judgments, result.resolutions, strict=True)
    return Counter(found.anchoring for one, found in judged if one.label >= 1 and not found.anchoring.scores)


def _has_answer(result: TopicResult) -> bool:
    """Whether a judgment of 1 or 2 was found; True for a topic that failed, which another check reports."""
    return result.error is not None or has_passage(result)


def has_passage(topic: TopicResult | ResolvedTopic) -> bool:
    """Whether a relevant judgment resolves, also by a page under the same address with another text."""
    judged = zip(topic.topic.judgments, topic.resolutions, strict=True)
    return any(one.label >= 1 and found.anchoring.scores for one, found in judged)
