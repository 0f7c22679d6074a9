"""MRR in the order that the seeds' routes show."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.validations import hits_of

from assay.model.evaluation import ResolvedTopic, Run, Topic, TopicRun
from assay.model.ranking import ContractMode, Hit, Mode, Query, Ranking, Timings
from assay.model.validations import TopicResult
from assay.ports import Silence
from assay.validation.running.contract_order import contract_order_notes, measure_contract_order
from assay.validation.running.measuring import Measures, measure_topics
from assay.validation.running.runner import SearchSetup

SIMILARITIES = (0.3, 0.9, 0.5, 0.7, 0.1, 0.8)
HITS = tuple(replace(hit, similarity=similarity) for hit, similarity in zip(hits_of(0, 6), SIMILARITIES, strict=True))
"""In the order of the search; the sixth is similar, and no topic that shows five hits shows it."""


class Dense:
    """Finds the sixth hit first, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Query] = []

    def search(self, query: Query) -> Ranking:
        self.asked.append(query)
        return Ranking(query, (HITS[5], *HITS[:5]), "g1", Timings(0.1, 0.5, 0.1, 0.2, 1.0))


def _topic(name: str, best: Hit) -> ResolvedTopic:
    return ResolvedTopic(Topic(id=name, text=name), (), {best.chunk.id: 2})


def _shown(
    contract_mode: ContractMode,
    topics: Sequence[ResolvedTopic],
    service: Dense,
    mode: Mode = Mode.HYBRID,
    *,
    rerank: bool = False,
) -> float | None:
    run = Run("g1", 6, tuple(TopicRun(topic.topic.id, HITS) for topic in topics))
    results: list[TopicResult] = measure_topics(run, topics, Measures.parse())
    by_id = {topic.topic.id: topic for topic in topics}
    setup = SearchSetup(service.search, None, mode, 0.0, 6, rerank=rerank)
    return measure_contract_order(contract_mode, results, by_id, setup, Silence()).mrr.value


@pytest.mark.parametrize(
    ("contract_mode", "value"),
    [
        pytest.param(ContractMode.HYBRID, (1 / 4 + 1 / 1) / 2, id="the same five by similarity"),
        pytest.param(ContractMode.FUSED, (1 / 1 + 1 / 2) / 2, id="as they were found"),
    ],
)
def test_mrr_is_of_the_hits_that_are_shown_in_the_order_in_which_they_are(
    contract_mode: ContractMode, value: float
) -> None:
    service = Dense()
    assert _shown(contract_mode, [_topic("a", HITS[0]), _topic("b", HITS[1])], service) == pytest.approx(value)
    assert service.asked == []


def test_dense_routes_choose_other_hits_so_they_are_searched_for() -> None:
    service = Dense()
    assert _shown(ContractMode.DENSE, [_topic("a", HITS[5])], service) == pytest.approx(1 / 2)
    assert {query.mode for query in service.asked} == {Mode.DENSE}
    assert _shown(ContractMode.HYBRID, [_topic("a", HITS[5])], Dense()) == 0.0


def test_where_the_search_is_dense_already_nothing_is_searched_again() -> None:
    service = Dense()
    assert _shown(ContractMode.DENSE, [_topic("a", HITS[1])], service, Mode.DENSE) == 1.0
    assert service.asked == []


def test_dense_routes_do_without_the_reranker_so_a_reranked_dense_search_is_made_again_without() -> None:
    service = Dense()
    assert _shown(ContractMode.DENSE, [_topic("a", HITS[0])], service, Mode.DENSE, rerank=True) is not None
    assert service.asked
    assert not any(query.rerank for query in service.asked)


def test_a_note_names_both_orders_unless_their_figures_are_the_same() -> None:
    topics = [_topic("a", HITS[0])]
    run = Run("g1", 6, (TopicRun("a", HITS),))
    results = measure_topics(run, topics, Measures.parse())
    setup = SearchSetup(Dense().search, None, Mode.HYBRID, 0.0, 6)
    by_similarity = measure_contract_order(ContractMode.HYBRID, results, {"a": topics[0]}, setup, Silence())
    (note,) = contract_order_notes(by_similarity, 1.0)
    assert "1.000" in note
    assert "0.250" in note
    assert "by similarity" in note
    assert contract_order_notes(by_similarity, 0.25) == []
