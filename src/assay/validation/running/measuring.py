"""Compute measures from rankings and labels, for each topic and over topics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from assay.model.evaluation import MeasureValue, ResolvedTopic, Run
from assay.model.validations import TopicResult
from assay.validation.metrics import Measure, evaluate, overlap, parse_measure, tie_ranges, upper_bounds
from assay.validation.metrics.formulas import rank_of_best
from assay.validation.metrics.judged import judge
from assay.validation.statistics import bootstrap_interval, mean_of_known

DEFAULT_MEASURES = (
    "P@5",
    "mrr",
    "RR",
    "nDCG@10",
    "nDCG_exp@10",
    "Recall@10",
    "AP",
    "Success@5",
    "bpref",
    "judged@5",
    "ceiling P@5",
)
"""The measures of every report."""

OVERLAP = "overlap@3"
BEST_HIT = "mrr"

TopicsById = Mapping[str, ResolvedTopic]


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures to compute, each once."""

    parsed: tuple[Measure, ...]

    @classmethod
    def parse(cls, further: Sequence[str] = ()) -> "Measures":
        """The default measures and further ones. Raises InputError for an unknown name."""
        parsed = [parse_measure(name) for name in (*DEFAULT_MEASURES, *further)]
        return cls(tuple({measure.name: measure for measure in parsed}.values()))

    def computable_from_hits(self) -> "Measures":
        """The measures that need no knowledge of relevant chunks that were not found."""
        return Measures(tuple(measure for measure in self.parsed if measure.family.from_hits))

    @property
    def quality_names(self) -> tuple[str, ...]:
        """Names of the measures of ranking quality, without those of the test set (judged@k, ceiling P@k)."""
        return tuple(measure.name for measure in self.parsed if measure.family.of_ranking)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, as the field writes them."""
        return tuple(measure.name for measure in self.parsed)

    @property
    def deepest(self) -> int:
        """The largest cutoff k; 0 if no measure has one."""
        return max(measure.k or 0 for measure in self.parsed)

    @property
    def on_top_k(self) -> tuple[Measure, ...]:
        """The measures of a topic's first top_k hits."""
        return tuple(measure for measure in self.parsed if measure.name == BEST_HIT)

    @property
    def on_full_ranking(self) -> tuple[Measure, ...]:
        """The measures of the full ranking."""
        return tuple(measure for measure in self.parsed if measure.name != BEST_HIT)


def measure_topics(run: Run, topics: Sequence[ResolvedTopic], measures: Measures) -> list[TopicResult]:
    """Compute the measures of every topic of a run.

    topics: in the order of the run. `mrr` uses the first top_k hits of a topic, as seed 001 defines it; all others use
    the full ranking.
    """
    labels = [topic.counted for topic in topics]
    whole = [
        [topic.judged_id(hit.chunk.id) for hit in answer.hits] for topic, answer in zip(topics, run.topics, strict=True)
    ]
    shown = [ids[: topic.topic.top_k] for ids, topic in zip(whole, topics, strict=True)]
    values = _by_topic(evaluate, measures, whole, shown, labels)
    upper = _by_topic(upper_bounds, measures, whole, shown, labels)
    results = []
    for place, (topic, answer) in enumerate(zip(topics, run.topics, strict=True)):
        failed = answer.error is not None
        nothing: dict[str, float | None] = dict.fromkeys(measures.names)
        results.append(
            TopicResult(
                topic=topic.topic,
                hits=answer.hits,
                labels=tuple(map(topic.labels.get, whole[place])),
                values=nothing if failed else values[place],
                upper=nothing if failed else upper[place],
                rank_of_best=None if failed else rank_of_best(judge(shown[place], topic.labels)),
                relevant=sum(label >= 1 for label in topic.counted.values()),
                resolutions=topic.resolutions,
                total_ms=answer.timings.total_ms if answer.timings else None,
                error=answer.error,
                asked=answer.asked,
                passages=None if failed else found_passages(topic, whole[place]),
                lost=len(topic.lost),
            )
        )
    return results


