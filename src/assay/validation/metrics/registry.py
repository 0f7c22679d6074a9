"""The measures, and the spellings of their names."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from assay.errors import InputError
from assay.model.spelling import nearest
from assay.validation.metrics import bounds, formulas
from assay.validation.metrics.judged import JudgedRanking, judge

MAX_CUTOFF = 1_000
"""The largest k of a measure; trec_eval's default depth."""

OVERLAP = "overlap@3"
"""Not of one topic but of a paraphrase and its original; `overlap` computes it."""

PASSAGES = "passages@10"
"""By judgment instead of by chunk, so that it is comparable across chunk sizes."""

Formula = Callable[[JudgedRanking], float | None]


@dataclass(frozen=True, slots=True)
class Family:
    """A measure, for every cutoff if it has one.

    name: as the field writes it, without the cutoff.
    meaning: a short description.
    source: of its definition.
    formula, bound: of a judged ranking and, if any, the cutoff; bound is None for a measure without an upper bound.
    cutoff: whether it has one.
    aliases: other spellings, in lower case.
    bounded: whether it lies in 0 to 1.
    """

    name: str
    meaning: str
    source: str
    formula: Callable[..., float | None]
    bound: Callable[..., float] | None
    cutoff: bool
    aliases: tuple[str, ...] = ()
    bounded: bool = True


FAMILIES = (
    Family(
        "P@k",
        "Relevant hits in the top k, divided by k",
        "seed 001; trec_eval `P`",
        formulas.precision,
        bounds.precision_bound,
        cutoff=True,
        aliases=("p", "precision"),
    ),
    Family(
        "mrr",
        "1 / rank_of_best, 0 where there is none",
        "seed 001's code",
        formulas.best_reciprocal_rank,
        bounds.best_reciprocal_rank_bound,
        cutoff=False,
    ),
    Family(
        "rank_of_best",
        "Rank of the first hit that has the highest label of all hits; none where no hit is relevant",
        "seed 001",
        formulas.rank_of_best,
        None,
        cutoff=False,
        bounded=False,
    ),
    Family(
        "RR",
        "1 / rank of the first relevant hit, 0 where there is none",
        "trec_eval `recip_rank`",
        formulas.reciprocal_rank,
        bounds.reciprocal_rank_bound,
        cutoff=False,
        aliases=("recip_rank", "reciprocal_rank"),
    ),
    Family(
        "Recall@k",
        "Relevant hits in the top k, divided by all relevant chunks of the topic",
        "trec_eval `recall`",
        formulas.recall,
        bounds.recall_bound,
        cutoff=True,
        aliases=("r",),
    ),
    Family(
        "AP",
        "Mean over all relevant chunks of the precision at their rank, 0 for one not found",
        "trec_eval `map`",
        formulas.average_precision,
        bounds.average_precision_bound,
        cutoff=False,
        aliases=("map", "average_precision"),
    ),
    Family(
        "nDCG@k",
        "Gain of the top k, which is the label divided by log2(rank + 1), relative to the ideal ranking",
        "trec_eval `ndcg_cut`",
        formulas.ndcg,
        bounds.ndcg_bound,
        cutoff=True,
        aliases=("ndcg_cut", "ndcg(dcg='log2')", 'ndcg(dcg="log2")'),
    ),
    Family(
        "nDCG_exp@k",
        "The same with the gain 2^label - 1, so that a label of 2 counts three times a label of 1",
        "Burges et al., ICML 2005",
        formulas.exponential_ndcg,
        bounds.exponential_ndcg_bound,
        cutoff=True,
        aliases=("ndcg(dcg='exp-log2')", 'ndcg(dcg="exp-log2")'),
    ),
    Family(
        "Success@k",
        "1 where a relevant hit is in the top k, else 0",
        "trec_eval `success`",
        formulas.success,
        bounds.success_bound,
        cutoff=True,
    ),
    Family(
        "bpref",
        "How seldom a chunk judged not relevant stands above a relevant one; unjudged hits are left out",
        "trec_eval `bpref`",
        formulas.bpref,
        None,
        cutoff=False,
    ),
    Family(
        "judged@k",
        "Judged hits in the top k, divided by the hits there; none without hits",
        "ir_measures `Judged`",
        formulas.judged_share,
        None,
        cutoff=True,
    ),
    Family(
        "ceiling P@k",
        "The largest P@k that this index allows: min(k, relevant chunks) / k",
        "Assay",
        formulas.precision_ceiling,
        bounds.precision_ceiling_bound,
        cutoff=True,
        aliases=("ceiling_p", "ceiling"),
    ),
)
"""Every measure of one topic; docs/measures.md has a row for each."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure with its cutoff: what a report has a number for.

    k: 1 to MAX_CUTOFF; None where the family has no cutoff.
    """

    family: Family
    k: int | None = None

    @property
    def name(self) -> str:
        """As the field writes it, such as `nDCG@10`."""
        return self.family.name if self.k is None else f"{self.family.name.removesuffix('k')}{self.k}"

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The range in which a topic's value can lie; None where it has no upper end."""
        return (0.0, 1.0) if self.family.bounded else None

    def of(self, ranking: Sequence[str], labels: Mapping[str, int]) -> float | None:
        """The value of one topic; None where it is not defined.

        ranking: chunk ids, best first; equal ones count once, where they come first.
        labels: 0, 1 or 2 of every judged chunk in the index, found or not.

        Raises InputError for another label.
        """
        return self.formula(judge(ranking, labels))

    @property
    def formula(self) -> Formula:
        """The value of a judged ranking."""
        return _at(self.family.formula, self.k)

    @property
    def bound(self) -> Formula:
        """The largest value over all labellings of the unjudged hits; None where there is no such limit."""
        return _no_bound if self.family.bound is None else _at(self.family.bound, self.k)


