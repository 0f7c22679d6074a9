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

    name: as the field writes it, with `@k` if it has a cutoff.
    formula, bound: of a judged ranking and, if any, the cutoff; bound is None for a measure without an upper bound.
    aliases: other spellings, in lower case.
    bounded: whether it lies in 0 to 1.
    from_hits: whether the labels of the hits are enough, without the relevant chunks that were not found.
    of_ranking: whether it measures the ranking, and not the test set.
    """

    name: str
    formula: Callable[..., float | None]
    bound: Callable[..., float] | None
    aliases: tuple[str, ...] = ()
    bounded: bool = True
    from_hits: bool = False
    of_ranking: bool = True

    @property
    def cutoff(self) -> bool:
        """Whether it has a cutoff."""
        return self.name.endswith("@k")


def _spellings_of_ndcg(gain: str) -> tuple[str, ...]:
    """The name in ir_measures of nDCG with this discounted gain."""
    return f"ndcg(dcg='{gain}')", f'ndcg(dcg="{gain}")'


FAMILIES = (
    Family("P@k", formulas.precision, bounds.precision_bound, ("p", "precision"), from_hits=True),
    Family("mrr", formulas.best_reciprocal_rank, bounds.best_reciprocal_rank_bound, from_hits=True),
    Family("rank_of_best", formulas.rank_of_best, None, bounded=False),
    Family(
        "RR", formulas.reciprocal_rank, bounds.reciprocal_rank_bound, ("recip_rank", "reciprocal_rank"), from_hits=True
    ),
    Family("Recall@k", formulas.recall, bounds.recall_bound, ("r",)),
    Family("AP", formulas.average_precision, bounds.average_precision_bound, ("map", "average_precision")),
    Family("nDCG@k", formulas.ndcg, bounds.ndcg_bound, ("ndcg_cut", *_spellings_of_ndcg("log2"))),
    Family("nDCG_exp@k", formulas.exponential_ndcg, bounds.exponential_ndcg_bound, _spellings_of_ndcg("exp-log2")),
    Family("Success@k", formulas.success, bounds.success_bound, from_hits=True),
    Family("bpref", formulas.bpref, None),
    Family("judged@k", formulas.judged_share, None, from_hits=True, of_ranking=False),
    Family(
        "ceiling P@k",
        formulas.precision_ceiling,
        bounds.precision_ceiling_bound,
        ("ceiling_p", "ceiling"),
        of_ranking=False,
    ),
)
"""Every measure of one topic; docs/measures.md has a row for each."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure with its cutoff.

    k: 1 to MAX_CUTOFF; None if the family has no cutoff.
    """

    family: Family
    k: int | None = None

    @property
    def name(self) -> str:
        """As the field writes it, such as `nDCG@10`."""
        return self.family.name if self.k is None else f"{self.family.name.removesuffix('k')}{self.k}"

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The range of a topic's value; None if it has no upper end."""
        return (0.0, 1.0) if self.family.bounded else None

    def of(self, ranking: Sequence[str], labels: Mapping[str, int]) -> float | None:
        """The value of one topic; None if it is undefined.

        ranking: chunk ids, best first; a duplicate counts at its first rank.
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
        """The largest value over all labels of the unjudged hits; None if there is no such bound."""
        return _no_bound if self.family.bound is None else _at(self.family.bound, self.k)


def parse_measure(name: str) -> Measure:
    """Parse the name of a measure, such as `P@5`, `mrr` or `nDCG@10`.

    Case does not matter, and the spellings of trec_eval and ir_measures are accepted (`ndcg_cut_10`, `recip_rank`,
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
        raise InputError(f"The cutoff of {name!r} must be from 1 to {MAX_CUTOFF:,}.")
    return Measure(family, cutoff)


def _parts(name: str) -> tuple[str, int | None]:
    """The name in lower case without its cutoff, and the cutoff."""
    spelling = " ".join(name.lower().split())
    found = re.fullmatch(r"(.+?) ?(?:@|_at_|_cut[_.]|[_.]) ?([0-9]{1,9})", spelling)
    return (found[1], int(found[2])) if found else (spelling, None)


def _unknown(name: str, base: str) -> str:
    if base == OVERLAP.partition("@")[0]:
        return f"{OVERLAP} compares a paraphrase with its original; it is always reported and cannot be requested."
    if base == PASSAGES.partition("@")[0]:
        return f"{PASSAGES} cannot be requested: `assay compare` shows it if numbers of relevant chunks differ."
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