def found_passages(topic: ResolvedTopic, ranking: Sequence[str], k: int = 10) -> float | None:
    """Share of a topic's relevant judgments with a chunk in the top k; None without a relevant judgment.

    ranking: judged ids, best first. A judgment that only another generation resolves counts as not found.
    """
    top = set(ranking[:k])
    known = [
        {topic.judged_id(chunk_id) for chunk_id in resolution.chunk_ids}
        for number, (judgment, resolution) in enumerate(zip(topic.topic.judgments, topic.resolutions, strict=True))
        if judgment.label >= 1 and (resolution.anchoring.scores or number in topic.lost)
    ]
    return sum(bool(chunks & top) for chunks in known) / len(known) if known else None


def summarize(results: Sequence[TopicResult], topics: TopicsById, measures: Measures) -> tuple[MeasureValue, ...]:
    """Summarize each measure over topics: mean, interval, upper bound, and the range that ties allow.

    results: of the topics that count. A failed topic has no value and counts in the number of topics only.
    """
    values = [_summary(results, topics, measure) for measure in measures.parsed]
    overlaps = overlapping(results)
    if overlaps:
        values.append(_mean_value(OVERLAP, list(overlaps.values()), len(overlaps), (0.0, 1.0)))
    return tuple(values)


def overlapping(results: Sequence[TopicResult]) -> Mapping[str, float]:
    """By id of each paraphrase, the share of documents in the first three hits in common with its original."""
    by_id = {result.topic.id: result for result in results if result.error is None}
    found = {}
    for result in by_id.values():
        original = by_id.get(result.topic.paraphrase_of or "")
        if original is not None:
            found[result.topic.id] = overlap(_documents(result), _documents(original))
    return found


def _documents(result: TopicResult) -> list[str]:
    return [hit.chunk.document.url for hit in result.hits]


def _by_topic(
    values_of: Callable[..., Sequence[Sequence[float | None]]],
    measures: Measures,
    whole: Sequence[Sequence[str]],
    shown: Sequence[Sequence[str]],
    labels: Sequence[Mapping[str, int]],
) -> list[dict[str, float | None]]:
    """Transpose values from by measure to by topic; `mrr` is computed from the first top_k hits."""
    columns: dict[str, Sequence[float | None]] = {}
    for rankings, part in ((whole, measures.on_full_ranking), (shown, measures.on_top_k)):
        columns |= zip((one.name for one in part), values_of(part, rankings, labels), strict=True)
    return [{name: columns[name][place] for name in measures.names} for place in range(len(whole))]


def _summary(results: Sequence[TopicResult], topics: TopicsById, measure: Measure) -> MeasureValue:
    values = [result.values.get(measure.name) for result in results]
    value = _mean_value(measure.name, [one for one in values if one is not None], len(results), measure.bounds)
    upper = mean_of_known(result.upper.get(measure.name) for result in results)
    return replace(value, upper=upper, tied=_tied(results, topics, measure))


def _mean_value(name: str, known: Sequence[float], topics: int, bounds: tuple[float, float] | None) -> MeasureValue:
    interval = bootstrap_interval(known, bounds=bounds)
    return MeasureValue(name, mean_of_known(known), len(known), topics, interval)


def _tied(results: Sequence[TopicResult], topics: TopicsById, measure: Measure) -> tuple[float, float] | None:
    """Lowest and highest mean over all orders of equal scores; None if ties make no difference."""
    known: list[tuple[float, float]] = []
    differs = False
    for result in results:
        value = result.values.get(measure.name)
        if value is None:
            continue
        low = high = value
        hits = result.hits[: result.topic.top_k] if measure.name == BEST_HIT else result.hits
        if len({hit.rank_score for hit in hits}) < len(hits):
            topic = topics[result.topic.id]
            scored = [(topic.judged_id(hit.chunk.id), hit.rank_score) for hit in hits]
            ((found,),) = tie_ranges([measure], [scored], [topic.counted])
            low, high = found or (value, value)
        known.append((low, high))
        differs = differs or low < high
    return (fmean(low for low, _ in known), fmean(high for _, high in known)) if differs else None