def parse_measure(name: str) -> Measure:
    """The measure of that name, such as `P@5`, `mrr` or `nDCG@10`.

    Case does not matter, and trec_eval's and ir_measures' spellings are understood (`ndcg_cut_10`, `recip_rank`,
    `R@10`). `MRR` is seed 001's `mrr`, by the best hit; the mean of reciprocal ranks of trec_eval is `RR`.

    Raises InputError, which lists the measures, for any other name.
    """
    base, cutoff = _parts(name)
    family = _BY_SPELLING.get(base)
    if family is None:
        raise InputError(_unknown(name, base), hint=f"The measures are {_listed()}, with k from 1 to {MAX_CUTOFF:,}.")
    if family.cutoff != (cutoff is not None):
        wrong = "has no cutoff" if cutoff is not None else "needs a cutoff"
        right = f"{family.name.removesuffix('k')}10" if family.cutoff else family.name
        raise InputError(f"The measure {name!r} {wrong}.", hint=f"Write {right}.")
    if cutoff is not None and not 1 <= cutoff <= MAX_CUTOFF:
        raise InputError(f"The cutoff of {name!r} has to be from 1 to {MAX_CUTOFF:,}.")
    return Measure(family, cutoff)


def _parts(name: str) -> tuple[str, int | None]:
    """The measure's spelling in small letters, and its cutoff."""
    spelling = " ".join(name.lower().split())
    found = re.fullmatch(r"(.+?) ?(?:@|_at_|_cut[_.]|[_.]) ?([0-9]{1,9})", spelling)
    return (found[1], int(found[2])) if found else (spelling, None)


def _unknown(name: str, base: str) -> str:
    if base == OVERLAP.partition("@")[0]:
        return f"{OVERLAP} is of a paraphrase and its original; it is reported by itself and cannot be asked for."
    if base == PASSAGES.partition("@")[0]:
        return f"{PASSAGES} is compared by itself where two sides have different numbers of relevant chunks."
    near = nearest(base, _BY_SPELLING, cutoff=0.7)
    return f"There is no measure {name!r}." + (f" Did you mean {_BY_SPELLING[near].name}?" if near else "")


def _listed() -> str:
    return ", ".join(family.name for family in FAMILIES)


def _at(function: Callable[..., Any], k: int | None) -> Callable[[JudgedRanking], Any]:
    return function if k is None else partial(function, k=k)


def _no_bound(_judged: JudgedRanking) -> None:
    return None


_BY_SPELLING = {
    spelling: family for family in FAMILIES for spelling in (family.name.removesuffix("@k").lower(), *family.aliases)
}
