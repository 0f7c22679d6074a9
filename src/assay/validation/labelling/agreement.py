"""The agreement of two judges, corrected for chance."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations

from assay.model.evaluation import LABELS
from assay.model.labelling import Agreement, Disagreement, LabelEntry

Key = tuple[str, str]
"""Topic, and the text that was judged: its hash, or the quote."""


def agreements(entries: Iterable[LabelEntry]) -> list[Agreement]:
    """The agreement of each two named judges with a passage in common.

    entries: in their order; of a judge's labels for one passage, the last counts.
    """
    by_judge: dict[str, dict[Key, LabelEntry]] = {}
    for entry in entries:
        if entry.judge and entry.label is not None:
            by_judge.setdefault(entry.judge, {})[_key(entry)] = entry
    pairs = combinations(sorted(by_judge), 2)
    found = [_agreement((a, b), by_judge[a], by_judge[b]) for a, b in pairs]
    return [one for one in found if one.both]


def cohens_kappa(pairs: Sequence[tuple[int, int]], distance: Callable[[int, int], float] | None = None) -> float | None:
    """Agreement beyond chance: 1 - observed / expected disagreement (Cohen 1960; weighted: Cohen 1968).

    1 for equal labels, 0 for the agreement of independent judges with these labels. None without pairs, and if both
    judges gave one and the same label to everything, because chance then explains all.

    pairs: the two labels of each passage. distance: between two labels; None for 1 between different ones.
    """
    differ = distance or (lambda a, b: float(a != b))
    observed = sum(differ(a, b) for a, b in pairs)
    firsts, seconds = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    expected = sum(differ(a, b) * firsts[a] * seconds[b] for a in LABELS for b in LABELS)
    return 1.0 - observed * len(pairs) / expected if expected else None


def _agreement(judges: tuple[str, str], of_a: Mapping[Key, LabelEntry], of_b: Mapping[Key, LabelEntry]) -> Agreement:
    common = [(of_a[key], of_b[key]) for key in of_a if key in of_b]
    pairs = [(a.label or 0, b.label or 0) for a, b in common]
    return Agreement(
        judges=judges,
        both=len(pairs),
        equal=sum(a == b for a, b in pairs),
        kappa=cohens_kappa(pairs),
        weighted_kappa=cohens_kappa(pairs, lambda a, b: float(abs(a - b))),
        differing=tuple(
            Disagreement(one.topic_id, one.content_hash, _url(one), _quote(one), labels)
            for (one, _), labels in zip(common, pairs, strict=True)
            if labels[0] != labels[1]
        ),
    )


def _key(entry: LabelEntry) -> Key:
    return entry.topic_id, entry.content_hash or _quote(entry)


def _url(entry: LabelEntry) -> str:
    return (entry.passage and entry.passage.url) or ""


def _quote(entry: LabelEntry) -> str:
    quote = entry.passage and entry.passage.quote
    return quote.exact if quote else ""
