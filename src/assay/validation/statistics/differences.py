"""Compare two systems on the same topics, measure by measure."""

from collections.abc import Mapping, Sequence

from assay.errors import InputError
from assay.model.validations import Difference
from assay.validation.metrics import OVERLAP, PASSAGES, parse_measure
from assay.validation.statistics.intervals import difference_interval
from assay.validation.statistics.numbers import mean
from assay.validation.statistics.permutation import holm, paired_test
from assay.validation.statistics.power import smallest_difference


def compare(
    measures: Sequence[str],
    a: Mapping[str, Mapping[str, float | None]],
    b: Mapping[str, Mapping[str, float | None]],
    seed: int = 0,
    family: int | None = None,
) -> tuple[Difference, ...]:
    """Compare two systems measure by measure, on the topics that both have.

    measures: those to compare, as one family for Holm's adjustment.
    a, b: by topic id, the value of each measure; None, or no entry, if it is undefined.
    family: number of tests that `detectable` is for; None for the measures compared here. Set it if p is adjusted over
        more tests.

    A topic without a value in one system is left out of that measure; `topics` is the number compared. A measure that
    no topic has in both systems is left out, so the result may be empty.

    Raises InputError for a value that is not finite.
    """
    ids = sorted(a.keys() & b.keys())
    compared: list[tuple[str, list[float], list[float]]] = []
    for measure in measures:
        pairs = [(a[id_].get(measure), b[id_].get(measure)) for id_ in ids]
        known = [(x, y) for x, y in pairs if x is not None and y is not None]
        if known:
            compared.append((measure, [x for x, _ in known], [y for _, y in known]))
    columns = [[y - x for x, y in zip(xs, ys, strict=True)] for _, xs, ys in compared]
    ps = [paired_test(xs, ys, seed=seed) for _, xs, ys in compared]
    return tuple(
        Difference(
            measure=measure,
            topics=len(xs),
            a=mean(xs),
            b=mean(ys),
            difference=mean(differences),
            interval=difference_interval(differences, seed=seed, bounds=_bounds_of(measure)),
            p=p,
            adjusted_p=adjusted,
            detectable=smallest_difference(differences, tests=family or len(compared)),
        )
        for (measure, xs, ys), differences, p, adjusted in zip(compared, columns, ps, holm(ps), strict=True)
    )


def _bounds_of(measure: str) -> tuple[float, float] | None:
    """The range of a measure's differences; None if it is unknown."""
    if measure in {OVERLAP, PASSAGES}:
        return -1.0, 1.0
    try:
        bounds = parse_measure(measure).bounds
    except InputError:
        return None
    return None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0])
