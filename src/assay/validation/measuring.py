"""From rankings and labels to values: of each topic, and over topics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from assay.model.evaluation import MeasureValue, ResolvedTopic, Run
from assay.model.validations import TopicResult
from assay.validation.metrics import Measure, evaluate, overlap, parse_measure, tie_ranges, upper_bounds
from assay.validation.metrics.formulas import rank_of_best
from assay.validation.metrics.judged import judge
from assay.validation.statistics import bootstrap_interval

ALWAYS = (
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
"""What every report has."""

OVERLAP = "overlap@3"
BEST_HIT = "mrr"

TopicsById = Mapping[str, ResolvedTopic]


@dataclass(frozen=True, slots=True)
class Measures:
    """What is measured. names: as the field writes them, each once."""

    parsed: tuple[Measure, ...]

    @classmethod
    def named(cls, further: Sequence[str] = ()) -> "Measures":
        """Those that every report has, and further ones. Raises InputError for a name that is no measure's."""
        parsed = [parse_measure(name) for name in (*ALWAYS, *further)]
        return cls(tuple({measure.name: measure for measure in parsed}.values()))

    def of_hits(self) -> "Measures":
        """Those that look at the hits alone: who sees no more of an index cannot know what was not found."""
        known = {"P@k", "mrr", "RR", "Success@k", "judged@k"}
        return Measures(tuple(measure for measure in self.parsed if measure.family.name in known))

    @property
    def of_quality(self) -> tuple[str, ...]:
        """Names of those that say how good rankings are, and not what was judged or could be reached."""
        told = {"judged@k", "ceiling P@k"}
        return tuple(measure.name for measure in self.parsed if measure.family.name not in told)

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(measure.name for measure in self.parsed)

    @property
    def deepest(self) -> int:
        """Hits that the deepest of them look at; those without a cutoff take what there is."""
        return max(measure.k or 0 for measure in self.parsed)

    @property
    def of_shown(self) -> tuple[Measure, ...]:
        """Those that look at a topic's first top_k hits."""
        return tuple(measure for measure in self.parsed if measure.name == BEST_HIT)

    @property
    def of_whole(self) -> tuple[Measure, ...]:
        """Those that look at the whole ranking."""
        return tuple(measure for measure in self.parsed if measure.name != BEST_HIT)


def measure_topics(run: Run, topics: Sequence[ResolvedTopic], measures: Measures) -> list[TopicResult]:
    """The values of every topic of a run.

    topics: in the order of the run. `mrr` looks at the first top_k hits of a topic, for seed 001 defines it by the
    results of its test case; all others look at the whole ranking.
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
    """The share of a topic's relevant judgments of which some chunk is in the top k; None where none is known.

    ranking: judged ids, best first. A judgment that only another generation has counts as not found.
    """
    top = set(ranking[:k])
    known = [
        {topic.judged_id(chunk_id) for chunk_id in resolution.chunk_ids}
        for number, (judgment, resolution) in enumerate(zip(topic.topic.judgments, topic.resolutions, strict=True))
        if judgment.label >= 1 and (resolution.anchoring.scores or number in topic.lost)
    ]
    return sum(bool(chunks & top) for chunks in known) / len(known) if known else None


def summarize(results: Sequence[TopicResult], topics: TopicsById, measures: Measures) -> tuple[MeasureValue, ...]:
    """Each measure over topics: mean, interval, bound, and what equal scores leave open.

    results: of the topics that count. One that failed has no value, and is only in the number of topics.
    topics: by id.
    """
    values = [_summary(results, topics, measure) for measure in measures.parsed]
    overlaps = overlapping(results)
    if overlaps:
        values.append(_mean_value(OVERLAP, list(overlaps.values()), len(overlaps), (0.0, 1.0)))
    return tuple(values)


def overlapping(results: Sequence[TopicResult]) -> Mapping[str, float]:
    """For each paraphrase whose original was asked too, how much of their first three hits' documents they share."""
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
    """Values by topic instead of by measure, that of the best hit from what is shown."""
    columns: dict[str, Sequence[float | None]] = {}
    for rankings, part in ((whole, measures.of_whole), (shown, measures.of_shown)):
        columns |= zip((one.name for one in part), values_of(part, rankings, labels), strict=True)
    return [{name: columns[name][place] for name in measures.names} for place in range(len(whole))]


def _summary(results: Sequence[TopicResult], topics: TopicsById, measure: Measure) -> MeasureValue:
    values = [result.values.get(measure.name) for result in results]
    bounds = [result.upper.get(measure.name) for result in results]
    value = _mean_value(measure.name, [one for one in values if one is not None], len(results), measure.bounds)
    known = [one for one in bounds if one is not None]
    return replace(value, upper=fmean(known) if known else None, tied=_tied(results, topics, measure))


def _mean_value(name: str, known: Sequence[float], topics: int, bounds: tuple[float, float] | None) -> MeasureValue:
    interval = bootstrap_interval(known, bounds=bounds)
    return MeasureValue(name, fmean(known) if known else None, len(known), topics, interval)


def _tied(results: Sequence[TopicResult], topics: TopicsById, measure: Measure) -> tuple[float, float] | None:
    """The lowest and highest mean that other orders of equal scores could give; None where they make no difference."""
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
