"""Compare several settings on one test set: significant differences, and the best. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.errors import InputError
from assay.model.comparisons import SweptMean, SweptRow
from assay.model.counting import some_of
from assay.model.evaluation import Passage
from assay.model.validations import Difference, Percentiles, TopicResult
from assay.ports import Catalog
from assay.validation.judgments.corpus import CatalogCorpus, Corpus
from assay.validation.metrics import parse_measure
from assay.validation.statistics import bootstrap_interval, compare, holm, mean_of_known
from assay.validation.unjudged import MAX_JUDGED_GAP, could_be_level

SHOWN = ("nDCG@10", "mrr", "P@5", "Recall@10")
"""The measures of every row; the deciding one is put first."""

_NAMED = 4
_JUDGED = "judged@5"
_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """A row before the comparison. lost: judgments that do not count. Other fields as in SweptRow."""

    name: str
    described: Mapping[str, str]
    chunks: int
    results: Sequence[TopicResult]
    latency: Percentiles | None
    lost: int
    recut: bool = False


@dataclass(frozen=True, slots=True)
class SweepFindings:
    """The rows of a sweep and its conclusions; see Sweep."""

    rows: tuple[SweptRow, ...]
    best: str | None
    detectable: float | None
    words: tuple[str, ...]
    notes: tuple[str, ...]


class RecutCorpus(CatalogCorpus):
    """The corpus of a generation that was chunked again for a sweep. Stores nothing.

    catalog, generation_id: of its pages and chunks.
    base: the original generation's corpus, which has resolved anchors and earlier texts.
    """

    def __init__(self, catalog: Catalog, generation_id: str, base: Corpus) -> None:
        super().__init__(catalog, generation_id)
        self._base = base

    def earlier_text(self, text_hash: str) -> str | None:
        """The text with this hash, if a kept generation has it."""
        return self._base.earlier_text(text_hash)

    def anchors(self, keys: Sequence[str]) -> dict[str, Passage]:
        """The resolved anchors of judgments on the base."""
        return self._base.anchors(keys)

    def keep_anchors(self, anchors: Mapping[str, Passage]) -> None:
        """Store nothing: the chunks are deleted when the sweep ends."""


def shown_measures(decisive: str) -> tuple[str, ...]:
    """The measures of a sweep, the deciding one first. Raises InputError for an unknown name."""
    return tuple(dict.fromkeys([parse_measure(decisive).name, *SHOWN]))


def find(measured: Sequence[MeasuredRow], measures: Sequence[str]) -> SweepFindings:
    """Compare every row with the first, and the highest with all others.

    measures: the first decides. Only topics without an error in every row count, so that all means have the same
    topics. p is adjusted after Holm over all rows and measures; for the best row over all rows.

    Raises InputError if every topic failed in some row.
    """
    decisive = measures[0]
    joined = _answered_by_all(measured)
    if not joined:
        raise InputError("Every topic failed with some of these settings, so nothing can be compared.")
    values = [{one.topic.id: one.values for one in row.results if one.topic.id in joined} for row in measured]
    against_first = _against_first(values, measures)
    best, tied, detectable = _best(values, decisive)
    rows = tuple(
        SweptRow(
            name=row.name,
            described=row.described,
            chunks=row.chunks,
            means=tuple(_mean(values[place], measure, against_first.get((place, measure))) for measure in measures),
            judged=_average(values[place], _JUDGED),
            latency=row.latency,
            topics=len(joined),
            failed=sum(one.error is not None for one in row.results),
            lost=row.lost,
            tied_with_best=place in tied,
        )
        for place, row in enumerate(measured)
    )
    most = [_most(row, joined, decisive) for row in measured]
    rows = tuple(
        replace(
            row,
            open_to_first=bool(place) and _is_open(row, rows[0], most[place], decisive),
            open_to_best=best is not None and place not in tied and _is_open(row, rows[best], most[place], decisive),
        )
        for place, row in enumerate(rows)
    )
    name = None if best is None else rows[best].name
    words = [*_winner(rows, best, decisive, detectable), *_changes(rows, decisive)]
    return SweepFindings(rows, name, detectable, tuple(words), tuple(_notes(rows, measured, len(joined))))


def _most(row: MeasuredRow, joined: set[str], measure: str) -> float | None:
    """The mean of a row if all its unjudged hits were relevant."""
    return mean_of_known(one.upper.get(measure) for one in row.results if one.topic.id in joined)


def _is_open(row: SweptRow, other: SweptRow, most: float | None, measure: str) -> bool:
    """Whether labels could bring a lower row level with another."""
    mean, higher = row.mean(measure), other.mean(measure)
    if mean is None or higher is None or mean.value is None or higher.value is None or most is None:
        return False
    return mean.value < higher.value and could_be_level(most, higher.value, row.judged, other.judged)


def _answered_by_all(measured: Sequence[MeasuredRow]) -> set[str]:
    answered = [{one.topic.id for one in row.results if one.error is None} for row in measured]
    return set.intersection(*answered) if answered else set()


def _against_first(
    values: Sequence[Mapping[str, Mapping[str, float | None]]], measures: Sequence[str]
) -> dict[tuple[int, str], Difference]:
    """Each later row's difference from the first, by row and measure."""
    found = {
        (place, one.measure): one
        for place, row in enumerate(values)
        if place
        for one in compare(measures, values[0], row, family=(len(values) - 1) * len(measures))
    }
    adjusted = holm([one.p for one in found.values()])
    return {key: replace(one, adjusted_p=p) for (key, one), p in zip(found.items(), adjusted, strict=True)}


