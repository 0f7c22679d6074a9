"""MRR in the order in which the seeds' routes show hits: that need not be the order that the gate judges."""

from collections.abc import Sequence
from dataclasses import replace

from assay.model.evaluation import Run, TopicRun
from assay.model.ranking import ContractMode, Mode, by_similarity
from assay.model.validations import ShownOrder, TopicResult
from assay.ports import Progress
from assay.validation.measuring import BEST_HIT, Measures, TopicsById, measure_topics, summarize
from assay.validation.metrics import parse_measure
from assay.validation.runner import Asked, run_topics

_MRR = Measures((parse_measure(BEST_HIT),))
_VISIBLE = 0.0005


def shown_order(
    contract_mode: ContractMode,
    results: Sequence[TopicResult],
    topics: TopicsById,
    asked: Asked,
    progress: Progress,
) -> ShownOrder:
    """MRR of these topics in the order of a contract mode.

    results: of the topics that count, in the order of the configured search. `hybrid` shows the same hits in another
        order; `dense` chooses others, so its searches are made here where the configured search is not dense.
    """
    chosen = [topics[result.topic.id] for result in results]
    runs: Sequence[TopicRun] = [
        TopicRun(one.topic.id, one.hits[: one.topic.top_k], error=one.error, asked=one.asked) for one in results
    ]
    if contract_mode is ContractMode.DENSE and asked.mode is not Mode.DENSE:
        runs = run_topics(chosen, replace(asked, mode=Mode.DENSE), "", progress).run.topics
    if contract_mode is not ContractMode.FUSED:
        tops = [topic.topic.top_k for topic in chosen]
        runs = [replace(run, hits=by_similarity(run.hits[:top])) for run, top in zip(runs, tops, strict=True)]
    measured = measure_topics(Run("", asked.depth, tuple(runs)), chosen, _MRR)
    return ShownOrder(contract_mode, summarize(measured, topics, _MRR)[0])


def shown_notes(shown: ShownOrder, judged: float | None) -> list[str]:
    """What a reader of the gate's figures has to know of that order. judged: MRR in the order that was judged."""
    value = shown.mrr.value
    if value is None or judged is None or abs(value - judged) < _VISIBLE:
        return []
    told = (
        f"MRR is {judged:.3f} in the order of the search, by which the gate judges, and {value:.3f} in the order in "
        f"which the seeds' routes show hits: by similarity (contract_mode `{shown.contract_mode.value}`)."
    )
    return [told]
