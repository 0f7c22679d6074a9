"""Deliberate faults of the measures, each a change of one place in their source, and the case that has to notice it."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from assay.validation import metrics

PACKAGE = metrics.__name__
SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(Path(metrics.__path__[0]).glob("*.py"))}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault: what is wrong with it, where, what stands there and what instead, and the case that sees it."""

    fault: str
    module: str
    old: str
    new: str
    killer: str

    @property
    def source(self) -> str:
        """The module with the fault. Raises AssertionError where its place is not there, or there more than once."""
        found = SOURCES[self.module].count(self.old)
        assert found == 1, f"{self.fault}: the place stands {found} times in {self.module}.py"
        return SOURCES[self.module].replace(self.old, self.new)


@contextmanager
def imported(folder: Path, mutant: Mutant | None = None) -> Iterator[ModuleType]:
    """The package of the measures under another name, with the fault in it if there is one."""
    name = f"mutated_metrics_{len(list(folder.iterdir()))}"
    package = folder / name
    package.mkdir()
    for module, source in SOURCES.items():
        text = mutant.source if mutant is not None and mutant.module == module else source
        (package / f"{module}.py").write_text(text.replace(PACKAGE, name), encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        yield importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))
        for loaded in [one for one in sys.modules if one.partition(".")[0] == name]:
            del sys.modules[loaded]


