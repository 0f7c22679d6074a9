"""Our measures against trec_eval itself, on generated topics."""

from collections.abc import Mapping

import numpy as np
import pytest
from tests.trec_topics import KINDS, GeneratedTopic, generated_topics

from assay.validation.metrics import FAMILIES, evaluate, order, parse_measure

pytrec_eval = pytest.importorskip(
    "pytrec_eval", reason="pytrec-eval-terrier, which brings trec_eval, has no wheel for this platform"
)

TOPICS = 12_000
CUTOFFS = (1, 2, 3, 5, 10, 20, 100)
TREC_NAMES = {
    "P@k": "P",
    "RR": "recip_rank",
    "Recall@k": "recall",
    "AP": "map",
    "nDCG@k": "ndcg_cut",
    "Success@k": "success",
    "bpref": "bpref",
}
NOT_IN_TREC_EVAL = {"mrr", "rank_of_best", "nDCG_exp@k", "judged@k", "ceiling P@k"}

Results = Mapping[str, Mapping[str, float]]


@pytest.fixture(scope="module")
def topics() -> list[GeneratedTopic]:
    return generated_topics(TOPICS)


def trec_eval(topics: list[GeneratedTopic], gains: Mapping[int, int] | None = None) -> Results:
    """What trec_eval gives for each topic, by the topic's number and the measure as trec_eval writes it."""
    cutoffs = ",".join(map(str, CUTOFFS))
    families = {family.name: family for family in FAMILIES}
    asked = {f"{trec}.{cutoffs}" if families[name].cutoff else trec for name, trec in TREC_NAMES.items()}
    judged = {
        str(number): {id_: label if gains is None else gains[label] for id_, label in topic.labels.items()}
        for number, topic in enumerate(topics)
    }
    run = {str(number): topic.scores for number, topic in enumerate(topics)}
    results: Results = pytrec_eval.RelevanceEvaluator(judged, asked).evaluate(run)
    return results


def trec_order(topic: GeneratedTopic) -> list[str]:
    """trec_eval's order: scores in single precision, equal ones by descending id."""
    return sorted(topic.scores, key=lambda id_: (np.float32(topic.scores[id_]), id_), reverse=True)


def our_values(topics: list[GeneratedTopic], names: list[str]) -> dict[str, list[float | None]]:
    rankings = [trec_order(topic) for topic in topics]
    values = evaluate([parse_measure(name) for name in names], rankings, [topic.labels for topic in topics])
    return dict(zip(names, values, strict=True))


def spelled() -> dict[str, str]:
    """Each of our measures that trec_eval has, and how it is written there."""
    names = {}
    for family in FAMILIES:
        if family.name in TREC_NAMES:
            trec = TREC_NAMES[family.name]
            names |= (
                {family.name[:-1] + str(k): f"{trec}_{k}" for k in CUTOFFS} if family.cutoff else {family.name: trec}
            )
    return names


def differences(ours: dict[str, list[float | None]], theirs: Results, names: Mapping[str, str]) -> list[str]:
    """Every topic and measure on which both differ; a topic without judgments is 0, where trec_eval leaves it out."""
    found = []
    for name, trec in names.items():
        for number, value in enumerate(ours[name]):
            expected = theirs[str(number)][trec] if str(number) in theirs else 0.0
            if value is None or abs(value - expected) > 1e-9:
                found.append(f"{name} of topic {number}: {value}, but trec_eval {expected}")
    return found


def test_every_measure_is_as_trec_eval_has_it(topics: list[GeneratedTopic]) -> None:
    theirs = trec_eval(topics)
    left_out = {topic.kind for number, topic in enumerate(topics) if str(number) not in theirs}
    assert left_out == {"no judgments"}
    names = spelled()
    assert len(topics) * len(names) > 350_000
    assert differences(our_values(topics, list(names)), theirs, names) == []


def test_the_exponential_gain_is_trec_evals_with_other_gains(topics: list[GeneratedTopic]) -> None:
    theirs = trec_eval(topics, gains={0: 0, 1: 1, 2: 3})
    names = {f"nDCG_exp@{k}": f"ndcg_cut_{k}" for k in CUTOFFS}
    assert differences(our_values(topics, list(names)), theirs, names) == []


def test_our_own_order_of_ties_is_not_trec_evals(topics: list[GeneratedTopic]) -> None:
    """What orders ties at all is compared above; here, that ties matter in what is generated."""
    ties = [topic for topic in topics if topic.kind == "ties"]
    assert any(order(topic.scored) != trec_order(topic) for topic in ties)
    names = spelled()
    ours = evaluate(
        [parse_measure(name) for name in names],
        [order(topic.scored) for topic in ties],
        [topic.labels for topic in ties],
    )
    assert differences(dict(zip(names, ours, strict=True)), trec_eval(ties), names)


def test_the_generated_topics_are_what_they_are_called(topics: list[GeneratedTopic]) -> None:
    by_kind = {kind: [topic for topic in topics if topic.kind == kind] for kind in KINDS}
    assert {len(of_kind) for of_kind in by_kind.values()} == {TOPICS // len(KINDS)}
    assert not any(topic.scored for topic in by_kind["no hits"])
    assert not any(any(topic.labels.values()) for topic in by_kind["no relevant"])
    assert all(len(topic.scored) > len(topic.scores) for topic in by_kind["duplicates"])
    assert any(0 < sum(id_ in topic.labels for id_ in topic.scores) < 4 for topic in by_kind["unjudged"])
    assert {label for topic in topics for label in topic.labels.values()} == {0, 1, 2}


def test_every_measure_is_compared_or_known_not_to_be_in_trec_eval() -> None:
    assert {family.name for family in FAMILIES} == TREC_NAMES.keys() | NOT_IN_TREC_EVAL
