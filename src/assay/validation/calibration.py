"""Thresholds on similarity, for one embedder on one index, with their intervals.

Similarities of different models are not comparable: 0.5 may be a perfect answer of one and noise of another. Labels of
one topic are not independent, so every interval comes from a cluster bootstrap over topics (Field and Welsh, J. R.
Stat. Soc. B 2007; for diagnostic accuracy Rutter, Academic Radiology 2000).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from assay.model.counting import counted
from assay.model.evaluation import Interval

LEAST_NEGATIVES = 10
LEAST_POSITIVES = 10
LEAST_TOPICS = 5
"""Smallest samples to calibrate with. Topics: with a relevant passage, and with an irrelevant one."""

KEPT = 0.95
"""Share of the topics with an answer that an abstention threshold must keep answered."""

SEEDS = (0.3, 0.5, 0.7)
"""Thresholds that the seeds use for other models."""

RESAMPLES = 2_000
_LEVEL = 0.95
_MOST_CUTS = 1_000
_CELLS = 4_000_000

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Observed:
    """The labelled similarities of one topic, each from 0 to 1.

    relevant: of the passages judged 1 or 2. irrelevant: of those judged 0, and the first hits of a topic without an
        answer.
    top: of the nearest passage; None if nothing was found.
    answerable: None if unknown: no passage is judged relevant, and the topic does not have `expect: no_answer`.
    family: id of the original topic, its own if it is no paraphrase; a family is resampled as one.
    """

    topic_id: str
    relevant: tuple[float, ...]
    irrelevant: tuple[float, ...]
    top: float | None
    answerable: bool | None
    family: str = ""


@dataclass(frozen=True, slots=True)
class AtThreshold:
    """The effect of a threshold; a passage exactly at it is kept. A share with denominator 0 is None.

    recall: share of the relevant passages that are kept.
    fallout: share of the irrelevant passages that are kept.
    precision: share of the kept judged passages that are relevant.
    answered: share of the topics with an answer that keep a passage.
    refused: share of the topics without an answer that keep none.
    """

    threshold: float
    recall: float | None
    fallout: float | None
    precision: float | None
    f1: float | None
    answered: float | None
    refused: float | None


@dataclass(frozen=True, slots=True)
class Separation:
    """A threshold between relevant and irrelevant passages.

    threshold: the lowest that maximizes Youden's J = recall - fallout (Cancer 1950); None if unknown, for the reason
        in `why_not`.
    interval: of the threshold, over topics.
    auc, auc_interval: the probability that a relevant passage is more similar than an irrelevant one (Hanley and
        McNeil, Radiology 1982).
    best_f1: the threshold with the best F1, which depends on the proportion of judged passages.
    """

    threshold: float | None = None
    interval: Interval | None = None
    auc: float | None = None
    auc_interval: Interval | None = None
    best_f1: float | None = None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Abstention:
    """A threshold that refuses topics without an answer and keeps those with one.

    threshold: refuses the most topics while keeping at least KEPT of those with an answer; None if unknown, for the
        reason in `why_not`.
    answered, refused: the shares, with Wilson's intervals (JASA 1927).
    """

    threshold: float | None
    interval: Interval | None = None
    answered: float | None = None
    answered_interval: Interval | None = None
    refused: float | None = None
    refused_interval: Interval | None = None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Both thresholds and the data behind them. relevant, irrelevant: all similarities, ascending."""

    relevant: tuple[float, ...]
    irrelevant: tuple[float, ...]
    topics: int
    answerable: int
    unanswerable: int
    separation: Separation
    abstention: Abstention
    table: tuple[AtThreshold, ...]