def _best(
    values: Sequence[Mapping[str, Mapping[str, float | None]]], measure: str
) -> tuple[int | None, set[int], float | None]:
    """The row with the highest mean, the rows not significantly lower (with itself), and the detectable difference."""
    means = [_average(row, measure) for row in values]
    known = [(mean, -place) for place, mean in enumerate(means) if mean is not None]
    if not known:
        return None, set(), None
    best = -max(known)[1]
    others = [place for place, mean in enumerate(means) if mean is not None and place != best]
    found = {
        place: difference
        for place in others
        for difference in compare([measure], values[place], values[best], family=len(others))
    }
    adjusted = holm([one.p for one in found.values()])
    tied = {place for place, p in zip(found, adjusted, strict=True) if p >= _ALPHA}
    detectable = [one.detectable for place, one in found.items() if place in tied and one.detectable is not None]
    return best, tied | {best}, max(detectable, default=None)


def _mean(
    values: Mapping[str, Mapping[str, float | None]], measure: str, against_first: Difference | None
) -> SweptMean:
    known = [value for row in values.values() if (value := row.get(measure)) is not None]
    interval = bootstrap_interval(known, bounds=parse_measure(measure).bounds)
    low, high = (interval.low, interval.high) if interval else (None, None)
    return SweptMean(measure, mean_of_known(known), low, high, against_first)


def _average(values: Mapping[str, Mapping[str, float | None]], measure: str) -> float | None:
    return mean_of_known(row.get(measure) for row in values.values())


# --- in words ------------------------------------------------------------------------------------------------------


def _winner(rows: Sequence[SweptRow], best: int | None, measure: str, detectable: float | None) -> list[str]:
    """Name the best row, or the fastest of those that do not differ significantly."""
    if best is None:
        return [f"No row has a value of {measure}."]
    if len(rows) == 1:
        return []
    tied = [row for row in rows if row.tied_with_best]
    unknown = [row.name for row in rows if row.open_to_best]
    out = f" {some_of(unknown, _NAMED)} may be as good: too few of their hits are judged." if unknown else ""
    if len(tied) == 1 and len(unknown) == len(rows) - 1:
        return [f"{tied[0].name} is the highest on {measure}.{out}"]
    if len(tied) == 1:
        which = "every other row" if not unknown else "every row whose hits are judged as well"
        return [f"{tied[0].name} is the best on {measure}: {which} is significantly lower.{out}"]
    show = "" if detectable is None else f"; {rows[0].topics} topics detect differences from {detectable:.2g}"
    alike = f"{len(tied)} of {len(rows)} rows do not differ significantly on {measure}"
    words = [f"There is no winner: {alike} ({some_of([row.name for row in tied], _NAMED)}){show}.{out}"]
    timed = [(row.latency.p50_ms, row.name) for row in tied if row.latency]
    if timed:
        words.append(f"The fastest of these is {min(timed)[1]}, with a median of {min(timed)[0]:.2g} ms.")
    return words


def _changes(rows: Sequence[SweptRow], measure: str) -> list[str]:
    """Name the rows that differ significantly from the first."""
    words = []
    for better, word in ((True, "better"), (False, "worse")):
        named = [row.name for row in rows if not row.open_to_first and _changed(row.mean(measure), better=better)]
        if named:
            words.append(f"Significantly {word} than {rows[0].name} on {measure}: {', '.join(named)}.")
    if len(rows) > 1 and not words and not any(row.open_to_first for row in rows):
        words.append(f"No row differs significantly from {rows[0].name} on {measure}.")
    return words


def _changed(mean: SweptMean | None, *, better: bool) -> bool:
    return mean is not None and is_significant(mean) and (_difference(mean) > 0.0) is better


def is_significant(mean: SweptMean) -> bool:
    """Whether a row differs significantly from the first."""
    return mean.against_first is not None and mean.against_first.adjusted_p < _ALPHA and bool(_difference(mean))


def _difference(mean: SweptMean) -> float:
    return mean.against_first.difference if mean.against_first else 0.0


def _notes(rows: Sequence[SweptRow], measured: Sequence[MeasuredRow], joined: int) -> list[str]:
    """Warn of differences that make rows less comparable."""
    notes = []
    asked = max(len(row.results) for row in measured)
    if joined < asked:
        failed = [f"{row.name} ({row.failed})" for row in rows if row.failed]
        notes.append(f"{asked - joined} of {asked} topics are in no figure, because rows failed: {', '.join(failed)}.")
    judged = [row.judged for row in rows if row.judged is not None]
    fewer = [row for row in rows if row.judged is not None and max(judged) - row.judged > MAX_JUDGED_GAP]
    if fewer:
        named = some_of([f"{row.name} {row.judged:.0%}" for row in fewer], _NAMED)
        notes.append(
            f"Fewer of the first hits of some rows are judged ({named}, against {max(judged):.0%}). Unjudged hits "
            "count as not relevant, so these rows may be better than their values."
        )
    lost = [f"{row.name} ({row.lost})" for row in rows if row.lost > rows[0].lost]
    if lost:
        notes.append(f"More judgments are lost than in the first row: {', '.join(lost)}.")
    if any(row.recut for row in measured) and len({row.chunks for row in rows}) > 1:
        notes.append(
            "Chunkers cut a judged passage into different numbers of chunks, so P@k and Recall@k of different chunkers "
            "are not quite comparable."
        )
    return notes