MUTANTS = (
    # --- what a ranking is
    Mutant(
        "duplicates counted twice",
        "judged",
        "ranking if len(set(ranking)) == len(ranking) else list(dict.fromkeys(ranking))",
        "ranking",
        "a_hit_that_comes_again_counts_once",
    ),
    Mutant(
        "labels of 2 counted, those of 1 not, as relevant hits",
        "judged",
        "ranks = [rank for rank, label in enumerate(found, start=1) if label]",
        "ranks = [rank for rank, label in enumerate(found, start=1) if label == 2]",
        "precision_counts_a_label_of_one",
    ),
    Mutant(
        "labels of 2 counted, those of 1 not, as relevant chunks",
        "judged",
        "JudgedRanking(found, ranks, ones + twos, twos, zeros)",
        "JudgedRanking(found, ranks, twos, twos, zeros)",
        "recall_is_of_all_relevant_chunks_of_the_topic",
    ),
    Mutant(
        "labels of 0 counted as relevant",
        "judged",
        "ranks = [rank for rank, label in enumerate(found, start=1) if label]",
        "ranks = [rank for rank, label in enumerate(found, start=1) if label is not None]",
        "precision_counts_a_label_of_one",
    ),
    Mutant(
        "ranks counted from 0",
        "judged",
        "ranks = [rank for rank, label in enumerate(found, start=1) if label]",
        "ranks = [rank for rank, label in enumerate(found, start=0) if label]",
        "precision_looks_at_k_hits_and_no_more",
    ),
    Mutant(
        "relevant chunks counted among the hits only",
        "judged",
        "JudgedRanking(found, ranks, ones + twos, twos, zeros)",
        "JudgedRanking(found, ranks, len(ranks), twos, zeros)",
        "recall_is_of_all_relevant_chunks_of_the_topic",
    ),
    Mutant(
        "judged chunks that are not relevant counted among the hits only",
        "judged",
        "JudgedRanking(found, ranks, ones + twos, twos, zeros)",
        "JudgedRanking(found, ranks, ones + twos, twos, found.count(0))",
        "bpref_is_relative_to_the_judged_chunks_if_those_are_fewer",
    ),
    Mutant(
        "labels outside 0 to 2 taken",
        "judged",
        "if zeros + ones + twos != len(given):",
        "if False:",
        "other_labels_than_zero_to_two_are_refused",
    ),
    # --- order
    Mutant(
        "ties in input order",
        "judged",
        "return sorted(best, key=lambda id_: (-best[id_], id_))",
        "return sorted(best, key=lambda id_: -best[id_])",
        "scores_are_ordered_from_the_highest_down_and_equal_ones_by_id",
    ),
    Mutant(
        "ties by id descending",
        "judged",
        "return sorted(best, key=lambda id_: (-best[id_], id_))",
        "return sorted(best, key=lambda id_: (best[id_], id_), reverse=True)",
        "scores_are_ordered_from_the_highest_down_and_equal_ones_by_id",
    ),
    Mutant(
        "lowest score first",
        "judged",
        "return sorted(best, key=lambda id_: (-best[id_], id_))",
        "return sorted(best, key=lambda id_: (best[id_], id_))",
        "scores_are_ordered_from_the_highest_down_and_equal_ones_by_id",
    ),
    Mutant(
        "an id's last score taken",
        "judged",
        "if id_ not in best or score > best[id_]:",
        "if True:",
        "an_id_with_several_scores_stands_at_its_best",
    ),
    Mutant(
        "NaN taken for a score",
        "judged",
        "if not math.isfinite(score):",
        "if math.isinf(score):",
        "scores_that_have_no_place_in_an_order_are_refused",
    ),
    Mutant(
        "infinite scores taken",
        "judged",
        "if not math.isfinite(score):",
        "if math.isnan(score):",
        "scores_that_have_no_place_in_an_order_are_refused",
    ),
    # --- formulas
    Mutant(
        "k replaced by the number of hits in P@k",
        "formulas",
        "return bisect_right(judged.ranks, k) / k\n",
        "return bisect_right(judged.ranks, k) / max(min(k, len(judged.found)), 1)\n",
        "precision_is_divided_by_k_when_fewer_hits_came_back",
    ),
    Mutant(
        "P@k without the hit at rank k",
        "formulas",
        "return bisect_right(judged.ranks, k) / k\n",
        "return bisect_right(judged.ranks, k - 1) / k\n",
        "precision_looks_at_k_hits_and_no_more",
    ),
    Mutant(
        "P@k of the whole ranking",
        "formulas",
        "return bisect_right(judged.ranks, k) / k\n",
        "return len(judged.ranks) / k\n",
        "precision_looks_at_k_hits_and_no_more",
    ),
    Mutant(
        "the best hit is the first with any relevant label",
        "formulas",
        "    if BEST_LABEL in judged.found:\n        return judged.found.index(BEST_LABEL) + 1\n",
        "",
        "the_best_hit_is_the_first_with_the_highest_label",
    ),
    Mutant(
        "the best hit is the last with the highest label",
        "formulas",
        "return judged.found.index(BEST_LABEL) + 1",
        "return len(judged.found) - judged.found[::-1].index(BEST_LABEL)",
        "the_best_hit_is_the_first_with_the_highest_label",
    ),
    Mutant(
        "the best hit has to have the highest label of the topic",
        "formulas",
        "return judged.ranks[0] if judged.ranks else None",
        "return judged.ranks[0] if judged.ranks and not judged.best else None",
        "the_highest_label_is_that_of_the_hits_not_of_the_topic",
    ),
    Mutant(
        "the best hit needs no relevant label",
        "formulas",
        "return judged.ranks[0] if judged.ranks else None",
        "return judged.ranks[0] if judged.ranks else 1 if judged.found else None",
        "there_is_no_best_hit_where_none_is_relevant",
    ),
    Mutant(
        "mrr by the first relevant hit",
        "formulas",
        "rank = rank_of_best(judged)",
        "rank = judged.ranks[0] if judged.ranks else None",
        "mrr_is_by_the_best_hit_and_rr_by_the_first_relevant_one",
    ),
    Mutant(
        "no best hit counted as dropped from mrr",
        "formulas",
        "return 0.0 if rank is None else 1.0 / rank",
        "return None if rank is None else 1.0 / rank",
        "a_topic_without_a_best_hit_counts_zero_in_mrr",
    ),
    Mutant(
        "RR by the best hit",
        "formulas",
        "return 1.0 / judged.ranks[0] if judged.ranks else 0.0",
        "return best_reciprocal_rank(judged)",
        "mrr_is_by_the_best_hit_and_rr_by_the_first_relevant_one",
    ),
    Mutant(
        "recall of the whole ranking",
        "formulas",
        "return bisect_right(judged.ranks, k) / judged.relevant if judged.relevant else 0.0",
        "return len(judged.ranks) / judged.relevant if judged.relevant else 0.0",
        "recall_is_of_all_relevant_chunks_of_the_topic",
    ),
    Mutant(
        "recall relative to k where that is less",
        "formulas",
        "return bisect_right(judged.ranks, k) / judged.relevant if judged.relevant else 0.0",
        "return bisect_right(judged.ranks, k) / min(judged.relevant, k) if judged.relevant else 0.0",
        "recall_is_of_all_relevant_chunks_of_the_topic",
    ),
    Mutant(
        "recall without relevant chunks is 1",
        "formulas",
        "/ judged.relevant if judged.relevant else 0.0",
        "/ judged.relevant if judged.relevant else 1.0",
        "a_topic_without_relevant_chunks_is_there_with_zero",
    ),
    Mutant(
        "success without the hit at rank k",
        "formulas",
        "judged.ranks[0] <= k",
        "judged.ranks[0] < k",
        "success_is_one_relevant_hit_in_the_top_k",
    ),
    Mutant(
        "success of the whole ranking",
        "formulas",
        "judged.ranks and judged.ranks[0] <= k",
        "judged.ranks",
        "success_is_one_relevant_hit_in_the_top_k",
    ),
    Mutant(
        "average precision over the relevant chunks that were found",
        "formulas",
        "enumerate(judged.ranks, start=1)) / judged.relevant",
        "enumerate(judged.ranks, start=1)) / max(len(judged.ranks), 1)",
        "average_precision_is_over_all_relevant_chunks_of_the_topic",
    ),
    Mutant(
        "ideal ranking from the returned hits",
        "formulas",
        "ideal = ideal_gain(min(judged.best, k), min(judged.relevant, k), k, gains)",
        "ideal = ideal_gain(min(judged.found.count(2), k), min(len(judged.ranks), k), k, gains) or 1.0",
        "the_ideal_ranking_has_relevant_chunks_that_were_not_found",
    ),
    Mutant(
        "ideal ranking as long as there are relevant chunks",
        "formulas",
        "ideal = ideal_gain(min(judged.best, k), min(judged.relevant, k), k, gains)",
        "ideal = ideal_gain(judged.best, judged.relevant, k + judged.relevant, gains)",
        "the_ideal_ranking_is_no_longer_than_k",
    ),
    Mutant(
        "ideal ranking with the best chunks last",
        "formulas",
        "gains[BEST_LABEL if place < best else 1]",
        "gains[BEST_LABEL if place >= relevant - best else 1]",
        "the_ideal_ranking_is_by_label",
    ),
    Mutant(
        "exponential gain for linear",
        "formulas",
        "LINEAR_GAINS = (0, 1, 2)",
        "LINEAR_GAINS = (0, 1, 3)",
        "the_ideal_ranking_is_by_label",
    ),
    Mutant(
        "linear gain for exponential",
        "formulas",
        "EXPONENTIAL_GAINS = (0, 1, 3)",
        "EXPONENTIAL_GAINS = (0, 1, 2)",
        "the_exponential_gain_of_a_label_of_two_is_three",
    ),
    Mutant(
        "exponential gain of 2^label",
        "formulas",
        "EXPONENTIAL_GAINS = (0, 1, 3)",
        "EXPONENTIAL_GAINS = (1, 2, 4)",
        "the_exponential_gain_of_a_label_of_two_is_three",
    ),
    Mutant(
        "binary gain",
        "formulas",
        "gained += gains[found[rank - 1] or 0] / discounts[rank - 1]",
        "gained += 1 / discounts[rank - 1]",
        "the_ideal_ranking_is_by_label",
    ),
    Mutant(
        "discount off by one",
        "formulas",
        "Decimal(rank + 1).ln()",
        "Decimal(rank + 2).ln()",
        "gain_is_discounted_by_the_binary_logarithm_of_rank_plus_one",
    ),
    Mutant(
        "no discount up to rank 2",
        "formulas",
        "Decimal(rank + 1).ln() / base",
        "max(Decimal(rank).ln() / base, Decimal(1))",
        "gain_is_discounted_by_the_binary_logarithm_of_rank_plus_one",
    ),
    Mutant(
        "natural logarithm only of the hits",
        "formulas",
        "/ discounts[rank - 1]",
        "/ (discounts[rank - 1] * 0.6931471805599453)",
        "gain_is_discounted_by_the_binary_logarithm_of_rank_plus_one",
    ),
    Mutant(
        "nDCG with the hit at rank k + 1",
        "formulas",
        "found, discounts, gained = judged.found, discounts_to(k), 0.0",
        "found, discounts, gained, k = judged.found, discounts_to(k + 1), 0.0, k + 1",
        "ndcg_looks_at_k_hits_and_no_more",
    ),
    Mutant(
        "nDCG without the hit at rank k",
        "formulas",
        "        if rank > k:\n",
        "        if rank >= k:\n",
        "ndcg_looks_at_k_hits_and_no_more",
    ),
    Mutant(
        "bpref counts unjudged hits",
        "formulas",
        "above += judged.found[start:rank].count(0)",
        "above += sum(not label for label in judged.found[start:rank])",
        "bpref_leaves_unjudged_hits_out",
    ),
    Mutant(
        "bpref without the bound on hits above",
        "formulas",
        "min(above, judged.relevant) / bound",
        "above / bound",
        "bpref_counts_no_more_hits_above_than_there_are_relevant_chunks",
    ),
    Mutant(
        "bpref relative to the relevant chunks only, as it was first published",
        "formulas",
        "bound = min(judged.not_relevant, judged.relevant)",
        "bound = judged.relevant",
        "bpref_is_relative_to_the_judged_chunks_if_those_are_fewer",
    ),
    Mutant(
        "bpref relative to the other chunks only",
        "formulas",
        "bound = min(judged.not_relevant, judged.relevant)",
        "bound = judged.not_relevant",
        "bpref_is_relative_to_the_judged_chunks_if_those_are_fewer",
    ),
    Mutant(
        "bpref over the relevant chunks that were found",
        "formulas",
        "return total / judged.relevant",
        "return total / len(judged.ranks)",
        "bpref_is_relative_to_the_judged_chunks_if_those_are_fewer",
    ),
    Mutant(
        "judged@k divided by k",
        "formulas",
        "(len(top) - top.count(None)) / len(top)",
        "(len(top) - top.count(None)) / k",
        "judged_is_the_share_of_the_hits_that_are_there",
    ),
    Mutant(
        "judged@k counts relevant hits",
        "formulas",
        "(len(top) - top.count(None)) / len(top)",
        "sum(map(bool, top)) / len(top)",
        "judged_is_the_share_of_the_hits_that_are_there",
    ),
    Mutant(
        "nothing judged where there are no hits",
        "formulas",
        "/ len(top) if top else None",
        "/ len(top) if top else 0.0",
        "judged_is_the_share_of_the_hits_that_are_there",
    ),
    Mutant(
        "ceiling over 1",
        "formulas",
        "return min(k, judged.relevant) / k",
        "return judged.relevant / k",
        "the_ceiling_of_precision_is_what_the_index_has",
    ),
    Mutant(
        "ceiling from the hits",
        "formulas",
        "return min(k, judged.relevant) / k",
        "return min(k, len(judged.ranks)) / k",
        "the_ceiling_of_precision_is_what_the_index_has",
    ),
    # --- many topics
    Mutant(
        "topics without results dropped",
        "evaluating",
        "    return [[*map(measure.formula, judged)] for measure in measures]",
        "    return [[*map(measure.formula, [one for one in judged if one.found])] for measure in measures]",
        "a_topic_without_results_is_there_with_zero",
    ),
    Mutant(
        "topics without relevant chunks dropped",
        "evaluating",
        "    return [[*map(measure.formula, judged)] for measure in measures]",
        "    return [[*map(measure.formula, [one for one in judged if one.relevant])] for measure in measures]",
        "a_topic_without_relevant_chunks_is_there_with_zero",
    ),
    Mutant(
        "ranges of ties from the order of equal ids only",
        "evaluating",
        "worst, best = (evaluate(measures, [pair[side] for pair in orders], labels) for side in (0, 1))",
        "worst, best = (evaluate(measures, [pair[0] for pair in orders], labels) for side in (0, 1))",
        "a_range_of_ties_is_from_the_worst_order_to_the_best",
    ),
    Mutant(
        "ranges of ties not from low to high",
        "evaluating",
        "return (one, other) if one <= other else (other, one)",
        "return (one, other)",
        "a_range_of_ties_is_from_the_worst_order_to_the_best",
    ),
    Mutant(
        "overlap of chunks' documents without counting each once",
        "evaluating",
        "set(list(dict.fromkeys(documents))[:k])",
        "set(list(documents)[:k])",
        "overlap_counts_each_document_once_where_its_best_hit_stands",
    ),
    Mutant(
        "overlap of whole rankings",
        "evaluating",
        "set(list(dict.fromkeys(documents))[:k])",
        "set(documents)",
        "overlap_counts_each_document_once_where_its_best_hit_stands",
    ),
    Mutant(
        "overlap relative to the union",
        "evaluating",
        "len(tops[0] & tops[1]) / k",
        "len(tops[0] & tops[1]) / max(len(tops[0] | tops[1]), 1)",
        "overlap_counts_each_document_once_where_its_best_hit_stands",
    ),
    # --- bounds
    Mutant(
        "precision bounded by unjudged hits anywhere",
        "bounds",
        "return (bisect_right(judged.ranks, k) + _unjudged_to(judged, k)) / k",
        "return (bisect_right(judged.ranks, k) + judged.found.count(None)) / k",
        "precision_is_bounded_by_unjudged_hits_in_the_top_k",
    ),
    Mutant(
        "recall bounded with the old denominator",
        "bounds",
        "relevant = judged.relevant + unjudged",
        "relevant = judged.relevant",
        "recall_is_bounded_with_a_larger_denominator_and_no_relevant_hit_below_k",
    ),
    Mutant(
        "recall bounded with every unjudged hit relevant",
        "bounds",
        "relevant = judged.relevant + unjudged",
        "relevant = judged.relevant + judged.found.count(None)",
        "recall_is_bounded_with_a_larger_denominator_and_no_relevant_hit_below_k",
    ),
    Mutant(
        "nDCG bounded by labels of 2 only",
        "bounds",
        "for relevant in range(best, len(unjudged) + 1):",
        "for relevant in [best]:",
        "ndcg_is_not_bounded_by_labels_of_two_alone",
    ),
    Mutant(
        "nDCG bounded with the old ideal ranking",
        "bounds",
        "ideal_gain(min(judged.best + best, k), min(judged.relevant + relevant, k), k, gains)",
        "ideal_gain(min(judged.best, k), min(judged.relevant, k), k, gains) or 1.0",
        "ndcg_is_not_bounded_by_labels_of_two_alone",
    ),
)
