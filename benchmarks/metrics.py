"""Speed of the measures on 10,000 topics with 100 hits each, compared with trec_eval.

    python -m benchmarks.metrics

The ratio covers the measures that both have. The goal is all measures in less than 1 s.
"""

import sys
from collections.abc import Callable
from random import Random
from time import perf_counter

from assay.validation.metrics import evaluate, order, parse_measure, tie_ranges, upper_bounds
from assay.validation.statistics import bootstrap_interval

TOPICS = 10_000
HITS = 100
GOAL_SECONDS = 1.0
REPEATS = 5
SHARED = {
    "P@5": "P_5",
    "P@10": "P_10",
    "RR": "recip_rank",
    "Recall@10": "recall_10",
    "Recall@100": "recall_100",
    "AP": "map",
    "nDCG@5": "ndcg_cut_5",
    "nDCG@10": "ndcg_cut_10",
    "Success@5": "success_5",
    "bpref": "bpref",
}
OURS = ("mrr", "rank_of_best", "nDCG_exp@10", "judged@5", "judged@10", "ceiling P@5")

Labels = dict[str, int]
Scores = dict[str, float]


def generated(topics: int, hits: int, seed: int = 1) -> tuple[list[Labels], list[Scores]]:
    """Labels and scored hits of topics with 25 judged chunks each, of which 15 are hits."""
    random = Random(seed)
    ids = [f"{number:08x}-7d2c-5e0b-9a41-3f6b8c2d1e05" for number in range(5 * topics)]
    labels, scores = [], []
    for _ in range(topics):
        found = random.sample(ids, hits)
        judged = random.sample(found, 15) + random.sample(ids, 10)
        labels.append({id_: random.choices((0, 1, 2), (5, 3, 2))[0] for id_ in judged})
        scores.append({id_: 1.0 / rank for rank, id_ in enumerate(found, start=1)})
    return labels, scores


def quickest(action: Callable[[], object]) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(REPEATS):
        started = perf_counter()
        action()
        times.append(perf_counter() - started)
    return min(times)


def main() -> int:
    """Print the table; return 1 if the goal is missed."""
    labels, scores = generated(TOPICS, HITS)
    scored = [list(of_topic.items()) for of_topic in scores]
    rankings = [list(of_topic) for of_topic in scores]
    shared, every = ([parse_measure(name) for name in names] for names in (SHARED, (*SHARED, *OURS)))
    print(f"{TOPICS:,} topics x {HITS} hits, quickest of {REPEATS}")
    seconds = quickest(lambda: evaluate(every, rankings, labels))
    print(f"  all {len(every)} measures            {seconds:>8.2f} s   goal {GOAL_SECONDS:g} s")
    both = quickest(lambda: evaluate(shared, rankings, labels))
    print(f"  the {len(shared)} of trec_eval        {both:>8.2f} s")
    _print_trec_eval(labels, scores, both)
    print(f"  order of scored hits       {quickest(lambda: [order(hits) for hits in scored]):>8.2f} s")
    print(f"  ranges of ties             {quickest(lambda: tie_ranges(every, scored, labels)):>8.2f} s")
    print(f"  upper bounds               {quickest(lambda: upper_bounds(every, rankings, labels)):>8.2f} s")
    values = [value for value in evaluate(shared[-3:-2], rankings[:200], labels[:200])[0] if value is not None]
    print(f"  one interval of 200 topics {1_000 * quickest(lambda: bootstrap_interval(values)):>8.2f} ms")
    return 0 if seconds < GOAL_SECONDS else 1


def _print_trec_eval(labels: list[Labels], scores: list[Scores], ours: float) -> None:
    try:
        import pytrec_eval
    except ImportError:
        print("  trec_eval: pytrec-eval-terrier has no wheel for this platform")
        return
    judged = {str(number): of_topic for number, of_topic in enumerate(labels)}
    run = {str(number): of_topic for number, of_topic in enumerate(scores)}
    asked = {"P.5,10", "recip_rank", "recall.10,100", "map", "ndcg_cut.5,10", "success.5", "bpref"}
    evaluator = pytrec_eval.RelevanceEvaluator(judged, asked)
    theirs = quickest(lambda: evaluator.evaluate(run))
    print(f"  the same by trec_eval      {theirs:>8.2f} s   ours takes {ours / theirs:.2f} times as long")


if __name__ == "__main__":
    sys.exit(main())