def calibrate(observed: Sequence[Observed], resamples: int = RESAMPLES, seed: int = 0) -> Calibration:
    """Find both thresholds. Deterministic: the same observations give the same result.

    Raises ValueError for a similarity that is not from 0 to 1.
    """
    for one in observed:
        for value in (*one.relevant, *one.irrelevant, *(() if one.top is None else (one.top,))):
            if not 0.0 <= value <= 1.0:
                raise ValueError(f"{one.topic_id}: similarity {value} is not from 0 to 1.")
    separation = separate(observed, resamples, seed)
    abstention = abstain(observed, resamples, seed)
    found = {separation.threshold, separation.best_f1, abstention.threshold} - {None}
    thresholds = sorted({*SEEDS, *(one for one in found if one is not None)})
    return Calibration(
        relevant=tuple(sorted(value for one in observed for value in one.relevant)),
        irrelevant=tuple(sorted(value for one in observed for value in one.irrelevant)),
        topics=sum(bool(one.relevant or one.irrelevant) for one in observed),
        answerable=sum(one.answerable is True for one in observed),
        unanswerable=sum(one.answerable is False for one in observed),
        separation=separation,
        abstention=abstention,
        table=tuple(at_threshold(observed, threshold) for threshold in thresholds),
    )


# --- passages ------------------------------------------------------------------------------------------------------


def separate(observed: Sequence[Observed], resamples: int = RESAMPLES, seed: int = 0) -> Separation:
    """Find the threshold between relevant and irrelevant passages, or the reason why there is none."""
    used = [_together(family) for family in _families(observed)]
    used = [one for one in used if one.relevant or one.irrelevant]
    if reason := _too_few(used):
        return Separation(why_not=reason)
    curve = _Curve.of(used, every=True)
    auc, best, _ = curve.drawn(np.ones((1, len(used))))
    aucs, _, thresholds = _Curve.of(used, every=False).drawn(_draws(len(used), resamples, seed))
    auc_interval = _percentiles(aucs)
    if auc_interval is None or auc_interval.low <= 0.5:
        bounds = f"[{auc_interval.low:z.2f}, {auc_interval.high:z.2f}]" if auc_interval else "not known"
        return Separation(
            auc=float(auc[0]),
            auc_interval=auc_interval,
            why_not=f"relevant and irrelevant hits are about equally similar (AUC {auc[0]:.2f}, 95% interval "
            f"{bounds}): no threshold separates them better than chance",
        )
    return Separation(
        threshold=curve.threshold(int(best[0])),
        interval=_percentiles(thresholds),
        auc=float(auc[0]),
        auc_interval=auc_interval,
        best_f1=curve.threshold(int(np.argmax(curve.f1()))),
    )


def _too_few(used: Sequence[Observed]) -> str:
    positives, negatives = sum(len(one.relevant) for one in used), sum(len(one.irrelevant) for one in used)
    with_positive, with_negative = sum(bool(one.relevant) for one in used), sum(bool(one.irrelevant) for one in used)
    missing = [
        f"{counted(there, noun)}{what} ({needed} are needed)"
        for there, needed, noun, what in (
            (positives, LEAST_POSITIVES, "hit", " judged 1 or 2"),
            (negatives, LEAST_NEGATIVES, "irrelevant hit", ""),
            (with_positive, LEAST_TOPICS, "topic", " with one judged 1 or 2, paraphrases counted once"),
            (with_negative, LEAST_TOPICS, "topic", " with an irrelevant one, paraphrases counted once"),
        )
        if there < needed
    ]
    return f"there are only {' and '.join(missing)}" if missing else ""


