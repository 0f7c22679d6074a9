"""MRR in the order in which the contracts' routes return hits, which can differ from the order that the gate judges."""

from collections.abc import Sequence
from dataclasses import replace

from assay.model.evaluation import Run, TopicRun
from assay.model.ranking import ContractMode, Mode, by_similarity
from assay.model.validations import ShownOrder, TopicResult
from assay.ports import Progress
from assay.validation.metrics import parse_measure
from assay.validation.running.measuring import BEST_HIT, Measures, TopicsById, measure_topics, summarize
from assay.validation.running.runner import SearchSetup, run_topics

_MRR = Measures((parse_measure(BEST_HIT),))
_VISIBLE = 0.0005


def measure_contract_order(
    contract_mode: ContractMode,
    results: Sequence[TopicResult],
    topics: TopicsById,
    setup: SearchSetup,
    progress: Progress,
) -> ShownOrder:
    """Compute MRR in the order of a contract mode.

    results: of the topics that count, in the order of the configured search. `hybrid` returns the same hits in another
        order; `dense` returns other hits, so this runs dense searches unless the configured search is dense and not
        reranked.
    """
    chosen = [topics[result.topic.id] for result in results]
    runs: Sequence[TopicRun] = [
        TopicRun(one.topic.id, one.hits[: one.topic.top_k], error=one.error, asked=one.asked) for one in results
    ]
    if contract_mode is ContractMode.DENSE and (setup.mode is not Mode.DENSE or setup.rerank):
        runs = run_topics(chosen, replace(setup, mode=Mode.DENSE, rerank=False), "", progress).run.topics
    if contract_mode is not ContractMode.FUSED:
        tops = [topic.topic.top_k for topic in chosen]
        runs = [replace(run, hits=by_similarity(run.hits[:top])) for run, top in zip(runs, tops, strict=True)]
    measured = measure_topics(Run("", setup.depth, tuple(runs)), chosen, _MRR)
    return ShownOrder(contract_mode, summarize(measured, topics, _MRR)[0])


def contract_order_notes(shown: ShownOrder, judged: float | None) -> list[str]:
    """Note a visible difference between both orders. judged: MRR in the order that the gate judges."""
    value = shown.mrr.value
    if value is None or judged is None or abs(value - judged) < _VISIBLE:
        return []
    return [
        (
            f"The gate judges MRR in search order, {judged:.3f}. The contracts' routes, such as `/query`, "
            "order hits by similarity "
            f"(contract_mode `{shown.contract_mode.value}`), which has MRR {value:.3f}."
        )
    ]