@dataclass(frozen=True, slots=True)
class _Curve:
    """The number of passages of each topic that each possible threshold keeps.

    cuts: the similarities that occur, ascending; a threshold equal to a cut keeps it.
    positive, negative: relevant and irrelevant passages at or above each cut, shape (topics, cuts); the first column
        counts all.
    """

    cuts: Floats
    positive: Floats
    negative: Floats

    @classmethod
    def of(cls, used: Sequence[Observed], *, every: bool) -> "_Curve":
        """every: use all similarities as cuts; else at most _MOST_CUTS of them, evenly spaced."""
        cuts = np.unique(np.array([value for one in used for value in (*one.relevant, *one.irrelevant)]))
        if every:  # all topics have the same weight, so one row is enough
            used = [_together(used)]
        elif len(cuts) > _MOST_CUTS:
            cuts = cuts[np.unique(np.linspace(0, len(cuts) - 1, _MOST_CUTS).round().astype(int))]
            cuts[0] = 0.0
        kept = (_kept([getattr(one, name) for one in used], cuts) for name in ("relevant", "irrelevant"))
        return cls(cuts, *kept)

    def drawn(self, weights: Floats) -> tuple[Floats, NDArray[np.intp], Floats]:
        """For each resample, the AUC, the best cut, and the midpoint between it and the cut below.

        Resamples without a relevant or an irrelevant passage are left out. The AUC is the Mann-Whitney statistic: the
        share of pairs in which the relevant passage is more similar, ties counting half. The best cut is the lowest
        with the largest recall - fallout.
        """
        aucs: list[Floats] = []
        bests: list[NDArray[np.intp]] = []
        rows = max(1, _CELLS // len(self.cuts))
        for start in range(0, len(weights), rows):
            some = weights[start : start + rows, : len(self.positive)]
            positive, negative = some @ self.positive, some @ self.negative
            there = (positive[:, 0] > 0) & (negative[:, 0] > 0)
            positive, negative = positive[there], negative[there]
            p, n = positive[:, :1], negative[:, :1]
            # In whole numbers, so that equally good cuts compare equal.
            bests.append(np.argmax(positive * n - negative * p, axis=1))
            aucs.append(_area(positive, negative) / (p * n)[:, 0])
        best = np.concatenate(bests)
        below = np.where(best > 0, self.cuts[best - 1], 0.0)
        return np.concatenate(aucs), best, (below + self.cuts[best]) / 2.0

    def f1(self) -> Floats:
        """2 TP / (2 TP + FP + FN) at each cut, over all topics (van Rijsbergen 1979)."""
        positive, negative = self.positive.sum(axis=0), self.negative.sum(axis=0)
        return np.asarray(2.0 * positive / (positive + negative + positive[0]))

    def threshold(self, place: int) -> float:
        """The shortest number that keeps the same passages as the cut."""
        return between(float(self.cuts[place - 1]) if place else 0.0, float(self.cuts[place]))


def _families(observed: Sequence[Observed]) -> list[list[Observed]]:
    """Group topics with their paraphrases, in order of first occurrence."""
    found: dict[str, list[Observed]] = {}
    for one in observed:
        found.setdefault(one.family or one.topic_id, []).append(one)
    return list(found.values())


def _together(used: Sequence[Observed]) -> Observed:
    return Observed(
        "",
        tuple(value for one in used for value in one.relevant),
        tuple(value for one in used for value in one.irrelevant),
        None,
        None,
    )


def _kept(groups: Sequence[Sequence[float]], cuts: Floats) -> Floats:
    kept = np.zeros((len(groups), len(cuts)))
    for row, values in enumerate(groups):
        ordered = np.sort(np.array(values, dtype=np.float64))
        kept[row] = len(ordered) - np.searchsorted(ordered, cuts, "left")
    return kept


def _area(positive: Floats, negative: Floats) -> Floats:
    """Count correctly ordered pairs, ties as half: the area under the curve by trapezoids. Shape (resamples,)."""
    nothing = np.zeros((len(positive), 1))
    right = np.hstack([positive[:, 1:], nothing])
    wrong = negative - np.hstack([negative[:, 1:], nothing])
    return np.asarray((wrong * (positive + right) / 2.0).sum(axis=1))


# --- topics --------------------------------------------------------------------------------------------------------


def abstain(observed: Sequence[Observed], resamples: int = RESAMPLES, seed: int = 0) -> Abstention:
    """Find the threshold that keeps topics with an answer and refuses most of those without."""
    with_answer, without = (
        _families([one for one in observed if one.answerable is answerable]) for answerable in (True, False)
    )
    missing = [
        f"{counted(len(families), 'topic')} {what} ({LEAST_TOPICS} are needed, paraphrases counted once)"
        for families, what in ((with_answer, "with an answer"), (without, "with `expect: no_answer`"))
        if len(families) < LEAST_TOPICS
    ]
    if missing:
        return Abstention(None, why_not=f"there are only {' and '.join(missing)}")
    answerable, unanswerable = _tops(with_answer), _tops(without)
    threshold, refused = abstention_threshold(answerable, unanswerable)
    if not refused:
        return Abstention(
            None,
            why_not=f"a threshold that keeps {KEPT:.0%} of the topics with an answer refuses none of the others: "
            "their hits are as similar",
        )
    answered = sum(value >= threshold for value in answerable)
    return Abstention(
        threshold,
        _percentiles(_drawn_abstentions(with_answer, without, resamples, seed)),
        answered / len(answerable),
        wilson(answered, len(answerable)),
        refused / len(unanswerable),
        wilson(refused, len(unanswerable)),
    )


def abstention_threshold(answerable: Sequence[float], unanswerable: Sequence[float]) -> tuple[float, int]:
    """The threshold that refuses the most unanswerable topics, and their number.

    Among the thresholds that keep at least KEPT of the answerable ones and refuse the most others, the shortest number
    near the middle. answerable must not be empty.
    """
    kept = sorted(answerable, reverse=True)
    highest = kept[math.ceil(KEPT * len(kept) - 1e-9) - 1]  # the largest threshold that keeps enough
    below = [value for value in unanswerable if value < highest]
    if not below:
        return highest, 0
    return between(max(below), highest), len(below)


def _tops(families: Sequence[Sequence[Observed]]) -> list[float]:
    return [one.top or 0.0 for family in families for one in family]


def _drawn_abstentions(
    with_answer: Sequence[Sequence[Observed]], without: Sequence[Sequence[Observed]], resamples: int, seed: int
) -> Floats:
    """Thresholds of resampled topics, stratified by class because the author chose the size of each."""
    random = np.random.default_rng(seed)
    drawn = []
    for _ in range(resamples):
        some, others = (
            _tops([part[place] for place in random.integers(0, len(part), len(part))])
            for part in (with_answer, without)
        )
        threshold, refused = abstention_threshold(some, others)
        if refused:
            drawn.append(threshold)
    return np.array(drawn)


def wilson(successes: int, trials: int, level: float = _LEVEL) -> Interval:
    """Confidence interval of a share (Wilson, JASA 1927). trials must be positive."""
    z = NormalDist().inv_cdf(0.5 + level / 2.0)
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / (1 + z * z / trials)
    return Interval(
        0.0 if successes == 0 else max(0.0, middle - half),
        1.0 if successes == trials else min(1.0, middle + half),
        level,
    )


# --- at one threshold ----------------------------------------------------------------------------------------------


def at_threshold(observed: Sequence[Observed], threshold: float) -> AtThreshold:
    """Compute the effect of a threshold."""
    positives = [value for one in observed for value in one.relevant]
    negatives = [value for one in observed for value in one.irrelevant]
    kept = sum(value >= threshold for value in positives)
    wrong = sum(value >= threshold for value in negatives)
    asked: Mapping[bool, list[float]] = {
        answerable: [one.top or 0.0 for one in observed if one.answerable is answerable] for answerable in (True, False)
    }
    return AtThreshold(
        threshold,
        recall=_share(kept, len(positives)),
        fallout=_share(wrong, len(negatives)),
        precision=_share(kept, kept + wrong),
        f1=_share(2 * kept, kept + wrong + len(positives)),
        answered=_share(sum(top >= threshold for top in asked[True]), len(asked[True])),
        refused=_share(sum(top < threshold for top in asked[False]), len(asked[False])),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


# --- drawing -------------------------------------------------------------------------------------------------------


def _draws(topics: int, resamples: int, seed: int) -> Floats:
    """Counts of each topic in each bootstrap resample. Shape (resamples, topics)."""
    random = np.random.default_rng(seed)
    return random.multinomial(topics, np.full(topics, 1.0 / topics), size=resamples).astype(np.float64)


def _percentiles(drawn: Floats) -> Interval | None:
    """The percentile interval; None without resamples."""
    if not len(drawn):
        return None
    low, high = np.quantile(drawn, ((1.0 - _LEVEL) / 2.0, (1.0 + _LEVEL) / 2.0))
    return Interval(float(low), float(high), _LEVEL)


def between(low: float, high: float) -> float:
    """The number in (low, high] near the middle with the fewest decimals; low < high, or both are 0."""
    middle = (low + high) / 2.0
    for digits in range(2, 16):
        short = round(middle, digits)
        if low < short <= high:
            return short
    return high
